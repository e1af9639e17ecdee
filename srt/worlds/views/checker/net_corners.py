"""A net of a cube, folded by the corners of its squares.

The corners of a cube have the numbers 0 to 7: each of the three binary digits tells two opposite faces apart. The first
square gets the four corners of one face, in the order in which it is drawn. Over an edge lies the other face with the
two corners of that edge; its other corners differ from them in the digit that is fixed in the first face.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srt.worlds.views.checker.views_scene import UnreadableFigures

EDGES = ("up", "right", "down", "left")
_STEPS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
_FIRST = (6, 7, 5, 4)
Corners = tuple[int, int, int, int]
"""Clockwise from the upper left, as the square is drawn."""


class CornerNet:
    """The six squares of a figure; raises :class:`UnreadableFigures` where they do not fold to a cube."""

    def __init__(self, name: str, figure: Mapping[str, Any]) -> None:
        rows = figure.get("digits")
        if not isinstance(rows, list | tuple) or not all(isinstance(row, list | tuple) for row in rows):
            raise UnreadableFigures(f"the net {name!r} has no rows of digits")
        digits = {(y, x): digit for y, row in enumerate(rows) for x, digit in enumerate(row) if digit}
        if len(digits) != 6 or set(map(str, digits.values())) != set("123456"):
            raise UnreadableFigures(f"the net {name!r} does not have the digits 1 to 6")
        self._beside: dict[tuple[int, str], int] = {}
        self._corners: dict[int, Corners] = {}
        reached: list[tuple[tuple[int, int], Corners]] = [(min(digits), _FIRST)]
        for place, corners in reached:
            self._corners[digits[place]] = corners
            for edge, (down, right) in _STEPS.items():
                near = (place[0] + down, place[1] + right)
                if near in digits:
                    self._beside[digits[place], edge] = digits[near]
                    if all(near != there for there, _ in reached):
                        reached.append((near, _over(corners, EDGES.index(edge))))
        if len({frozenset(corners) for corners in self._corners.values()}) != 6:
            raise UnreadableFigures(f"the squares of {name!r} do not fold to a cube")

    def beside(self, digit: int, edge: str) -> int | None:
        """The digit that is drawn at an edge of a square."""
        return self._beside.get((digit, edge))

    def beyond(self, digit: int, edge: str) -> int | None:
        """The face beyond an edge after folding."""
        if digit not in self._corners:
            return None
        at, corners = EDGES.index(edge), self._corners[digit]
        ends = {corners[at], corners[(at + 1) % 4]}
        return next(d for d, others in self._corners.items() if d != digit and ends <= set(others))

    def after(self, one: int, other: int) -> int | None:
        """The third face of the corner at which ``other`` follows ``one`` clockwise."""
        for edge, following in zip(EDGES, (*EDGES[1:], EDGES[0]), strict=True):
            if self.beyond(one, edge) == other:
                return self.beyond(one, following)
        return None

    def opposite(self, digit: int) -> int | None:
        """The face without a common corner."""
        here = set(self._corners.get(digit, ()))
        return next((d for d, corners in self._corners.items() if here and not here & set(corners)), None)


def _over(corners: Corners, at: int) -> Corners:
    """The corners of the square over the edge ``at``."""
    fixed = next(1 << bit for bit in range(3) if len({corner >> bit & 1 for corner in corners}) == 1)
    start, end = corners[at], corners[(at + 1) % 4]
    new = {at: start ^ fixed, (at + 1) % 4: end ^ fixed, (at + 2) % 4: end, (at + 3) % 4: start}
    return new[0], new[1], new[2], new[3]
