"""The picture of a problem: its figures on one page, in the style that the problem names."""

from __future__ import annotations

from typing import get_args

from srt.io.records import Lang, Problem
from srt.worlds.kit.drawing.raster import painted, png
from srt.worlds.views.drawing.layout import page
from srt.worlds.views.drawing.style import StyleName, style_of
from srt.worlds.views.reading.figures import Figure, figures_of


def problem_picture(problem: Problem) -> bytes | None:
    """The figures of ``problem`` as a PNG; ``None`` if it has none, or says that none are drawn.

    ``meta["style"]`` names the style (``varied`` if absent; ``none`` draws none), and ``problem.id`` is the seed of a
    varied one.

    Raises:
        ValueError: the figures or the style are not known.
    """
    name = problem.meta.get("style", "varied")
    figures = () if name == "none" else figures_of(problem)
    if not figures:
        return None
    if name not in get_args(StyleName):
        raise ValueError(f"meta.style: {name!r} is not one of {', '.join(get_args(StyleName))}")
    return picture(figures, problem.lang, name, problem.id)


def picture(figures: tuple[Figure, ...], lang: Lang, style: StyleName, seed: str) -> bytes:
    """``figures`` as a PNG with sides that are multiples of 28 pixels; the same arguments give the same pixels."""
    look = style_of(style, lang, seed)
    return png(painted(page(figures, look)), look.theme, look.ink)
