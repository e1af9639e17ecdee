"""Claims as sets of placements: one bit for each, so that "both" is ``&`` and "follows" is one comparison.

A scene of n seats has n! placements (24 or 720). ``seated[e][s]`` is the set of those in which entity number e sits on
seat number s; every relation is a union of intersections of two such sets, computed once for a scene and kept. This is
what makes exact proofs cheap: a premise set entails a claim when ``premises & ~claim == 0``.

A claim speaks of places (``@``, ``faces``, ``tier``, ``column``), of relations, or of both; without the premise
``scene`` these are two arrangements that know nothing of each other (``docs/seating.md``). So a claim is kept as the
pair of both sets, :class:`ClaimMasks`; with ``scene``, its set is their intersection.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import permutations
from typing import NamedTuple

from srt.worlds.seating.claim_language import (
    BLANK,
    Apply,
    Atom,
    Attribute,
    Claim,
    Equal,
    Meet,
    Member,
    Place,
    Region,
    Term,
)
from srt.worlds.seating.relations import attribute, function_table, region_table
from srt.worlds.seating.scenes import Scene


class ClaimMasks(NamedTuple):
    """Where a claim holds: the placements that its claims about places allow, and those that its relations allow."""

    places: int
    relations: int


_Side = tuple[tuple[str, int], ...]
"""The functions of a term with their k, from the inside out."""


class Masks:
    """The sets of placements of one scene. Entities and seats are numbers here; seats in the order of the scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.count = len(scene.seats)
        self.placements = list(permutations(range(self.count)))
        """Seat number of each entity, a tuple a placement; bit i of a mask is ``placements[i]``."""
        self.everything = (1 << len(self.placements)) - 1
        numbered = list(enumerate(self.placements))
        self.seated = [
            [sum(1 << bit for bit, seats in numbered if seats[entity] == seat) for seat in range(self.count)]
            for entity in range(self.count)
        ]
        self._seat_number = {seat: number for number, seat in enumerate(scene.seats)}
        self._pairs: dict[object, tuple[tuple[int, int], ...]] = {}
        self._cache: dict[object, int] = {}

    def meaning(self, claim: Claim, index: Mapping[str, int]) -> ClaimMasks:
        """Where ``claim``, of one alternative, holds. ``index`` numbers the names in it, the blank too if it is there.

        Raises:
            ValueError: a relation that means nothing in this scene, or a claim with several alternatives.
        """
        if len(claim) != 1:
            raise ValueError("a claim of one alternative was expected")
        places = relations = self.everything
        for atom in claim[0]:
            if isinstance(atom, (Place, Attribute)):
                places &= self._at_place(atom, index)
            else:
                relations &= self._related(atom, index)
        return ClaimMasks(places, relations)

    def fillers(self, claim: Claim, index: Mapping[str, int]) -> list[ClaimMasks]:
        """For each entity number, where it fills the blank of ``claim``; raises as :meth:`meaning` does."""
        return [self.meaning(claim, {**index, BLANK: entity}) for entity in range(self.count)]

    def first(self, mask: int) -> tuple[int, ...]:
        """The first placement in ``mask``."""
        return self.placements[(mask & -mask).bit_length() - 1]

    def _at_place(self, atom: Place | Attribute, index: Mapping[str, int]) -> int:
        seated = self.seated[index[atom.name]]
        if isinstance(atom, Place):
            if atom.seat not in self._seat_number:
                raise ValueError(f"{atom.seat!r} is no seat of a {self.scene.kind}")
            return seated[self._seat_number[atom.seat]]
        seats = (
            n for n, seat in enumerate(self.scene.seats) if attribute(self.scene, atom.function, seat) == atom.value
        )
        return sum(seated[number] for number in seats)

    def _related(self, atom: Atom, index: Mapping[str, int]) -> int:
        match atom:
            case Equal(left, right, negated):
                first, left_side = _unfold(left)
                second, right_side = _unfold(right)
                key: object = (left_side, right_side, negated)
            case Member(first, Region(name, second, k), negated):
                key = (name, k, negated)
            case Meet(Region(name, first, k), Region(name2, second, k2)):
                key = (name, k, name2, k2)
            case _:
                raise ValueError(f"{type(atom).__name__} is no relation")
        i, j = index[first], index[second]
        known = self._cache.get((key, i, j))
        if known is None:
            if key not in self._pairs:
                self._pairs[key] = self._seat_pairs(atom)
            known = self._cache[key, i, j] = self._union(self._pairs[key], i, j)
        return known

    def _union(self, pairs: tuple[tuple[int, int], ...], i: int, j: int) -> int:
        mask = 0
        for s, t in pairs:
            if i != j:
                mask |= self.seated[i][s] & self.seated[j][t]
            elif s == t:
                mask |= self.seated[i][s]
        return mask

    def _seat_pairs(self, atom: Atom) -> tuple[tuple[int, int], ...]:
        """The (seat of the first entity, seat of the second) for which ``atom`` holds, equal seats for one entity."""
        seats = self.scene.seats
        return tuple(
            (i, j) for i, s in enumerate(seats) for j, t in enumerate(seats) if self._seats_related(atom, s, t)
        )

    def _seats_related(self, atom: Atom, s: str, t: str) -> bool:
        match atom:
            case Equal(left, right, negated):
                first, second = self._lead(left, s), self._lead(right, t)
                if first is None or second is None:
                    return False
                return first != second and not (s == t and _is_direct(left, right)) if negated else first == second
            case Member(_, region, negated):
                inside = s in region_table(self.scene, region.name, region.k)[t]
                return not inside and s != t if negated else inside
            case Meet(first_region, second_region):
                around_first = region_table(self.scene, first_region.name, first_region.k)[s]
                return bool(around_first & region_table(self.scene, second_region.name, second_region.k)[t])
        raise ValueError(f"{type(atom).__name__} is no relation")

    def _lead(self, term: Term, seat: str) -> str | None:
        """Where ``term`` leads when its innermost name sits on ``seat``."""
        place: str | None = seat
        for function, k in _unfold(term)[1]:
            table = function_table(self.scene, function, k)
            place = None if place is None else table[place]
        return place


@cache
def masks_of(scene: Scene) -> Masks:
    """The sets of ``scene``, made once."""
    return Masks(scene)


def _unfold(term: Term) -> tuple[str, _Side]:
    """The innermost name of ``term``, and its functions from the inside out."""
    if isinstance(term, str):
        return term, ()
    if isinstance(term.argument, str):
        return term.argument, ((term.function, term.k),)
    functions = []
    while isinstance(term, Apply):
        functions.append((term.function, term.k))
        term = term.argument
    return term, tuple(reversed(functions))


def _is_direct(left: Term, right: Term) -> bool:
    """Whether one side is a name and the other one function of a name, as in ``across(Mary) != ?``."""
    return {len(_unfold(left)[1]), len(_unfold(right)[1])} == {0, 1}
