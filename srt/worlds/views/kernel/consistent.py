"""The solids of stacks that fit given views: how many there are, and the least and greatest number of cubes.

Exact, by dynamic programming over the rows of the plan from back to front. The state is the set of columns that have
reached the height which the front view gives them, as a bit mask; with it stand the number of ways, and the least and
greatest number of cubes so far. A row may be filled in at most ``(height + 1) ** width`` ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from srt.worlds.views.kernel.stacks import Heights, Side, profile


@dataclass(frozen=True)
class GivenViews:
    """What is known of a solid: its size in plan, and some of its views, in the directions of the plan.

    ``columns`` are the heights of the columns from left to right (the front view, or the back view turned round),
    ``rows`` those of the rows from back to front (left view, or right view turned round), ``top`` the top view.
    """

    depth: int
    width: int
    columns: tuple[int, ...] | None = None
    rows: tuple[int, ...] | None = None
    top: Heights | None = None

    @classmethod
    def of(cls, depth: int, width: int, profiles: Mapping[Side, tuple[int, ...]], top: Heights | None) -> GivenViews:
        """From the views as they are drawn; of two opposite views, which show the same, one is enough."""
        columns, rows = profiles.get("front"), profiles.get("left")
        if columns is None and "back" in profiles:
            columns = profiles["back"][::-1]
        if rows is None and "right" in profiles:
            rows = profiles["right"][::-1]
        return cls(depth, width, columns, rows, top)

    def most_at(self, y: int, x: int, highest: int) -> int:
        """The most cubes that the views allow at a place; ``highest`` where no side view bounds it."""
        if self.top is not None and not self.top[y][x]:
            return 0
        bounds = [] if self.columns is None else [self.columns[x]]
        bounds += [] if self.rows is None else [self.rows[y]]
        return min(bounds, default=highest)

    def greatest(self, highest: int) -> Heights:
        """The solid with the most cubes that the views allow; if any solid fits them, this one does."""
        return tuple(tuple(self.most_at(y, x, highest) for x in range(self.width)) for y in range(self.depth))

    def fit_a_solid(self, highest: int) -> bool:
        """Whether any solid has these views."""
        solid = self.greatest(highest)
        columns, rows = profile(solid, "front"), profile(solid, "left")
        return self.columns in (None, columns) and self.rows in (None, rows)


class Consistent(NamedTuple):
    """``solids``: how many fit; ``least`` and ``most`` cubes, both 0 if none fits."""

    solids: int
    least: int
    most: int


@lru_cache(maxsize=4096)
def consistent(given: GivenViews, highest: int) -> Consistent:
    """The solids with stacks of at most ``highest`` cubes that fit ``given``."""
    needed = (1 << given.width) - 1 if given.columns is not None else 0
    states: dict[int, Consistent] = {0: Consistent(1, 0, 0)}
    for y in range(given.depth):
        fillings = _fillings(given, y, highest)
        after: dict[int, Consistent] = {}
        for reached, (ways, least, most) in states.items():
            for attained, (row_ways, row_least, row_most) in fillings.items():
                mask = reached | attained
                new = Consistent(ways * row_ways, least + row_least, most + row_most)
                old = after.get(mask)
                after[mask] = new if old is None else _either(old, new)
        states = after
    return states.get(needed, Consistent(0, 0, 0))


def _fillings(given: GivenViews, y: int, highest: int) -> dict[int, Consistent]:
    """The ways to fill row ``y``, by the columns that reach their height in it."""
    domains = []
    for x in range(given.width):
        lowest = 1 if given.top is not None and given.top[y][x] else 0
        domains.append(range(lowest, given.most_at(y, x, highest) + 1))
    found: dict[int, Consistent] = {}
    for row in product(*domains):
        if given.rows is not None and max(row) != given.rows[y]:
            continue
        mask = 0
        if given.columns is not None:
            mask = sum(1 << x for x, height in enumerate(row) if height == given.columns[x])
        new = Consistent(1, sum(row), sum(row))
        found[mask] = _either(found[mask], new) if mask in found else new
    return found


def _either(one: Consistent, other: Consistent) -> Consistent:
    return Consistent(one.solids + other.solids, min(one.least, other.least), max(one.most, other.most))
