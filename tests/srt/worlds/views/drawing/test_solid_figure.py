"""What a picture of a solid shows, against rays: which face each pixel sees, and that lines run between faces."""

from __future__ import annotations

import itertools
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from srt.worlds.kit.drawing.raster import LEVELS, Sketch, painted
from srt.worlds.views.drawing.cube_figure import cube_drawing
from srt.worlds.views.drawing.solid_figure import cube_faces, fitted, solid_drawing
from srt.worlds.views.drawing.style import style_of
from srt.worlds.views.kernel.corner_picture import every_top_is_seen
from srt.worlds.views.kernel.stacks import is_connected, is_trimmed
from srt.worlds.views.reading.figures import CubeFigure, SolidFigure

STYLE = style_of("patches", "en", "")
Face = tuple[int, int, int, int]
"""The axis of a face's normal (0 up, 1 to the front, 2 to the right), and layer, row and column of its cube."""


def random_solid(seed: int) -> NDArray[np.bool_]:
    rng = np.random.default_rng(seed)
    solid = rng.random(rng.integers(1, 4, 3)) < 0.5
    solid[0, 0, 0] = True
    return solid


def faces_seen(solid: NDArray[np.bool_], cube: tuple[int, int, int]) -> dict[tuple[int, int], Face]:
    """The face at each pixel, by a ray from the pixel's centre through the solid.

    A point (z, y, x) is drawn at ((x - y) * across, (x + y) * down - z * high), from the back left lower corner of the
    array: one step towards the viewer is one step to the right, one to the front, and 2 * down / high upwards.
    """
    across, down, high = cube
    rise = Fraction(2 * down, high)
    layers, rows, columns = solid.shape
    padded = np.pad(solid, 1)
    found: dict[tuple[int, int], Face] = {}
    for top in range(-layers * high - 2, (rows + columns) * down + 2):
        for left in range(-rows * across - 2, columns * across + 2):
            u, v = Fraction(2 * left + 1, 2), Fraction(2 * top + 1, 2)
            # The point of the ray in the plane y = 0; at y = t it is (z + t * rise, t, x + t).
            x = u / across
            z = (x * down - v) / high
            best: tuple[Fraction, Face] | None = None
            for cell in np.argwhere(solid):
                at = [int(axis) for axis in cell]
                for axis in range(3):
                    beside = tuple(place + (axis == i) for i, place in enumerate(at))
                    if padded[tuple(place + 1 for place in beside)]:
                        continue
                    plane = at[axis] + 1
                    t = (plane - z) / rise if axis == 0 else Fraction(plane) if axis == 1 else plane - x
                    point = (z + t * rise, t, x + t)
                    hit = all(i == axis or at[i] <= point[i] <= at[i] + 1 for i in range(3))
                    if hit and (best is None or t > best[0]):
                        best = (t, (axis, *at))
            if best is not None:
                found[left, top] = best[1]
    return found


