"""Whether a step of the views world is entailed by what it cites: every solid on a small plan is tried.

Shares no code with the solver or the checker. Of claims about a solid it asks whether they hold in all solids that fit
the figures and the claims that are cited. Of those about all solids that fit (``least``, ``not B``, ``? = 9``), about
nets and about turned solids it asks whether they are true in the problem.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from srt.io.records import Problem

Solids = Any
"""Heights, as an array over solids, rows from the front to the back, and columns from the left."""
ONE_HIGHER = 4
"""Heights up to this are tried: problems have stacks of three cubes at most."""
MOST_PLACES = 6
Cell = tuple[int, int]


class BruteViews:
    """One problem. ``decides``: it is of a kind that can be tried."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.figures = {figure["name"]: figure for figure in problem.meta["figures"]}
        self.shown = [name for name in self.figures if name not in problem.choices]
        self.asked = str(problem.meta["asked"])
        kinds = {self.figures[name]["type"] for name in self.shown}
        self.is_net = bool(kinds & {"net", "cube"})
        self.turns = self.asked == "? turns solid"
        self.deep, self.wide = (0, 0) if self.is_net or self.turns else self._size()
        self.decides = self.is_net or self.turns or 0 < self.deep * self.wide <= MOST_PLACES

    def answers(self, letters: Sequence[str]) -> bool:
        """By the gold answer, which the sampler proves by a method of its own."""
        gold = self.problem.answer
        assert gold is not None
        return list(letters) == (gold.value if gold.kind == "choice_set" else [str(gold.value)])

    def fits(self, heights: Mapping[str, int], count: int) -> bool:
        """Whether stacks of these heights, and no others, have ``count`` cubes and show the views."""
        solid = np.zeros((self.deep, self.wide), dtype=int)
        for cell, height in heights.items():
            solid[int(cell[1]) - 1, "abcdefgh".index(cell[0])] = height
        return int(solid.sum()) == count and any((solid == one).all() for one in self._fitting(tuple(self.shown)))

    def entailed(self, claims: Sequence[str], step: tuple[str, Sequence[str], str]) -> bool:
        """Whether a step (operation, premises, claim) follows from its premises, where ``claims`` stand before it."""
        _, args, text = step
        if self.is_net:
            return self._true_of_net(text)
        if self.turns:
            return self._true_of_turned(text)
        cited = [claims[int(word[1:]) - 1] for word in args if word.startswith("#")]
        ground = self._ground(text)
        if ground is None:
            return self._true_of_all(text, cited, args)
        if self._owner(text) or ("[" in text and "{" in text):
            return bool(ground(self._fitting(tuple(self.shown))).all())
        solids = self._fitting(tuple(word for word in args if word in self.shown))
        for claim in cited:
            if (premise := self._ground(claim)) is not None and not self._owner(claim):
                solids = solids[premise(solids)]
        return len(solids) > 0 and bool(ground(solids).all())

    # Solids.

    def _size(self) -> tuple[int, int]:
        for name in self.shown:
            figure = self.figures[name]
            if figure["type"] in ("plan", "solid"):
                rows = figure["heights"] if figure["type"] == "plan" else figure["layers"][0]
                return len(rows), len(rows[0])
        if "top" in self.shown:
            return len(self.figures["top"]["rows"]), len(self.figures["top"]["rows"][0])
        across = {name: len(self.figures[name]["rows"][0]) for name in self.shown if name in ("front", "back")}
        deep = {name: len(self.figures[name]["rows"][0]) for name in self.shown if name in ("left", "right")}
        return next(iter(deep.values()), 0), next(iter(across.values()), 0)

    def _fitting(self, names: tuple[str, ...]) -> Solids:
        """The solids that have the figures ``names``."""
        solids = every(self.deep, self.wide)
        for name in names:
            figure = self.figures[name]
            if figure["type"] in ("plan", "solid"):
                own = heights_of(figure)
                return own[None] if own.shape == (self.deep, self.wide) else solids[:0]
            if name == "top":
                there = np.array([[square == "#" for square in row] for row in reversed(figure["rows"])])
                solids = solids[((solids > 0) == there).all(axis=(1, 2))]
            elif name in ("front", "back", "left", "right"):
                wanted = np.array(column_heights(figure["rows"]))
                solids = solids[(columns(solids, name) == wanted).all(axis=1)]
        return solids

    @staticmethod
    def _owner(text: str) -> str:
        return text[0] if re.match(r"[A-H]\.", text) else ""

    def _ground(self, text: str) -> Callable[[Solids], Any] | None:
        """In which solids a claim about one solid holds; ``None`` for a claim of another kind."""
        owner = self._owner(text)
        body = text.removeprefix(f"{owner}.") if owner else text
        value = self._value(body)
        if value is None or not owner:
            return value
        figure = self.figures[owner]
        own = heights_of(figure)[None] if figure["type"] in ("plan", "solid") else None
        true = own is not None and bool(value(own).all())
        return lambda solids: np.full(len(solids), true)

    def _value(self, body: str) -> Callable[[Solids], Any] | None:
        if match := re.fullmatch(r"(front|left|right|back)\[(\d)\] = \{(.+)\}", body):
            side, at, cells = match[1], int(match[2]), set(match[3].split(", "))
            return lambda solids: np.array([self._line(one, side, at) == cells for one in solids], dtype=bool)
        if match := re.fullmatch(r"(front|left|right|back)\[(\d)\] = (\d+)", body):
            side, at, height = match[1], int(match[2]), int(match[3])
            return lambda solids: _column(solids, side, at) == height
        if match := re.fullmatch(r"([a-h][1-8]) (=|<=) (\d+)", body):
            cell, most, height = cell_of(match[1]), match[2] == "<=", int(match[3])
            return lambda solids: _at(solids, cell) <= height if most else _at(solids, cell) == height
        if match := re.fullmatch(r"(max|sum)\{(.+)\} = (\d+)", body):
            what, cells, number = match[1], [cell_of(word) for word in match[2].split(", ")], int(match[3])
            stack = max if what == "max" else sum
            return lambda solids: np.array([stack(_at1(s, c) for c in cells) == number for s in solids], dtype=bool)
        if match := re.fullmatch(r"faces\((\w+)(?:\[(\d)\])?\) = (\d+)", body):
            side, at, number = match[1], int(match[2] or 0), int(match[3])
            return lambda solids: np.array([_faces(one, side, at) == number for one in solids], dtype=bool)
        if match := re.fullmatch(r"(front|left|right|back) = (\d+(?: \d+)+)", body):
            wanted = [int(word) for word in match[2].split()]
            return lambda solids: np.array([list(columns(s[None], match[1])[0]) == wanted for s in solids], dtype=bool)
        if match := re.fullmatch(r"top = \{(.+)\}", body):
            there = set(match[1].split(", "))
            return lambda solids: np.array([stacks_of(one) == there for one in solids], dtype=bool)
        if match := re.fullmatch(r"(count|surface|painted|box|missing) = (\d+)", body):
            return lambda solids: np.array([_number(one, match[1]) == int(match[2]) for one in solids], dtype=bool)
        return None

    def _line(self, solid: Any, side: str, at: int) -> set[str]:
        """The stacks of a column of a view: those that the top view or the solid shows, else all places."""
        cells = line_cells(self.deep if solid.shape[0] == self.deep else solid.shape[0], solid.shape[1], side, at)
        open_ = not ({"top", "plan", "solid"} & set(self.shown)) and solid.shape == (self.deep, self.wide)
        return {name_of(cell) for cell in cells if open_ or solid[cell] > 0}

    def _true_of_all(self, text: str, cited: Sequence[str], args: Sequence[str]) -> bool:
        """Whether a claim about all solids that fit, the question or the options is true."""
        if text.startswith("? ") and not re.match(r"\? = [\d{]", text):
            return text == self.asked
        fitting = self._fitting(tuple(self.shown))
        if match := re.fullmatch(r"(least|most|ways)\{(.+)\} = (\d+)", text):
            solids = self._fitting(tuple(word for word in args if word in self.shown))
            for claim in cited:
                if (premise := self._ground(claim)) is not None:
                    solids = solids[premise(solids)]
            cells = [cell_of(word) for word in match[2].split(", ")]
            found = {tuple(_at1(one, cell) for cell in cells) for one in solids}
            return _over_all(match[1], found) == int(match[3])
        if match := re.fullmatch(r"(least|most|ways) = (\d+)", text):
            return _over_all(match[1], {tuple(one.flatten()) for one in fitting}) == int(match[2])
        if match := re.fullmatch(r"need\((\d)\) = (\d+)", text):
            sides = [column_heights(self.figures[name]["rows"]) for name in self.shown]
            return max(side.count(int(match[1])) for side in sides) == int(match[2])
        if match := re.fullmatch(r"options = \{(\w)\}|not (\w)", text):
            return self.answers([match[1]]) if match[1] else not self.answers([match[2]])
        if match := re.fullmatch(r"\? = (.+)", text):
            word = self.asked.removeprefix("? = ")
            ground = self._ground(f"{word} = {match[1]}")
            if ground is not None:
                return bool(ground(fitting).all())
            return self._true_of_all(f"{word} = {match[1]}", (), ())
        return False

    # Nets and turned solids.

    def _true_of_net(self, text: str) -> bool:
        if text.startswith("? "):
            return text == self.asked or text == f"? = {self._net_value()}"
        if match := re.fullmatch(r"options = \{(\w)\}|same (\w)", text):
            return self.answers([match[1] or match[2]])
        owner = self._owner(text)
        name = owner or self.shown[0]
        body = text.removeprefix(f"{owner}.") if owner else text
        figure = self.figures[name]
        if match := re.fullmatch(r"seen\((\d) (\d)\) = (\d)", body):
            return figure["type"] == "cube" and _clockwise(figure) in _cycles(*map(int, match.groups()))
        if figure["type"] != "net":
            return False
        around = fold(tuple(map(tuple, figure["digits"])))
        if match := re.fullmatch(r"(beyond )?(up|right|down|left)\((\d)\) = (\d)", body):
            face, edge, other = int(match[3]), match[2], int(match[4])
            if not match[1]:
                return drawn(figure["digits"], face, edge) == other
            return around[face][edge] == other
        if match := re.fullmatch(r"opposite\((\d)\) = (\d)", body):
            return int(match[2]) not in (int(match[1]), *around[int(match[1])].values())
        if match := re.fullmatch(r"corner\((\d) (\d)\) = (\d)", body):
            one, two, three = map(int, match.groups())
            order = [around[one][edge] for edge in ("up", "right", "down", "left")]
            return two in order and order[(order.index(two) + 1) % 4] == three
        return False

    def _net_value(self) -> int | None:
        match = re.fullmatch(r"\? = opposite\((\d)\)", self.asked)
        if match is None:
            return None
        around = fold(tuple(map(tuple, self.figures[self.shown[0]]["digits"])))
        (other,) = {1, 2, 3, 4, 5, 6} - {int(match[1]), *around[int(match[1])].values()}
        return other

    def _true_of_turned(self, text: str) -> bool:
        if text.startswith("? "):
            return text == self.asked
        if match := re.fullmatch(r"options = \{(\w)\}|same (\w)", text):
            return self.answers([match[1] or match[2]])
        match = re.fullmatch(r"(?:(\w)\.)?(?:layer|turned\((.+)\))\[(\d)\] = \{(.+)\}", text)
        if match is None:
            return False
        points = points_of(self.figures[match[1] or "solid"])
        for viewer in (match[2] or "").split():
            points = turned(points, viewer)
        layer = {name_of((y, x)) for x, y, z in points if z == int(match[3]) - 1}
        return layer == set(match[4].split(", "))


