"""Rows whose texts stay on disk: what is in memory is what the records say, and each is read back from its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from eval.records.run_records import CHECKED, PREDICTIONS, SCORES
from eval.records.run_rows import Checked
from eval.report.compare import compare
from eval.report.console_rows import console_rows
from eval.run.scored_run import read_run
from eval.scoring.arm_summary import summarise
from srt.io.errors import RecordError, UserError
from srt.io.record_reader import read_records
from srt.io.records import Prediction, Score
from srt.language.trace import StepCheck, TraceCheck


def test_a_run_is_its_records(make_run: Callable[..., Path]) -> None:
    folder = make_run("srt", lambda number: f"CORRELATE (1): true{'é' * number}\nINFER #1: false\nANSWER: B")
    text = (folder / PREDICTIONS).read_bytes()
    (folder / PREDICTIONS).write_bytes(b"\n" + text.replace(b"\n", b"\n  \n", 3))
    run = read_run(folder)
    predictions = list(read_records(folder / PREDICTIONS, Prediction))
    assert [stored.read() for stored in run.predictions.values()] == predictions
    for stored, row in zip(run.predictions.values(), predictions, strict=True):
        counts = ("input_tokens", "image_tokens", "output_tokens", "reasoning_tokens")
        assert [getattr(stored, name) for name in counts] == [getattr(row, name) for name in counts]
    for checked, whole in zip(run.checked.values(), read_records(folder / CHECKED, Checked), strict=True):
        assert checked.read() == whole
        assert (checked.has_steps, checked.provable, checked.proved, checked.refused) == (True, True, False, False)
        assert (checked.steps, checked.true) == ({"proved": 1, "refuted": 1}, None)
    for score, record in zip(run.scores.values(), read_records(folder / SCORES, Score), strict=True):
        assert {name: getattr(score, name) for name in Score.model_fields} == record.model_dump()


def test_a_run_of_version_0_1_is_read_and_its_prose_is_computed(make_run: Callable[..., Path]) -> None:
    """Then the checker said ``proved`` of prose, too. Columns keep the two apart, and add nothing up."""
    folder = make_run(
        "srt", lambda number: "INFER (1): true\nANSWER: B" if number else "INFER (1) - 3 * 4 = 12\nANSWER: B"
    )
    lines = (folder / CHECKED).read_bytes().splitlines()
    claim = {"claim": "3 * 4 = 12", "start": 0, "end": 10, "support": "proved", "reason": None, "counterexample": None}
    of_prose = orjson.loads(lines[0])
    assert of_prose["kind"] == "free"
    del of_prose["code"], of_prose["spans"]  # That version had neither.
    of_prose["check"] = {
        "steps": [{"support": "proved", "truth": "unknown", "claims": [claim]}],
        "answer": {"support": "proved"},
    }
    (folder / CHECKED).write_bytes(b"\n".join([orjson.dumps(of_prose), *lines[1:]]) + b"\n")
    run = read_run(folder)
    prose, *others = run.checked.values()
    assert (prose.proved, prose.computed, prose.provable, prose.steps) == (False, True, False, {"computed": 1})
    assert {(row.proved, row.computed, row.provable) for row in others} == {(True, False, True)}
    summary = summarise([run])
    assert (summary.traces.proved.right, summary.traces.computed.right) == (29, 1)
    assert (summary.traces.proved_and_right.right, summary.traces.computed_and_right.right) == (20, 0)
    assert summary.traces.steps == {"proved": 29, "computed": 1, "consistent": 0, "unchecked": 0, "refuted": 0}
    assert console_rows(summary)["traces"] == "100.0% of outputs; proved 96.7%, computed 3.3%"
    assert console_rows(summary)["steps"] == "proved 29, computed 1"


@pytest.mark.usefixtures("blank_plots")
def test_certificates_have_a_column_where_a_problem_has_one(make_run: Callable[..., Path], tmp_path: Path) -> None:
    folder = make_run("cot", lambda number: "because\nANSWER: B")
    assert summarise([read_run(folder)]).traces.certified is None  # Problems of no world.
    rows = [orjson.loads(line) for line in (folder / CHECKED).read_bytes().splitlines()]
    for number, row in enumerate(rows):
        row["certified"] = (True, False, None)[number % 3]
    (folder / CHECKED).write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    summary = summarise([read_run(folder)])
    right = [row for row in read_records(folder / SCORES, Score) if row.value == 1]
    certified = {row["problem_id"] for row in rows if row["certified"]}
    assert summary.traces.certified is not None
    assert summary.traces.certified_and_right is not None
    assert (summary.traces.certified.right, summary.traces.certified.count) == (10, 30)
    assert summary.traces.certified_and_right.right == len([row for row in right if row.problem_id in certified]) < 10
    assert console_rows(summary)["certified"] == "33.3% of outputs"
    compare([folder], tmp_path / "report")
    assert "| certified % |" in (tmp_path / "report" / "report.md").read_text()
    assert '<th scope="col">certified, %</th>' in (page := (tmp_path / "report" / "report.html").read_text())
    assert "<td>33.3</td>" in page


def test_a_file_that_has_changed_since_is_one_line(make_run: Callable[..., Path]) -> None:
    folder = make_run("srt", lambda _: "ANSWER: B")
    run = read_run(folder)
    log = folder / PREDICTIONS
    log.write_bytes(b"x" + log.read_bytes())
    with pytest.raises(RecordError, match=r"predictions\.jsonl: byte 0: not a line of JSON"):
        next(iter(run.predictions.values())).read()
    log.unlink()
    with pytest.raises(UserError, match=r"predictions\.jsonl"):
        next(iter(run.predictions.values())).read()


def test_a_padded_trace_is_not_counted_as_proved() -> None:
    proved = StepCheck(support="proved")
    check = TraceCheck(steps=(proved,), answer=proved)
    rows = [Checked(problem_id="p", code=code, kind="world", check=check) for code in ("proved", "padded", None)]
    assert [row.proved for row in rows] == [True, False, True]
