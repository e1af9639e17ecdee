"""What one inference gives: the value of a left side that follows from exactly these premises, in one step.

Each rule looks at the words (figures, options, ``question``) and at the claims that a step cites, all of them; it gives
``None`` unless they are just what it needs. So a premise too many, or one too few, yields nothing. The rules are listed
in ``srt/worlds/views/prompts/en/rules_views.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise

from srt.worlds.views.checker.statements import Left, Value, ViewStatement
from srt.worlds.views.checker.views_scene import ViewsScene

Words = frozenset[str]
Rule = Callable[[ViewsScene, Left, Words, Sequence[ViewStatement]], Value | None]
SIDES = ("front", "left", "right", "back")
NO_WORDS: Words = frozenset()
_THREE_DIRECTIONS = [{one, other, "top"} for one in ("front", "back") for other in ("left", "right")]


def one_step(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    """The value of ``left`` by one inference from all of ``words`` and ``claims``; ``None`` if there is none."""
    rule = _RULES.get(left.what)
    return None if rule is None else rule(scene, left, words, claims)


def _asked(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    return scene.asked if words == {"question"} and not claims else None


def _shows(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    """A column of a view is bound to the stacks that it shows."""
    if left.owner:
        needed: Collection[str] = {left.owner}
    else:
        needed = scene.covering | ({left.name} & set(scene.shown))
    return scene.line(left.owner, left.name, left.at) if words == needed and not claims else None


def _stack(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    source = left.owner or scene.source
    if source is not None and words == {source}:
        return scene.solids[left.owner].get(left.name) if not claims and left.owner in scene.solids else None
    if left.owner:
        return None
    if words == {"top"}:
        # A stack that the top view shows, in a line where the tallest is one cube high.
        tallest = _only(claims, "max")
        there = "top" in scene.shown and left.name in scene.places
        return 1 if tallest and tallest.value == 1 and left.name in tallest.left.cells and there else None
    if words:
        return None
    tallest = next((claim for claim in claims if claim.left.what == "max"), None)
    if tallest is None or left.name not in tallest.left.cells:
        return None
    # The only stack of a line that can be as tall as the line.
    others = _heights_at_most(claims, skip=tallest)
    if others is None or set(others) != tallest.left.cells - {left.name}:
        return None
    return tallest.value if all(height < _number(tallest) for height in others.values()) else None


def _bound(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    tallest = _only(claims, "max")
    return tallest.value if tallest and not words and left.name in tallest.left.cells else None


def _max(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    line = _only(claims, "shows")
    if line is None or line.left.owner or line.value != left.cells or words != {line.left.name}:
        return None
    heights = scene.profiles.get(line.left.name) if line.left.name in scene.shown else None
    return heights[line.left.at - 1] if heights and line.left.at <= len(heights) else None


def _sum(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    heights = _stacks(claims, "")
    return sum(heights.values()) if heights is not None and not words and set(heights) == left.cells else None


def _line_bound(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    """``least``, ``most`` or ``ways`` of a line, given a side view and the top view; ``most`` also given two sides."""
    count = len(left.cells)
    if _one_side_and_top(scene):
        tallest = _only(claims, "max")
        if tallest is None or tallest.left.cells != left.cells or not left.cells <= scene.places:
            return None
        height = _number(tallest)
        if words != (NO_WORDS if left.what == "most" else {"top"}):
            return None
        ways: int = height**count - (height - 1) ** count
        return {"least": height + count - 1, "most": height * count, "ways": ways}[left.what]
    if left.what == "most" and _two_sides(scene) and words == set(scene.shown):
        bounds = _heights_at_most(claims)
        if bounds is None or set(bounds) != left.cells:
            return None
        return (
            sum(bounds.values()) if all(scene.bounds.get(cell) == height for cell, height in bounds.items()) else None
        )
    return None


def _need(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    if claims or not _two_sides(scene) or words != set(scene.shown):
        return None
    return max(scene.profiles[side].count(left.at) for side in scene.shown) or None


def _faces(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    if left.at:
        line = next((claim for claim in claims if claim.left.what == "shows"), None)
        if words or line is None or (line.left.name, line.left.at, line.left.owner) != (left.name, left.at, ""):
            return None
        heights = _stacks([claim for claim in claims if claim is not line], "")
        if heights is None or set(heights) != _cells(line) or left.at > scene.width(left.name):
            return None
        nearest_first = scene.shapes[""].lines[left.name][left.at - 1]
        return sum(max(0, b - a) for a, b in pairwise([0, *(heights.get(cell, 0) for cell in nearest_first)]))
    if not scene.covering or words != scene.covering:
        return None
    if left.name == "top":
        return len(scene.places) if not claims and (scene.source or "top" in scene.shown) else None
    parts = {claim.left.at: _number(claim) for claim in claims if claim.left[:3] == ("faces", "", left.name)}
    whole = set(parts) == set(range(1, scene.width(left.name) + 1)) and len(parts) == len(claims)
    return sum(parts.values()) if whole else None


def _quantity(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    if left.name in ("surface", "painted"):
        faces = {claim.left.name: _number(claim) for claim in claims if claim.left[0] == "faces" and not claim.left.at}
        if words or len(claims) != 3 or set(faces) not in _THREE_DIRECTIONS:
            return None
        top = faces.pop("top")
        return 2 * sum(faces.values()) + (2 * top if left.name == "surface" else top)
    if left.name == "missing":
        parts = {claim.left.name: _number(claim) for claim in claims if claim.left.what == "number"}
        exact = not words and set(parts) == {"box", "count"} and len(claims) == 2
        return parts["box"] - parts["count"] if exact else None
    if not scene.covering or words != scene.covering:
        return None
    if left.name == "box":
        return scene.box if scene.source is not None and not claims else None
    if left.name == "least" and _two_sides(scene) and {claim.left.what for claim in claims} == {"need"}:
        needed = {claim.left.at: _number(claim) for claim in claims}
        heights = {height for side in scene.shown for height in scene.profiles[side]}
        return sum(v * n for v, n in needed.items()) if set(needed) == heights and len(needed) == len(claims) else None
    part = {"count": "sum"}.get(left.name, left.name)
    if part in ("least", "ways") and not _one_side_and_top(scene):
        return None  # only then the columns of the view do not depend on each other
    if any(claim.left.what != part for claim in claims):
        return None
    covered = [cell for claim in claims for cell in claim.left.cells]
    if len(covered) != len(set(covered)) or set(covered) != scene.places:
        return None
    if not _are_lines(scene, [claim.left.cells for claim in claims], SIDES if part == "sum" else scene.shown):
        return None
    if part != "ways":
        return sum(map(_number, claims))
    product = 1
    for claim in claims:
        product *= _number(claim)
    return product


def _column(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    line = next((claim for claim in claims if claim.left.what == "shows"), None)
    if words or line is None or line.left[1:4] != left[1:4]:
        return None
    heights = _stacks([claim for claim in claims if claim is not line], left.owner)
    return max(heights.values()) if heights is not None and heights and set(heights) == _cells(line) else None


def _view(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    """A whole view: all columns from a side, or all the stacks that the columns from a side show."""
    if not scene.covering or words != scene.covering or not claims:
        return None
    side = left.name if left.name != "top" else claims[0].left.name
    what = "column" if left.name != "top" else "shows"
    parts = {claim.left.at: claim.value for claim in claims if claim.left[:3] == (what, "", side)}
    if not parts or set(parts) != set(range(1, scene.width(side) + 1)) or len(parts) != len(claims):
        return None
    if what == "shows":
        return frozenset(cell for line in parts.values() if isinstance(line, frozenset) for cell in line)
    return tuple(int(str(parts[index])) for index in sorted(parts))


def _found(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    if words or len(claims) != 2:
        return None
    asked = next((claim for claim in claims if claim.left.what == "asked"), None)
    value = next((claim for claim in claims if claim.left.what in ("number", "view")), None)
    return value.value if asked and value and asked.value == f"? = {value.left.name}" else None


def _not(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    """An option is wrong, for one difference."""
    asked = next((claim for claim in claims if claim.left.what == "asked"), None)
    rest = [claim for claim in claims if claim is not asked]
    letter = left.owner
    if asked is None or letter not in scene.letters:
        return None
    match str(asked.value).split()[1:]:
        case ["fits", *views]:
            wrong = len(words) == 1 and words < {*views, ""} and _looks_different(scene, letter, min(words), rest)
        case ["sees", _]:
            wrong = words == {letter, "view"} and _seen_differently(scene, letter, rest)
        case ["completes", side]:
            wrong = words == {letter} and _cannot_complete(scene, letter, side, rest)
        case ["=", "plan"]:
            read = rest[0].left if len(rest) == 1 else left
            plan = scene.solids.get(letter, {})
            wrong = words == {letter} and read[:2] == ("stack", "") and plan.get(read.name, 0) != rest[0].value
        case _:
            return None
    return "wrong" if wrong else None


def _looks_different(scene: ViewsScene, letter: str, view: str, rest: Sequence[ViewStatement]) -> bool:
    if len(rest) != 1 or rest[0].left.owner != letter or view not in scene.shown:
        return False
    seen = rest[0]
    if view == "top":
        return seen.left.what == "stack" and (seen.left.name in scene.tops["top"]) != (_number(seen) > 0)
    heights = scene.profiles.get(view, ())
    return seen.left[:3] == ("column", letter, view) and height_at(heights, seen.left.at) != seen.value


def _seen_differently(scene: ViewsScene, letter: str, rest: Sequence[ViewStatement]) -> bool:
    direction = scene.direction(letter)
    if len(rest) != 1 or rest[0].left.owner or direction is None:
        return False
    seen = rest[0]
    if direction == "top":
        rows = scene.drawn["view"]
        drawn = dict.fromkeys(squares_from_the_back(rows, scene.shapes[""].deep), True)
        return seen.left.what == "stack" and drawn.get(seen.left.name, False) != (_number(seen) > 0)
    columns = [column.count("#") for column in map("".join, zip(*scene.drawn["view"], strict=True))]
    return seen.left[:3] == ("column", "", direction) and height_at(columns, seen.left.at) != seen.value


def _cannot_complete(scene: ViewsScene, letter: str, side: str, rest: Sequence[ViewStatement]) -> bool:
    heights = scene.profiles.get(letter, ())
    lines = [claim for claim in rest if claim.left[:3] == ("shows", "", side)]
    others = [claim for claim in rest if claim not in lines]
    tallest = _only(others, "max")
    if tallest is not None:
        # The option leaves no stack of a line as tall as the line is.
        parts = [_cells(line) & tallest.left.cells for line in lines]
        covered = sorted(cell for part in parts for cell in part) == sorted(tallest.left.cells)
        return covered and all(parts) and all(height_at(heights, line.left.at) < _number(tallest) for line in lines)
    # No stack of a line can be as tall as the option says.
    bounds = _heights_at_most(others)
    if bounds is None or len(lines) != 1 or set(bounds) != _cells(lines[0]):
        return False
    return all(height < height_at(heights, lines[0].left.at) for height in bounds.values())


def _options(scene: ViewsScene, left: Left, words: Words, claims: Sequence[ViewStatement]) -> Value | None:
    if words != set(scene.letters) or not claims:
        return None
    found = _only(claims, "found")
    if found is not None:
        right = [letter for letter in scene.letters if says(scene, letter, found.value)]
    else:
        wrong = {claim.left.owner for claim in claims if claim.left.what == "not"}
        if len(wrong) != len(claims) or len(wrong) != len(scene.letters) - 1:
            return None
        right = [letter for letter in scene.letters if letter not in wrong]
    return right[0] if len(right) == 1 else None


def says(scene: ViewsScene, letter: str, value: Value) -> bool:
    """Whether an option is the number or the view ``value``."""
    if isinstance(value, int):
        return scene.texts.get(letter) == str(value)
    if isinstance(value, tuple):
        return scene.profiles.get(letter) == value
    shape = scene.shapes.get("")
    rows = scene.drawn.get(letter, ())
    same_size = shape is not None and rows and (len(rows), len(rows[0])) == (shape.deep, shape.wide)
    return bool(same_size) and scene.tops[letter] == value


def _only(claims: Sequence[ViewStatement], what: str) -> ViewStatement | None:
    """The claim, if it is the only one and speaks of ``what``."""
    return claims[0] if len(claims) == 1 and claims[0].left.what == what else None


def _number(claim: ViewStatement) -> int:
    return claim.value if isinstance(claim.value, int) else -1


def _cells(claim: ViewStatement) -> frozenset[str]:
    return claim.value if isinstance(claim.value, frozenset) else frozenset()


def _stacks(claims: Iterable[ViewStatement], owner: str) -> dict[str, int] | None:
    """The heights of stacks, if all claims give one, each of another stack."""
    heights: dict[str, int] = {}
    for claim in claims:
        if claim.left[:2] != ("stack", owner) or claim.left.name in heights:
            return None
        heights[claim.left.name] = _number(claim)
    return heights


def _heights_at_most(claims: Iterable[ViewStatement], skip: ViewStatement | None = None) -> dict[str, int] | None:
    """How high stacks are at most, if all claims but ``skip`` say that, each of another stack."""
    heights: dict[str, int] = {}
    for claim in claims:
        if claim is skip:
            continue
        if claim.left.what not in ("stack", "bound") or claim.left.owner or claim.left.name in heights:
            return None
        heights[claim.left.name] = _number(claim)
    return heights


def height_at(heights: Sequence[int], index: int) -> int:
    """The height of column ``index`` (from 1) of a view; 0 beyond it."""
    return heights[index - 1] if 1 <= index <= len(heights) else 0


def squares_from_the_back(rows: Sequence[str], deep: int) -> frozenset[str]:
    """The squares of a view laid on a plan of ``deep`` rows, so that the back left corners are together."""
    return frozenset(
        f"{'abcdefgh'[x]}{deep - y}" for y, row in enumerate(rows) for x, square in enumerate(row) if square == "#"
    )


def _one_side_and_top(scene: ViewsScene) -> bool:
    return scene.source is None and len(scene.shown) == 2 and "top" in scene.shown and bool(scene.covering)


def _two_sides(scene: ViewsScene) -> bool:
    return scene.source is None and len(scene.shown) == 2 and "top" not in scene.shown and bool(scene.covering)


def _are_lines(scene: ViewsScene, sets: Sequence[frozenset[str]], sides: Iterable[str]) -> bool:
    """Whether the sets are the columns of the view from one of ``sides``."""
    wanted = sorted(map(sorted, sets))
    lines = (scene.shapes[""].lines[side] for side in sides if side in SIDES)
    return any(wanted == sorted(sorted(scene.places.intersection(line)) for line in columns) for columns in lines)


_RULES: dict[str, Rule] = {
    "asked": _asked, "shows": _shows, "stack": _stack, "bound": _bound, "max": _max, "sum": _sum,
    "least": _line_bound, "most": _line_bound, "ways": _line_bound, "need": _need, "faces": _faces,
    "number": _quantity, "column": _column, "view": _view, "found": _found, "not": _not, "options": _options,
}  # fmt: skip
