"""Cohen's kappa against figures worked out elsewhere, and its interval against resampling."""

from __future__ import annotations

import random
import statistics

import pytest

from srt.statistics.kappa import agreement


def test_the_textbook_table() -> None:
    """20, 5, 10, 15 of 50: p_o = 0.7, p_e = 0.5, kappa = 0.4."""
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    found = agreement(pairs)
    assert (found.count, found.same, found.share) == (50, 35, 0.7)
    assert found.kappa == pytest.approx(0.4)


def test_three_classes_and_the_interval_that_resampling_gives() -> None:
    rng = random.Random(0)
    truth = [rng.choice("abbccc") for _ in range(300)]
    pairs = [(word, word if rng.random() < 0.7 else rng.choice("abc")) for word in truth]
    found = agreement(pairs)
    assert found.kappa is not None
    assert found.kappa_low is not None
    assert found.kappa_high is not None
    drawn = [agreement(rng.choices(pairs, k=len(pairs))).kappa or 0.0 for _ in range(200)]
    error = (found.kappa_high - found.kappa_low) / (2 * 1.96)
    assert error == pytest.approx(statistics.stdev(drawn), rel=0.15)


@pytest.mark.parametrize(("pairs", "kappa"), [([], None), ([("a", "a")] * 5, None), ([("a", "a"), ("b", "b")], 1.0)])
def test_what_says_nothing_has_no_interval(pairs: list[tuple[str, str]], kappa: float | None) -> None:
    found = agreement(pairs)
    assert (found.kappa, found.kappa_low) == (kappa, None)
    assert found.low <= 1.0 == found.high
