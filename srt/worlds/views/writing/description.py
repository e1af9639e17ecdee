"""The figures of a problem in words, for models without pictures. It says what the pictures show, and no more."""

from __future__ import annotations

from collections.abc import Iterable

from srt.io.records import Lang
from srt.worlds.views.reading.figures import CubeFigure, Figure, NetFigure, PlanFigure, SolidFigure, ViewFigure

_NAMES: dict[Lang, dict[str, str]] = {
    "en": {
        "front": "Front view",
        "left": "Left view",
        "right": "Right view",
        "back": "Back view",
        "top": "Top view",
        "view": "View",
        "solid": "Solid",
        "plan": "Plan",
        "net": "Net",
        "cube": "Cube",
    },
    "zh": {
        "front": "主视图",
        "left": "左视图",
        "right": "右视图",
        "back": "后视图",
        "top": "俯视图",
        "view": "视图",
        "solid": "几何体",
        "plan": "平面图",
        "net": "展开图",
        "cube": "正方体",
    },
}
_FORMS: dict[Lang, dict[str, str]] = {
    "en": {
        "view": "{name}, rows from top to bottom: {rows}.",
        "plan": "{name}, numbers in rows from back to front: {rows}.",
        "solid": "{name}, heights of its stacks in rows from back to front: {rows}.",
        "net": "{name}, digits in rows from top to bottom: {rows}.",
        "cube": "{name}: {rows}.",
        "layers": "{name}, layers from the bottom up, each in rows from back to front: {rows}.",
    },
    "zh": {
        "view": "{name}，自上而下各行：{rows}。",
        "plan": "{name}，自后向前各行的数字：{rows}。",
        "solid": "{name}，自后向前各行的层数：{rows}。",
        "net": "{name}，自上而下各行的数字：{rows}。",
        "cube": "{name}：{rows}。",
        "layers": "{name}，自下而上各层（每层自后向前）：{rows}。",
    },
}
_FACES: dict[Lang, str] = {
    "en": "{top} at the top, {front} at the front, {right} at the right",
    "zh": "上面是{top}，正面是{front}，右面是{right}",
}


def describe(figures: Iterable[Figure], lang: Lang) -> str:
    """One line for each figure."""
    return "\n".join(_describe(figure, lang) for figure in figures)


def _describe(figure: Figure, lang: Lang) -> str:
    name = _NAMES[lang].get(figure.name, figure.name)
    match figure:
        case ViewFigure():
            form, rows = "view", " / ".join(figure.rows)
        case PlanFigure():
            form, rows = "plan", " / ".join(" ".join(map(str, row)) for row in figure.heights)
        case SolidFigure():
            form, rows = _solid(figure)
        case NetFigure():
            form, rows = "net", " / ".join(" ".join(str(digit or ".") for digit in row) for row in figure.digits)
        case CubeFigure():
            form, rows = "cube", _FACES[lang].format(top=figure.top, right=figure.right, front=figure.front)
    return _FORMS[lang][form].format(name=name, rows=rows)


def _solid(figure: SolidFigure) -> tuple[str, str]:
    """The heights of the stacks; the layers, where a cube stands on nothing."""
    columns = [["".join(cubes) for cubes in zip(*rows, strict=True)] for rows in zip(*figure.layers, strict=True)]
    if any(".#" in column for row in columns for column in row):
        return "layers", "; ".join(" / ".join(layer) for layer in figure.layers)
    return "solid", " / ".join(" ".join(str(column.count("#")) for column in row) for row in columns)
