"""What the fake endpoint answers: the exact teacher's trace, and to every third question its first half, with a letter.

It samples the problems that the taskset samples, and knows them by their prompts.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from srt import Problem, linearize, prompt, sample, solve

TASKS = 6
SETTINGS: dict[str, dict[str, Any]] = {
    "seating": {},
    "views": {"style": "none"},
    "routes": {"lang": "zh"},
    "solids": {},
}


@cache
def problems() -> dict[str, tuple[int, Problem]]:
    """Number and problem by prompt."""
    return {
        prompt(problem)[0].content: (number, problem)
        for world, settings in SETTINGS.items()
        for number, problem in enumerate(sample(world, TASKS, settings=settings))
    }


def reply(number: int, problem: Problem) -> str:
    """What is answered to problem ``number`` of its world."""
    text = linearize(solve(problem))
    if number % 3 < 2:
        return text
    *steps, answer = text.split("\n")
    return "\n".join([*steps[: len(steps) // 2], answer])


def respond(body: dict[str, Any], _: random.Random) -> str:
    """For ``--responder``."""
    asked = body["messages"][-1]["content"]
    text = asked if isinstance(asked, str) else "".join(part["text"] for part in asked)
    return reply(*problems()[text])
