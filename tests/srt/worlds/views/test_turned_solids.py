"""Solids turned in space: quarter turns, what a picture shows of them, and the second method."""

from __future__ import annotations

import random

import numpy as np
import pytest

from srt.checking import check
from srt.worlds.views.derivation.exact_teacher import make_trace
from srt.worlds.views.kernel.corner_picture import every_cube_is_seen
from srt.worlds.views.kernel.quarter_turns import TURNS, position, turned, turns_to_positions
from srt.worlds.views.kernel.voxels import Voxels, canonical_voxels, rotations, trimmed
from srt.worlds.views.reading.figures import SolidFigure, figures_of
from srt.worlds.views.reading.problem_reader import voxels_of
from srt.worlds.views.sampling.second_method import is_turned
from tests.srt.worlds.views.conftest import sampled


def points(solid: Voxels) -> frozenset[tuple[int, int, int]]:
    return frozenset((int(x), int(y), int(z)) for z, y, x in np.argwhere(solid))


def hook() -> Voxels:
    """Six cubes that no rotation takes to their mirror image."""
    solid = np.zeros((2, 3, 3), dtype=np.int8)
    for place in ((0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 0), (0, 2, 0), (1, 0, 2)):
        solid[place] = 1
    return solid


def test_clockwise_is_as_the_viewer_sees_it() -> None:
    row = np.array([[[1, 0], [1, 1]]], dtype=np.int8)  # From above: a2, and a1 b1 before it.
    assert turned(row, "top").tolist() == [[[1, 1], [1, 0]]]
    assert turned(row, "bottom").tolist() == [[[0, 1], [1, 1]]]
    step = np.array([[[1, 1]], [[1, 0]]], dtype=np.int8)  # From the front: a high column at the left.
    assert turned(step, "front").tolist() == [[[1, 0]], [[1, 1]]]
    wall = np.array([[[1], [1]], [[0], [1]]], dtype=np.int8)  # From the right: the high column, the front, at the left.
    assert turned(wall, "right").tolist() == [[[0], [1]], [[1], [1]]]


def test_turns_lead_to_all_24_positions_and_to_no_mirror_image() -> None:
    rows = turns_to_positions(hook())
    assert set(rows) == {position(one) for one in rotations(hook())}
    assert len(rows) == 24
    assert max(map(len, rows.values())) == 3
    assert position(hook()[:, :, ::-1]) not in rows
    for turn in TURNS:
        four = hook()
        for _ in range(4):
            four = turned(four, turn)
        assert (four == hook()).all()


@pytest.mark.parametrize("cubes", [3, 4, 5, 6])
def test_the_second_method_agrees_with_the_canonical_form(cubes: int) -> None:
    rng = random.Random(cubes)
    solids = []
    for _ in range(60):
        solid = np.zeros(27, dtype=np.int8)
        solid[rng.sample(range(27 if cubes > 4 else 9), cubes)] = 1
        solids.append(trimmed(solid.reshape(3, 3, 3)))
    solids += [solid[:, :, ::-1] for solid in solids[:10]] + [turned(solid, "front") for solid in solids[:10]]
    same = 0
    for one in solids:
        for other in solids:
            expected = canonical_voxels(one) == canonical_voxels(other)
            assert is_turned(points(one), points(other)) == expected
            same += expected
    assert same > len(solids) + 10


def test_a_cube_that_is_hidden_or_shows_a_sliver_is_not_seen() -> None:
    assert every_cube_is_seen(np.array([[[1, 1], [0, 1]]], dtype=np.int8))
    assert not every_cube_is_seen(np.ones((2, 2, 2), dtype=np.int8))
    column = np.array([[[1, 0], [0, 0]], [[0, 0], [0, 1]]], dtype=np.int8)  # One exactly before the other.
    assert not every_cube_is_seen(column)


def test_options_have_as_many_cubes_and_only_the_right_one_is_the_solid_turned() -> None:
    reasons = set()
    for problem in sampled(25, kinds=["MRT"]):
        assert problem.answer is not None
        figures = {figure.name: figure for figure in figures_of(problem)}
        assert all(isinstance(figure, SolidFigure) and not figure.arrow for figure in figures.values())
        solids = {name: voxels_of(figure) for name, figure in figures.items()}
        assert len({int(solid.sum()) for solid in solids.values()}) == 1
        assert all(map(every_cube_is_seen, solids.values()))
        same = [n for n, solid in solids.items() if canonical_voxels(solid) == canonical_voxels(solids["solid"])]
        assert same == ["solid", *problem.answer.value]
        reasons |= set(problem.meta["distractors"].values())
    assert {"mirror image", "one cube off"} <= reasons


def test_a_turn_in_the_other_sense_is_refuted() -> None:
    (problem,) = sampled(1, kinds=["MRT"])
    trace = make_trace(problem)
    at, step = next((n, s) for n, s in enumerate(trace.steps) if "turned(" in (s.claim or ""))
    word = (step.claim or "").split("(")[1].split(")")[0]
    claim = (step.claim or "").replace(f"({word})", "(back)" if word.startswith("front") else "(front)")
    steps = (*trace.steps[:at], step.model_copy(update={"claim": claim}), *trace.steps[at + 1 :])
    assert not check(problem, trace.model_copy(update={"steps": steps})).proved
