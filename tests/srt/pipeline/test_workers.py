"""Stages on several processes: the bytes of one, and records that kill their process."""

from __future__ import annotations

import io
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from srt.io.errors import RecordError
from srt.io.record_reader import Line, read_lines, read_records
from srt.io.records import Record, Refusal
from srt.io.worker_processes import Workers, batches
from srt.pipeline.build import TraceRefusal, build_file
from srt.pipeline.check import check_file
from srt.pipeline.generate import generate_file
from srt.pipeline.record_stage import StageOutput, run_stage
from srt.pipeline.solve import solve_file

VIEWS = {"kinds": ["C3M"], "options_share": 0.5}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes work from the seventh record on, three at a time."""
    monkeypatch.setattr("srt.pipeline.generate.BATCH", 3)
    for module in ("record_stage", "generate"):
        monkeypatch.setattr(f"srt.pipeline.{module}.START", 2)
        monkeypatch.setattr(f"srt.pipeline.{module}.batches", lambda items, size=3: batches(items, min(size, 3)))


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize(("world", "spec"), [("seating", {"scenes": ["booth"], "names": 6}), ("views", VIEWS)])
def test_two_workers_write_the_bytes_of_one(world: str, spec: dict[str, Any], tmp_path: Path) -> None:
    written = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        problems, traces = folder / "p.jsonl", folder / "t.jsonl"
        generate_file(world, 40, "train", problems, spec, workers=workers)
        lines = problems.read_bytes().splitlines(keepends=True)
        lines[20] = lines[20].replace(b'"question":"', b'"question":"What is this? ')
        problems.write_bytes(b"".join(lines))
        assert solve_file(problems, traces, workers=workers).problems == 40
        summary = check_file(traces, problems, folder / "c.jsonl", workers=workers)
        (folder / "summary").write_text(repr(summary.as_dict(10)))
        assert summary.proved >= 39
        for arm in ("srt", "cot"):
            pictures = world == "views" and arm == "srt"
            build_file(traces, problems, arm, folder / arm, pictures=pictures, workers=workers)
        written.append(bytes_of(folder))
    assert written[0] == written[1]


def kill_at_eleven(line: Line, made: StageOutput) -> None:
    if line.number == 11:
        os.kill(os.getpid(), signal.SIGKILL)
    made.lines += b"%d\n" % line.number


def name_it(line: Line, made: StageOutput) -> None:
    made.refused += b"%d\n" % line.number


def test_a_record_that_kills_its_process_is_named_or_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(b"{}\n" * 30)
    with pytest.raises(RecordError, match=r"p\.jsonl:11: .*--keep-going"):
        run_stage(kill_at_eleven, read_lines(path, Record), 30, "count", workers=2)
    out, refused = io.BytesIO(), io.BytesIO()
    counted = run_stage(
        kill_at_eleven,
        read_lines(path, Record),
        30,
        "count",
        out=out.write,
        refused=refused.write,
        workers=2,
        killed=name_it,
    )
    assert counted.read == 30
    assert list(map(int, out.getvalue().split())) == [number for number in range(1, 31) if number != 11]
    assert refused.getvalue() == b"11\n"


class Killing(Workers):
    """Every process that the first record goes to is killed; batches are of one record."""

    def map(
        self, work: Callable[..., Any], items: Iterable[Any], chunk: int, killed: Callable[..., Any] = id
    ) -> Iterator[Any]:
        first, *rest = ([line] for batch in items for line in batch)
        yield killed(first)
        yield from map(work, rest)


def test_with_keep_going_such_records_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    problems, traces = tmp_path / "p.jsonl", tmp_path / "t.jsonl"
    generate_file("seating", 4, "train", problems, {"scenes": ["booth"]})
    monkeypatch.setattr("srt.pipeline.record_stage.Workers", Killing)
    with pytest.raises(RecordError, match=r"p\.jsonl:1: "):
        solve_file(problems, traces)
    summary = solve_file(problems, traces, keep_going=True)
    assert (summary.problems, summary.solved, summary.refused) == (4, 3, {"process_killed": 1})
    (refusal,) = read_records(tmp_path / "t.refusals.jsonl", Refusal)
    assert refusal.detail.startswith(f"{problems}:1: ")
    assert check_file(traces, problems, keep_going=True).skipped == {"process_killed": 1}
    assert build_file(traces, problems, "srt", tmp_path / "srt", keep_going=True)["refused"] == {"process_killed": 1}
    (unbuilt,) = read_records(tmp_path / "srt" / "sequences.refusals.jsonl", TraceRefusal)
    assert unbuilt.detail.startswith(f"{traces}:1: ")
