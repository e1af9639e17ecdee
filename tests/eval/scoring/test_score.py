from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from eval.backends.protocol import GenerationSettings
from eval.records.run_rows import Checked
from eval.report.compare import compare
from eval.run.predict import predict
from eval.scoring.score import check_prediction, score
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Prediction, Problem, Score
from srt.language.trace import StepCheck, Trace, TraceCheck
from tests.fake_backend import FakeBackend

TRUE = "CORRELATE (1): true\nINFER #1: true\n"


LONG = GenerationSettings(max_new_tokens=4_000)
UNCHECKED = StepCheck(support="unchecked")


def no_checker(problem: Problem, trace: Trace) -> TraceCheck:
    return TraceCheck(steps=(UNCHECKED,) * len(trace.steps), answer=UNCHECKED)


def is_proved(row: Checked) -> bool:
    return row.check is not None and row.check.proved


def test_scores_and_verdicts_stand_apart(make_run: Callable[..., Path]) -> None:
    texts = {0: TRUE + "ANSWER: A, C", 1: TRUE + "ANSWER: C", 2: "INFER (1): false\nANSWER: B", 3: "ANSWER: A"}
    run = make_run("srt", lambda number: texts.get(number, "because\nANSWER: B"))
    scores = {row.problem_id: row for row in read_records(run / "scores.jsonl", Score)}
    checked = {row.problem_id: row for row in read_records(run / "checked.jsonl", Checked)}
    assert [scores[f"made-{n}"].value for n in range(6)] == [1, 0, 1, 0, 1, 1]
    assert [is_proved(checked[f"made-{n}"]) for n in range(4)] == [True, True, False, False]
    assert [checked[f"made-{n}"].kind for n in range(5)] == ["world", "world", "world", None, "cot"]
    assert "before the answer" in str(checked["made-3"].fault)
    summary = orjson.loads((run / "summary.json").read_bytes())
    assert summary["accuracy"]["right"] == 20  # B is right for 20 of 30; item 1 loses one of them, item 0 wins one
    assert summary["traces"]["with_steps"]["right"] == 3
    assert summary["traces"]["proved"]["right"] == 2
    assert summary["traces"]["proved_and_right"]["right"] == 1
    assert summary["traces"]["steps"] == {"proved": 4, "computed": 0, "consistent": 0, "unchecked": 0, "refuted": 1}
    assert {key: value["count"] for key, value in summary["by"]["scene"].items()} == {
        "booth": 10,
        "hexagon": 10,
        "shelf": 10,
    }
    assert set(summary["by"]["compass"]) == {"EW", "none"}
    assert set(summary["by"]["right_options"]) == {"1", "2"}
    assert summary["by"]["lang"]["zh"]["count"] == 8


def test_scoring_again_gives_the_same_bytes(make_run: Callable[..., Path]) -> None:
    run = make_run("srt", lambda number: TRUE + "ANSWER: B")
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    first = score(run, checker=no_checker)
    again = {path.name: path.read_bytes() for path in run.iterdir()}
    assert score(run, checker=no_checker) == first
    assert {path.name: path.read_bytes() for path in run.iterdir()} == again
    assert {name for name in before if before[name] != again[name]} == {"checked.jsonl", "summary.json"}


