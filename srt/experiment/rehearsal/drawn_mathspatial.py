"""A few boxes in three views, drawn on the spot in MathSpatial's published layout: for rehearsals without the corpus.

They are made here and copied from nowhere. That they are read, taught, trained on and tested like the corpus is what a
rehearsal shows; they say nothing about any model.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import PIL.Image
import PIL.ImageDraw

_SCALE = 12  # pixels for a unit of length
_MARGIN = 22
_LETTERS = "ABCD"


def draw_mathspatial(root: Path, counts: dict[str, int]) -> None:
    """Write so many problems into each part (``benchmark``, ``corpus``) below ``root``, as ``srt import`` reads them.

    No two problems are alike, in one part or in two.
    """
    sizes = ((a, b, c) for c in range(2, 9) for b in range(2, 9) for a in range(b + 1, 10))
    for part, count in counts.items():
        for number in range(1, count + 1):
            folder = root / part / f"question{number:05}"
            (folder / "images").mkdir(parents=True, exist_ok=True)
            width, depth, height = next(sizes)
            _draw(width, height).save(folder / "images" / "1.png")
            _draw(width, depth).save(folder / "images" / "2.png")
            row = _volume(width, depth, height) if number % 2 else _left_view(width, depth, height)
            data = {**row, "images": ["images/1.png", "images/2.png"]}
            (folder / "data.json").write_bytes(orjson.dumps(data, option=orjson.OPT_INDENT_2))


def _draw(width: int, height: int) -> PIL.Image.Image:
    """A rectangle with its sides labelled."""
    right, below = _MARGIN + width * _SCALE, _MARGIN + height * _SCALE
    picture = PIL.Image.new("RGB", (right + _MARGIN, below + _MARGIN), "white")
    pen = PIL.ImageDraw.Draw(picture)
    pen.rectangle((_MARGIN, _MARGIN, right, below), outline="black", width=2)
    pen.text(((_MARGIN + right) // 2, below + 4), str(width), fill="black")
    pen.text((6, (_MARGIN + below) // 2), str(height), fill="black")
    return picture


def _volume(width: int, depth: int, height: int) -> dict[str, Any]:
    return {
        "question": "如图是一个长方体的主视图和俯视图，图中数字为边长。这个长方体的体积是____。",
        "question_en": "The front view and the top view of a box are shown with their sides. Its volume is ____.",
        "choices": {},
        "answer": str(width * depth * height),
        "analysis": _sides(width, depth, height) + f"所以体积为{width}×{depth}×{height}={width * depth * height}。",
        "question_type": "填空题",
        "main_category": "Abstract Deduction",
        "sub_category": "GPC",
    }


def _left_view(width: int, depth: int, height: int) -> dict[str, Any]:
    area = depth * height
    right = (width + depth + height) % len(_LETTERS)
    others = [area + step for step in (1, 2, depth + height + 3)]
    values = [*others[:right], area, *others[right:]]
    return {
        "question": "如图是一个长方体的主视图和俯视图，图中数字为边长。它的左视图的面积是（  ）",
        "question_en": "The front view and the top view of a box are shown. The area of its left view is ( )",
        "choices": {letter: str(value) for letter, value in zip(_LETTERS, values, strict=True)},
        "answer": _LETTERS[right],
        "analysis": _sides(width, depth, height) + f"左视图的面积为{depth}×{height}={area}。",
        "question_type": "选择题",
        "main_category": "Generative Inference",
        "sub_category": "PRA",
    }


def _sides(width: int, depth: int, height: int) -> str:
    return f"由主视图可知长为{width}，高为{height}；由俯视图可知宽为{depth}。"