@lru_cache(maxsize=16)
def every(deep: int, wide: int) -> Solids:
    flat = np.array(list(product(range(ONE_HIGHER + 1), repeat=deep * wide)), dtype=np.int8)
    solids = flat.reshape(-1, deep, wide)
    return solids[solids.any(axis=(1, 2))]


def heights_of(figure: Mapping[str, Any]) -> Any:
    """The heights of a plan or a solid, the front row first."""
    if figure["type"] == "plan":
        return np.array(figure["heights"])[::-1]
    layers = [[[square == "#" for square in row] for row in layer] for layer in figure["layers"]]
    return np.array(layers, dtype=int).sum(axis=0)[::-1]


def points_of(figure: Mapping[str, Any]) -> set[tuple[int, int, int]]:
    """The cubes of a solid: to the right, to the back, up."""
    return {
        (x, len(layer) - 1 - y, z)
        for z, layer in enumerate(figure["layers"])
        for y, row in enumerate(layer)
        for x, square in enumerate(row)
        if square == "#"
    }


def turned(points: set[tuple[int, int, int]], viewer: str) -> set[tuple[int, int, int]]:
    """A quarter turn that ``viewer`` sees clockwise, moved back into the corner."""
    turn: dict[str, Callable[[int, int, int], tuple[int, int, int]]] = {
        "top": lambda x, y, z: (y, -x, z),
        "bottom": lambda x, y, z: (-y, x, z),
        "front": lambda x, y, z: (z, y, -x),
        "back": lambda x, y, z: (-z, y, x),
        "right": lambda x, y, z: (x, z, -y),
        "left": lambda x, y, z: (x, -z, y),
    }
    moved = [turn[viewer](*point) for point in points]
    low = [min(point[axis] for point in moved) for axis in range(3)]
    return {(x - low[0], y - low[1], z - low[2]) for x, y, z in moved}


