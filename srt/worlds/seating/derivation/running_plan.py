"""A plan that is carried along: each CONSTRAIN step repeats who sits where so far, and adds what one clue says.

The steps of :mod:`.needed_seats` are no more than a question needs, so that a model that writes them must know in
advance which clue, which seat and which earlier step will be needed. Here nothing has to be looked ahead: all clues are
read, all seats are found, and each step cites the plan before it and the first clue, in the order of the problem, that
decides something now::

    CONSTRAIN wlog #1: Cal@S1 & Fay@N1
    CONSTRAIN scene #2 #4: Cal@S1 & Fay@N1 & Bob@S2
    CONSTRAIN #5: Cal@S1 & Fay@N1 & Bob@S2 & Eve@N2

It is longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from srt.worlds.seating.claim_language import Apply, Claim, Equal
from srt.worlds.seating.derivation.seat_plan import Fact, SeatPlan, refuse_too_many, reread
from srt.worlds.seating.derivation.solver import SolvedPuzzle
from srt.worlds.seating.derivation.turns import circular, counted_from
from srt.worlds.seating.reading.problem_reader import Puzzle


class RunningPlan(SeatPlan):
    """All seats, found in the order of the clues whatever the question; a clue that adds nothing is not read.

    With ``turns``, clues around a ring are read one thing at a time, down to a turn from a seated person, beside whom
    the other is seated; those about nobody who is seated yet are read and passed by; and the plan keeps its order.

    Raises:
        Refused: ``no_such_plan`` where a plan would list more than 24 ways to sit.
    """

    def __init__(self, puzzle: Puzzle, solution: SolvedPuzzle, turns: bool = False) -> None:
        super().__init__(puzzle, solution)
        self._turns = turns
        self._of_a_ring = puzzle.scene.kind.startswith("hexagon")
        self._last = 0
        """The number of the clue that was used last."""
        cells = dict(self._cells())
        self._seated = list(cells)
        """The entities of the plan, in the order in which they came into it."""
        self._plan: tuple[Fact, ...] = tuple(dict.fromkeys(cells.values()))
        """The step that says the plan; before the first, the readings that do."""
        for reading in self._plan:
            self._known &= reading.places
        self._unused = [
            (reading, entities)
            for reading, entities in zip(self.readings, self._spoken_of, strict=True)
            if reading not in self._plan
        ]
        if (choice := self._free_choice()) is not None:
            entities, ways, facts = choice
            self._write(entities, ways, facts, "wlog")
            self._drop(facts)
        while len(self._seated) < self.masks.count or len(self._ways_of(self._seated)) > 1:
            self._advance()
        self.seats = self.masks.first(self._known)

    def seat_of(self, entity: int) -> Fact:
        """The last step of the plan."""
        if len(self._plan) > 1:  # Clues alone say where all sit: the plan is one step that puts them together.
            self._write(self._seated, self._ways_of(self._seated), (), "scene")
        return self._plan[0]

    def reading_of(self, equation: Equal) -> None:
        """None: the question is always asked of the plan."""

    def _first_to_seat(self) -> int:
        """The person that the first clue names first."""
        return self._spoken_of[0][0]

    def _advance(self) -> None:
        """The first clue that leaves one way to sit; else the person left over; else the clue with the fewest ways.

        Of clues that leave one way, one of somebody who is seated comes before those of two others.
        """
        now = len(self._ways_of(self._seated))
        in_order = self._turns and self._of_a_ring and self._seated and now == 1
        if in_order and (found := self._next_in_order()) is not None:
            self._use(*found)
            return
        best: tuple[tuple[int, bool], Fact, list[int], list[tuple[int, ...]]] | None = None
        for reading, entities in self._unused:
            known = [entity for entity in self._seated if entity in entities]
            together = self._with(entities)
            ways = self._ways(self._known & reading.places & reading.relations, together)
            if len(together) > len(self._seated) or len(ways) < now:
                cost = len(ways), len(ways) == 1 and not known
                if best is None or cost < best[0]:
                    best = cost, reading, together, ways
        left = [entity for entity in range(self.masks.count) if entity not in self._seated]
        if best is None or (now == 1 and len(left) == 1 and len(best[3]) > 1):
            together = [*self._seated, *left]
            self._write(together, self._ways_of(together), (), "scene")
        else:
            self._use(*best[1:])

    def _next_in_order(self) -> tuple[Fact, list[int], list[tuple[int, ...]], list[Fact]] | None:
        """The next clue about somebody who is seated, or about one person alone, that leaves one way to sit.

        Next after the clue used last; after the last clue comes the first again. Those on the way that are about nobody
        who is seated are read and passed by, so that nobody needs to know which clue will do before it is read. They
        come last in what is returned: the clue, the people that the plan then lists, their one way to sit, what is
        skipped.
        """
        passed: list[Fact] = []
        for reading, entities in sorted(self._unused, key=lambda one: (one[0].order <= self._last, one[0].order)):
            known = [entity for entity in entities if entity in self._seated]
            together = self._with(entities)
            ways = self._ways(self._known & reading.places & reading.relations, together)
            new = len(together) - len(self._seated)
            if len(ways) == 1 and (new == 1 or (new and known)):
                return reading, together, ways, passed
            if not known:
                passed.append(reading)
        return None

    def _use(
        self, reading: Fact, together: list[int], ways: list[tuple[int, ...]], passed: Sequence[Fact] = ()
    ) -> None:
        fact = self._seat_beside(self._as_turn(reading, passed)) if self._turns else reading
        self._write(together, ways, (fact,), "scene")
        self._drop([reading])
        self._last = reading.order

    def _with(self, entities: Sequence[int]) -> list[int]:
        """The people that the plan lists once it has a clue about ``entities``.

        With turns, those are added to its end. Otherwise what the clue rests on stands right before what it adds.
        """
        if self._turns:
            return list(dict.fromkeys([*self._seated, *entities]))
        others = [entity for entity in self._seated if entity not in entities]
        known = [entity for entity in entities if entity in self._seated]
        return list(dict.fromkeys([*others, *known, *entities]))

    def _as_turn(self, reading: Fact, passed: Sequence[Fact]) -> Fact:
        """The last reading of the clue of ``reading`` if it is read step by step, one thing minded in each.

        First as the clue has it (``Bob = left(Ann, 2)``), then clockwise or counterclockwise, by the way people face
        (``Bob = cw(Ann, 2)``), then, if one of two people is seated, from there (``ccw(Bob, 2) = Ann``). Clues that
        were ``passed`` by are read before it, as they have it.
        """
        if not self._of_a_ring:
            return reading
        known = [self.puzzle.names[entity] for entity in reading.about if entity in self._seated]
        new = [self.puzzle.names[entity] for entity in reading.about if entity not in self._seated]
        before: Fact | None = None
        for other in passed:
            before = replace(other, claim=self._in_order_of_words(other), after=before)
        claims = [literal := self._in_order_of_words(reading)]
        claims.append(turn := circular(literal, self.puzzle.scene))
        if len(known) == len(new) == 1:
            claims.append(counted_from(known[0], new[0], turn))
        return reread(replace(reading, after=before), claims)

    def _seat_beside(self, reading: Fact) -> Fact:
        """The step that seats somebody beside the one of two who is seated, around a ring; else ``reading`` itself.

        It repeats the seat that is counted from, which may be anywhere in the plan.
        """
        known = [entity for entity in reading.about if entity in self._seated]
        both = list(dict.fromkeys([*known, *reading.about]))
        ways = self._ways(self._known & reading.places & reading.relations, both)
        if not self._of_a_ring or len(self._seated) == 1 or (len(known), len(both), len(ways)) != (1, 2, 1):
            return reading
        return self._constrain(both, ways, [reading, *self._plan], ("scene",))

    def _in_order_of_words(self, reading: Fact) -> Claim:
        """Its claim with the name first that the clue has first: "Ann is left of Bob" is ``Ann = left(Bob)``."""
        text = next(clue.text for clue in self.puzzle.clues if clue.number == reading.order)
        claim = reading.claim
        assert not isinstance(claim, str), "what a clue says is a claim"
        match claim:
            case ((Equal(Apply(argument=str() as start) as call, str() as name, False),),):
                if text.index(name) < text.index(start):
                    return ((Equal(name, call),),)
        return claim

    def _write(self, entities: Sequence[int], ways: list[tuple[int, ...]], facts: Sequence[Fact], word: str) -> None:
        refuse_too_many(ways)
        self._plan = (self._constrain(entities, ways, [*facts, *self._plan], (word,)),)
        self._seated = list(entities)

    def _drop(self, used: Sequence[Fact]) -> None:
        self._unused = [(reading, names) for reading, names in self._unused if reading not in used]

    def _ways_of(self, entities: Sequence[int]) -> list[tuple[int, ...]]:
        return self._ways(self._known, entities)
