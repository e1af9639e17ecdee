from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from srt.statistics.significance import holm, sign_flip

GRIDS = (1, 2, 3, 4, 12, 60)


def by_brute_force(totals: list[Fraction]) -> float:
    """Every assignment of signs, one by one, in exact arithmetic."""
    seen = abs(sum(totals))
    sums = [
        abs(sum(sign * total for sign, total in zip(signs, totals, strict=True)))
        for signs in product((1, -1), repeat=len(totals))
    ]
    return sum(each >= seen for each in sums) / len(sums)


@given(st.sampled_from(GRIDS), st.lists(st.integers(-30, 30), max_size=10))
def test_it_is_the_enumeration_of_all_signs(grid: int, steps: list[int]) -> None:
    totals = [Fraction(step, grid) for step in steps]
    assert sign_flip([float(total) for total in totals]) == pytest.approx(by_brute_force(totals), abs=1e-12)


@given(st.lists(st.fractions(-3, 3, max_denominator=9), max_size=9))
def test_totals_of_different_fractions(totals: list[Fraction]) -> None:
    assert sign_flip([float(total) for total in totals]) == pytest.approx(by_brute_force(totals), abs=1e-12)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 5))
def test_of_single_problems_it_is_mcnemars(first: int, second: int, same: int) -> None:
    expected = stats.binomtest(first, first + second).pvalue if first + second else 1.0
    assert sign_flip([1.0] * first + [-1.0] * second + [0.0] * same) == pytest.approx(expected, rel=1e-9)


@settings(max_examples=50)
@given(st.lists(st.floats(-1, 1).filter(lambda x: abs(x) > 1e-3), min_size=1, max_size=9))
def test_totals_on_no_grid_only_gain(totals: list[float]) -> None:
    """They are rounded, and sums that may then be as far out count as if they were."""
    exact = by_brute_force([Fraction(total) for total in totals])
    assert sign_flip(totals) >= exact - 1e-12


@given(st.floats(0.1, 1), st.floats(0.1, 1), st.floats(0.05, 0.5))
def test_ties_of_totals_on_no_grid_are_ties(first: float, second: float, seen: float) -> None:
    """The third is the sum of the first two: signs that cancel them are as far out as what was seen."""
    totals = [first, second, -(first + second), seen]
    sums = [
        sum(sign * total for sign, total in zip(signs, totals, strict=True)) for signs in product((1, -1), repeat=4)
    ]
    assert sign_flip(totals) >= sum(abs(each) >= seen - 1e-9 for each in sums) / 16 - 1e-12


def test_rounding_loses_little() -> None:
    totals = [0.1 * 2**0.5, -(3**0.5) / 5, 0.71828182845, 0.31415926535, 0.57721566490, 0.123456789, 0.9, 0.81, 0.77]
    exact = by_brute_force([Fraction(total) for total in totals])
    assert sign_flip(totals) == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize(("clusters", "smallest"), [(1, 1.0), (3, 0.25), (5, 0.0625), (6, 0.03125), (10, 2 / 1024)])
def test_few_clusters_have_a_smallest_p(clusters: int, smallest: float) -> None:
    assert sign_flip([2.0] * clusters) == smallest


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
