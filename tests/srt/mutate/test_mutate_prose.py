"""``srt mutate`` of traces in prose: wrong equations in their steps, counted apart from the classes of world traces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from srt.checking import check
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.language.trace import Step, StepCheck, Trace, TraceCheck
from srt.mutate import mutate_prose
from srt.mutate.mutate_traces import mutate_file
from srt.mutate.mutation_table import MutantRecord, print_table
from srt.pipeline.solve import solve_one
from srt.prose.faults.prose_faults import KINDS
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import sample

PROBLEM = Problem(
    id="cone", source="own", split="train", lang="en", question="A cone has radius 3 cm and slant height 5 cm. V?"
)
FREE = Trace(
    id="free",
    problem_id="cone",
    kind="free",
    lang="en",
    steps=(
        Step(
            op="CONSTRAIN", args=("question",), assertion="the height is √(5^2 - 3^2) = 4 cm", claim="√(5^2 - 3^2) = 4"
        ),
        Step(op="INFER", args=("#1", "question"), assertion="the volume is 1/3 × π × 3^2 × 4 = 12π cm³"),
    ),
    answer="12π",
)
COT = Trace(
    id="cot", problem_id="cone", kind="cot", lang="en", text="It is 1/3 × π × 9 × 4 = 12π.\nSo 12π.", answer="12π"
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A free trace, a cot trace, one without equations, one that is refuted; and the problem."""
    traces, problems = tmp_path / "t.jsonl", tmp_path / "p.jsonl"
    write_records(problems, [PROBLEM])
    idle = COT.model_copy(update={"id": "idle", "text": "It is 12π."})
    wrong = COT.model_copy(update={"id": "wrong", "text": "It is 3 × 4 = 12, so 2 + 2 = 5.\nSo 12π."})
    write_records(traces, [FREE, COT, idle, wrong])
    return traces, problems


@pytest.mark.long
def test_errors_in_prose_are_planted_judged_and_counted(files: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "m.jsonl"
    table = mutate_file(*files, 120, 0, out)
    records = list(read_records(out, MutantRecord))
    told = table.as_dict()
    assert told["prose_total"]["made"] == len(records)
    assert told["total"]["made"] == told["traces"] == 0
    assert table.in_prose == 2
    assert [line.split(":")[0] for line in table.skipped] == ["idle", "wrong"]
    assert {record.error for record in records} == set(KINDS) - {"named length", "condition"}
    assert {(record.trace.id, record.step) for record in records} == {("free", 1), ("free", 2), ("cot", 0)}
    assert len({(r.error, r.trace.steps, r.trace.text) for r in records}) == len(records)
    for record in records:
        assert record.fault.value == "false_claim"
        if record.trace.id == "free":
            assert record.trace.steps[record.step - 1].claim is None
        refuted = check(PROBLEM, record.trace).refuted
        assert record.outcome == (
            "accident" if record.oracle == "the equation is true" else "caught" if refuted else "missed"
        )
    row = told["prose_total"]
    assert row["made"] == row["accidents"] + row["unknown"] + row["caught"] + row["missed"]
    assert row["detection"] > 0.9
    again = tmp_path / "again.jsonl"
    mutate_file(*files, 120, 0, again)
    assert again.read_bytes() == out.read_bytes()


def test_a_blind_checker_is_found_out(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    open_ = StepCheck(support="consistent", reason="open")
    monkeypatch.setattr(
        mutate_prose, "check_claims", lambda _, trace: TraceCheck(steps=(open_,) * len(trace.steps), answer=open_)
    )
    row = mutate_file(*files, 40, 0, None).as_dict()["prose_total"]
    assert row["caught"] == 0
    assert row["missed"] == 40 - row["accidents"] > 30


def test_prose_does_not_mix_with_world_traces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    puzzle = sample(SampleSpec(), 0)
    solved = solve_one(puzzle)
    assert isinstance(solved, Trace)
    traces, problems = tmp_path / "t.jsonl", tmp_path / "p.jsonl"
    write_records(problems, [puzzle, PROBLEM])
    write_records(traces, [solved, FREE])
    table = mutate_file(traces, problems, 50, 0, None)
    told = table.as_dict()
    assert told["total"]["made"] == 50
    assert 0 < told["prose_total"]["made"] <= 50
    assert (table.traces, table.in_prose, table.missed) == (1, 1, 0)
    print_table(table, as_json=False)
    shown = capsys.readouterr().out
    assert "error in prose" in shown
    assert "truth-changing, all" in shown
    print_table(table, as_json=True)
    assert set(json.loads(capsys.readouterr().out)["prose"]) == set(KINDS)


def test_a_file_with_nothing_to_corrupt(tmp_path: Path) -> None:
    traces, problems = tmp_path / "t.jsonl", tmp_path / "p.jsonl"
    write_records(problems, [PROBLEM])
    write_records(traces, [COT.model_copy(update={"text": "So it is."})])
    with pytest.raises(UserError, match=r"t\.jsonl: no valid trace.*cot: no equation is computed"):
        mutate_file(traces, problems, 10, 0, None)
