"""Who sits where, as steps: what both ways to find it share (:mod:`.needed_seats`, :mod:`.running_plan`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from srt.language.trace import Operation
from srt.worlds.seating.claim_language import Claim, Equal, Place, names_of
from srt.worlds.seating.derivation.masks import Masks, masks_of
from srt.worlds.seating.derivation.solver import SolvedPuzzle
from srt.worlds.seating.reading.problem_reader import Puzzle
from srt.worlds.world import Refused


@dataclass(slots=True, eq=False)
class Fact:
    """A step before it has a number: its operation, its claim, and what it cites.

    ``words`` are the premises that are no steps; ``places`` and ``relations`` say where the claim holds, see
    :class:`~srt.worlds.seating.derivation.masks.ClaimMasks`. ``order`` sorts the facts of one operation; ``about`` are
    the entities that a clue or a placement speaks of. A reading may stand right ``after`` another that no step
    cites: of the same clue in other words, or of one that is passed by.
    """

    op: Operation
    claim: Claim | str
    words: tuple[str, ...]
    cites: tuple[Fact, ...]
    order: int
    places: int = 0
    relations: int = 0
    about: tuple[int, ...] = ()
    after: Fact | None = None


def reread(reading: Fact, claims: Iterable[Claim]) -> Fact:
    """The last of the readings that say ``claims``, one after another, where ``reading`` stands; none is said twice."""
    last = reading.after
    for claim in dict.fromkeys(claims):
        last = replace(reading, claim=claim, after=last)
    assert last is not None, "a reading says something"
    return last


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


_MOST_WAYS = 24
"""As many alternatives as are checked (``docs/language.md``)."""


def refuse_too_many(ways: Sequence[tuple[int, ...]]) -> None:
    """Raise :class:`~srt.worlds.world.Refused` for a step that would list more ways to sit than are checked."""
    if len(ways) > _MOST_WAYS:
        raise Refused("no_such_plan", f"a step would list {len(ways)} ways to sit; at most {_MOST_WAYS} are written")


class SeatPlan(ABC):
    """The state of knowledge about seats. Entities and seats are numbers, as :class:`.masks.Masks` has them."""

    seats: tuple[int, ...]
    """The seat of each entity in the solution, turned as ``wlog`` chose."""

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
        self._joints: dict[frozenset[Fact], Fact] = {}
        """The step that joins two lists of alternatives, for later ones that need it too."""
        self._known = self.masks.everything
        """The placements that the steps so far allow."""

    @abstractmethod
    def seat_of(self, entity: int) -> Fact:
        """The step that says where ``entity`` sits."""

    @abstractmethod
    def reading_of(self, equation: Equal) -> Fact | None:
        """The reading of a clue that says ``equation``, a function of a name, if the question may rest on it."""

    def sitter(self, seat: int) -> int:
        """Who sits on ``seat``."""
        return self.seats.index(seat)

    def _cells(self) -> Iterator[tuple[int, Fact]]:
        """The people that a clue puts on a named seat, and its reading: no step repeats it alone."""
        for reading, (entity, *_) in zip(self.readings, self._spoken_of, strict=True):
            if not isinstance(reading.claim, str) and isinstance(reading.claim[0][0], Place):
                yield entity, reading

    def _free_choice(self) -> tuple[Sequence[int], list[tuple[int, ...]], tuple[Fact, ...]] | None:
        """What may be said ``wlog``: some entities, the ways in which they sit, and what that rests on.

        ``None`` for a scene without symmetries. It uses up the symmetry of a scene without a compass.
        """
        symmetries = len(self.puzzle.scene.symmetries)
        if symmetries == 1:
            return None
        if self.puzzle.scene.kind != "booth":
            return [self._first_to_seat()], [(0,)], ()
        for reading, entities in zip(self.readings, self._spoken_of, strict=True):
            ways = self._ways(reading.places & reading.relations, entities)
            if len(ways) == symmetries:
                return entities, ways[:1], (reading,)
        return [0], [(0,), (1,)], ()

    @abstractmethod
    def _first_to_seat(self) -> int:
        """Who is seated first on a ring."""

    def _constrain(
        self, entities: Sequence[int], ways: list[tuple[int, ...]], facts: Sequence[Fact], words: tuple[str, ...]
    ) -> Fact:
        """The step that says that ``entities`` sit in one of ``ways``, with the facts of ``facts`` that it needs.

        A person left over when the others sit is not looked up with them: that is a step of its own.
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
            by_clue = scene or any(fact.op == "CORRELATE" for fact in needed)
            facts = self._joined(needed, 1 if by_clue or not about.issuperset(entities) else 2)
            words = words if scene else ()
        names, seats = self.puzzle.names, self.puzzle.scene.seats
        claim = " | ".join(
            [" & ".join([f"{names[e]}@{seats[s]}" for e, s in zip(entities, way, strict=True)]) for way in ways]
        )
        self.steps += 1
        fact = Fact("CONSTRAIN", claim, words, tuple(facts), self.steps, goal, self.masks.everything, tuple(entities))
        self._known &= goal
        return fact

    def _joined(self, facts: Sequence[Fact], most: int) -> list[Fact]:
        """``facts``, but where more than ``most`` of them list alternatives, these are joined by steps before.

        Raises:
            Refused: ``no_such_plan`` where the step would list more than 24 ways to sit.
        """
        listing = [fact for fact in facts if isinstance(fact.claim, str) and " | " in fact.claim]
        while len(listing) > most:
            one, other, *rest = listing
            pair = frozenset((one, other))
            if (joint := self._joints.get(pair)) is None:
                entities = sorted({*one.about, *other.about})
                ways = self._ways(one.places & other.places, entities)
                refuse_too_many(ways)
                joint = self._joints[pair] = self._constrain(entities, ways, [one, other], ())
            facts = [joint if fact is one else fact for fact in facts if fact is not other]
            listing = [joint, *rest]
        return list(facts)

    def _ways(self, mask: int, entities: Sequence[int], most: int | None = None) -> list[tuple[int, ...]]:
        """The seats of ``entities`` in the placements of ``mask``, in order of seats: the first ``most``, or all.

        Each beginning of a way can be completed, so no more than ``most`` of them are ever needed.
        """
        ways: list[tuple[tuple[int, ...], int]] = [((), mask)]
        for entity in entities:
            ways = [
                ((*way, seat), both)
                for way, where in ways
                for seat, seated in enumerate(self.masks.seated[entity])
                if (both := where & seated)
            ][:most]
        return [way for way, _ in ways]
