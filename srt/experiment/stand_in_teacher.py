"""A stand-in for the models of ``srt teach``, for tiny rehearsals: it asks nobody and knows nothing.

It plays every role in the real loop: it is asked with the real prompts, its answers are read as a model's are, and what
it writes goes through the same automatic checks. As Teacher it copies the sentences of the official solution; as
Reviewer it objects to nothing; as describer it counts the pictures. Its traces name ``stand-in`` as their teacher.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from srt.io.problem_files import read_problems
from srt.io.record_writer import write_records
from srt.io.records import Lang, Problem
from srt.language.trace import Trace
from srt.llm.config import ModelChoice
from srt.llm.exchange import LlmContext
from srt.llm.prompt_templates import problem_fields
from srt.llm.request import LlmRequest, Reply
from srt.teaching.case_store.case_records import ModelRole, TeachingCase
from srt.teaching.describe_pictures import describe, needs_description
from srt.teaching.loop.machine_audit import MachineAudit, audit
from srt.teaching.loop.problem_loop import DESCRIPTION_SCHEMA, teach_problem
from srt.teaching.teach_config import Arm, TeachConfig, load_teach_config
from srt.teaching.teach_prompts import load_teach_prompts

STAND_IN = "stand-in"
_SENTENCE = re.compile(r"[^。！？；;\n]+?(?:[。！？；;\n]|[.!?](?=\s|$)|$)")
_READS: dict[Lang, str] = {
    "en": "The pictures and the text show one and the same solid.",
    "zh": "图与题目所述为同一个几何体。",
}
_LONGEST_SOLUTION = 6
"""Sentences; what is longer is put into the last one."""


def stand_in_traces(problems: Path, config: Path, arm: str, out: Path) -> int:
    """Write to ``out`` what the loop of ``srt teach`` accepts from the stand-in, with the settings of ``config``.

    Returns the number of traces.
    """
    held = read_problems(problems)
    settings = load_teach_config(config).model_copy(update={"arm": _arm(arm), "describe": False})
    context = _context(settings, held)

    async def machine(problem: Problem, trace: Trace) -> MachineAudit:
        return audit(problem, trace, normal_form=settings.normal_form)

    async def teach_all() -> list[TeachingCase]:
        return [await teach_problem(problem, settings, context, machine) for problem in held.values()]

    cases = asyncio.run(teach_all())
    out.parent.mkdir(parents=True, exist_ok=True)
    passed = [case.trace for case in cases if case.trace is not None and case.state.value in ("accepted", "repaired")]
    return write_records(out, passed)


def stand_in_descriptions(problems: Path, out: Path, config: Path) -> int:
    """As :func:`srt.teaching.describe_pictures.describe_file`, by the stand-in."""
    held = read_problems(problems)
    context = _context(load_teach_config(config), held)

    async def describe_all() -> list[Problem]:
        described = []
        for problem in held.values():
            if needs_description(problem):
                answer = await describe(problem, context)
                problem = problem.model_copy(update={"diagram_description": answer.value})
            described.append(problem)
        return described

    described = asyncio.run(describe_all())
    write_records(out, described)
    return sum(needs_description(problem) for problem in held.values())


def _arm(name: str) -> Arm:
    return "cot" if name == "cot" else "srt"


def _context(settings: TeachConfig, problems: Mapping[str, Problem]) -> LlmContext:
    async def ask(request: LlmRequest) -> Reply:
        payload = {"token": problem_fields(problems[request.problem_id])["token"], **_answer(request, problems)}
        text = orjson.dumps(payload).decode()
        return Reply(text=text, finish_reason="stop", input_tokens=0, output_tokens=0, seconds=0.0)

    models = {role.value: ModelChoice(model=STAND_IN, max_tokens=1) for role in ModelRole}
    return LlmContext(models, load_teach_prompts(settings.prompts), ask)


def _answer(request: LlmRequest, problems: Mapping[str, Problem]) -> dict[str, Any]:
    """The payload that the form of the request asks for."""
    problem = problems[request.problem_id]
    asked = set(request.json_schema.definition["properties"]) if request.json_schema else set()
    if request.json_schema == DESCRIPTION_SCHEMA:
        count = len(problem.images)
        return {
            "description": f"[{STAND_IN}] 图共{count}幅。"
            if problem.lang == "zh"
            else f"[{STAND_IN}] {count} pictures."
        }
    if "issues" in asked:
        return {"analysis": STAND_IN, "issues": []}
    answer = problem_fields(problem)["answer"]
    said = _sentences(problem)
    if "text" in asked:
        return {"text": "\n".join(said), "answer": answer}
    steps = [{"op": "CORRELATE", "premises": ["question", "scene"], "text": _READS[problem.lang]}]
    for number, sentence in enumerate(said, 1):
        last = number == len(said)
        premises = [f"#{number}", "question"]
        steps.append({"op": "INFER" if last else "CONSTRAIN", "premises": premises, "text": sentence})
    return {"steps": steps, "answer": answer}


def _sentences(problem: Problem) -> list[str]:
    """The official solution, sentence by sentence."""
    said = [text for match in _SENTENCE.finditer(problem.solution or "") if (text := match[0].strip())]
    if len(said) > _LONGEST_SOLUTION:
        said[_LONGEST_SOLUTION - 1 :] = [" ".join(said[_LONGEST_SOLUTION - 1 :])]
    return said or [_READS[problem.lang]]