@pytest.mark.parametrize("seed", range(6))
def test_every_pixel_shows_the_nearest_face_and_lines_run_between_faces(seed: int) -> None:
    solid, cube = random_solid(seed), (9, 6, 10)
    layers = tuple(tuple("".join("#" if c else "." for c in row) for row in layer) for layer in solid.tolist())
    drawing = solid_drawing(SolidFigure(name="solid", layers=layers, arrow=False), cube, STYLE)
    pixels = painted(drawing)
    seen = faces_seen(solid, cube)
    # The drawing's box is as tight as the solid, but for half a line.
    border = -(-STYLE.inner // 16)
    left, top = min(x for x, _ in seen) - border, min(y for _, y in seen) - border
    tones, inks = np.divmod(pixels, LEVELS + 1)
    checked = lines = 0
    for (x, y), face in seen.items():
        ink, tone = inks[y - top, x - left], tones[y - top, x - left]
        around = [seen.get((x + dx, y + dy)) for dx in (-2, -1, 0, 1, 2) for dy in (-2, -1, 0, 1, 2)]
        if all(other == face for other in around):
            assert (tone, ink) == (face[0] + 1, 0), (x, y)
            checked += 1
        for dx, dy in ((1, 0), (0, 1)):
            if seen.get((x + dx, y + dy)) != face:
                lines += 1
                assert ink or inks[y + dy - top, x + dx - left], (x, y)
    assert checked > 20
    assert lines > 20


@pytest.mark.parametrize(("depth", "width", "solids"), [(2, 2, 133), (2, 3, 1446)])
def test_no_two_solids_look_alike(depth: int, width: int, solids: int) -> None:
    """All stacks of at most 3 cubes whose tops can be seen: any two differ in the tone of half an upper face or more.

    And of every top at least half is free, as the kernel promises for a flatter view.
    """
    by_shape = defaultdict(list)
    for flat in itertools.product(range(4), repeat=depth * width):
        heights = tuple(flat[row * width : (row + 1) * width] for row in range(depth))
        if not (is_trimmed(heights) and is_connected(heights) and every_top_is_seen(heights)):
            continue
        layers = tuple(
            tuple("".join("#" if height > z else "." for height in row) for row in heights) for z in range(max(flat))
        )
        sketch = solid_drawing(SolidFigure(name="solid", layers=layers, arrow=False), (18, 12, 19), STYLE)
        tones = painted(sketch) // (LEVELS + 1)
        by_shape[tones.shape].append(tones.ravel())
        tops = [i for i, (_, _, stamp) in enumerate(sketch.marks) if stamp.tone == 1]
        numbered = tuple(
            (x, y, stamp._replace(tone=tops.index(i) + 1 if i in tops else 0))
            for i, (x, y, stamp) in enumerate(sketch.marks)
        )
        seen = np.bincount((painted(Sketch(sketch.width, sketch.height, numbered)) // (LEVELS + 1)).ravel())[1:]
        assert 2 * seen.min() >= 18 * 2 * 12, heights
    assert sum(map(len, by_shape.values())) == solids
    for pictures in by_shape.values():
        stack = np.array(pictures)
        for i, picture in enumerate(stack[:-1]):
            assert (stack[i + 1 :] != picture).sum(axis=1).min() >= 18 * 12


def test_the_arrow_points_at_the_front() -> None:
    """It stands below and to the left of the cube, and nothing of it lies on the cube."""
    cube = SolidFigure(name="solid", layers=(("#",),))
    with_arrow = painted(solid_drawing(cube, STYLE.cube, STYLE))
    without = painted(solid_drawing(cube.model_copy(update={"arrow": False}), STYLE.cube, STYLE))
    height, width = without.shape
    there = without > 0
    assert (with_arrow[:height, -width:][there] == without[there]).all()
    rest = with_arrow.copy()
    rest[:height, -width:][there] = 0
    ys, xs = np.nonzero(rest % (LEVELS + 1) == LEVELS)
    assert xs.max() < with_arrow.shape[1] - width // 2
    assert ys.min() > height // 2


def test_the_digits_of_a_cube_are_on_their_faces_and_apart_from_its_edges() -> None:
    triples = ((1, 2, 3), (4, 5, 6), (2, 6, 4), (3, 1, 5), (5, 4, 2), (6, 3, 1))
    cubes = [CubeFigure(name="cube", top=top, right=right, front=front) for top, right, front in triples]
    pixels = np.stack([painted(cube_drawing(cube, STYLE.option_cube, STYLE)) for cube in cubes])
    across, down, high = STYLE.option_cube
    blank = painted(fitted([(0, 0, stamp) for stamp in cube_faces(2 * across, 2 * down, 2 * high, STYLE.inner)]))
    digits = (pixels != blank).any(axis=0)
    assert (pixels // (LEVELS + 1) == blank // (LEVELS + 1)).all()
    assert set((blank // (LEVELS + 1))[digits].tolist()) == {1, 2, 3}
    edges = blank % (LEVELS + 1) > 0
    for axis, step in itertools.product((0, 1), (1, -1)):
        assert not (digits & np.roll(edges, step, axis)).any()
