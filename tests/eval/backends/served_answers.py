"""What the fake endpoint answers in the tests of this folder; it is loaded by the endpoint's own process."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

from srt.io.records import Problem
from srt.language.text import linearize
from srt.pipeline.sample import sample_problems
from srt.worlds.world_registry import world_named


def think(body: dict[str, Any], rng: Any) -> str:
    """A draft with a whole answer line, and after 100 tokens the answer: what R1 writes after the ``<think>`` of its
    template."""
    draft = "Perhaps it is B.\nANSWER: B\nWait."
    return f"{draft:<400}</think>\n\nANSWER: B"


def answer(body: dict[str, Any], rng: Any) -> str:
    content = body["messages"][-1]["content"]
    text = content if isinstance(content, str) else content[-1]["text"]
    return f"{text[:80]} seed {body.get('seed')}\nANSWER: B"


OPENS = "<|assistant|>"
SLIP = "INFER (99): up(1) = 2"
_asked: Counter[str] = Counter()


@cache
def lessons() -> list[tuple[Problem, str]]:
    """Problems, and what a teacher writes who knows them."""
    return [(one, linearize(world_named("routes").solve(one))) for one in sample_problems("routes", 4, 1, "test", {})]


def teach(body: dict[str, Any], rng: Any) -> str:
    """What is left of the trace of the problem that is asked; but for a third line that is greedy, or the first of its
    request, which no rule proves."""
    prompt = body.get("prompt") or body["messages"][-1]["content"] + OPENS
    question, _, written = prompt.partition(OPENS)
    trace = next(trace for problem, trace in lessons() if problem.question in question)
    if not trace.startswith(written):
        return ""
    key = f"{prompt}{body.get('seed')}"
    _asked[key] += 1
    slips = written.count("\n") == 2 and (body["temperature"] == 0 or (_asked[key] == 1 and body.get("n", 1) > 1))
    return SLIP + "\n" if slips else trace[len(written) :]


def stutter(body: dict[str, Any], rng: Any) -> str:
    """Lines that no rule proves, of any length."""
    return SLIP + "!" * rng.randrange(100) + "\n"


def prose(body: dict[str, Any], rng: Any) -> str:
    """What a server writes that ignores the grammar."""
    return "So Ann sits here.\nANSWER: B"


def trace(body: dict[str, Any], rng: Any) -> str:
    """Held to the grammar of a trace."""
    return "INFER (1) #2 Ann: Ann@S1\nANSWER: B\n"
