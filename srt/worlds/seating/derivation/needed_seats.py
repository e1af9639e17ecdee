"""Who sits where, found step by step with as few steps as a question needs.

Each step applies one clue to the seats known so far. A clue that leaves one seat for an entity is applied first, the
nearest lookup before those that need the other seats to be excluded; where none does, the clue that leaves the fewest
alternatives gives a disjunction, which later clues cut down. Steps are made when a seat is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from srt.worlds.seating.claim_language import BLANK, Claim, Equal, names_of
from srt.worlds.seating.derivation.seat_plan import Fact, SeatPlan
from srt.worlds.seating.derivation.solver import SolvedPuzzle
from srt.worlds.seating.reading.problem_reader import Puzzle


class NeededSeats(SeatPlan):
    """Steps are made when a seat is asked for."""

    def __init__(self, puzzle: Puzzle, solution: SolvedPuzzle) -> None:
        super().__init__(puzzle, solution)
        self._holder: list[Fact | None] = [None] * self.masks.count
        """The step that says most about where an entity sits."""
        self._fixed = [False] * self.masks.count
        self._pending: list[set[int]] = []
        """The entities of each disjunction that is not yet decided."""
        self._absorbed = [False] * len(self.readings)
        for entity, reading in self._cells():
            self._holder[entity] = reading
            self._fixed[entity] = True
            self._known &= reading.places
        if (choice := self._free_choice()) is not None:
            entities, ways, facts = choice
            if len(ways) == 1:
                self._fix(entities, ways[0], facts, ("wlog",))
            else:
                self._leave_open(entities, ways, facts, ("wlog",))
        self.seats = self.masks.first(solution.mask & self._known)

    def seat_of(self, entity: int) -> Fact:
        """The step that says where ``entity`` sits."""
        while not self._fixed[entity]:
            self._advance()
        holder = self._holder[entity]
        assert holder is not None
        return holder

    def reading_of(self, equation: Equal) -> Fact | None:
        """The reading of a clue that says ``equation``, a function of a name: word for word, or turned round.

        What follows from a clue of other people, because somebody is left over, is no reading of it.
        """
        claim: Claim = ((equation,),)
        relations = self.masks.meaning(claim, self.index).relations
        turned = None
        for reading in self.readings:
            if reading.claim == claim:
                return reading
            plain = _is_plain(reading.claim, {*names_of(claim)})
            if turned is None and plain and not reading.relations & ~relations:
                turned = reading
        return turned

    def _first_to_seat(self) -> int:
        """The person named in the question, if a clue names them too; else the one named in most clues."""
        spoken_of = [entity for entities in self._spoken_of for entity in entities]
        asked_about = [self.index[name] for name in names_of(self.puzzle.question) if name != BLANK]
        candidates = [entity for entity in asked_about if entity in spoken_of] or spoken_of
        return max(sorted(set(candidates)), key=spoken_of.count)

    def _advance(self) -> None:
        """Take the best next step."""
        open_clues = [
            (number, opened)
            for number, entities in enumerate(self._spoken_of)
            if (opened := [entity for entity in entities if not self._fixed[entity]])
        ]
        for number, opened in open_clues:
            reading, near = self.readings[number], self._holders(self._spoken_of[number])
            if found := self._decided(_both(reading, near), opened):
                self._look_up(found, [reading, *near])
                return
        for entity in range(self.masks.count):
            if not self._fixed[entity] and self._decided(self._known, [entity]):
                self._look_up([entity], self._holders(range(self.masks.count)))
                return
        for number, opened in open_clues:
            reading = self.readings[number]
            if found := self._decided(self._known & reading.places & reading.relations, opened):
                near = self._holders(self._spoken_of[number])
                self._look_up(found, [reading, *near, *self._others(near)])
                return
        self._narrow(open_clues)

    def _narrow(self, open_clues: list[tuple[int, list[int]]]) -> None:
        """Apply the clue that leaves the fewest alternatives for those it speaks of and those tied to them."""
        best: tuple[int, int, list[int], list[tuple[int, ...]]] | None = None
        for number, opened in open_clues:
            if self._absorbed[number]:
                continue
            tied = [entity for group in self._pending if not group.isdisjoint(opened) for entity in sorted(group)]
            together = [entity for entity in dict.fromkeys([*tied, *opened]) if not self._fixed[entity]]
            reading = self.readings[number]
            fewest = None if best is None else best[0]
            ways = self._ways(self._known & reading.places & reading.relations, together, fewest)
            if fewest is None or len(ways) < fewest:
                best = (len(ways), number, together, ways)
        assert best is not None, "clues that do not decide the seats"
        _, number, together, ways = best
        self._absorbed[number] = True
        near = self._holders(self._spoken_of[number])
        self._leave_open(together, ways, [self.readings[number], *near, *self._others(near)], ("scene",))

    def _look_up(self, entities: Sequence[int], facts: Sequence[Fact]) -> None:
        self._fix(entities, [self.seats[entity] for entity in entities], facts, ("scene",))

    def _fix(
        self, entities: Sequence[int], seats: Sequence[int], facts: Sequence[Fact], words: tuple[str, ...]
    ) -> None:
        fact = self._constrain(entities, [tuple(seats)], facts, words)
        for entity in entities:
            self._fixed[entity] = True
            self._holder[entity] = fact

    def _leave_open(
        self, entities: Sequence[int], ways: list[tuple[int, ...]], facts: Sequence[Fact], words: tuple[str, ...]
    ) -> None:
        fact = self._constrain(entities, ways, facts, words)
        self._pending = [group for group in self._pending if group.isdisjoint(entities)] + [set(entities)]
        for entity in fact.about:
            self._holder[entity] = fact

    def _decided(self, mask: int, entities: Sequence[int]) -> list[int]:
        """Those of ``entities`` whose seat is the same in all placements of ``mask``."""
        seated = self.masks.seated
        return [entity for entity in entities if not mask & ~seated[entity][self.seats[entity]]]

    def _holders(self, entities: Sequence[int]) -> list[Fact]:
        return list(dict.fromkeys(fact for entity in entities if (fact := self._holder[entity]) is not None))

    def _others(self, facts: Sequence[Fact]) -> list[Fact]:
        return [fact for fact in self._holders(range(self.masks.count)) if fact not in facts]


def _both(reading: Fact, facts: Sequence[Fact]) -> int:
    mask = reading.places & reading.relations
    for fact in facts:
        mask &= fact.places
    return mask


def _is_plain(claim: Claim | str, names: Set[str]) -> bool:
    """Whether a reading says of one function of one entity who it is, and speaks of ``names``: one lookup, not two."""
    if isinstance(claim, str) or {*names_of(claim)} != names:
        return False
    return any(
        isinstance(atom, Equal)
        and not atom.negated
        and not isinstance(atom.left, str)
        and isinstance(atom.left.argument, str)
        for atom in claim[0]
    )