def columns(solids: Solids, side: str) -> Any:
    """The heights of a view, column by column, as its viewer sees them."""
    if side in ("front", "back"):
        seen = solids.max(axis=1)
        return seen if side == "front" else seen[:, ::-1]
    seen = solids.max(axis=2)
    return seen if side == "right" else seen[:, ::-1]


def column_heights(rows: Sequence[str]) -> list[int]:
    return [sum(row[x] == "#" for row in rows) for x in range(len(rows[0]))]


def line_cells(deep: int, wide: int, side: str, at: int) -> list[Cell]:
    """The places of a column, from the nearest to the farthest."""
    at -= 1
    cells = {
        "front": [(y, at) for y in range(deep)],
        "back": [(y, wide - 1 - at) for y in reversed(range(deep))],
        "right": [(at, x) for x in reversed(range(wide))],
        "left": [(deep - 1 - at, x) for x in range(wide)],
    }[side]
    return [(y, x) for y, x in cells if 0 <= y < deep and 0 <= x < wide]


def name_of(cell: Cell) -> str:
    return f"{'abcdefgh'[cell[1]]}{cell[0] + 1}"


def cell_of(name: str) -> Cell:
    return int(name[1]) - 1, "abcdefgh".index(name[0])


def stacks_of(solid: Any) -> set[str]:
    return {name_of((int(y), int(x))) for y, x in zip(*np.nonzero(solid), strict=True)}


