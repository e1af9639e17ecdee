from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import orjson
import pytest
from scipy import stats

from eval.records.run_records import Run
from eval.report.compare import compare
from eval.run.scored_run import read_run
from eval.scoring.differences import POINTS, Differences, common_problems, differences
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem, Score
from srt.statistics.power import problems_needed

MakeRun = Callable[..., Path]


def compared(folders: Sequence[Path], reference: str = "base") -> Differences:
    by_arm: dict[str, list[Run]] = {}
    for folder in folders:
        run = read_run(folder)
        by_arm.setdefault(run.manifest.arm, []).append(run)
    common, _ = common_problems({arm: runs[0] for arm, runs in by_arm.items()})
    return differences(by_arm, common, reference)


def long_and_short(number: int) -> str:
    return "Round she goes.\n" * (1 + number % 4) + "ANSWER: B"


def test_tokens_have_an_interval_from_the_same_pairs(make_run: MakeRun) -> None:
    """The other arm writes twice as much for each problem: the ratio is 2 without doubt, however lengths vary."""
    short = make_run("base", lambda number: "x" * (10 * (number % 5) + 9))
    double = make_run("srt", lambda number: "x" * (2 * (10 * (number % 5) + 10) - 1))
    row = compared([short, double]).rows[0]
    assert row.token_ratio is not None
    assert (row.token_ratio.value, row.token_ratio.low, row.token_ratio.high) == pytest.approx((2, 2, 2))
    assert row.per_right_ratio is None  # neither has a right answer


def test_tokens_for_each_right_answer(make_run: MakeRun, tmp_path: Path) -> None:
    base = make_run("base", lambda number: "ANSWER: B" if number % 2 else "ANSWER: D")
    srt = make_run("srt", long_and_short)
    silent = make_run("silent", lambda number: "I cannot say.")
    result = compare([base, srt, silent], tmp_path / "report", reference="base")
    found = result.tokens_per_right["srt"]
    run = read_run(srt)
    assert found is not None
    assert found.value == pytest.approx(sum(row.output_tokens for row in run.predictions.values()) / 20)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    assert result.tokens_per_right["silent"] is None
    assert [arm.tokens_per_right for arm in result.arms] == [10 * 30 / 10, pytest.approx(found.value), None]
    row = result.differences[0]
    assert row.per_right_ratio is not None
    assert row.per_right_ratio.value == pytest.approx(found.value / 30)
    assert result.differences[1].per_right_ratio is None


def test_what_a_difference_would_need(make_run: MakeRun) -> None:
    base = make_run("base", lambda number: "ANSWER: B")
    srt = make_run("srt", lambda number: "ANSWER: " + ("A, C" if number % 3 == 0 else "B" if number % 5 else "D"))
    row = compared([base, srt]).rows[0]
    assert (row.only_arm, row.only_reference) == (10, 4)
    assert row.discordance == pytest.approx(14 / 30)
    assert row.design_effect == pytest.approx(30 / 29)
    assert row.needed == {str(points): problems_needed(points / 100, 14 / 30, effect=30 / 29) for points in POINTS}
    assert row.detectable is not None
    assert row.detectable > 0.3


def test_seeds_are_the_first_level(make_run: MakeRun) -> None:
    """Two runs that differ in everything widen an interval that the problems alone would leave narrow."""
    base = make_run("base", lambda number: "dunno")
    right = make_run("srt", lambda number: "ANSWER: " + ("B" if number % 3 else "A, C"))
    wrong = make_run("srt", lambda number: "ANSWER: D", seed=1)
    row = compared([base, right, wrong]).rows[0]
    assert (row.runs_arm, row.runs_reference) == (2, 1)
    assert (row.difference, row.test, row.low < 0, row.high) == (0.5, "t", True, 1.0)
    assert row.p > 0.2
    # No number of problems makes up for two runs that lie so far apart, and the row says how many runs would do.
    assert set(row.needed.values()) == {None}
    assert row.widened is not None
    assert row.widened > 1.25
    assert row.runs_to_bound is not None
    assert row.runs_to_bound > 2


def test_holm_over_the_arms_of_an_ablation(make_run: MakeRun) -> None:
    arms = [make_run(f"srt-drop-{at}", lambda number, at=at: "ANSWER: B" if number % at else "?") for at in (2, 4, 5)]
    result = compared([make_run("srt", lambda number: "ANSWER: B"), *arms], "srt")
    assert len(result.rows) == 3
    order = sorted(result.rows, key=lambda row: row.p)
    assert order[0].p_holm == pytest.approx(min(1, 3 * order[0].p))
    for row in result.rows:
        assert row.test == "mcnemar"
        test = stats.binomtest(row.only_arm or 0, (row.only_arm or 0) + (row.only_reference or 0))
        assert row.p == pytest.approx(test.pvalue)


def counted(folder: Path, tokenizer: str, each: int) -> Path:
    rows = list(read_records(folder / "scores.jsonl", Score))
    told = {"reference_tokens": each, "reference_tokenizer": tokenizer}
    write_records(folder / "scores.jsonl", [row.model_copy(update=told) for row in rows])
    return folder


def test_reference_tokens_are_compared_by_one_tokenizer_alone(make_run: MakeRun, tmp_path: Path) -> None:
    base = counted(make_run("base", lambda number: "ANSWER: B"), "gauge 12ab", 10)
    srt = counted(make_run("srt", long_and_short), "gauge 12ab", 15)
    result = compare([base, srt], tmp_path / "report")
    found = result.differences[0].reference_token_ratio
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((1.5, 1.5, 1.5))
    arm = result.arms[1]
    assert arm.reference_tokens is not None
    assert (arm.reference_tokenizer, arm.reference_tokens.mean, arm.reference_tokens.count) == ("gauge 12ab", 15, 30)
    counted(srt, "another 34cd", 15)
    assert compared([base, srt]).rows[0].reference_token_ratio is None


def test_a_pair_does_not_depend_on_the_others(make_run: MakeRun) -> None:
    """A pair's figures are the same whichever other arms stand in the table."""
    replies = {"base": "dunno", "cot": "ANSWER: B", "srt": "ANSWER: A, C"}
    runs = {arm: [read_run(make_run(arm, lambda _, text=text: text))] for arm, text in replies.items()}
    common = list(runs["base"][0].problems)
    alone = differences({arm: runs[arm] for arm in ("base", "srt")}, common, "base").rows[0]
    among = differences(runs, common, "base").rows[1]
    assert alone.model_copy(update={"p_holm": 1.0}) == among.model_copy(update={"p_holm": 1.0})


def test_groups_widen_the_accuracy_of_one_run(
    make_run: MakeRun, make_problem: Callable[..., Problem], tmp_path: Path
) -> None:
    some = tmp_path / "variants.jsonl"
    write_records(some, [make_problem(number, group_id=f"g{number % 6}") for number in range(30)])
    run = make_run("srt", lambda number: "ANSWER: B", problems=some)
    summary = orjson.loads((run / "summary.json").read_bytes())
    clustered = summary["accuracy"]
    assert clustered["clusters"] == 6  # right where the number is no multiple of 3: whole groups
    assert clustered["design_effect"] == pytest.approx(5 * 6 / 5)
    plain = orjson.loads((make_run("plain", lambda number: "ANSWER: B") / "summary.json").read_bytes())["accuracy"]
    assert (plain["clusters"], plain["design_effect"]) == (30, 1.0)
    assert clustered["low"] < plain["low"] < plain["high"] < clustered["high"]
    zh = summary["by"]["lang"]["zh"]
    assert (zh["count"], zh["clusters"]) == (8, 3)  # breakdowns allow for groups too
