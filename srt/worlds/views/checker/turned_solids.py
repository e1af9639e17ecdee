"""Problems that ask which solid is another one, turned in space: what they show, and what one inference gives.

A cube is a point: so many places to the right, from the front to the back, and up. A clockwise quarter turn takes a
point that is a to the right and b up, as its viewer sees it, to b to the right and, from the upper edge, a down.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import permutations, product
from typing import Any

from srt.worlds.views.checker.statements import Left, Value, ViewStatement
from srt.worlds.views.checker.views_scene import LETTERS, UnreadableFigures, layer_rows

Point = tuple[int, int, int]
Points = frozenset[Point]
Box = tuple[int, int, int]
"""How wide, deep and high the box of a solid is."""
ASKED = "? turns solid"
_PLANES = {"top": (0, 1), "front": (0, 2), "right": (1, 2)}
"""The axes that point to the right and up for the viewer."""
_OPPOSITE = {"bottom": "top", "back": "front", "left": "right"}


class TurnedSolids:
    """The solid that is shown and those that are options."""

    exist = True
    only: Mapping[str, int] | None = None
    """The heights of stacks, which these solids need not have."""

    def __init__(self, figures: Mapping[str, Mapping[str, Any]], letters: Sequence[str]) -> None:
        self.letters = sorted(letters)
        self.shown = [name for name in figures if name not in letters]
        if self.shown != ["solid"] or set(figures) != {"solid", *letters}:
            raise UnreadableFigures("one solid, and solids as options, were expected")
        self._solids: dict[str, Points] = {}
        self._boxes: dict[str, Box] = {}
        for name, figure in figures.items():
            rows = layer_rows(name, figure)
            self._boxes["" if name == "solid" else name] = (len(rows[0][0]), len(rows[0]), len(rows))
            self._solids["" if name == "solid" else name] = frozenset(
                (x, len(layer) - 1 - y, z)
                for z, layer in enumerate(rows)
                for y, row in enumerate(layer)
                for x, square in enumerate(row)
                if square == "#"
            )
        self._right = [letter for letter in self.letters if _congruent(self._solids[""], self._solids[letter])]

    def can_hold(self, claim: ViewStatement) -> bool:
        """Whether ``claim`` is true; so too if it does not speak of turned solids."""
        left, value = claim
        match left.what:
            case "asked":
                return value == ASKED
            case "layer":
                return left.owner in self._solids and self._layer_of(left) == value
            case "same":
                return left.owner in self._right
            case "not":
                return left.owner in self.letters and left.owner not in self._right
            case "options":
                return self._right == [value]
        return True

    def one_step(self, left: Left, words: frozenset[str], claims: Sequence[ViewStatement]) -> Value | None:
        """The value of ``left`` by one inference from all of ``words`` and ``claims``; ``None`` if there is none."""
        match left.what:
            case "asked":
                return ASKED if words == {"question"} and not claims else None
            case "layer" if not left.name:
                known = left.owner in self._solids and words == {left.owner or "solid"} and not claims
                return self._layer_of(left) if known else None
            case "layer":
                return self._after_one_turn(left, claims) if not words and not left.owner else None
            case "same":
                return "same" if not words and self._leads_to(left.owner, claims) else None
            case "options":
                same = len(claims) == 1 and claims[0].left.what == "same" and words == set(self.letters)
                return claims[0].left.owner if same else None
        return None

    def _layer_of(self, left: Left) -> frozenset[str] | None:
        points, box = self._solids[left.owner], self._boxes[left.owner]
        for turn in left.name.split():
            points, box = _turned(points, box, turn)
        return _layer(points, left.at) if left.at <= box[2] else None

    def _after_one_turn(self, left: Left, claims: Sequence[ViewStatement]) -> Value | None:
        """A layer after one more turn: of the same layer before for a turn on the table, else of all layers before."""
        before, _, turn = left.name.rpartition(" ")
        box = self._boxes[""]
        for earlier in before.split():
            _, box = _turned(frozenset(), box, earlier)
        needed = {left.at} if turn in ("top", "bottom") else set(range(1, box[2] + 1))
        found = {claim.left.at: claim.value for claim in claims if claim.left[:3] == ("layer", "", before)}
        if set(found) != needed or len(found) != len(claims):
            return None
        cells = [(cell, at) for at, value in found.items() if isinstance(value, frozenset) for cell in value]
        points = frozenset((LETTERS.index(cell[0]), int(cell[1]) - 1, at - 1) for cell, at in cells)
        if any(not 0 <= along < side for point in points for along, side in zip(point, box, strict=True)):
            return None
        return _layer(_turned(points, box, turn)[0], left.at) or None

    def _leads_to(self, letter: str, claims: Sequence[ViewStatement]) -> bool:
        """Whether the claims are the question, all layers of the solid after some turns, and the same of the option."""
        asked = [claim for claim in claims if claim == ViewStatement(Left("asked"), ASKED)]
        layers = [claim.left for claim in claims if claim.left.what == "layer"]
        after = {left.name for left in layers if not left.owner}
        if len(asked) != 1 or len(asked) + len(layers) != len(claims) or len(after) != 1:
            return False
        here = {claim.left.at: claim.value for claim in claims if claim.left[:2] == ("layer", "")}
        there = {claim.left.at: claim.value for claim in claims if claim.left[:3] == ("layer", letter, "")}
        high = self._boxes[letter][2] if letter in self._boxes else 0
        return here == there and set(here) == set(range(1, high + 1)) and len(here) + len(there) == len(layers)


def _layer(points: Points, at: int) -> frozenset[str]:
    return frozenset(f"{LETTERS[x]}{y + 1}" for x, y, z in points if z == at - 1)


def _turned(points: Points, box: Box, turn: str) -> tuple[Points, Box]:
    """The points and their box after a quarter turn; one that is seen from behind is three the other way round."""
    if turn in _OPPOSITE:
        for _ in range(3):
            points, box = _turned(points, box, _OPPOSITE[turn])
        return points, box
    across, up = _PLANES[turn]
    moved = []
    for point in points:
        new = list(point)
        new[across], new[up] = point[up], box[across] - 1 - point[across]
        moved.append((new[0], new[1], new[2]))
    sides = list(box)
    sides[across], sides[up] = box[up], box[across]
    return frozenset(moved), (sides[0], sides[1], sides[2])


def _congruent(one: Points, other: Points) -> bool:
    """Whether a rotation takes one solid to the other: an exchange of axes with changes of sign, not a mirror image."""
    start, target = _at_the_corner(one), _at_the_corner(other)
    size, wanted = _size(start), _size(target)
    for axes in permutations(range(3)):
        if tuple(size[axis] for axis in axes) != wanted:
            continue  # no signs make up for a box of other sides
        swaps = sum(axes[i] > axes[j] for i in range(3) for j in range(i + 1, 3))
        for signs in product((1, -1), repeat=3):
            if (swaps + signs.count(-1)) % 2 == 0:
                moved = [tuple(sign * point[axis] for axis, sign in zip(axes, signs, strict=True)) for point in start]
                if _at_the_corner(moved) == target:
                    return True
    return False


def _at_the_corner(points: Iterable[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """The points, moved so that their least coordinates are 0."""
    found = list(points)
    low = [min(axis) for axis in zip(*found, strict=True)]
    return {tuple(a - b for a, b in zip(point, low, strict=True)) for point in found}


def _size(points: Collection[tuple[int, ...]]) -> tuple[int, ...]:
    """The greatest coordinates of points at the corner; 0 of no points."""
    return tuple(max((point[axis] for point in points), default=0) for axis in range(3))
