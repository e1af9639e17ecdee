"""What the figures of a problem show, cell by cell, in the names of the claim language.

Cells have the names of a chess board: letters from the left, numbers from the front. So column k of the front view is
the letter k, that of the right view the number k; the back view has the letters, the left view the numbers the other
way round.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srt.io.records import Problem
from srt.worlds.views.checker.question_sentences import DIRECTIONS, read_question

Plan = Mapping[str, int]
"""The height of every cell of a plan, 0 where nothing stands."""
LETTERS = "abcdefgh"


class UnreadableFigures(ValueError):
    """The figures or the question of a problem are not what this world has."""


class Shape:
    """Rows and columns of a plan, and the lines of cells that the views show."""

    def __init__(self, deep: int, wide: int) -> None:
        self.deep, self.wide = deep, wide
        numbers = [str(number) for number in range(1, deep + 1)]
        letters = LETTERS[:wide]
        across = [[letter + number for number in numbers] for letter in letters]
        along = [[letter + number for letter in letters] for number in numbers]
        self.lines: dict[str, list[list[str]]] = {
            "front": across,
            "back": [line[::-1] for line in reversed(across)],
            "left": list(reversed(along)),
            "right": [line[::-1] for line in along],
        }
        """Every column of every side view, from the left of the picture; its cells from the nearest on."""
        self.cells = [cell for line in along for cell in line]


class ViewsScene:
    """The problem: what is asked, the solids and views that are shown, the options."""

    def __init__(self, problem: Problem) -> None:
        text = read_question(problem.question)
        if text is None:
            raise UnreadableFigures("the question has a sentence that is not known")
        self.asked = text.asked
        figures = figures_by_name(problem)
        shown = [name for name in figures if name not in problem.choices]
        if sorted(shown) != sorted(text.shown):
            raise UnreadableFigures("the text speaks of other figures than are shown")
        self.letters = sorted(problem.choices)
        self.shown = shown
        self.source = next((name for name in ("plan", "solid") if name in shown), None)
        self.solids: dict[str, Plan] = {}
        self.drawn: dict[str, tuple[str, ...]] = {}
        """The rows of each view that is shown or is an option, from the top."""
        self.texts: dict[str, str] = {}
        self.shapes: dict[str, Shape] = {}
        for name, figure in figures.items():
            self._add("" if name == self.source else name, figure)
        for letter in self.letters:
            if letter not in figures:
                self.texts[letter] = problem.choices[letter]
        self.tops = {name: _squares(self.drawn[name]) for name in self.drawn}
        """The squares of each view, named as if it were seen from above."""
        self.profiles = {name: profile for name, rows in self.drawn.items() if (profile := _heights(rows)) is not None}
        self._add_unknown()

    def _add(self, name: str, figure: Mapping[str, Any]) -> None:
        kind = figure.get("type")
        if kind == "view":
            self.drawn[name] = _rows(figure.get("rows"))
        elif kind == "plan":
            rows = figure.get("heights")
            if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
                raise UnreadableFigures(f"the plan {name!r} has no rows of numbers")
            self._add_solid(name, rows)
        elif kind == "solid":
            drawn = layer_rows(name, figure)
            deep, wide = len(drawn[0]), len(drawn[0][0])
            stacks = [["".join(layer[y][x] for layer in drawn) for x in range(wide)] for y in range(deep)]
            if any(".#" in stack for row in stacks for stack in row):
                raise UnreadableFigures(f"a cube of the solid {name!r} stands on nothing")
            self._add_solid(name, [[stack.count("#") for stack in row] for row in stacks])
        else:
            raise UnreadableFigures(f"{name!r} is no figure of this world")

    def _add_solid(self, name: str, rows: list[list[Any]]) -> None:
        if not 1 <= len(rows) <= 8 or len({len(row) for row in rows}) != 1 or not 1 <= len(rows[0]) <= 8:
            raise UnreadableFigures(f"the rows of {name or self.source!r} differ in length")
        if not all(isinstance(height, int) and 0 <= height <= 8 for row in rows for height in row):
            raise UnreadableFigures(f"{name or self.source!r} has what is no height")
        numbered = zip(range(len(rows), 0, -1), rows, strict=True)
        self.solids[name] = {f"{LETTERS[x]}{n}": height for n, row in numbered for x, height in enumerate(row)}
        self.shapes[name] = Shape(len(rows), len(rows[0]))

    def _add_unknown(self) -> None:
        """The plan of the solid; ``places`` are the cells where cubes stand or, without a top view, may stand."""
        self.places: frozenset[str] = frozenset()
        self.bounds: dict[str, int] = {}
        self.covering: frozenset[str] = frozenset()
        """The figures that show where stacks are."""
        if self.source is not None:
            self.places = frozenset(cell for cell, height in self.solids[""].items() if height)
            self.covering = frozenset({self.source})
            return
        sides = {name: self.profiles.get(name) for name in self.shown if name in ("front", "left", "right", "back")}
        if None in sides.values():
            raise UnreadableFigures("a column of a view is empty, or has a gap")
        top = self.drawn.get("top") if "top" in self.shown else None
        wide = {len(heights or ()) for name, heights in sides.items() if name in ("front", "back")}
        deep = {len(heights or ()) for name, heights in sides.items() if name in ("left", "right")}
        if top is not None:
            wide.add(len(top[0]))
            deep.add(len(top))
        if len(wide) > 1 or len(deep) > 1:
            raise UnreadableFigures("the views differ in size")
        if not wide or not deep or not sides:
            return
        shape = self.shapes[""] = Shape(deep.pop(), wide.pop())
        self.places = frozenset(shape.cells) if top is None else self.tops["top"]
        self.covering = frozenset(sides) if top is None else frozenset({"top"})
        heights = self.shown_lines()
        for cell in shape.cells:
            through = [height for cells, height in heights if cell in cells]
            self.bounds[cell] = min(through) if cell in self.places else 0

    def shown_lines(self) -> list[tuple[list[str], int]]:
        """The cells of every column of every side view that is shown, and the height of the column."""
        if "" not in self.shapes:
            return []
        found = []
        for side, lines in self.shapes[""].lines.items():
            if side in self.shown:
                found += list(zip(lines, self.profiles[side], strict=True))
        return found

    def line(self, owner: str, side: str, index: int) -> frozenset[str] | None:
        """The stacks that a column of a view of a solid shows; ``None`` if there is no such column."""
        shape = self.shapes.get(owner)
        if shape is None or not 1 <= index <= len(shape.lines[side]):
            return None
        there = self.places if not owner else {cell for cell, height in self.solids[owner].items() if height}
        return frozenset(shape.lines[side][index - 1]) & there

    @property
    def box(self) -> int:
        """The cubes of the smallest cuboid around the solid that is shown."""
        shape = self.shapes[""]
        return shape.deep * shape.wide * max(self.solids[""].values())

    def width(self, side: str) -> int:
        """The number of columns of a side view of the problem's solid; 0 if there is none, or its plan is not known."""
        return len(self.shapes[""].lines.get(side, ())) if "" in self.shapes else 0

    def direction(self, letter: str) -> str | None:
        """The direction that an option names."""
        return DIRECTIONS.get(self.texts.get(letter, ""))


