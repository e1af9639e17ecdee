"""All placements of a scene, numbered once, and sets of them as bit masks.

A set of placements is a Python integer: bit ``n`` stands for placement ``n``. Placements are numbered so that the
symmetry of the scene is a rotation of the bits: with ``m`` turns and ``r`` placements up to a turn, the placement
``turn`` applied to number ``n`` is number ``n + r`` (modulo ``m * r``).

Without the premise ``scene`` a claim is about two separate arrangements, one for places and one for relations. A set
of such pairs is a :class:`Pairs`. Both kinds of set know ``&``, ``|``, ``^`` and ``bool``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from srt.worlds.seating.checker.plans import Plan


class Arrangements:
    """The placements of one plan. ``placements[n][entity]`` is a seat number; ``at[entity][seat]`` is a mask."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        size = len(plan.seats)
        self.placements: list[tuple[int, ...]] = list(_by_turns(size, plan.turn))
        self.full = (1 << len(self.placements)) - 1
        self.at = [[0] * size for _ in range(size)]
        for number, placement in enumerate(self.placements):
            for entity, seat in enumerate(placement):
                self.at[entity][seat] |= 1 << number
        self.turns = 1 if plan.turn is None else _order(plan.turn)
        self.loose_full = Pairs({self.full: self.full})

    def up_to_symmetry(self, mask: int) -> int:
        """The placements that some symmetry of the scene turns into one of ``mask``."""
        total, shift = len(self.placements), len(self.placements) // self.turns
        found = mask
        for _ in range(self.turns - 1):
            mask = ((mask << shift) | (mask >> (total - shift))) & self.full
            found |= mask
        return found

    def any_of(self, mask: int) -> tuple[int, ...]:
        """One placement of a mask that is not empty: the seat number of each entity."""
        return self.placements[(mask & -mask).bit_length() - 1]

    def block(self, seats: int, relations: int) -> Pairs:
        """The pairs whose places lie in the mask ``seats`` and whose relations lie in the mask ``relations``."""
        blocks = {relations: seats}
        blocks[0] = blocks.get(0, 0) | (self.full ^ seats)
        return Pairs({q: p for q, p in blocks.items() if p})


class Pairs:
    """A set of pairs (places, relations): ``blocks`` maps a mask of relations to the mask of places that go with it.

    The masks of places are disjoint and cover all, so that a set has one form only and is equal to another if and only
    if their blocks are.
    """

    __slots__ = ("blocks",)

    def __init__(self, blocks: dict[int, int]) -> None:
        self.blocks = blocks

    def __and__(self, other: Pairs) -> Pairs:
        found: dict[int, int] = {}
        for q, p in self.blocks.items():
            for other_q, other_p in other.blocks.items():
                if both := p & other_p:
                    key = q & other_q
                    found[key] = found.get(key, 0) | both
        return Pairs(found)

    def __xor__(self, other: Pairs) -> Pairs:
        found: dict[int, int] = {}
        for q, p in self.blocks.items():
            for other_q, other_p in other.blocks.items():
                if both := p & other_p:
                    key = q ^ other_q
                    found[key] = found.get(key, 0) | both
        return Pairs(found)

    def __or__(self, other: Pairs) -> Pairs:
        found: dict[int, int] = {}
        for q, p in self.blocks.items():
            for other_q, other_p in other.blocks.items():
                if both := p & other_p:
                    key = q | other_q
                    found[key] = found.get(key, 0) | both
        return Pairs(found)

    def __bool__(self) -> bool:
        return len(self.blocks) > 1 or 0 not in self.blocks

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pairs) and self.blocks == other.blocks

    def __hash__(self) -> int:
        return hash(frozenset(self.blocks.items()))


def _by_turns(size: int, turn: tuple[int, ...] | None) -> Iterator[tuple[int, ...]]:
    everything = list(permutations(range(size)))
    if turn is None:
        yield from everything
        return
    seen: set[tuple[int, ...]] = set()
    first: list[tuple[int, ...]] = []
    for placement in everything:
        if placement not in seen:
            first.append(placement)
            for _ in range(_order(turn)):
                seen.add(placement)
                placement = tuple(turn[seat] for seat in placement)
    for _ in range(_order(turn)):
        yield from first
        first = [tuple(turn[seat] for seat in placement) for placement in first]


def _order(turn: tuple[int, ...]) -> int:
    seat, order = turn[0], 1
    while seat != 0:
        seat, order = turn[seat], order + 1
    return order
