"""Problems of an exact world go through the same loop, with traces in the world's claims and the exact checker."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

from srt.io.problem_files import read_problems
from srt.io.records import Problem
from srt.language.trace import Trace
from srt.llm.exchange import LlmContext
from srt.llm.prompt_templates import token_of
from srt.llm.request import LlmRequest, Reply
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_one
from srt.teaching.case_store.case_records import State, TeachingCase
from srt.teaching.loop.candidate import form_of
from srt.teaching.loop.machine_audit import MachineAudit, audit
from srt.teaching.loop.problem_loop import teach_problem
from srt.teaching.teach_config import load_teach_config
from srt.teaching.teach_prompts import load_teach_prompts


@pytest.fixture(scope="module")
def booth(tmp_path_factory: pytest.TempPathFactory) -> Problem:
    path = tmp_path_factory.mktemp("made") / "problems.jsonl"
    generate_file("seating", 1, "train", path, {"scenes": ["booth"], "names": 6})
    return next(iter(read_problems(path).values()))


def payload(problem: Problem, trace: Trace, **changes: Any) -> str:
    steps = [{"op": step.op, "premises": list(step.args), "claim": step.claim} for step in trace.steps]
    return orjson.dumps({"token": token_of(problem), "steps": steps, "answer": trace.answer} | changes).decode()


def teach(
    problem: Problem, cubes: ModuleType, folder: Path, teacher: str, checker: str
) -> tuple[TeachingCase, list[LlmRequest]]:
    config = load_teach_config(cubes.config(folder / "c.yaml", "http://h/v1", "solve_without_solution: true\n"))
    asked: list[LlmRequest] = []

    async def ask(request: LlmRequest) -> Reply:
        asked.append(request)
        fine = orjson.dumps({"token": token_of(problem), "issues": []}).decode()
        text = {"teacher": teacher, "checker": checker, "reviewer": fine}[request.role]
        return Reply(text=text, finish_reason="stop", input_tokens=1, output_tokens=1, seconds=0.0)

    async def machine(problem: Problem, trace: Trace) -> MachineAudit:
        return audit(problem, trace)

    context = LlmContext(config.choices(), load_teach_prompts(None), ask)
    return asyncio.run(teach_problem(problem, config, context, machine)), asked


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
    assert [request.role for request in asked] == ["teacher", "checker", "reviewer"]
    assert "machine (proved), step" in asked[1].user
    assert case.trace is not None
    assert case.trace.checks is not None
    assert case.trace.checks.proved
