"""The Reviewer: what it is told, and how its issues are read."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from types import ModuleType

import orjson
import pytest

from srt.language.faults import Fault
from srt.language.trace import Step, Trace
from srt.llm.exchange import LlmContext, Outcome, Unusable
from srt.llm.prompt_templates import token_of
from srt.llm.request import LlmRequest, Reply
from srt.teaching.loop.reviewer import read_review, review
from srt.teaching.teach_config import load_teach_config
from srt.teaching.teach_prompts import load_teach_prompts


@pytest.mark.parametrize("solution", [None, " ", "V = 27"])
def test_the_reviewer_is_never_asked_to_solve(cubes: ModuleType, tmp_path: Path, solution: str | None) -> None:
    problem = cubes.problem(3, solution=solution)
    asked: list[LlmRequest] = []

    async def ask(request: LlmRequest) -> Reply:
        asked.append(request)
        said = orjson.dumps({"token": token_of(problem), "issues": []}).decode()
        return Reply(text=said, finish_reason="stop", refusal=None, input_tokens=1, output_tokens=1, seconds=0.0)

    step = Step(op="INFER", assertion="V = 27")
    trace = Trace(id="t", problem_id=problem.id, kind="free", lang="en", steps=(step,), answer="27")
    config = load_teach_config(cubes.config(tmp_path / "c.yaml", "http://127.0.0.1:9/v1"))
    context = LlmContext(config.choices(), load_teach_prompts(None), ask)
    assert asyncio.run(review(problem, trace, context)).outcome is Outcome.OK
    section = asked[0].user.split("## Official solution")[1].split("##")[0].strip()
    fenced = re.fullmatch(r"<text-[0-9a-f]+>\n(.*)\n</text-[0-9a-f]+>", section)
    assert (fenced[1] if fenced else section) == ((solution or "").strip() or "(none)")
    assert "derive the answer" not in asked[0].user


def test_an_objection_is_not_lost_over_its_label() -> None:
    said = {"issues": [{"step": "#9", "fault": "Sloppy", "explanation": "no unit", "suggested_fix": ""}]}
    (issue,) = read_review(said, steps=3)
    assert (issue.step, issue.fault, issue.suggested_fix) == (None, Fault.DOES_NOT_FOLLOW, None)
    assert issue.explanation == "sloppy: no unit"


@pytest.mark.parametrize("said", [{}, {"issues": None}, {"issues": {"step": 1}}, {"issues": ["bad"]}])
def test_what_is_no_review(said: dict[str, object]) -> None:
    with pytest.raises(Unusable):
        read_review(said, steps=1)
