"""The first sentence has accuracy and tokens, and says of foreign predictions nothing that nobody knows."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from eval.evaluation import run_evaluation
from eval.report.compare import compare
from eval.report.comparison_records import Comparison
from eval.report.headline import answer, headline
from eval.report.number_format import ratio as ratio_text
from eval.run.eval_recipe import make_eval_recipe
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.statistics.intervals import Estimate

pytestmark = pytest.mark.usefixtures("blank_plots")
MakeRun = Callable[..., Path]
MakeProblem = Callable[..., Problem]


@pytest.fixture
def two_arms(make_run: MakeRun, tmp_path: Path) -> Comparison:
    runs = [make_run("cot", lambda number: "ANSWER: " + "AB"[number % 2]), make_run("srt", lambda _: "ANSWER: B")]
    return compare(runs, tmp_path / "report")


def with_row(comparison: Comparison, **changes: object) -> Comparison:
    [row] = comparison.differences
    return comparison.model_copy(update={"differences": [row.model_copy(update=changes)]})


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        ((0.85, 0.79, 0.92), "; 15% fewer tokens [8, 21]."),
        ((1.12, 1.01, 1.25), "; 12% more tokens [1, 25]."),
        ((1.9, 1.7, 2.2), "; 90% more tokens [70, 120]."),
        ((3.21, 3.0, 3.4), "; 3.2 times the tokens [3.0, 3.4]."),
        ((0.97, 0.89, 1.05), "; no significant difference in tokens (−3% [−11, +5])."),
        ((1.0, 1.0, 1.0), "; no significant difference in tokens ("),
        ((0.995, 0.992, 0.998), "; 0.5% fewer tokens [0.2, 0.8]."),
        ((0.004, 0.003, 0.005), "; 99.6% fewer tokens [99.5, 99.7]."),
        ((0.85, None, None), "; no significant difference in tokens (−15% [−100, +∞])."),
    ],
)
def test_the_half_on_tokens(two_arms: Comparison, ratio: tuple[float, float | None, float | None], words: str) -> None:
    value, low, high = ratio
    changed = with_row(two_arms, token_ratio=Estimate(value=value, low=low, high=high))
    assert words in headline(changed)


def test_the_half_on_accuracy(two_arms: Comparison) -> None:
    def said(difference: float, low: float, high: float, p: float) -> str:
        return headline(with_row(two_arms, difference=difference, low=low, high=high, p=p))

    assert said(0.012, -0.03, 0.054, 0.4).startswith(
        "srt against cot: no significant difference in accuracy (+1.2 points [−3.0, +5.4]); "
    )
    assert said(0.1, 0.03, 0.17, 0.01).startswith("srt against cot: higher accuracy, +10.0 points [+3.0, +17.0]; ")
    assert said(-0.1, -0.17, -0.03, 0.01).startswith("srt against cot: lower accuracy, −10.0 points [")


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        ((1, 1), ", one training run each: a difference of these runs, and no verdict on the arms."),
        ((3, 1), ", 3 and 1 training runs: a difference of these runs, and no verdict on the arms."),
        ((2, 2), ", 2 training runs each."),
    ],
)
def test_an_arm_that_ran_once_may_have_been_lucky(two_arms: Comparison, runs: tuple[int, int], words: str) -> None:
    changed = {"runs_arm": runs[0], "runs_reference": runs[1], "difference": 0.1, "low": 0.03, "high": 0.17}
    assert headline(with_row(two_arms, **changed, p=0.01)).endswith(words)
    assert "may differ" not in headline(with_row(two_arms, **changed, p=0.2))


def test_one_arm_has_both_halves_too(make_run: MakeRun, tmp_path: Path) -> None:
    one = compare([make_run("srt", lambda _: "ANSWER: B")], tmp_path / "report")
    assert headline(one) == "srt: 66.7 [48.8, 80.8]% of 30 problems right; 10 tokens an output."


@pytest.fixture
def foreign(make_problem: MakeProblem, tmp_path: Path) -> Callable[..., Path]:
    """``foreign(name, prediction, **columns)``: a scored run of predictions in a CSV, on problems in groups of five."""
    problems = tmp_path / "mine.jsonl"
    write_records(problems, [make_problem(n, meta={}, group_id=f"sheet {n // 5}") for n in range(30)])

    def run(name: str, prediction: str, **columns: object) -> Path:
        with (tmp_path / f"{name}.csv").open("w", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(["id", "prediction", *columns])
            rows.writerows([f"made-{n}", prediction, *columns.values()] for n in range(30))
        given = {"backend": "file", "predictions": tmp_path / f"{name}.csv", "problems": problems}
        run_evaluation(make_eval_recipe(given | {"output": tmp_path / "runs" / name}))
        return tmp_path / "runs" / name

    return run


def test_what_is_said_of_foreign_predictions(foreign: Callable[..., Path], tmp_path: Path) -> None:
    result = compare([foreign("gpt-9", "ANSWER: A"), foreign("tuned", "ANSWER: B")], tmp_path / "report")
    assert headline(result).endswith(
        "; tokens not given. 30 problems in 6 groups, one run each: with another run the result may differ."
    )
    page, text = ((tmp_path / "report" / name).read_text() for name in ("report.html", "report.md"))
    body = page.partition("</style>")[2].partition('id="island"')[0]
    for said in (body, text, answer(result)):
        assert "gpt-9" in said
        assert not [wrong for wrong in ("training", "puzzle", "seeds", "ids that", "traces") if wrong in said]
    assert "Each arm has one run: the variance between runs is not in any interval or p-value here." in text


def test_missing_predictions_are_told_above_the_tables(foreign: Callable[..., Path], tmp_path: Path) -> None:
    whole = foreign("gpt-9", "ANSWER: A")
    with (tmp_path / "few.csv").open("w", encoding="utf-8") as file:
        file.writelines(["id,prediction\n", *(f"made-{n},ANSWER: B\n" for n in range(28))])
    given = {"backend": "file", "predictions": tmp_path / "few.csv", "problems": tmp_path / "mine.jsonl"}
    run_evaluation(make_eval_recipe(given | {"output": tmp_path / "runs" / "few"}))
    compare([whole, tmp_path / "runs" / "few"], tmp_path / "report")
    said = "Predictions that are missing, which count as wrong: few 2."
    for name, tables in (("report.md", "| arm"), ("report.html", "<h2")):
        assert said in (tmp_path / "report" / name).read_text().partition(tables)[0]


def test_nothing_empty_is_drawn_or_printed(foreign: Callable[..., Path], tmp_path: Path) -> None:
    """Without tokens, traces and categories there are no plots of them, and no columns."""
    compare([foreign("gpt-9", "ANSWER: A"), foreign("tuned", "ANSWER: B")], tmp_path / "report")
    assert not list((tmp_path / "report").glob("*.png"))
    page, text = ((tmp_path / "report" / name).read_text() for name in ("report.html", "report.md"))
    assert "<img" not in page
    assert "tokens" not in page.partition("<h2")[2].partition('id="examples"')[0].casefold()
    assert "| arm | accuracy % [95%] | right | unread % |\n" in text
    assert "| difference | points [95%] | only first | only second | p | p (Holm) |\n" in text
    assert "not given" not in page.partition("<h2")[2]


def test_tokens_are_said_to_come_from_where_they_come_from(
    foreign: Callable[..., Path], make_run: MakeRun, tmp_path: Path
) -> None:
    given = foreign("gpt-9", "ANSWER: B", output_tokens=40)
    ours = make_run("srt", lambda _: "ANSWER: B", problems=tmp_path / "mine.jsonl")
    compare([given], tmp_path / "theirs")
    compare([ours], tmp_path / "ours")
    compare([given, ours], tmp_path / "both")
    theirs = "as the file of predictions gives them, by a tokenizer that is not known"
    counted = "counted by the ids that the model wrote"
    for name in ("report.md", "report.html"):
        assert f"Tokens are {theirs}." in (tmp_path / "theirs" / name).read_text()
        assert f"Tokens are {counted}." in (tmp_path / "ours" / name).read_text()
        both = (tmp_path / "both" / name).read_text()
        assert f"Tokens: those of gpt-9 are {theirs}; those of srt are {counted}." in both


def test_a_ratio_without_a_bound_is_short() -> None:
    assert ratio_text(Estimate(value=1.5, low=0.0, high=9.6e41)) == "1.50 [0.00, >1,000]"
    assert ratio_text(Estimate(value=1.5, low=0.25, high=None)) == "1.50 [0.25, ∞]"