def test_two_workers_write_the_bytes_of_one(make_run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval.scoring.score._FEW", 3)
    run = make_run("srt", lambda number: TRUE + "ANSWER: " + "ABC"[number % 3])
    score(run, checker=no_checker)
    one = {path.name: path.read_bytes() for path in run.iterdir()}
    score(run, checker=no_checker, workers=2)
    assert {path.name: path.read_bytes() for path in run.iterdir()} == one


def test_a_missing_prediction_is_wrong_and_counted(make_run: Callable[..., Path]) -> None:
    run = make_run("srt", lambda number: "ANSWER: B")
    rows = list(read_records(run / "predictions.jsonl", Prediction))
    write_records(run / "predictions.jsonl", rows[:-2])
    summary = score(run, checker=no_checker)
    assert (summary.missing, summary.problems, summary.accuracy.count) == (2, 30, 30)
    assert summary.statuses == {"error": 2, "ok": 28}


def test_what_a_server_refused_is_wrong_and_in_no_token_figure(make_run: Callable[..., Path]) -> None:
    run = make_run("srt", lambda number: "ANSWER: B")
    rows = list(read_records(run / "predictions.jsonl", Prediction))
    nothing = {"text": "", "input_tokens": 0, "output_tokens": 0, "finish_reason": "error", "error": "refused"}
    write_records(run / "predictions.jsonl", [*(row.model_copy(update=nothing) for row in rows[:10]), *rows[10:]])
    summary = score(run, checker=no_checker)
    assert (summary.accuracy.count, summary.statuses["error"]) == (30, 10)
    assert summary.output_tokens is not None
    assert summary.input_tokens is not None
    assert (summary.output_tokens.count, summary.input_tokens.count) == (20, 20)
    assert summary.output_tokens.mean == sum(row.output_tokens or 0 for row in rows[10:]) / 20


def test_what_the_checker_will_not_judge_is_counted(make_run: Callable[..., Path]) -> None:
    run = make_run("srt", lambda number: TRUE * 60 + "ANSWER: B", settings=LONG)  # More steps than are checked.
    summary = score(run)
    assert (summary.traces.refused, summary.traces.proved.right) == (30, 0)
    assert summary.accuracy.right == 20


def test_faults(make_run: Callable[..., Path], problems_file: Path, tmp_path: Path) -> None:
    run = make_run("srt", lambda number: "ANSWER: B")
    with pytest.raises(UserError, match=r"run\.json"):
        score(tmp_path)
    rows = list(read_records(run / "predictions.jsonl", Prediction))
    write_records(run / "predictions.jsonl", [*rows, rows[3]])
    with pytest.raises(UserError, match=r"predictions\.jsonl: .*'made-3'"):
        score(run, checker=no_checker)
    write_records(run / "predictions.jsonl", [rows[0].model_copy(update={"problem_id": "foreign"})])
    with pytest.raises(UserError, match=r"predictions\.jsonl: problem 'foreign', variant 'plain'"):
        score(run, checker=no_checker)
    problems = list(read_records(problems_file, Problem))
    write_records(problems_file, problems[:5])
    with pytest.raises(UserError, match="SHA-256"):
        score(run, checker=no_checker)
    problems_file.unlink()
    with pytest.raises(UserError, match=r"problems\.jsonl"):
        score(run, checker=no_checker)
    moved = tmp_path / "moved.jsonl"
    write_records(moved, problems)
    write_records(run / "predictions.jsonl", rows)
    assert score(run, moved, checker=no_checker).problems == 30


def test_a_run_remembers_where_its_problems_are_now(make_run: Callable[..., Path], problems_file: Path) -> None:
    run = make_run("srt", lambda _: "ANSWER: B")
    moved = problems_file.rename(problems_file.with_name("moved.jsonl"))
    with pytest.raises(UserError, match=r"no longer there; say where they are now: srt score .* --problems FILE"):
        compare([run], run.parent / "report")
    score(run, moved)
    assert compare([run], run.parent / "report").common == 30


def test_no_gold_is_not_wrong(problems_file: Path, tmp_path: Path) -> None:
    problems = list(read_records(problems_file, Problem))
    write_records(
        problems_file, [p.model_copy(update={"answer": None}) if n < 4 else p for n, p in enumerate(problems)]
    )
    predict(problems_file, tmp_path / "run", FakeBackend(lambda _: "ANSWER: B"), arm="srt")
    summary = score(tmp_path / "run", checker=no_checker)
    assert (summary.without_gold, summary.accuracy.count, summary.missing) == (4, 26, 0)
    write_records(problems_file, [p.model_copy(update={"answer": None}) for p in problems])
    predict(problems_file, tmp_path / "other", FakeBackend(lambda _: "ANSWER: B"), arm="srt")
    with pytest.raises(UserError, match="gold answer"):
        score(tmp_path / "other", checker=no_checker)


def test_a_row_says_whether_its_text_is_certified() -> None:
    booth = Problem(
        question="Booth: Robert, James, Jason, Mary.\n(1) Mary is right of Robert;\n(2) Jason is right of James.\n"
        "() faces the right neighbour of Robert.",
        choices={"A": "Jason", "B": "Mary", "C": "James"},
    )
    for answer, certified in (("C", True), ("A", False)):
        text = f"S1: Robert, S2: Mary, N1: James, N2: Jason.\nANSWER: {answer}"
        row = Prediction(key="k", problem_id=booth.id, text=text, finish_reason="stop", seconds=0)
        assert check_prediction(booth, row, no_checker).certified is certified
