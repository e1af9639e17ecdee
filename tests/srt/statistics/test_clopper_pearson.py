"""Clopper-Pearson against scipy's beta quantiles, which share no code with ours."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from srt.statistics.clopper_pearson import clopper_pearson


@given(st.integers(0, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
@settings(max_examples=60)
def test_agrees_with_scipy(counts: tuple[int, int], confidence: float) -> None:
    wrong, n = counts
    bounds = clopper_pearson(wrong, n, confidence)
    alpha = 1 - confidence
    if n == 0:
        assert (bounds.low, bounds.high, bounds.upper_one_sided) == (0, 1, 1)
        return
    upper, high = (1.0 if wrong == n else beta.ppf(1 - tail, wrong + 1, n - wrong) for tail in (alpha, alpha / 2))
    low = 0.0 if wrong == 0 else beta.ppf(alpha / 2, wrong, n - wrong + 1)
    assert bounds.upper_one_sided == pytest.approx(upper, rel=1e-9)
    assert bounds.high == pytest.approx(high, rel=1e-9)
    assert bounds.low == pytest.approx(low, rel=1e-7, abs=1e-12)


def test_figures_that_people_know() -> None:
    assert clopper_pearson(0, 299).upper_one_sided < 0.01 < clopper_pearson(0, 298).upper_one_sided
    assert clopper_pearson(0, 2995).upper_one_sided < 0.001 < clopper_pearson(0, 2994).upper_one_sided


@pytest.mark.parametrize(("wrong", "n", "confidence"), [(-1, 5, 0.95), (6, 5, 0.95), (1, 5, 1.0), (1, 5, 0.0)])
def test_what_makes_no_sense_is_refused(wrong: int, n: int, confidence: float) -> None:
    with pytest.raises(ValueError, match=r"wrong|confidence"):
        clopper_pearson(wrong, n, confidence)
