"""No search finds a full mark that is not deserved, and the brute forces that judge it know a wrong step."""

from __future__ import annotations

import random

import pytest

from srt.language.trace import StepCheck, Trace, TraceCheck
from tests.redteam import search as red_team
from tests.redteam.edits import EDITS, Material
from tests.redteam.search import WORLDS, brute_of, problems_with_traces, search

A_WORLD = pytest.mark.parametrize("world", WORLDS)


@A_WORLD
@pytest.mark.parametrize(
    ("candidates", "problems"), [(600, 10), pytest.param(20_000, red_team.PROBLEMS, marks=pytest.mark.slow)]
)
def test_no_full_mark_for_a_wrong_answer_or_a_step_that_does_not_follow(
    world: str, candidates: int, problems: int
) -> None:
    found = search(world, candidates, problems)
    assert found.candidates == candidates
    assert found.wrong_answer == []
    assert found.not_entailed == []
    assert found.proved > 0, "edits that leave a proof are found, too"


@A_WORLD
def test_a_checker_that_proves_everything_is_found_out(world: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def proves(problem: object, trace: Trace) -> TraceCheck:
        return TraceCheck(steps=(StepCheck(support="proved"),) * len(trace.steps), answer=StepCheck(support="proved"))

    monkeypatch.setattr(red_team, "check", proves)
    monkeypatch.setattr(red_team, "padded", lambda *_: None)
    found = search(world, 30, problems=4)
    assert found.wrong_answer
    assert len(found.not_entailed) > 10


@A_WORLD
def test_the_steps_of_the_exact_teacher_are_entailed(world: str) -> None:
    for problem, traces in problems_with_traces(world, random.Random(0), 8):
        brute = brute_of(world, problem)
        for trace in traces:
            assert brute.answers(trace.answer.split(", "))
            claims = [step.claim or "" for step in trace.steps]
            for step in trace.steps:
                assert brute.entailed(claims, (step.op, step.args, step.claim or "")), (problem.question, step)


def test_edits_leave_what_they_were_given() -> None:
    ((_, (trace, *_)),) = problems_with_traces("seating", random.Random(1), 1)
    rng, before = random.Random(2), list(trace.steps)
    material = Material(trace.steps, ["scene", "(1)"], [(step, ()) for step in trace.steps])
    for edit in EDITS:
        results = [edit(list(trace.steps), material, rng) for _ in range(30)]
        assert any(result is not None and result != before for result in results), edit.__name__
        assert list(trace.steps) == before
