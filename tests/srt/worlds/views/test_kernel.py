"""Height maps, voxel arrays, and the solids that fit given views."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from srt.worlds.views.kernel.consistent import Consistent, GivenViews, consistent
from srt.worlds.views.kernel.corner_picture import every_top_is_seen
from srt.worlds.views.kernel.stacks import (
    SIDES,
    Heights,
    canonical,
    count,
    faces_seen,
    footprint,
    is_connected,
    line,
    mirrored,
    profile,
    quarter_turn,
    size,
    surface,
    view_width,
)
from srt.worlds.views.kernel.voxels import (
    Voxels,
    canonical_voxels,
    from_heights,
    rotations,
    to_heights,
    trimmed,
)
from tests.srt.worlds.views.drawn_view import drawn_view, silhouette


@st.composite
def height_maps(draw: st.DrawFn) -> Heights:
    depth, width = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    flat = draw(st.lists(st.integers(0, 4), min_size=depth * width, max_size=depth * width).filter(any))
    return tuple(tuple(flat[y * width : (y + 1) * width]) for y in range(depth))


@given(height_maps())
def test_height_maps_and_voxels_agree(heights: Heights) -> None:
    solid = from_heights(heights)
    depth, width = size(heights)
    assert to_heights(solid) == heights
    for side in SIDES:
        shadow = silhouette(solid, side)
        assert tuple(column.count("#") for column in zip(*shadow, strict=True)) == profile(heights, side)
        tallest = tuple(
            max(heights[y][x] for y, x in line(side, k, depth, width))
            for k in range(1, view_width(side, depth, width) + 1)
        )
        assert tallest == profile(heights, side)
    assert silhouette(solid, "top") == tuple("".join(".#"[square] for square in row) for row in footprint(heights))


@given(height_maps())
def test_surface_is_the_number_of_free_faces(heights: Heights) -> None:
    solid = np.pad(from_heights(heights), 1)
    free = sum(int(np.abs(np.diff(solid, axis=axis)).sum()) for axis in range(3))
    assert surface(heights) == free


def test_lines_are_numbered_as_the_viewer_sees_them() -> None:
    heights = ((1, 2, 3), (4, 0, 0))  # a2 b2 c2, a1 b1 c1
    assert profile(heights, "front") == (4, 2, 3)
    assert profile(heights, "back") == (3, 2, 4)
    assert profile(heights, "left") == (3, 4)
    assert profile(heights, "right") == (4, 3)
    assert line("front", 1, 2, 3) == ((1, 0), (0, 0))
    assert line("right", 1, 2, 3) == ((1, 2), (1, 1), (1, 0))
    assert faces_seen(heights, "front", 1) == 4
    assert faces_seen(heights, "back", 3) == 4
    assert faces_seen(((2,), (0,), (1,)), "front", 1) == 3


def test_hidden_edges_are_dashed_and_steps_are_not() -> None:
    front = drawn_view(from_heights(((1, 3), (2, 1))), "front")
    assert front.rows == (".#", "##", "##")
    assert (1, 1, 2, 1) in front.visible  # The edge of the low stack before the high one.
    assert (1, 1, 1, 3) in front.visible
    assert front.hidden == ((0, 1, 1, 1),)  # The low stack behind the one of two cubes.
    flat = drawn_view(from_heights(((2, 2), (2, 2))), "top")
    assert flat.visible == ((0, 0, 0, 2), (0, 0, 2, 0), (0, 2, 2, 2), (2, 0, 2, 2))
    assert flat.hidden == ()


def test_a_cube_under_an_overhang_is_no_stack() -> None:
    arch = np.array([[[1, 0, 1]], [[1, 1, 1]]], dtype=np.int8)
    assert to_heights(arch) is None
    assert drawn_view(arch, "top").hidden == ((1, 0, 1, 1), (2, 0, 2, 1))
    assert drawn_view(arch, "left").hidden == ((0, 1, 1, 1),)


@given(height_maps())
def test_canonical_form_is_the_same_in_every_position(heights: Heights) -> None:
    assert canonical(quarter_turn(heights)) == canonical(heights) == canonical(mirrored(heights))


def test_rotations_are_24_and_keep_the_hand() -> None:
    chiral = np.zeros((2, 3, 3), dtype=np.int8)
    for place in ((0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 0), (0, 2, 0), (1, 0, 2)):
        chiral[place] = 1
    positions = {bytes(one.shape) + one.tobytes() for one in rotations(chiral)}
    assert len(positions) == 24
    assert all(canonical_voxels(one) == canonical_voxels(chiral) for one in rotations(chiral))
    other: Voxels = chiral[:, :, ::-1]
    assert canonical_voxels(other) != canonical_voxels(chiral)
    assert canonical_voxels(other, reflections=True) == canonical_voxels(chiral, reflections=True)
    assert trimmed(np.pad(chiral, 2)).tolist() == chiral.tolist()


def test_connected_stacks_of_ten_cubes_within_three_by_three_by_three() -> None:
    forms = set()
    for flat in product(range(4), repeat=9):
        if not 1 <= sum(flat) <= 10:
            continue
        heights = (flat[:3], flat[3:6], flat[6:])
        if is_connected(heights):
            rows = [row for row in heights if any(row)]
            columns = [x for x in range(3) if any(row[x] for row in rows)]
            forms.add(tuple(tuple(row[x] for x in columns) for row in rows))
    assert len({canonical(form) for form in forms}) == 2561


def test_consistent_solids_are_all_those_that_have_the_views() -> None:
    """Every view of every solid of at most 3 x 2 stacks of at most 3 cubes, against writing all solids out."""
    for depth, width in ((1, 2), (2, 2), (3, 2), (2, 3)):
        groups: dict[GivenViews, list[int]] = defaultdict(list)
        for flat in product(range(4), repeat=depth * width):
            heights = tuple(tuple(flat[y * width : (y + 1) * width]) for y in range(depth))
            columns, rows, top = profile(heights, "front"), profile(heights, "left"), footprint(heights)
            for known in range(8):
                group = GivenViews(
                    depth,
                    width,
                    columns if known & 1 else None,
                    rows if known & 2 else None,
                    top if known & 4 else None,
                )
                groups[group].append(count(heights))
        for group, counts in groups.items():
            assert consistent(group, 3) == Consistent(len(counts), min(counts), max(counts))


def test_views_that_contradict_each_other_fit_no_solid() -> None:
    assert consistent(GivenViews(2, 2, (2, 1), (1, 1), None), 4) == Consistent(0, 0, 0)
    assert consistent(GivenViews(1, 2, (1, 1), None, ((1, 0),)), 4) == Consistent(0, 0, 0)


def test_opposite_views_are_turned_round() -> None:
    plain = GivenViews.of(2, 3, {"front": (1, 2, 3), "left": (3, 1)}, None)
    assert GivenViews.of(2, 3, {"back": (3, 2, 1), "right": (1, 3)}, None) == plain


def test_a_wall_hides_what_stands_behind_it_on_the_diagonal() -> None:
    assert every_top_is_seen(((1, 1), (1, 1)))
    assert every_top_is_seen(((1, 2), (1, 1)))  # One half of a2's upper face is hidden by b2, the other is seen.
    assert not every_top_is_seen(((1, 2), (2, 1)))  # Both neighbours are higher: a2 is hidden.
    assert every_top_is_seen(((0, 2), (2, 1)))  # The three others are seen.
    assert not every_top_is_seen(((1, 0), (0, 2)))
    assert not every_top_is_seen(((1, 0, 0), (0, 0, 0), (0, 0, 3)))  # Two steps away, two layers higher.
    assert every_top_is_seen(((1, 0, 0), (0, 0, 0), (0, 0, 2)))
