"""Problems of an exact world go through the same loop, with traces in the world's claims and the exact checker."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

from srt.endpoint.messages import Reply, Request
from srt.generate import generate_file
from srt.language.trace import Trace
from srt.problems import read_problems
from srt.records import Problem
from srt.solve import solve_one
from srt.teaching.candidate import form_of, token_of
from srt.teaching.config import load_config
from srt.teaching.exchange import Desk
from srt.teaching.loop import teach_problem
from srt.teaching.machine import MachineAudit, audit
from srt.teaching.records import Case, State
from srt.teaching.templates import load_templates


@pytest.fixture(scope="module")
def booth(tmp_path_factory: pytest.TempPathFactory) -> Problem:
    path = tmp_path_factory.mktemp("made") / "problems.jsonl"
    generate_file("seating", 1, "train", path, {"scenes": ["booth"], "names": 6})
    return next(iter(read_problems(path).values()))


def payload(problem: Problem, trace: Trace, **changes: Any) -> str:
    steps = [{"op": step.op, "premises": list(step.args), "claim": step.claim} for step in trace.steps]
    return orjson.dumps({"token": token_of(problem), "steps": steps, "answer": trace.answer} | changes).decode()


def teach(problem: Problem, cubes: ModuleType, folder: Path, teacher: str, checker: str) -> tuple[Case, list[Request]]:
    config = cubes.config(folder / "c.yaml", "http://h/v1", "solve_without_solution: true\n")
    asked: list[Request] = []

    async def ask(request: Request) -> Reply:
        asked.append(request)
        fine = orjson.dumps({"token": token_of(problem), "issues": []}).decode()
        text = {"teacher": teacher, "checker": checker, "reviewer": fine}[request.role.value]
        return Reply(text=text, finish_reason="stop", input_tokens=1, output_tokens=1, seconds=0.0)

    async def machine(problem: Problem, trace: Trace) -> MachineAudit:
        return audit(problem, trace)

    return asyncio.run(teach_problem(problem, Desk(load_config(config), load_templates(None), ask), machine)), asked


def test_an_exact_trace_is_accepted(booth: Problem, cubes: ModuleType, tmp_path: Path) -> None:
    exact = solve_one(booth)
    assert isinstance(exact, Trace)
    case, asked = teach(booth, cubes, tmp_path, payload(booth, exact), "")
    assert case.state is State.ACCEPTED
    assert case.trace is not None
    assert case.trace.kind == "world"
    assert case.trace.checks is not None
    assert case.trace.checks.proved
    assert "claim language" in asked[0].system
    assert form_of(booth, "srt") == "seating"
    assert form_of(booth, "cot") == "cot"


def test_a_refuted_claim_is_shown_to_the_checker_with_its_counterexample(
    booth: Problem, cubes: ModuleType, tmp_path: Path
) -> None:
    exact = solve_one(booth)
    assert isinstance(exact, Trace)
    steps = [{"op": step.op, "premises": list(step.args), "claim": step.claim} for step in exact.steps]
    letters = exact.answer.split(", ")
    wrong = next(letter for letter in sorted(booth.choices) if letter not in letters)
    steps[-1] |= {"claim": f"options = {{{wrong}}}"}
    draft = payload(booth, exact, steps=steps, answer=wrong)
    case, asked = teach(booth, cubes, tmp_path, draft, payload(booth, exact))
    assert case.state is State.REPAIRED
    assert [request.role.value for request in asked] == ["teacher", "checker", "reviewer"]
    assert "machine, step" in asked[1].user
    assert case.trace is not None
    assert case.trace.checks is not None
    assert case.trace.checks.proved
