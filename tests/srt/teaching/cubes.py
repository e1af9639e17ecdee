"""Problems about cubes, and a model that plays every role on them: for tests, for the fake endpoint, for benchmarks.

Which problems the model gets wrong follows from their edge, so that a test knows what must become of each:
``edge % 10``: 1 the draft has a wrong power (the machine sees it), 2 the Reviewer objects to the first draft, 3 it
always objects, 4 no rewrite ever mends the wrong power, 5 the machine has proved what the Reviewer objects to; others
pass at once.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem

TOKEN = re.compile(r'"token": "([0-9a-f]{10})"')
EDGE = re.compile(r"edge of (\d+) cm")
CONFIG = """\
endpoint: {{base_url: "{url}", in_flight: {in_flight}, timeout_s: {timeout_s}, retries: {retries}}}
models:
  teacher: {{model: fake-teacher, max_tokens: 400}}
  reviewer: {{model: fake-reviewer, max_tokens: 300}}
  checker: {{model: fake-checker, max_tokens: 400}}
prices:
  fake-teacher: {{input: 1.0, output: 2.0}}
  fake-reviewer: {{input: 3.0, output: 4.0}}
  fake-checker: {{input: 5.0, output: 6.0}}
"""


def config(
    path: Path, url: str, extra: str = "", *, in_flight: int = 16, timeout_s: float = 60, retries: int = 4
) -> Path:
    """A config for these models at ``url``; ``extra`` is added to it."""
    text = CONFIG.format(url=url, in_flight=in_flight, timeout_s=timeout_s, retries=retries)
    path.write_text(text + extra, encoding="utf-8")
    return path


def problem(edge: int, **changes: Any) -> Problem:
    """What is the volume of a cube of this edge?"""
    return Problem(
        id=f"cube-{edge}",
        source="made up",
        split="train",
        lang="en",
        question=f"A cube has an edge of {edge} cm. What is its volume in cubic centimetres?",
        answer=Answer(kind="number", value=edge**3),
        solution=f"The edge is {edge}, so the volume is {edge}^3 = {edge**3}.",
        category="odd" if edge % 2 else "even",
    ).model_copy(update=changes)


def problems(path: Path, count: int, first: int = 10) -> Path:
    """A file of ``count`` of them."""

    def all_of_them() -> Iterator[Problem]:
        for edge in range(first, first + count):
            yield problem(edge)

    write_records(path, all_of_them())
    return path


def respond(body: dict[str, Any], rng: random.Random) -> str:
    """The answer of a model to a request as the fake endpoint gets it."""
    asked = body["messages"][-1]["content"]
    return answer(asked if isinstance(asked, str) else asked[-1]["text"])


def answer(user: str) -> str:
    """The answer to a user's turn: which role is asked shows in its form."""
    token = TOKEN.search(user)
    edge = EDGE.search(user)
    assert token is not None
    assert edge is not None
    a = int(edge[1])
    kind = a % 10
    if '"issues":' in user:
        return review(token[1], a, user)
    if '"description":' in user:
        return orjson.dumps({"token": token[1], "description": f"A cube with the edge {a}."}).decode()
    rewrite = "## What is wrong with it" in user
    wrong = (kind == 1 and not rewrite) or kind == 4
    volume = a**3 + (rewrite + 1 if wrong else 0)
    if '"steps":' not in user:
        text = f"The edge is a = {a}.\nSo the volume is V = {a}^3 = {volume}."
        return orjson.dumps({"token": token[1], "text": text, "answer": str(a**3)}).decode()
    told = "a cube with edge a has the volume V = a^3" if rewrite and kind in (2, 3) else "the volume is the cube of a"
    said = f"; version {len(user)}" if rewrite and kind == 3 else ""
    steps = [
        {"op": "CORRELATE", "premises": ["(1)"], "text": f"the edge of the cube is a = {a}"},
        {"op": "CONSTRAIN", "premises": ["scene", "step 1"], "text": told + said},
        {"op": "INFER", "premises": ["#1", "#2"], "text": ("" if kind == 5 else "V = ") + f"{a}^3 = {volume}"},
    ]
    return orjson.dumps({"token": token[1], "steps": steps, "answer": str(a**3)}).decode()


def review(token: str, edge: int, user: str) -> str:
    """What the Reviewer says."""
    kind, rewritten = edge % 10, "a cube with edge a has the volume" in user
    issues = []
    if (kind == 2 and not rewritten) or kind == 3:
        fault = "does_not_follow"
        issues = [{"step": 2, "fault": fault, "explanation": "name the rule", "suggested_fix": "V = a^3"}]
    if kind == 5:
        said = f"{edge}^3 is not {edge**3}"
        issues = [{"step": 3, "fault": "false_claim", "explanation": said, "suggested_fix": None}]
    return orjson.dumps({"token": token, "analysis": "step by step", "issues": issues}).decode()
