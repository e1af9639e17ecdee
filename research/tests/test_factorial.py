"""Main effects of notation and of order, of results that we chose."""

from __future__ import annotations

import math

import pytest

from research import factorial
from research.families import Family
from srt.experiment.learning_curve import CurvePoint, TestPuzzles

RIGHT = {"srt": 80, "cot": 70, "srt-free": 50, "cot-free": 20}
"""Of 100 problems, after 2,000 items; a point less with each seed."""


def point(arm: str, seed: int, items: int, right: int) -> CurvePoint:
    mask = "1" * right + "0" * (100 - right)
    return CurvePoint(
        test="test", arm=arm, seed=seed, items=items, tokens=1, labelled_tokens=1, right=mask, output_tokens=1.0,
        proved=0.4, first_wrong={}, certified_each=mask,
    )  # fmt: skip


def family(seeds: int = 3) -> Family:
    points = [point(arm, seed, 2000, right - seed) for arm, right in RIGHT.items() for seed in range(seeds)]
    later = [point("srt", 0, 4000, 90)]
    test = TestPuzzles(puzzles=list(range(100)), training_problems=1, trained_puzzles=1, puzzles_at_least=1)
    return Family("toys", {"arms": list(RIGHT)}, points + later, test, [])


@pytest.mark.parametrize(
    ("name", "points"),
    [("notation: trace − sentences", 20), ("order: canonical − free", 40), ("interaction", -20)],
)
def test_effects_are_differences_of_the_means_of_cells(name: str, points: float) -> None:
    over_seeds, by_seed, both = factorial.effect(family(), 2000, name)
    assert by_seed == pytest.approx([points / 100] * 3)
    assert (over_seeds.value, over_seeds.low, over_seeds.high) == pytest.approx([points / 100] * 3)
    assert both.value == pytest.approx(points / 100)
    assert both.low < both.value < both.high


def test_the_interval_is_students_over_seeds() -> None:
    """By hand: mean 2, standard deviation 1, t of two degrees of freedom 4.3027."""
    found = factorial.seed_interval([1.0, 2.0, 3.0])
    assert (found.value, found.high) == pytest.approx((2.0, 2 + 4.3027 / math.sqrt(3)), abs=1e-3)
    assert math.isinf(factorial.seed_interval([1.0]).high)


def test_the_last_point_that_all_arms_have_is_shown() -> None:
    assert factorial.measured_items(family()) == 2000
    shown = factorial.tables(family())
    assert shown.startswith("toys, 2,000 items, seeds: 3")
    assert "| cot-free | sentences | free | 19.0 | 20.0, 19.0, 18.0 |  | 19.0 |" in shown
    assert "| order: canonical − free | +40.0 [+40.0, +40.0] | +40.0, +40.0, +40.0 |" in shown
    assert "∞" in factorial.tables(family(1))
