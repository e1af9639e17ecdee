"""Predictions from a file: scored and compared as a run, with faults in one line, and never with tokens of 0."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from eval.evaluation import run_evaluation
from eval.export import export
from eval.report.compare import compare
from eval.report.console_rows import console_rows
from eval.run.eval_recipe import make_eval_recipe
from eval.run.scored_run import read_run
from eval.scoring.arm_summary import ArmSummary
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Prediction

MakeRun = Callable[..., Path]


@pytest.fixture
def evaluated(problems_file: Path, tmp_path: Path) -> Callable[..., ArmSummary]:
    """``evaluated(file, **keys)``: the summary of the predictions in it."""

    def run(file: Path, out: str = "theirs", **keys: Any) -> ArmSummary:
        given = {"backend": "file", "predictions": file, "problems": problems_file, "output": tmp_path / out}
        summary = run_evaluation(make_eval_recipe(given | keys))
        return ArmSummary.model_validate({name: summary[name] for name in ArmSummary.model_fields if name in summary})

    return run


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    if path.suffix == ".csv":
        lines = [";".join(rows[0]), *(";".join(f'"{value}"' for value in row.values()) for row in rows)]
        path.write_text("\r\n".join(lines), encoding="utf-8-sig")
    elif path.suffix == ".parquet":
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    else:
        path.write_bytes(b"\n".join(orjson.dumps(row) for row in rows))
    return path


def rows(**more: Any) -> list[dict[str, Any]]:
    """The gold answer is B but for every third problem: 20 of 30 are right."""
    return [{"id": f"made-{n}", "prediction": ("B", "So it is\nANSWER: B")[n % 2], **more} for n in range(30)]


@pytest.mark.parametrize("name", ["gpt-9.csv", "gpt-9.jsonl", "gpt-9.parquet"])
def test_each_form_gives_the_same_scores(name: str, evaluated: Callable[..., ArmSummary], tmp_path: Path) -> None:
    summary = evaluated(write(tmp_path / name, rows()))
    assert (summary.arm, summary.accuracy.right, summary.accuracy.count) == ("gpt-9", 20, 30)
    assert summary.statuses == {"ok": 30}
    assert (summary.output_tokens, summary.input_tokens, summary.tokens_per_right) == (None, None, None)
    assert console_rows(summary)["output tokens"] == "not given"


def test_given_tokens_are_counted_and_a_single_missing_one_is_not_zero(
    evaluated: Callable[..., ArmSummary], tmp_path: Path
) -> None:
    whole = evaluated(write(tmp_path / "whole.jsonl", rows(output_tokens=7)), "whole")
    assert whole.output_tokens is not None
    assert (whole.output_tokens.mean, whole.output_tokens.count) == (7, 30)
    some = rows(output_tokens=7)
    some[3]["output_tokens"] = None
    assert evaluated(write(tmp_path / "some.jsonl", some), "some").output_tokens is None


def test_a_text_that_was_cut_off_is_truncated_and_not_complete(
    evaluated: Callable[..., ArmSummary], tmp_path: Path
) -> None:
    """A last letter that was cut off may have been the first of several."""
    cut = [{**row, "finish_reason": "MAX_TOKENS"} for row in rows()]
    assert evaluated(write(tmp_path / "cut.csv", cut), "cut").statuses == {"truncated": 30}
    mixed = rows()
    for row, reason in zip(mixed, ("stop", "end_turn", "length", "content_filter", "", None), strict=False):
        row["finish_reason"] = reason
    summary = evaluated(write(tmp_path / "mixed.parquet", mixed), "mixed")
    assert summary.statuses == {"error": 1, "ok": 28, "truncated": 1}
    kept = {one.problem_id: one.finish_reason for one in read_records(tmp_path / "mixed/predictions.jsonl", Prediction)}
    assert [kept[f"made-{number}"] for number in range(7)] == [
        "stop",
        "stop",
        "length",
        "error",
        "stop",
        "stop",
        "stop",
    ]


def test_given_reasoning_tokens_are_counted_within_the_output(
    evaluated: Callable[..., ArmSummary], tmp_path: Path
) -> None:
    given = rows(output_tokens=9, reasoning_tokens=6)
    given[3]["reasoning_tokens"] = None
    summary = evaluated(write(tmp_path / "t.jsonl", given))
    assert summary.reasoning_tokens is not None
    assert summary.answer_tokens is not None
    assert (summary.reasoning_tokens.mean, summary.reasoning_tokens.count) == (6, 29)
    assert summary.answer_tokens.mean == 3


def test_a_comparison_leaves_tokens_out_and_says_so(
    evaluated: Callable[..., ArmSummary], make_run: MakeRun, tmp_path: Path
) -> None:
    evaluated(write(tmp_path / "gpt-9.csv", rows()))
    ours = make_run("srt", lambda number: "ANSWER: B" if number % 2 else "dunno")
    result = compare([tmp_path / "theirs", ours], tmp_path / "report")
    [row] = result.differences
    assert (row.arm, row.reference, row.count) == ("srt", "gpt-9", 30)
    assert (row.token_ratio, row.per_right_ratio) == (None, None)
    assert row.different == ["how gpt-9 was generated is not known"]
    assert result.tokens_per_right["gpt-9"] is None
    for name in ("report.md", "report.html"):
        text = (tmp_path / "report" / name).read_text()
        assert "Tokens are not given for gpt-9, which no comparison of tokens includes." in text
        assert "not given" in text
    assert (
        "| gpt-9 | 66.7 [48.8, 80.8] | 20/30 | 0.0 | not given | - | - | - |"
        in (tmp_path / "report/report.md").read_text()
    )


def test_samples_of_a_problem(evaluated: Callable[..., ArmSummary], tmp_path: Path) -> None:
    twice = [row | {"repeat": repeat} for row in rows() for repeat in range(2)]
    summary = evaluated(write(tmp_path / "t.jsonl", twice))
    assert (summary.repeats, summary.accuracy.right) == (2, 20)
    assert summary.sampling is not None
    assert summary.sampling.curve[-1].tokens is None
    compare([tmp_path / "theirs"], tmp_path / "report")
    assert (tmp_path / "report" / "sampling.png").exists()


def test_missing_ones_are_reported_and_wrong(
    evaluated: Callable[..., ArmSummary], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = evaluated(write(tmp_path / "few.csv", rows()[2:]))
    assert summary.missing == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.endswith("few.csv: 2 of 30 predictions are missing and count as wrong: 'made-0', 'made-1'")


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        (lambda n, variant, repeat: (n, variant) == (4, "roll-1"), "'made-4' (roll-1)"),
        (lambda n, variant, repeat: variant == "roll-2", "roll-2 of all 30 problems"),
        (
            lambda n, variant, repeat: variant == "roll-2" or (n, variant) == (7, "plain"),
            "roll-2 of all 30 problems; 'made-7' (plain)",
        ),
        (
            lambda n, variant, repeat: variant == "roll-1" and n < 12,
            ", ".join(f"'made-{n}' (roll-1)" for n in range(10)) + ", 2 more",
        ),
    ],
)
def test_a_file_with_rolls_that_lacks_one_is_told_which(
    missing: Callable[[int, str, int], bool],
    named: str,
    evaluated: Callable[..., ArmSummary],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = [
        {"id": f"made-{n}", "variant": variant, "prediction": "B"}
        for n in range(30)
        for variant in ("plain", "roll-1", "roll-2")
        if not missing(n, variant, 0)
    ]
    summary = evaluated(write(tmp_path / "rolled.jsonl", given), options={"rolls": "3"})
    assert summary.missing == 90 - len(given)
    assert f"of 90 predictions are missing and count as wrong: {named}\n" in capsys.readouterr().err


def test_a_file_with_repeats_that_lacks_one_is_told_which(
    evaluated: Callable[..., ArmSummary], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twice = [row | {"repeat": repeat} for row in rows() for repeat in range(3)]
    evaluated(write(tmp_path / "t.jsonl", [row for row in twice if (row["id"], row["repeat"]) != ("made-8", 1)]))
    assert "1 of 90 predictions are missing and count as wrong: 'made-8' (repeat 1)\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.append(r[4]), r"t\.jsonl:31: id: 'made-4' has a prediction already \(.*t\.jsonl:5\); remove one"),
        (lambda r: r[6].update(id="x"), r"t\.jsonl:7: id: 'x' is not in .*problems\.jsonl \(the first of 1 such of 30"),
        (lambda r: r[6].update(id=None), r"t\.jsonl:7: id: empty"),
        (lambda r: r[6].update(prediction=["B"]), r"t\.jsonl:7: prediction: a text was expected, not list"),
        (lambda r: r[6].pop("prediction"), r"t\.jsonl:7: no column 'prediction'; .*this file has id"),
        (lambda r: r[6].update(output_tokens="many"), r"t\.jsonl:7: output_tokens: a whole number, or nothing, was"),
        (lambda r: r[6].update(output_tokens=-1), r"t\.jsonl:7: output_tokens: a whole number"),
        *(
            (lambda r, odd=odd: r[6].update(output_tokens=odd), r"t\.jsonl:7: output_tokens: a whole number")
            for odd in ("NaN", "inf", "9" * 30, "9" * 5000, "1_000", "1e3", True)
        ),
        (lambda r: r[6].update(finish_reason="tool_calls"), r"t\.jsonl:7: finish_reason: 'tool_calls' is not known"),
        (lambda r: r[6].update(finish_reason=3), r"t\.jsonl:7: finish_reason: 3 is not known"),
        (lambda r: r[6].update(output_tokens=4, reasoning_tokens=5), r"t\.jsonl:7: reasoning_tokens: 5"),
        (lambda r: r[6].update(reasoning_tokens="some"), r"t\.jsonl:7: reasoning_tokens: a whole number"),
        (lambda r: r[6].update(repeat=0.5), r"t\.jsonl:7: repeat: a whole number"),
        (lambda r: r[6].update(repeat=10**9), r"t\.jsonl:7: repeat: 1000000000, and no row has 1: the samples"),
        (lambda r: [one.update(repeat=1) for one in r], r"t\.jsonl:1: repeat: 1, and no row has 0: the samples"),
        (lambda r: r[6].update(variant="flip"), r"t\.jsonl:7: variant: 'flip'; problem 'made-6' is asked as plain"),
        (lambda r: r.clear(), r"t\.jsonl: no prediction in this file"),
    ],
)
def test_faults_name_the_place(
    change: Callable[[list[dict[str, Any]]], object],
    message: str,
    evaluated: Callable[..., ArmSummary],
    tmp_path: Path,
) -> None:
    given = rows()
    change(given)
    with pytest.raises(UserError, match=message):
        evaluated(write(tmp_path / "t.jsonl", given))
    assert not (tmp_path / "theirs" / "predictions.jsonl").exists()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"predictions": None}, "predictions: missing, the file with the columns id and prediction"),
        ({"temperature": 0.5}, "temperature: the back end file generates nothing"),
        ({"adapter": Path("a")}, "adapter: the back end file generates nothing"),
        ({"backend": "transformers"}, "predictions: only the back end file reads this; this run uses transformers"),
    ],
)
def test_keys_that_do_not_go_with_a_file(keys: dict[str, Any], message: str) -> None:
    given = {"backend": "file", "predictions": Path("p.csv"), "problems": Path("p.jsonl"), "output": Path("o")}
    for model in ({"model": "m"}, {}):
        with pytest.raises(UserError, match=message):
            make_eval_recipe(given | model | keys)


def test_a_quotation_mark_that_is_never_closed_swallows_no_rows(
    evaluated: Callable[..., ArmSummary], tmp_path: Path
) -> None:
    file = tmp_path / "t.csv"
    file.write_text("id,prediction\n" + "".join(f'made-{n},"B\n' for n in range(30)))
    with pytest.raises(UserError, match=r"t\.csv:3: a quotation mark"):
        evaluated(file)


def test_pandas_gaps_are_no_text_and_no_count(evaluated: Callable[..., ArmSummary], tmp_path: Path) -> None:
    given = [{**row, "prediction": 3.0 if n else float("nan"), "output_tokens": 12.0} for n, row in enumerate(rows())]
    summary = evaluated(write(tmp_path / "t.parquet", given))
    assert summary.output_tokens is not None
    assert summary.output_tokens.mean == 12
    file = tmp_path / "theirs" / "predictions.jsonl"
    texts = {one.problem_id: one.text for one in read_records(file, Prediction)}
    assert (texts["made-0"], texts["made-1"]) == ("", "3.0")


def test_other_predictions_need_another_folder(evaluated: Callable[..., ArmSummary], tmp_path: Path) -> None:
    file = write(tmp_path / "t.csv", rows())
    assert evaluated(file) == evaluated(file)
    write(file, [row | {"prediction": "A"} for row in rows()])
    with pytest.raises(UserError, match="holds another run"):
        evaluated(file)


def test_such_a_run_is_exported(evaluated: Callable[..., ArmSummary], tmp_path: Path) -> None:
    evaluated(write(tmp_path / "t.csv", rows()))
    for to in ("inspect", "lm-eval", "vlmevalkit"):
        assert export(tmp_path / "theirs", to, tmp_path / to)
    assert read_run(tmp_path / "theirs").manifest.settings is None