def _column(solids: Solids, side: str, at: int) -> Any:
    seen = columns(solids, side)
    return seen[:, at - 1] if at <= seen.shape[1] else np.full(len(solids), 0)


def _at(solids: Solids, cell: Cell) -> Any:
    inside = cell[0] < solids.shape[1] and cell[1] < solids.shape[2]
    return solids[:, cell[0], cell[1]] if inside else np.full(len(solids), 0)


def _at1(solid: Any, cell: Cell) -> int:
    return int(solid[cell]) if cell[0] < solid.shape[0] and cell[1] < solid.shape[1] else 0


def _over_all(what: str, found: set[tuple[int, ...]]) -> int:
    if not found:
        return -1
    return len(found) if what == "ways" else min(map(sum, found)) if what == "least" else max(map(sum, found))


def _faces(solid: Any, side: str, at: int) -> int:
    if side == "top":
        return int((solid > 0).sum())
    deep, wide = solid.shape
    lines = [at] if at else range(1, (wide if side in ("front", "back") else deep) + 1)
    total = 0
    for line in lines:
        height = 0
        for cell in line_cells(deep, wide, side, line):
            total += max(0, int(solid[cell]) - height)
            height = int(solid[cell])
    return total


def _number(solid: Any, word: str) -> int:
    count = int(solid.sum())
    if word == "count":
        return count
    if word in ("surface", "painted"):
        sides = 2 * (_faces(solid, "front", 0) + _faces(solid, "left", 0))
        return sides + _faces(solid, "top", 0) * (2 if word == "surface" else 1)
    there = solid > 0
    box = int(there.any(axis=0).sum() and _span(there.any(axis=0)) * _span(there.any(axis=1)) * solid.max())
    return box if word == "box" else box - count


def _span(there: Any) -> int:
    places = np.nonzero(there)[0]
    return int(places[-1] - places[0] + 1)


def drawn(digits: Sequence[Sequence[int]], face: int, edge: str) -> int | None:
    dy, dx = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}[edge]
    places = {digit: (y, x) for y, row in enumerate(digits) for x, digit in enumerate(row) if digit}
    y, x = places[face][0] + dy, places[face][1] + dx
    return digits[y][x] or None if 0 <= y < len(digits) and 0 <= x < len(digits[0]) else None


@lru_cache(maxsize=512)
def fold(digits: tuple[tuple[int, ...], ...]) -> dict[int, dict[str, int]]:
    """For each face of a net that is folded, digits outside, the face beyond each of its edges as it is drawn."""
    place: dict[int, tuple[Any, Any, Any]] = {}
    """The outward normal of each face, and where its upper and its right edge point."""
    first = next(digit for row in digits for digit in row if digit)
    waiting = [(first, np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([1, 0, 0]))]
    while waiting:
        face, out, up, right = waiting.pop()
        if face in place:
            continue
        place[face] = (out, up, right)
        # Over an edge the paper bends inward: what pointed to the edge becomes the outward side.
        for edge, to in (("up", up), ("down", -up), ("right", right), ("left", -right)):
            if (other := drawn(digits, face, edge)) is not None:
                beyond = {"up": (up, -out, right), "down": (-up, out, right)}
                sideways = {"right": (right, up, -out), "left": (-right, up, out)}
                waiting.append((other, *(beyond | sideways)[edge]))
                assert (waiting[-1][1] == to).all()
    by_normal = {tuple(out): face for face, (out, _, _) in place.items()}
    return {
        face: {
            "up": by_normal[tuple(up)],
            "right": by_normal[tuple(right)],
            "down": by_normal[tuple(-up)],
            "left": by_normal[tuple(-right)],
        }
        for face, (_, up, right) in place.items()
    }


def _clockwise(cube: Mapping[str, int]) -> tuple[int, int, int]:
    """The faces of a picture around the corner in front, clockwise."""
    return cube["top"], cube["right"], cube["front"]


def _cycles(one: int, two: int, three: int) -> list[tuple[int, int, int]]:
    return [(one, two, three), (two, three, one), (three, one, two)]
