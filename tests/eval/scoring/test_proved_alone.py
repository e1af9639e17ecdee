"""Coverage and risk of an arm that answers only what is proved, against counts made by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from eval.run.scored_run import read_run
from eval.scoring.proved_alone import proved_alone
from srt.statistics.intervals import wilson

PROVED, REFUTED = "CORRELATE (1): true\nINFER #1: true\n", "CORRELATE (1): false\nINFER #1: true\n"


def of_twelve(number: int) -> str:
    """Of 30 problems: 12 proved, of which 9 right; 18 not proved, of which 6 right."""
    right, wrong = ("A, C", "B") if number % 3 == 0 else ("B", "A, C")
    if number < 12:
        return f"{PROVED}ANSWER: {right if number < 9 else wrong}"
    return f"{REFUTED}ANSWER: {right if number < 18 else wrong}"


def test_what_is_answered_and_how_much_of_it_is_right(make_run: Callable[..., Path]) -> None:
    run = read_run(make_run("srt", of_twelve))
    found = proved_alone("srt", [run], run.problems)
    assert found is not None
    assert (found.answered.right, found.answered.count) == (12, 30)
    assert (found.right.right, found.right.count) == (9, 12)
    assert (found.all_right.right, found.all_right.count) == (15, 30)
    for share in (found.answered, found.right, found.all_right):
        expected = wilson(share.right, share.count)
        assert (share.low, share.high) == pytest.approx((expected.low, expected.high))


def test_training_runs_are_pooled(make_run: Callable[..., Path]) -> None:
    runs = [read_run(make_run("srt", reply, seed=seed)) for seed, reply in enumerate([of_twelve, lambda n: PROVED])]
    found = proved_alone("srt", runs, runs[0].problems)
    assert found is not None
    # A trace without an answer is not proved.
    assert found.answered.share == pytest.approx(12 / 60)
    assert (found.right.right, found.right.count, found.right.clusters) == (9, 12, 12)
    assert found.answered.high > wilson(12, 60).high, "runs that lie apart widen the interval"


def test_only_the_problems_that_are_asked_for(make_run: Callable[..., Path]) -> None:
    run = read_run(make_run("srt", of_twelve))
    some = {f"made-{number}": run.problems[f"made-{number}"] for number in range(8, 14)}
    found = proved_alone("srt", [run], some)
    assert found is not None
    assert (found.answered.right, found.answered.count, found.right.right) == (4, 6, 1)


def test_prose_is_of_no_world(make_run: Callable[..., Path]) -> None:
    run = read_run(make_run("cot", lambda number: "She turns round.\nANSWER: B"))
    assert proved_alone("cot", [run], run.problems) is None
