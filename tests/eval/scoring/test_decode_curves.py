"""Which arms are points of one curve: manifests say so, and nobody else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from eval.backends.protocol import GenerationSettings
from eval.decoding.decode_settings import Decode
from eval.records.run_records import Run
from eval.run.scored_run import read_run
from eval.scoring.decode_curves import DecodeCurves, decode_curves

PROVED = "CORRELATE (1): true\nINFER #1: true\n"


@pytest.fixture
def arm(make_run: Callable[..., Path]) -> Callable[..., Run]:
    """``arm(name, proved, decode, ...)``: a run whose first ``proved`` texts are proved and right; of one model."""

    def make(
        name: str, proved: int, decode: object = None, *, model: str = "m", max_new_tokens: int = 64, seed: int = 0
    ) -> Run:
        def reply(number: int) -> str:
            return (PROVED if number < proved else "") + f"ANSWER: {'B' if number % 3 else 'A, C'}"

        run = read_run(make_run(name, reply, seed=seed))
        settings = GenerationSettings(
            max_new_tokens=max_new_tokens, decode=None if decode is None else Decode.model_validate(decode)
        )
        return replace(run, manifest=run.manifest.model_copy(update={"settings": settings, "fingerprint": model}))

    return make


def curves(*runs: Run) -> list[DecodeCurves]:
    by_arm: dict[str, list[Run]] = {}
    for run in runs:
        by_arm.setdefault(run.manifest.arm, []).append(run)
    return decode_curves(by_arm, runs[0].problems)


def test_arms_that_differ_in_their_budget_are_a_curve(arm: Callable[..., Run]) -> None:
    (study,) = curves(
        arm("p4", 24, {"proved": {"tokens": 256}}),
        arm("greedy", 6),
        arm("b2", 12, {"best": {"samples": 2}}),
        arm("p1", 9, "proved"),  # with max_new_tokens
        arm("b4", 15, {"best": {"samples": 4}}),
    )
    assert study.plain is not None
    assert (study.plain.arm, study.plain.times) == ("greedy", 1)
    assert {way: [(point.arm, point.budget) for point in points] for way, points in study.ways.items()} == {
        "proved": [("p1", 64), ("p4", 256)],
        "best": [("b2", 2), ("b4", 4)],
    }
    last = study.ways["proved"][-1]
    assert (last.proved_and_right.right, last.proved_and_right.count) == (24, 30)
    # One token a character and one for the end: 24 and 6 of 30 texts have the steps.
    rest = sum(len(f"ANSWER: {'B' if number % 3 else 'A, C'}") + 1 for number in range(30))
    assert last.tokens == pytest.approx((24 * len(PROVED) + rest) / 30)
    assert last.times == pytest.approx((24 * len(PROVED) + rest) / (6 * len(PROVED) + rest))


def test_other_models_and_settings_are_on_no_curve_with_them(arm: Callable[..., Run]) -> None:
    one, two = arm("p1", 9, {"proved": {"tokens": 64}}), arm("p2", 9, {"proved": {"tokens": 128}}, model="other")
    assert curves(one, two, arm("p3", 9, {"proved": {"tokens": 128}}, max_new_tokens=32)) == []
    assert curves(one, arm("greedy", 9), arm("best", 9, {"best": {"samples": 2}})) == [], "a point is no curve"


def test_other_options_are_another_curve(arm: Callable[..., Run]) -> None:
    budgets = (64, 128)
    (study,) = curves(
        *(arm(f"a{tokens}", 9, {"proved": {"tokens": tokens}}) for tokens in budgets),
        *(arm(f"b{tokens}", 9, {"proved": {"tokens": tokens, "tries": 2}}) for tokens in budgets),
    )
    assert study.plain is None
    assert {way: [point.times for point in points] for way, points in study.ways.items()} == {
        "proved (tries 6, back 1)": [None, None],
        "proved (tries 2, back 1)": [None, None],
    }


def test_training_runs_widen_the_interval(arm: Callable[..., Run]) -> None:
    """The mean of two runs, 9 and 21 of 30, against one run with 15."""

    def both(name: str, tokens: int) -> list[Run]:
        decode = {"proved": {"tokens": tokens}}
        return [arm(name, 9, decode), arm(name, 21, decode, model="n", seed=1)]

    (study,) = curves(*both("p1", 64), *both("p2", 128))
    (single,) = curves(arm("q1", 15, {"proved": {"tokens": 64}}), arm("q2", 15, {"proved": {"tokens": 128}}))
    several, one = study.ways["proved"][0].proved_and_right, single.ways["proved"][0].proved_and_right
    assert several.share == one.share == 0.5
    assert several.high - several.low > one.high - one.low
