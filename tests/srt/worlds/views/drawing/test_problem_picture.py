"""Pictures of problems: the same pixels everywhere, small files, and every style."""

from __future__ import annotations

import hashlib
import io

import numpy as np
import PIL.Image
import pytest

from srt.io.records import Problem
from srt.worlds.kit.drawing.lettering import drawn_text
from srt.worlds.kit.drawing.raster import LEVELS, Sketch, painted
from srt.worlds.views.drawing.layout import page
from srt.worlds.views.drawing.picture import picture, problem_picture
from srt.worlds.views.drawing.style import StyleName, style_of
from srt.worlds.views.reading.figures import CubeFigure, Figure, NetFigure, PlanFigure, SolidFigure, ViewFigure, as_meta

LAYERS = (("###", "##.", "#.."), ("##.", "#..", "..."), ("#..", "...", "..."))
FIGURES: tuple[Figure, ...] = (
    ViewFigure(name="front", rows=("#..", "##.", "###")),
    ViewFigure(name="left", rows=("##.", "###"), lines=((0, 0, 3, 0), (0, 0, 0, 2)), hidden=((0, 1, 2, 1),)),
    ViewFigure(name="top", rows=("###", "##.", "#..")),
    *(SolidFigure(name=letter, layers=LAYERS) for letter in "ABCD"),
)


def problem(**fields: object) -> Problem:
    meta = {"figures": as_meta(FIGURES), **fields}
    return Problem(id="p", source="views", split="train", lang="zh", question="?", meta=meta)


@pytest.mark.parametrize(
    ("style", "seed", "digest"),
    [
        ("patches", "", "4b893d0295800145"),
        ("varied", "1", "878a688458c5a838"),
        ("varied", "2", "1b62c3ba47675799"),
    ],
)
def test_pixels_are_those_of_every_other_machine(style: StyleName, seed: str, digest: str) -> None:
    figures = (*FIGURES, PlanFigure(name="plan", heights=((1, 2, 3), (4, 5, 6), (7, 8, 0))))
    opened = PIL.Image.open(io.BytesIO(picture(figures, "zh", style, seed))).convert("RGB")
    assert hashlib.sha256(opened.tobytes()).hexdigest()[:16] == digest


def test_pixels_of_a_net_and_a_cube_are_those_of_every_other_machine() -> None:
    net = NetFigure(name="net", digits=((0, 1, 0, 0), (2, 3, 4, 5), (0, 6, 0, 0)))
    drawn = picture((net, CubeFigure(name="A", top=1, right=4, front=3)), "en", "varied", "1")
    opened = PIL.Image.open(io.BytesIO(drawn)).convert("RGB")
    assert hashlib.sha256(opened.tobytes()).hexdigest()[:16] == "bae87a6a88e811f9"


def test_the_same_problem_has_the_same_bytes_and_another_one_another_style() -> None:
    assert problem_picture(problem()) == problem_picture(problem())
    varied = {picture(FIGURES, "en", "varied", str(seed)) for seed in range(20)}
    assert len(varied) == 20
    assert problem_picture(problem(style="patches")) == picture(FIGURES, "zh", "patches", "another seed")


def test_the_sides_are_whole_patches_and_the_file_is_small() -> None:
    for seed in range(40):
        data = picture(FIGURES, "zh" if seed % 2 else "en", "varied", str(seed))
        opened = PIL.Image.open(io.BytesIO(data))
        assert opened.width % 28 == opened.height % 28 == 0
        assert len(data) < 10_000
        assert not opened.info.keys() - {"transparency"}


def test_in_cells_each_square_is_one_patch_and_there_is_nothing_else() -> None:
    front, top = ViewFigure(name="front", rows=("#.#", "###")), ViewFigure(name="top", rows=("#.", "##", ".#"))
    drawn = PIL.Image.open(io.BytesIO(picture((front, top), "en", "cells", ""))).convert("L")
    assert drawn.size == (6 * 28, 3 * 28)
    patches = np.array(drawn).reshape(3, 28, 6, 28)
    inside = patches[:, 2:26, :, 2:26]  # without the lines on the edges
    assert (inside.min(axis=(1, 3)) == inside.max(axis=(1, 3))).all()
    assert (patches[:, 14, :, 14] < 255).tolist() == [
        [False, False, False, False, True, False],
        [True, False, True, False, True, True],
        [True, True, True, False, False, True],
    ]


def test_a_problem_without_figures_has_no_picture() -> None:
    assert problem_picture(problem(figures=[])) is None


def test_an_unknown_style_is_named() -> None:
    with pytest.raises(ValueError, match=r"meta\.style: 'plain'"):
        problem_picture(problem(style="plain"))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_labels_lie_on_nothing_else(lang: str) -> None:
    """Without its labels, the picture is the same but for white places where they stood."""
    for seed in range(30):
        look = style_of("varied", lang, str(seed))  # type: ignore[arg-type]
        drawing = page(FIGURES, look)
        words = [drawn_text(text, look.letters, look.pen) for text in (*look.words.values(), *"ABCD")]
        inks = [id(stamp.ink) for word in words for _, _, stamp in word.marks]
        labels = [mark for mark in drawing.marks if id(mark[2].ink) in inks]
        assert len(labels) == 7
        rest = painted(
            Sketch(drawing.width, drawing.height, tuple(mark for mark in drawing.marks if mark not in labels))
        )
        for x, y, stamp in labels:
            height, width = stamp.ink.shape
            there = rest[y + stamp.y - 2 : y + stamp.y + height + 2, x + stamp.x - 2 : x + stamp.x + width + 2]
            assert there.size > (height + 2) * (width + 2)
            assert not there.any(), f"seed {seed}"


def test_lines_are_counted_on_sixteen_samples() -> None:
    """A line two pixels wide between rows is black on both and leaves the next ones white."""
    view = ViewFigure(name="view", rows=("#",))
    pixels = painted(page((view,), style_of("patches", "en", "")))
    column = pixels[:, 42] % (LEVELS + 1)
    assert list(np.flatnonzero(column)) == [27, 28, 55, 56]
    assert set(column[[27, 28, 55, 56]]) == {LEVELS}
