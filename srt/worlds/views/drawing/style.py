"""How pictures look: sizes, line widths, tones, words and layout, drawn by a seed; and the plain style for training."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from srt.io.records import Lang
from srt.worlds.kit.drawing.raster import Colour

PATCH = 28
"""The side in pixels of what Qwen2.5-VL makes one token of: 2 x 2 patches of 14 pixels."""

Theme = tuple[Colour, Colour, Colour, Colour, Colour]
"""Paper; the upper, the front and the right faces of a cube; and the shade of the squares of views with a hole."""
_DARKEST = 3
SHADE = 4
StyleName = Literal["varied", "patches", "cells"]

_WHITE: Colour = (255, 255, 255)
_GREY: Colour = (217, 217, 217)
# Never lines alone: two solids may then differ in nothing but a line of five pixels.
_THEMES: tuple[Theme, ...] = (
    (_WHITE, _WHITE, (242, 242, 242), (218, 218, 218), _GREY),
    (_WHITE, _WHITE, (226, 226, 226), (190, 190, 190), _GREY),
    (_WHITE, (250, 250, 250), (214, 214, 214), (170, 170, 170), _GREY),
    (_WHITE, (238, 245, 252), (204, 223, 241), (165, 194, 222), (204, 223, 241)),
    (_WHITE, (253, 246, 227), (243, 224, 178), (222, 194, 137), (243, 224, 178)),
    ((253, 252, 248), (240, 246, 236), (209, 226, 200), (172, 199, 160), (209, 226, 200)),
)
_CUBES = ((18, 12, 19), (20, 14, 20), (21, 14, 22), (24, 16, 25), (24, 17, 24), (27, 18, 28))
"""Half the width and half the height of an upper face, and the height of a cube, in pixels.

Seen from 42 or 45 degrees above, not from 35 as in an isometric drawing: there a cube lies exactly before the next one
on the diagonal, their edges fall together, and many a solid cannot be told from another.
"""
_SIDES = ("front", "left", "right", "back", "top")
_VIEWS: dict[Lang, tuple[dict[str, str], ...]] = {
    "en": (
        {side: f"{side} view" for side in _SIDES} | {"plan": "top view"},
        {side: side for side in _SIDES} | {"plan": "top"},
    ),
    "zh": (
        {side: f"{word}视图" for side, word in zip(_SIDES, "主左右后俯", strict=True)} | {"plan": "俯视图"},
        {side: f"从{word}面看" for side, word in zip(_SIDES, "正左右后上", strict=True)} | {"plan": "从上面看"},
    ),
}
_FRONT: dict[Lang, str] = {"en": "front", "zh": "正面"}


@dataclass(frozen=True)
class Style:
    """Sizes in pixels, line widths in eighths of a pixel. ``snap``: views lie on multiples of so many pixels."""

    lang: Lang
    words: Mapping[str, str]
    """The label under a view, by its name; other figures have none."""
    cell: int
    option_cell: int
    cube: tuple[int, int, int]
    option_cube: tuple[int, int, int]
    outline: int
    inner: int
    theme: Theme
    ink: Colour
    squares: int
    """The tone of the squares of views and plans: 0 is paper."""
    letters: int
    """The height of capital letters."""
    pen: int
    projection: bool
    """Three views stand as in a drawing in first-angle projection: left view at the right, top view below."""
    option_columns: int
    margin: int
    gap: int
    snap: int = 1

    @property
    def front(self) -> str:
        """The word at the arrow that shows the front."""
        return _FRONT[self.lang]


def style_of(name: StyleName, lang: Lang, seed: str) -> Style:
    """The style ``name``: ``varied`` is a function of ``seed``, the others are always the same for a language.

    ``cells`` is ``patches`` without labels and margins, with dark squares: as few tokens as figures can have, and each
    of them can be told from an empty one by its tone.
    """
    if name == "cells":
        return replace(style_of("patches", lang, seed), words={}, margin=0, theme=_THEMES[2], squares=_DARKEST)
    if name == "patches":
        return Style(
            lang=lang,
            words=_VIEWS[lang][0],
            cell=PATCH,
            option_cell=PATCH,
            cube=_CUBES[2],
            option_cube=_CUBES[0],
            outline=16,
            inner=12,
            theme=_THEMES[1],
            ink=(0, 0, 0),
            squares=0,
            letters=11,
            pen=11,
            projection=False,
            option_columns=4,
            margin=PATCH,
            gap=PATCH,
            snap=PATCH,
        )
    rng = random.Random(hashlib.sha256(seed.encode()).digest())
    inner = rng.choice((9, 10, 12))
    cell = rng.choice((28, 30, 32, 36))
    letters = rng.choice((11, 12, 13))
    return Style(
        lang=lang,
        words=rng.choice(_VIEWS[lang]),
        cell=cell,
        option_cell=cell - 4,
        cube=rng.choice(_CUBES[2:]),
        option_cube=rng.choice(_CUBES[:3]),
        outline=inner + rng.choice((0, 4, 6)),
        inner=inner,
        theme=rng.choice(_THEMES),
        ink=rng.choice(((0, 0, 0), (26, 26, 26), (28, 34, 52))),
        squares=int(rng.random() < 0.3),
        letters=letters,
        pen=letters - rng.choice((0, 1, 2)),
        projection=rng.random() < 0.5,
        option_columns=rng.choice((2, 4, 4)),
        margin=rng.choice((16, 20, 24)),
        gap=rng.choice((28, 36, 44)),
    )
