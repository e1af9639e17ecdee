"""What can be true in the problem: whether some solid that fits the figures makes a claim true.

For a solid that is shown, a claim is true or false. For one of which views are shown, every stack has a bound (the
lowest line through it), and a solid fits if every line has a stack as tall as it is. Raising stacks within their bounds
keeps a fitting solid fitting. So what can be said of a few stacks is settled by trying their heights, with all others
at their bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise, product

from srt.worlds.views.checker.one_step import height_at, one_step, says, squares_from_the_back
from srt.worlds.views.checker.statements import Left, Value, ViewStatement
from srt.worlds.views.checker.views_scene import ViewsScene


class FittingSolids:
    """The solids that fit a problem, as far as claims speak of them."""

    def __init__(self, scene: ViewsScene) -> None:
        self.scene = scene
        self.letters, self.shown = scene.letters, scene.shown

    def one_step(self, left: Left, words: frozenset[str], claims: Sequence[ViewStatement]) -> Value | None:
        """The value of ``left`` by one inference (:mod:`srt.worlds.views.checker.one_step`)."""
        return one_step(self.scene, left, words, claims)

    @cached_property
    def exist(self) -> bool:
        """Whether any solid fits."""
        scene = self.scene
        if scene.source is not None or "" not in scene.shapes:
            return True
        return all(any(scene.bounds[cell] == height for cell in cells) for cells, height in scene.shown_lines())

    @cached_property
    def only(self) -> Mapping[str, int] | None:
        """The heights of the stacks, if one solid alone fits."""
        scene = self.scene
        if scene.source is not None:
            return scene.solids[""]
        if "" not in scene.shapes or not self.exist:
            return None
        return scene.bounds if all(len(self._heights(cell)) == 1 for cell in scene.places) else None

    def can_hold(self, claim: ViewStatement) -> bool:
        """Whether ``claim`` holds in some solid that fits; so too if this cannot be told."""
        left, value = claim
        scene = self.scene
        match left.what:
            case "asked":
                return value == scene.asked
            case "options":
                return self.right == value
            case "not":
                return left.owner in scene.letters and self.right != left.owner
            case "found":
                return self._can_be_found(value)
            case "layer" | "same":
                return True
        if left.owner:
            return self._holds_of_option(claim)
        if "" not in scene.shapes:
            return True
        match left.what:
            case "shows":
                return scene.line("", left.name, left.at) == value
            case "column" | "view" | "faces":
                if self.only is None:
                    return self._can_be_seen(claim)
                return _look(scene, left.name, left.what, left.at, self.only) == value
            case "need":
                if self.only is not None:
                    return list(self.only.values()).count(left.at) == value
                counts = [scene.profiles[side].count(left.at) for side in scene.shown if side != "top"]
                return max(counts, default=0) == value
            case "number":
                return self._number_can_be(left.name, value)
        cells = sorted(left.cells) if left.cells else [left.name]
        if any(cell not in scene.shapes[""].cells for cell in cells) or not isinstance(value, int):
            return False
        found = list(self._tried(cells))
        match left.what:
            case "stack":
                return (value,) in found
            case "bound":
                return any(height <= value for (height,) in found)
            case "max":
                return any(max(heights) == value for heights in found)
            case "sum":
                return any(sum(heights) == value for heights in found)
            case "least":
                return min(map(sum, found), default=-1) == value
            case "most":
                return max(map(sum, found), default=-1) == value
            case "ways":
                return len(found) == value
        raise AssertionError(left.what)

    @cached_property
    def right(self) -> str | None:
        """The right option; ``None`` if it is not exactly one, or cannot be told."""
        right = [letter for letter in self.scene.letters if self._is_right(letter)]
        return right[0] if len(right) == 1 else None

    def _is_right(self, letter: str) -> bool:
        scene = self.scene
        match scene.asked.split()[1:]:
            case ["fits", *views]:
                return all(self._option_looks(letter, view) for view in views)
            case ["sees", _]:
                direction = scene.direction(letter)
                rows = scene.drawn["view"]
                if direction is None or self.only is None:
                    return False
                if direction == "top":
                    shape = scene.shapes[""]
                    return squares_from_the_back(rows, shape.deep) == scene.places and len(rows) == shape.deep
                return _look(scene, direction, "view", 0, self.only) == scene.profiles.get("view")
            case ["completes", side]:
                heights = scene.profiles.get(letter)
                return heights is not None and self._completed(side, heights)
            case ["=", "plan"]:
                return scene.solids.get(letter) == self.only
            case ["=", word]:
                value = self._value(word)
                return value is not None and says(scene, letter, value)
        return False

    def _completed(self, side: str, heights: tuple[int, ...]) -> bool:
        """Whether a solid fits that also has this view."""
        scene = self.scene
        if len(heights) != scene.width(side):
            return False
        lines = [*scene.shown_lines(), *zip(scene.shapes[""].lines[side], heights, strict=True)]
        bounds = {
            cell: min(height for cells, height in lines if cell in cells) if cell in scene.places else 0
            for cell in scene.shapes[""].cells
        }
        return all(any(bounds[cell] == height for cell in cells) for cells, height in lines)

    def _option_looks(self, letter: str, view: str) -> bool:
        scene = self.scene
        solid, shape = scene.solids.get(letter), scene.shapes.get(letter)
        if solid is None or shape is None:
            return False
        if view == "top":
            rows = scene.drawn["top"]
            there = {cell for cell, height in solid.items() if height}
            return there == scene.tops["top"] and (len(rows), len(rows[0])) == (shape.deep, shape.wide)
        return tuple(max(solid[cell] for cell in line) for line in shape.lines[view]) == scene.profiles.get(view)

    def _can_be_found(self, value: Value) -> bool:
        asked = self.scene.asked.split()
        if asked[1] != "=" or asked[2] == "plan":
            return False
        known = self._value(asked[2])
        return known is None or known == value

    def _value(self, word: str) -> Value | None:
        """The number or view that is asked for; ``None`` if it is open."""
        if word in ("front", "left", "right", "back", "top"):
            return _look(self.scene, word, "view", 0, self.only) if self.only is not None else None
        if word in ("least", "most", "ways"):
            return {"least": self.least, "most": self.most, "ways": self.ways}[word]
        if self.only is None:
            return None
        if word == "count":
            return sum(self.only.values())
        if word in ("box", "missing"):
            whole = self.scene.box if self.scene.source is not None else None
            return whole if whole is None or word == "box" else whole - sum(self.only.values())
        sides = 2 * sum(int(str(_look(self.scene, side, "faces", 0, self.only))) for side in ("front", "left"))
        return sides + len(self.scene.places) * (2 if word == "surface" else 1)

    def _number_can_be(self, word: str, value: Value) -> bool:
        if word == "count" and isinstance(value, int):
            return self.least <= value <= self.most
        known = self._value(word)
        return known is None or known == value

    @cached_property
    def most(self) -> int:
        """The greatest number of cubes."""
        return sum(self.scene.bounds.values()) if self.scene.source is None else sum(self.scene.solids[""].values())

    @cached_property
    def least(self) -> int:
        """The least number of cubes: one stack as tall as the line is chosen for every line, the others are least."""
        scene = self.scene
        if scene.source is not None:
            return self.most
        lowest = 1 if "top" in scene.shown else 0
        lines = [[cell for cell in cells if scene.bounds[cell] == height] for cells, height in scene.shown_lines()]

        def rest(chosen: frozenset[str], at: int) -> int:
            while at < len(lines) and any(cell in chosen for cell in lines[at]):
                at += 1
            if at == len(lines):
                return sum(scene.bounds[cell] if cell in chosen else lowest for cell in scene.places)
            return min(rest(chosen | {cell}, at + 1) for cell in lines[at]) if lines[at] else 0

        return rest(frozenset(), 0)

    @cached_property
    def ways(self) -> int | None:
        """The number of solids, where it is small or the lines do not cross; ``None`` where it would take long."""
        scene = self.scene
        if self.only is not None:
            return 1
        sides = [side for side in scene.shown if side != "top"]
        lines = [[cell for cell in cells if cell in scene.places] for cells, _ in scene.shown_lines()]
        if len(sides) == 1:
            total = 1
            for cells in lines:
                total *= len(list(self._tried(cells)))
            return total
        return None

    def _heights(self, cell: str) -> list[int]:
        return [heights[0] for heights in self._tried([cell])]

    def _tried(self, cells: list[str]) -> Iterator[tuple[int, ...]]:
        """The heights that these stacks can have together."""
        scene = self.scene
        if scene.source is not None:
            yield tuple(scene.solids[""][cell] for cell in cells)
            return
        lowest = 1 if "top" in scene.shown else 0
        ranges = [range(lowest if cell in scene.places else 0, scene.bounds[cell] + 1) for cell in cells]
        lines = [
            (height, [cells.index(cell) for cell in line if cell in cells])
            for line, height in scene.shown_lines()
            if not any(scene.bounds[cell] == height for cell in line if cell not in cells)
        ]
        for heights in product(*ranges):
            if all(any(heights[at] == height for at in places) for height, places in lines):
                yield heights

    def _can_be_seen(self, claim: ViewStatement) -> bool:
        """What views show of a solid that is not known: they are given, or cannot be told here."""
        left, value = claim
        scene = self.scene
        if left.what == "faces":
            return True
        if left.what == "view":
            if left.name == "top":
                return value == scene.places if "top" in scene.shown else True
            return value == scene.profiles[left.name] if left.name in scene.shown else True
        if left.at > scene.width(left.name):
            return False
        return height_at(scene.profiles[left.name], left.at) == value if left.name in scene.shown else True

    def _holds_of_option(self, claim: ViewStatement) -> bool:
        left, value = claim
        scene = self.scene
        solid = scene.solids.get(left.owner)
        if solid is None:
            return False
        if left.what == "stack":
            return solid.get(left.name) == value
        if left.what not in ("shows", "column"):
            return False  # Of a net, say, and the options are solids.
        line = scene.line(left.owner, left.name, left.at)
        if line is None or left.what == "shows":
            return line == value
        return max((solid[cell] for cell in line), default=0) == value


def _look(scene: ViewsScene, name: str, what: str, index: int, solid: Mapping[str, int]) -> Value | None:
    """A view of a known solid, a column of it, or the faces that look that way."""
    if name == "top":
        there = frozenset(cell for cell, height in solid.items() if height)
        return len(there) if what == "faces" else there
    lines = scene.shapes[""].lines[name]
    if index > len(lines):
        return None
    if what == "faces":
        faces = [
            sum(max(0, b - a) for a, b in pairwise([0, *(solid[cell] for cell in line)]))
            for line in (lines[index - 1 : index] if index else lines)
        ]
        return sum(faces)
    heights = tuple(max(solid[cell] for cell in line) for line in lines)
    return heights[index - 1] if what == "column" else heights
