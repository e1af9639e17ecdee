"""The run: an even spread, a table that adds up, misses that are found, and faults of the user."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from srt.checking import check
from srt.corpora.space2025 import read
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.language.trace import StepCheck, Trace, TraceCheck
from srt.mutate import mutate_traces
from srt.mutate.mutate_traces import mutate_file
from srt.mutate.mutation_table import MutantRecord, print_table
from srt.pipeline.solve import solve_file, solve_one
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import sample
from srt.worlds.world_registry import world_named


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Traces and problems: a dozen of each language."""
    problems, traces = tmp_path / "p.jsonl", tmp_path / "t.jsonl"
    made = [sample(SampleSpec(lang=lang), i) for lang in ("en", "zh") for i in range(12)]
    write_records(problems, made)
    write_records(traces, [trace for trace in map(solve_one, made) if isinstance(trace, Trace)])
    return traces, problems


def test_table_adds_up_and_is_repeatable(files: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "m.jsonl"
    table = mutate_file(*files, 290, 3, out)
    told = table.as_dict()
    records = list(read_records(out, MutantRecord))
    assert len(records) == told["total"]["made"] == 290
    assert {row["made"] for row in told["classes"].values()} == {290 // len(table.planted)}
    for row in (*told["classes"].values(), *told["families"].values(), told["total"]):
        assert row["made"] == row["accidents"] + row["caught"] + row["missed"]
        assert row["still_proved"] <= row["accidents"]
    for key in ("made", "accidents", "caught"):
        assert sum(row[key] for row in told["families"].values()) == told["total"][key]
        assert sum(row[key] for row in told["classes"].values()) == told["total"][key]
    assert table.missed == 0
    assert not table.disputed_records
    assert len({record.trace.id for record in records}) == 24
    again = tmp_path / "again.jsonl"
    mutate_file(*files, 290, 3, again)
    assert again.read_bytes() == out.read_bytes()
    mutate_file(*files, 290, 4, again)
    assert again.read_bytes() != out.read_bytes()


@pytest.mark.long
def test_two_workers_write_the_bytes_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of both worlds and of prose; some traces are refused on the way."""
    monkeypatch.setattr(mutate_traces, "_MUTANTS_A_WORKER", 1)
    problems, traces = tmp_path / "p.jsonl", tmp_path / "t.jsonl"
    views = world_named("views").sampler({"kinds": ["C3M", "FPBI"]})
    made = [sample(SampleSpec(), i) for i in range(5)] + [views(i) for i in range(3)]
    solved = [trace for trace in map(solve_one, made) if isinstance(trace, Trace)]
    solved[3] = solved[3].model_copy(update={"steps": solved[3].steps[1:]})
    text = "It is 3 × 4 = 12, so 12 + 2 = 14."
    prose = [Trace(id=f"c{n}", problem_id=made[0].id, kind="cot", lang="en", text=text, answer="A") for n in range(6)]
    write_records(problems, made)
    write_records(traces, [*solved, *prose])
    written = []
    for workers in (1, 2):
        out = tmp_path / f"m{workers}.jsonl"
        table = mutate_file(traces, problems, 87, 3, out, workers=workers)
        written.append((out.read_bytes(), table.as_dict(), table.skipped))
    assert written[0] == written[1]
    _, told, skipped = written[0]
    assert (told["traces"], told["in_prose"]) == (7, 6)
    assert [line.split(":")[0] for line in skipped] == [solved[3].id]


def test_a_trace_whose_problem_was_removed_is_skipped_and_counted(files: tuple[Path, Path], tmp_path: Path) -> None:
    traces, problems = files
    fewer = tmp_path / "fewer.jsonl"
    first, *rest = read_records(problems, Problem)
    write_records(fewer, rest)
    table = mutate_file(traces, fewer, 100, 0)
    assert (table.traces, table.as_dict()["total"]["made"]) == (23, 100)
    assert table.skipped == [f"t-{first.id}: its problem {first.id!r} is not in {fewer}"]
    write_records(fewer, [sample(SampleSpec(), 100)])
    with pytest.raises(UserError, match=rf"t\.jsonl: no valid trace.*{first.id!r} is not in .*fewer\.jsonl"):
        mutate_file(traces, fewer, 100, 0)


@pytest.mark.long
def test_one_trace_has_only_so_many_mutants(files: tuple[Path, Path], tmp_path: Path) -> None:
    traces = tmp_path / "one.jsonl"
    write_records(traces, [next(iter(read_records(files[0], Trace)))])
    out = tmp_path / "m.jsonl"
    table = mutate_file(traces, files[1], 100_000, 0, out)
    records = list(read_records(out, MutantRecord))
    assert len({(record.fault, record.trace.steps, record.trace.answer) for record in records}) == len(records)
    assert 25 < table.as_dict()["total"]["made"] < 100_000
    assert table.traces == 1


def test_a_blind_checker_is_found_out(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    proved = StepCheck(support="proved")

    def blind(problem: Problem, trace: Trace) -> TraceCheck:
        return TraceCheck(steps=(proved,) * len(trace.steps), answer=proved)

    monkeypatch.setattr(mutate_traces, "check", blind)
    table = mutate_file(*files, 100, 0, None)
    told = table.as_dict()["total"]
    assert table.missed == told["missed"] == 100 - told["accidents"] > 50
    assert told["detection"] == 0
    print_table(table, as_json=False)
    shown = capsys.readouterr().out
    assert shown.count("\nmissed: t-") == 10
    assert f"... and {table.missed - 10} more missed" in shown


def test_a_checker_that_proves_nothing_new_is_disputed(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    originals = {trace.id: trace for trace in read_records(files[0], Trace)}

    def suspicious(problem: Problem, trace: Trace) -> TraceCheck:
        if trace == originals[trace.id]:
            return check(problem, trace)
        refuted = StepCheck(support="refuted", reason="different")
        return TraceCheck(steps=(refuted,) * len(trace.steps), answer=refuted)

    monkeypatch.setattr(mutate_traces, "check", suspicious)
    table = mutate_file(*files, 500, 0, None)
    total = table.as_dict()["total"]
    assert table.missed == 0
    assert len(table.disputed_records) == total["still_proved"] > 0


def test_print_table(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    table = mutate_file(*files, 50, 0, None)
    print_table(table, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["total"]["made"] == 50
    assert len(told["classes"]) == len(table.planted) == 29
    print_table(table, as_json=False)
    shown = capsys.readouterr().out
    assert all(fault.value in shown for fault in table.planted)
    assert "100.00%" in shown


def test_traces_that_are_not_valid_are_left_out(files: tuple[Path, Path], tmp_path: Path) -> None:
    first, second, *rest = read_records(files[0], Trace)
    cot = Trace(id="c", problem_id=second.problem_id, kind="cot", lang="en", text="So it is.", answer="A")
    traces = tmp_path / "mixed.jsonl"
    write_records(traces, [first.model_copy(update={"steps": first.steps[1:]}), cot, *rest[:3]])
    table = mutate_file(traces, files[1], 100, 0, None)
    assert table.traces == 3
    assert [line.split(":")[0] for line in table.skipped] == [first.id, "c"]


def test_faults_of_the_user(files: tuple[Path, Path], tmp_path: Path) -> None:
    traces, problems = files
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    out = tmp_path / "m.jsonl"
    with pytest.raises(UserError, match=r"empty\.jsonl: "):
        mutate_file(empty, problems, 10, 0, out)
    with pytest.raises(UserError, match=r"empty\.jsonl: "):
        mutate_file(traces, empty, 10, 0, out)
    with pytest.raises(UserError, match=r"none\.jsonl: "):
        mutate_file(tmp_path / "none.jsonl", problems, 10, 0, out)
    with pytest.raises(UserError, match=r"none"):
        mutate_file(traces, problems, 10, 0, tmp_path / "none" / "m.jsonl")
    before = traces.read_bytes()
    with pytest.raises(UserError, match=r"t\.jsonl"):
        mutate_file(traces, problems, 10, 0, traces)
    assert traces.read_bytes() == before
    assert not out.exists()


@pytest.mark.slow
def test_ten_thousand_corruptions_of_real_items(tmp_path: Path, space2025: Path) -> None:
    problems, traces = tmp_path / "p.jsonl", tmp_path / "t.jsonl"
    write_records(problems, [p for lang in ("en", "zh") for p in read(space2025 / f"spr_{lang}_train.jsonl")])
    solve_file(problems, traces)
    table = mutate_file(traces, problems, 10_000, 0, None)
    assert table.as_dict()["total"]["made"] == 10_000
    assert not table.missed_records
    assert not table.disputed_records
    assert not table.skipped
