"""Views in pictures, read back from the pixels: squares on 28-pixel patches, hidden edges dashed, visible ones not."""

from __future__ import annotations

import io
from dataclasses import replace
from itertools import product

import numpy as np
import PIL.Image
import pytest
from numpy.typing import NDArray

from srt.worlds.kit.drawing.raster import painted
from srt.worlds.views.drawing.layout import page
from srt.worlds.views.drawing.picture import picture
from srt.worlds.views.drawing.style import style_of
from srt.worlds.views.kernel.stacks import DIRECTIONS, Direction
from srt.worlds.views.reading.figures import Figure, PlanFigure, ViewFigure
from tests.srt.worlds.views.drawn_view import drawn_view, seen_from

PATCH = 28


def grey(*figures: Figure) -> NDArray[np.uint8]:
    return np.asarray(PIL.Image.open(io.BytesIO(picture(figures, "en", "patches", "any"))).convert("L"))


def edge_kind(pixels: NDArray[np.uint8], x: int, y: int, upright: bool) -> str:
    """What is drawn along one side of a square, from patch corner (x, y) downwards or to the right."""
    along = slice(4, PATCH - 4)
    if upright:
        strip = pixels[y * PATCH : (y + 1) * PATCH, x * PATCH - 1 : x * PATCH + 1][along].min(axis=1)
    else:
        strip = pixels[y * PATCH - 1 : y * PATCH + 1, x * PATCH : (x + 1) * PATCH][:, along].min(axis=0)
    if (strip < 128).all():
        return "full"
    dark = (strip < 128).astype(int)
    return "dashed" if (np.diff(dark) == 1).any() and dark.sum() < len(dark) else "none"


def expected_kinds(solid: NDArray[np.int8], direction: Direction) -> dict[tuple[int, int, bool], str]:
    """The kind of every unit side in a view, from the faces of the body, cube by cube.

    A unit edge of the body is drawn unless exactly two faces meet in it that lie in one plane. It is hidden if cubes on
    both sides of it, or of an edge before it, are nearer to the viewer.
    """
    seen = seen_from(solid, direction)
    cubes = {tuple(map(int, cell)) for cell in np.argwhere(seen)}
    deep, rows, columns = seen.shape

    def kind(sides: tuple[tuple[int, int], tuple[int, int]]) -> str:
        found = "none"
        for k in range(deep + 1):
            around = {(depth, side): (depth, *sides[side]) in cubes for depth in (k - 1, k) for side in (0, 1)}
            across = [around[depth, 0] != around[depth, 1] for depth in (k - 1, k)]  # faces seen from the side
            facing = [around[k - 1, side] != around[k, side] for side in (0, 1)]  # faces towards or from the viewer
            if sum(across) + sum(facing) == 0 or (sum(across), sum(facing)) in ((2, 0), (0, 2)):
                continue
            covered = all(any((depth, *side) in cubes for depth in range(k)) for side in sides)
            found = "full" if not covered else "dashed" if found == "none" else found
        return found

    return {
        (x, y, upright): kind(((y, x - 1), (y, x)) if upright else ((y - 1, x), (y, x)))
        for upright in (True, False)
        for y, x in product(range(rows + (not upright)), range(columns + upright))
    }


@pytest.mark.parametrize("seed", range(25))
def test_lines_are_full_or_dashed_as_the_body_demands(seed: int) -> None:
    rng = np.random.default_rng(seed)
    solid = (rng.random(rng.integers(1, 4, 3)) < 0.6).astype(np.int8)
    solid[0, 0, 0] = 1
    for direction in DIRECTIONS:
        view = drawn_view(solid, direction)
        pixels = grey(ViewFigure(name="view", rows=view.rows, lines=view.visible, hidden=view.hidden))
        for (x, y, upright), kind in expected_kinds(solid, direction).items():
            assert edge_kind(pixels, x + 1, y + 1, upright) == kind, (direction, x, y, upright)


def test_all_kinds_of_line_occur() -> None:
    """Otherwise the test above would show nothing."""
    solid = np.array([[[1, 1], [1, 0]], [[1, 0], [0, 0]]], dtype=np.int8)
    kinds = {kind for direction in DIRECTIONS for kind in expected_kinds(solid, direction).values()}
    assert kinds == {"full", "dashed", "none"}


def test_squares_lie_on_patches() -> None:
    rows = ("#..", "##.", "###")
    pixels = grey(ViewFigure(name="front", rows=rows), ViewFigure(name="left", rows=("#", "#", "#")))
    for y, x in product(range(3), range(3)):
        sides = [edge_kind(pixels, x + 1, y + 1, upright) for upright in (True, False)]
        assert (sides == ["full", "full"]) == (rows[y][x] == "#") or "#" in (rows[y - 1][x : x + 1], rows[y][x - 1 : x])
        inside = pixels[(y + 1) * PATCH + 3 : (y + 2) * PATCH - 3, (x + 1) * PATCH + 3 : (x + 2) * PATCH - 3]
        assert (inside == 255).all()
    assert pixels.shape[0] % PATCH == pixels.shape[1] % PATCH == 0


def test_no_two_views_look_alike() -> None:
    """One square more or less is seen, even in one width of line, where the outline does not show what is a hole."""
    style = style_of("patches", "en", "")
    style = replace(style, outline=style.inner)
    views = {
        flat: painted(page((ViewFigure(name="view", rows=(flat[:3], flat[3:6], flat[6:])),), style))
        for flat in map("".join, product("#.", repeat=9))
    }
    for flat, pixels in views.items():
        for at in range(9):
            other = views[flat[:at] + ("." if flat[at] == "#" else "#") + flat[at + 1 :]]
            assert (pixels != other).sum() >= PATCH, flat


def test_a_hole_is_seen_and_no_option_stands_out() -> None:
    ring, full = ("###", "#.#", "###"), ("###", "###", "###")
    pixels = grey(ViewFigure(name="A", rows=ring), ViewFigure(name="B", rows=full))
    assert pixels[70, 70] == 255
    assert pixels[42, 42] == pixels[42, 42 + 4 * PATCH] == pixels[70, 70 + 4 * PATCH] < 240
    assert grey(ViewFigure(name="view", rows=("###", "#.#", "#.#")))[42, 42] == 255


def test_a_number_stands_in_the_middle_of_its_square() -> None:
    for number in range(1, 9):
        ys, xs = np.nonzero(grey(PlanFigure(name="view", heights=((number,),)))[31:53, 31:53] < 128)
        assert abs(int(ys.min()) + int(ys.max()) - 21) <= 2
        assert abs(int(xs.min()) + int(xs.max()) - 21) <= 3
    numbers = {grey(PlanFigure(name="view", heights=((number,),))).tobytes() for number in range(1, 9)}
    assert len(numbers) == 8
