"""``solve_file``: traces and refusals in two files, counted; faults of the user leave neither."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from srt.io.errors import UserError
from srt.io.record_lines import dump
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem, Refusal
from srt.language.trace import Trace
from srt.pipeline.solve import solve_file, solve_one
from srt.worlds.seating.seating_world import SeatingWorld
from srt.worlds.world_registry import world_named

CLUES = "(1) Ben is right of Ada;\n(2) Dov is right of Cleo.\n"
TEXT = f"Booth: Ada, Ben, Cleo, Dov.\n{CLUES}() faces the right neighbour of Ada."


def problem(name: str, question: str = TEXT, gold: list[str] | None = None) -> Problem:
    return Problem(
        id=name,
        source="test",
        split="test",
        lang="en",
        question=question,
        choices={"A": "Dov", "B": "Ben", "C": "Cleo", "D": "None of the above"},
        answer=Answer(kind="choice_set", value=gold) if gold else None,
    )


PROBLEMS = [
    problem("plain"),
    problem("right", gold=["C"]),
    problem("wrong", gold=["B"]),
    problem("odd", TEXT.replace("right of Ada", "near Ada")),
    problem("clash", TEXT.replace("Dov is right of Cleo", "Ada is right of Ben")),
    problem(
        "loose",
        TEXT.replace("Dov is right of Cleo", "Dov faces Cleo").replace("Ben is right", "Ben faces the left neighbour"),
    ),
    problem("open", TEXT.replace("(2) Dov is right of Cleo.", "(2) Cleo shares a bench with Dov.")),
    problem("sofa", TEXT.replace("Booth", "Sofa")).model_copy(update={"source": "seating"}),
    problem("unclaimed", TEXT.replace("Booth", "Sofa")),
    problem("cube", "How many edges has a cube?"),
]


def test_a_file(tmp_path: Path) -> None:
    write_records(tmp_path / "p.jsonl", PROBLEMS)
    summary = solve_file(tmp_path / "p.jsonl", tmp_path / "t.jsonl")
    traces = list(read_records(tmp_path / "t.jsonl", Trace))
    refusals = {r.problem_id: r.reason for r in read_records(tmp_path / "t.refusals.jsonl", Refusal)}
    assert [trace.problem_id for trace in traces] == ["plain", "right"]
    assert refusals == {
        "wrong": "disagrees_with_gold",
        "odd": "unknown_wording",
        "clash": "contradictory_clues",
        "loose": "contradictory_clues",
        "open": "not_unique",
        "sofa": "unknown_scene",
        "unclaimed": "no_world",
        "cube": "no_world",
    }
    assert (summary.problems, summary.solved, summary.gold, summary.agreed) == (10, 2, 2, 1)
    assert sum(summary.refused.values()) == 8
    assert summary.refused["contradictory_clues"] == 2
    assert summary.as_dict()["agreement"] == 0.5


def test_the_generator_keeps_the_order() -> None:
    assert [type(outcome) for outcome in map(solve_one, PROBLEMS[:3])] == [Trace, Trace, Refusal]


TWICE = (dump(PROBLEMS[0]) * 2).decode()


@pytest.mark.parametrize("content", ["", '{"id": "p"}\n', TWICE])
def test_a_fault_leaves_nothing_behind(tmp_path: Path, content: str) -> None:
    (tmp_path / "p.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=r"p\.jsonl"):
        solve_file(tmp_path / "p.jsonl", tmp_path / "t.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["p.jsonl"]


def test_the_plan(tmp_path: Path) -> None:
    write_records(tmp_path / "p.jsonl", PROBLEMS[:1])
    for plan in ("needed", "running"):
        solve_file(tmp_path / "p.jsonl", tmp_path / f"{plan}.jsonl", plan=plan)
    needed, running = (next(read_records(tmp_path / f"{p}.jsonl", Trace)) for p in ("needed", "running"))
    assert needed.answer == running.answer
    assert len(str(running.steps)) > len(str(needed.steps))
    with pytest.raises(UserError, match="walking"):
        solve_file(tmp_path / "p.jsonl", tmp_path / "walking.jsonl", plan="walking")
    assert not (tmp_path / "walking.jsonl").exists()
    refusal = solve_one(world_named("views").sampler({"split": "train"})(0), "running")
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "no_such_plan"
    assert "views offers needed" in refusal.detail
    with pytest.raises(UserError, match=r"plan 'read-as-used': .*405b85f"):
        solve_file(tmp_path / "p.jsonl", tmp_path / "walking.jsonl", plan="read-as-used")


def test_a_reason_that_a_world_does_not_list_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SeatingWorld, "extras", replace(SeatingWorld.extras, refusals={}))
    with pytest.raises(ValueError, match="contradictory_clues"):
        list(map(solve_one, PROBLEMS))


@pytest.mark.parametrize(("plan", "ways"), [("running", "25"), ("needed", "60")])
def test_a_plan_that_nobody_could_check_is_refused(plan: str, ways: str) -> None:
    """Its plan would list so many ways to sit."""
    problem = world_named("seating").sampler({"split": "test", "lang": "en"})(51145)
    refusal = solve_one(problem, plan)
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, ways in refusal.detail) == ("no_such_plan", True)


def test_the_files_must_differ(tmp_path: Path) -> None:
    write_records(tmp_path / "p.jsonl", PROBLEMS)
    with pytest.raises(UserError, match=r"\.jsonl"):
        solve_file(tmp_path / "p.jsonl", tmp_path / "p.jsonl")


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"\.jsonl"):
        solve_file(tmp_path / "p.jsonl", tmp_path / "t.jsonl")
