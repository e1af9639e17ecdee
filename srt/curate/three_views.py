"""Three views of one solid must agree where their sizes are stated: length, height and width are each seen twice.

The front view shows length and height, the top view length and width, the side view width and height (长对正, 高平齐,
宽相等). A view is read where the text says unmistakably that it is a rectangle, square or circle of a stated size, or a
triangle of stated base and height, or states the view's own length, width or height. Which side of a rectangle lies
which way is not assumed: views contradict each other only if *no* way of laying them fits one length, width and height.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import product
from typing import Literal

View = Literal["front", "top", "side"]
Size = tuple[float, float]

_VIEWS: dict[str, View] = {
    "主视图": "front", "正视图": "front", "front view": "front",
    "俯视图": "top", "top view": "top",
    "左视图": "side", "侧视图": "side", "右视图": "side",
    "left view": "side", "right view": "side", "side view": "side",
}  # fmt: skip
_VIEW = re.compile("|".join(sorted(_VIEWS, key=len, reverse=True)))
_ENDS = re.compile(r"[。;；\n?？]|\.(?!\d)")
# Words by which a sentence does not state a size of the whole view: conditions, choices, parts, halves.
_DOUBT = re.compile(
    r"若|如果|假设|可能|或|不是|不可能|\bif\b|\bnot\b|\bor\b|could|suppose|option|选项|另一|组成|拼成|构成|由|[个小]|半(?!径)|composed|made|consist|small|each|half|semi|ring|inside"
)
# A number that is not the beginning of a longer one, of a root, a product or a count of things.
_VALUE = r"(\d{1,6}(?:\.\d{1,6})?)(?!\d|\.\d|\s*(?:[√π*/^+\-]|\\|x\s*[a-z]|个|cubes|squares))"
_UNIT = r"\s*(mm|cm|dm|m|毫米|厘米|分米|米)?"
_OF = r"\s*(?:of|is|=|为|是|:)?\s*"
# "side length", 边长, 周长 and the like have the word in them and are another size.
_LABEL = {
    "length": re.compile(rf"(?:(?<!side )(?<!edge )\blength{_OF}|(?<![边周母弦弧棱])长{_OF}){_VALUE}{_UNIT}"),
    "width": re.compile(rf"(?:\bwidth{_OF}|(?<!等)宽{_OF}){_VALUE}{_UNIT}"),
    "height": re.compile(rf"(?:\bheight{_OF}|(?<![斜等])高{_OF}){_VALUE}{_UNIT}"),
    "base": re.compile(rf"(?:\bbase{_OF}|底边?长?{_OF}){_VALUE}{_UNIT}"),
    "edge": re.compile(rf"(?:\bside(?:\s+length)?{_OF}|(?<!底)边长{_OF}){_VALUE}{_UNIT}"),
    "radius": re.compile(rf"(?:\bradius{_OF}|半径{_OF}){_VALUE}{_UNIT}"),
    "diameter": re.compile(rf"(?:\bdiameter{_OF}|直径{_OF}){_VALUE}{_UNIT}"),
}
_TIMES = re.compile(rf"{_VALUE}{_UNIT}\s*(?:x|×|by)\s*{_VALUE}{_UNIT}\s*(?:rectangle|长方形|矩形)")
_RECTANGLE = re.compile(r"rectangle|长方形|矩形")
_SQUARE = re.compile(r"\bsquare\b|正方形")
_CIRCLE = re.compile(r"\bcircle\b|(?<!半)圆(?!柱|锥|台|心|弧)")
_TRIANGLE = re.compile(r"triangle|三角形")
_TOLERANCE = 1e-9
_LONGEST = 5_000


def contradiction(text: str) -> str | None:
    """One line if the two or three views that ``text`` describes cannot be of one solid, otherwise ``None``."""
    sizes = view_sizes(text)
    if len(sizes) < 2 or any(_fits(lying, sizes) for lying in product((False, True), repeat=len(sizes))):
        return None
    stated = ", ".join(f"{view} {one:g} x {other:g}" for view, (one, other) in sizes.items())
    return f"no length, width and height fit the views: {stated}"


def view_sizes(text: str) -> dict[View, Size]:
    """The two extents of each view whose size is stated unmistakably; a view of two sizes is left out."""
    plain = unicodedata.normalize("NFKC", text[:_LONGEST]).lower().replace("$", "").replace("\\times", "×")
    plain = re.sub(r"[^\S\n]+", " ", plain)
    found: dict[View, set[Size]] = {}
    units: set[str] = set()
    for sentence in _ENDS.split(plain):
        marks = list(_VIEW.finditer(sentence))
        if not marks or _DOUBT.search(sentence):
            continue
        ends = [mark.start() for mark in marks[1:]] + [len(sentence)]
        views: list[View] = []
        for mark, end in zip(marks, ends, strict=True):
            views.append(_VIEWS[mark[0]])
            said = sentence[mark.end() : end]
            if re.fullmatch(r"\s*(?:and|与|和|及|、|,|the|both)*\s*(?:the\s*)?", said):
                continue  # "the front and left views are ...": the size that follows is of all of them
            size = _size(said, units)
            for view in views if size else ():
                found.setdefault(view, set()).add(size)  # type: ignore[arg-type]
            views = []
    # Sizes in different units cannot be compared as they stand.
    if len(units) > 1:
        return {}
    return {view: sizes.pop() for view, sizes in found.items() if len(sizes) == 1}


def _size(said: str, units: set[str]) -> Size | None:
    shapes = [shape for shape in (_RECTANGLE, _SQUARE, _CIRCLE, _TRIANGLE) if shape.search(said)]
    if len(shapes) > 1 or len(_RECTANGLE.findall(said) + _TRIANGLE.findall(said)) > 1:
        return None  # a figure made of several
    if shapes == [_RECTANGLE] and (match := _TIMES.search(said)):
        units.update(unit for unit in (match[2], match[4]) if unit)
        return float(match[1]), float(match[3])
    labels = _labelled(said, units)
    if shapes == [_SQUARE] and labels.keys() == {"edge"}:
        return labels["edge"], labels["edge"]
    if shapes == [_CIRCLE] and labels.keys() in ({"radius"}, {"diameter"}):
        across = labels.get("diameter", 2 * labels.get("radius", 0.0))
        return across, across
    if shapes == [_TRIANGLE] and labels.keys() == {"base", "height"}:
        return labels["base"], labels["height"]
    sides = [labels[name] for name in ("length", "width", "height") if name in labels]
    if shapes in ([], [_RECTANGLE]) and len(sides) == 2 and len(labels) == 2:
        return sides[0], sides[1]
    return None


def _labelled(said: str, units: set[str]) -> dict[str, float]:
    """The labelled sizes, whose units are added to ``units``; a label that is given twice is left out."""
    found = {}
    for name, pattern in _LABEL.items():
        matches = pattern.findall(said)
        if len(matches) == 1:
            (value, unit), *_ = matches
            found[name] = float(value)
            units.update(filter(None, [unit]))
    return found


def _fits(lying: tuple[bool, ...], sizes: dict[View, Size]) -> bool:
    """Whether one length, width and height fit, with each view turned or not."""
    axes = {"front": ("length", "height"), "top": ("length", "width"), "side": ("width", "height")}
    solid: dict[str, float] = {}
    for turned, (view, size) in zip(lying, sizes.items(), strict=True):
        for axis, extent in zip(axes[view], reversed(size) if turned else size, strict=True):
            if abs(solid.setdefault(axis, extent) - extent) > _TOLERANCE:
                return False
    return True
