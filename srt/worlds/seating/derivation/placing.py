"""Who sits where, found step by step: the CONSTRAIN steps of a derivation.

Each step applies one clue to the seats known so far. A clue that leaves one seat for an entity is applied first, the
nearest lookup before those that need the other seats to be excluded; where none does, the clue that leaves the fewest
alternatives gives a disjunction, which later clues cut down. Steps are made when a seat is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from srt.language.trace import Operation
from srt.worlds.seating.claim_language import BLANK, Claim, Equal, Place, names_of
from srt.worlds.seating.derivation.masks import Masks, masks_of
from srt.worlds.seating.derivation.solver import SolvedPuzzle
from srt.worlds.seating.reading.problem_reader import Puzzle


@dataclass(slots=True, eq=False)
class Fact:
    """A step before it has a number: its operation, its claim, and what it cites.

    ``words`` are the premises that are no steps; ``places`` and ``relations`` say where the claim holds, see
    :class:`~srt.worlds.seating.derivation.masks.ClaimMasks`. ``order`` sorts the facts of one operation; ``about`` are
    the entities that a clue or a placement speaks of.
    """

    op: Operation
    claim: Claim | str
    words: tuple[str, ...]
    cites: tuple[Fact, ...]
    order: int
    places: int = 0
    relations: int = 0
    about: tuple[int, ...] = ()


def minimal(facts: Sequence[Fact], follows: Callable[[Sequence[Fact], bool], bool]) -> tuple[list[Fact], bool]:
    """Drop what is not needed: the facts that suffice, and whether ``scene`` is needed with them.

    ``follows(facts, scene)`` says whether the step follows. The last facts are given up first.
    """
    assert follows(facts, True), "a step that does not follow from all that is known"
    kept = list(facts)
    for fact in reversed(facts):
        rest = [other for other in kept if other is not fact]
        if follows(rest, True):
            kept = rest
    return kept, not follows(kept, False)


class Placing:
    """The state of knowledge about seats. Entities and seats are numbers, as :class:`.masks.Masks` has them."""

    def __init__(self, puzzle: Puzzle, solution: SolvedPuzzle) -> None:
        self.puzzle = puzzle
        self.masks: Masks = masks_of(puzzle.scene)
        self.index = {name: number for number, name in enumerate(puzzle.names)}
        self._spoken_of = [[self.index[name] for name in names_of(clue.claim)] for clue in puzzle.clues]
        self.readings = [
            Fact(
                "CORRELATE",
                clue.claim,
                (f"({clue.number})",),
                (),
                clue.number,
                meaning.places,
                meaning.relations,
                tuple(about),
            )
            for clue, meaning, about in zip(puzzle.clues, solution.clues, self._spoken_of, strict=True)
        ]
        self.steps = 0
        self._holder: list[Fact | None] = [None] * self.masks.count
        """The step that says most about where an entity sits."""
        self._fixed = [False] * self.masks.count
        self._pending: list[set[int]] = []
        """The entities of each disjunction that is not yet decided."""
        self._absorbed = [False] * len(self.readings)
        self._known = self.masks.everything
        self._take_cells()
        self._start()
        self.seats: tuple[int, ...] = self.masks.first(solution.mask & self._known)
        """The solution, on the seats that ``wlog`` chose."""

    def seat_of(self, entity: int) -> Fact:
        """The step that says where ``entity`` sits."""
        while not self._fixed[entity]:
            self._advance()
        holder = self._holder[entity]
        assert holder is not None
        return holder

    def sitter(self, seat: int) -> int:
        """Who sits on ``seat``."""
        return self.seats.index(seat)

    def _take_cells(self) -> None:
        """A clue that names a cell says where someone sits: its reading needs no step to repeat it."""
        for reading, (entity, *_) in zip(self.readings, self._spoken_of, strict=True):
            if not isinstance(reading.claim, str) and isinstance(reading.claim[0][0], Place):
                self._holder[entity] = reading
                self._fixed[entity] = True
                self._known &= reading.places

    def _start(self) -> None:
        """Use up the symmetry of a scene without a compass."""
        symmetries = len(self.puzzle.scene.symmetries)
        if symmetries == 1:
            return
        if self.puzzle.scene.kind != "booth":
            self._fix([self._first_to_seat()], [0], (), ("wlog",))
            return
        for reading, entities in zip(self.readings, self._spoken_of, strict=True):
            ways = list(self._ways(reading.places & reading.relations, entities))
            if len(ways) == symmetries:
                self._fix(entities, ways[0], (reading,), ("wlog",))
                return
        self._leave_open([0], [(0,), (1,)], (), ("wlog",))

    def _first_to_seat(self) -> int:
        """On a ring: the one that the question speaks of, if a clue does too; else whom most clues speak of."""
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
            ways = list(self._ways(self._known & reading.places & reading.relations, together))
            if best is None or len(ways) < best[0]:
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

    def _constrain(
        self, entities: Sequence[int], ways: list[tuple[int, ...]], facts: Sequence[Fact], words: tuple[str, ...]
    ) -> Fact:
        """The step that says that ``entities`` sit in one of ``ways``, with the facts of ``facts`` that it needs.

        Whoever is left over when the others sit is not looked up with them: that is a step of its own.
        """
        goal = 0
        for way in ways:
            one = self.masks.everything
            for entity, seat in zip(entities, way, strict=True):
                one &= self.masks.seated[entity][seat]
            goal |= one

        def follows(premises: Sequence[Fact], scene: bool) -> bool:
            places = relations = self.masks.everything
            for fact in premises:
                places &= fact.places
                relations &= fact.relations
            return not (places & relations if scene else places) & ~goal

        if words == ("scene",):
            needed, scene = minimal(facts, follows)
            about = {entity for fact in needed for entity in fact.about}
            if scene and not about.issuperset(entities):
                kept = [place for place, entity in enumerate(entities) if entity in about]
                fewer = list(dict.fromkeys(tuple(way[place] for place in kept) for way in ways))
                return self._constrain([entities[place] for place in kept], fewer, facts, words)
            facts, words = needed, words if scene else ()
        names, seats = self.puzzle.names, self.puzzle.scene.seats
        claim = " | ".join(
            [" & ".join([f"{names[e]}@{seats[s]}" for e, s in zip(entities, way, strict=True)]) for way in ways]
        )
        self.steps += 1
        fact = Fact("CONSTRAIN", claim, words, tuple(facts), self.steps, goal, self.masks.everything, tuple(entities))
        self._known &= goal
        return fact

    def _decided(self, mask: int, entities: Sequence[int]) -> list[int]:
        """Those of ``entities`` whose seat is the same in all placements of ``mask``."""
        seated = self.masks.seated
        return [entity for entity in entities if not mask & ~seated[entity][self.seats[entity]]]

    def _ways(self, mask: int, entities: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """The seats that ``entities`` have in the placements of ``mask``, in order of seats."""
        if not entities:
            yield ()
            return
        for seat, where in enumerate(self.masks.seated[entities[0]]):
            if mask & where:
                for rest in self._ways(mask & where, entities[1:]):
                    yield (seat, *rest)

    def _holders(self, entities: Sequence[int]) -> list[Fact]:
        return list(dict.fromkeys(fact for entity in entities if (fact := self._holder[entity]) is not None))

    def _others(self, facts: Sequence[Fact]) -> list[Fact]:
        return [fact for fact in self._holders(range(self.masks.count)) if fact not in facts]

    def reading_of(self, equation: Equal) -> Fact | None:
        """The reading of a clue that says ``equation``, a function of a name: word for word, or turned round."""
        claim: Claim = ((equation,),)
        relations = self.masks.meaning(claim, self.index).relations
        turned = None
        for reading in self.readings:
            if reading.claim == claim:
                return reading
            if turned is None and _is_plain(reading.claim) and not reading.relations & ~relations:
                turned = reading
        return turned


def _both(reading: Fact, facts: Sequence[Fact]) -> int:
    mask = reading.places & reading.relations
    for fact in facts:
        mask &= fact.places
    return mask


def _is_plain(claim: Claim | str) -> bool:
    """Whether a reading says of one function of one entity who it is: one lookup, not two."""
    if isinstance(claim, str):
        return False
    return any(
        isinstance(atom, Equal)
        and not atom.negated
        and not isinstance(atom.left, str)
        and isinstance(atom.left.argument, str)
        for atom in claim[0]
    )