def figures_by_name(problem: Problem) -> dict[str, Mapping[str, Any]]:
    """The figures of a problem as they are kept."""
    figures = problem.meta.get("figures")
    if not isinstance(figures, list) or not figures or not all(isinstance(figure, dict) for figure in figures):
        raise UnreadableFigures("no list of figures")
    if len({str(figure.get("name")) for figure in figures}) != len(figures):
        raise UnreadableFigures("two figures have one name")
    return {str(figure.get("name")): figure for figure in figures}


def layer_rows(name: str, figure: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The squares of the layers of a solid, from the bottom up, the back row first."""
    layers = figure.get("layers")
    if figure.get("type") != "solid" or not isinstance(layers, list) or not layers or len(layers) > 8:
        raise UnreadableFigures(f"the solid {name!r} has no layers")
    drawn = [_rows(layer) for layer in layers]
    if len({(len(layer), len(layer[0])) for layer in drawn}) != 1:
        raise UnreadableFigures(f"the layers of the solid {name!r} differ in size")
    return drawn


def _rows(rows: object) -> tuple[str, ...]:
    if not isinstance(rows, list | tuple) or not rows or len(rows) > 8:
        raise UnreadableFigures("rows of squares were expected")
    if not all(isinstance(row, str) and 1 <= len(row) <= 8 and set(row) <= {"#", "."} for row in rows):
        raise UnreadableFigures("rows of # and . were expected")
    if len({len(row) for row in rows}) != 1:
        raise UnreadableFigures("rows of equal length were expected")
    return tuple(rows)


def _squares(rows: tuple[str, ...]) -> frozenset[str]:
    return frozenset(
        f"{LETTERS[x]}{len(rows) - y}" for y, row in enumerate(rows) for x, square in enumerate(row) if square == "#"
    )


def _heights(rows: tuple[str, ...]) -> tuple[int, ...] | None:
    """The heights of the columns; ``None`` if one is empty or has a gap."""
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    heights = [len(column.lstrip(".")) for column in columns]
    return tuple(heights) if all("#" in c and "." not in c.lstrip(".") for c in columns) else None
