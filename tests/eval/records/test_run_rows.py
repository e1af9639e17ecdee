"""Rows whose texts stay on disk: what is in memory is what the records say, and each is read back from its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from eval.records.run_records import CHECKED, PREDICTIONS, SCORES
from eval.records.run_rows import Checked
from eval.run.scored_run import read_run
from srt.io.errors import RecordError, UserError
from srt.io.record_reader import read_records
from srt.io.records import Prediction, Score


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
        assert (checked.has_steps, checked.checked, checked.proved, checked.refused) == (True, True, False, False)
        assert (checked.steps, checked.true) == ({"proved": 1, "refuted": 1}, None)
    for score, record in zip(run.scores.values(), read_records(folder / SCORES, Score), strict=True):
        assert {name: getattr(score, name) for name in Score.model_fields} == record.model_dump()


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
