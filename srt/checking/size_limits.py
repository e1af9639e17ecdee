"""How much of a trace is checked. What is larger is refused by name, never read in part without a word."""

from __future__ import annotations

from srt.io.records import Problem
from srt.language.trace import Trace

MOST_STEPS = 100
MOST_PREMISES = 40
LONGEST_STEP = 4_000
LONGEST_ANSWER = 2_000
LONGEST_PROBLEM = 20_000
LONGEST_SOLUTION = 100_000


def oversize(problem: Problem, trace: Trace) -> str | None:
    """Why ``trace`` is too large to be checked, as one line; ``None`` if it is not. Lengths are in characters."""
    spoken = len(problem.question) + len(problem.diagram_description or "") + sum(map(len, problem.choices.values()))
    sizes = [
        (spoken, LONGEST_PROBLEM, "the problem has {:,} characters"),
        (len(problem.solution or ""), LONGEST_SOLUTION, "the solution of the problem has {:,} characters"),
        (len(trace.answer), LONGEST_ANSWER, "the answer has {:,} characters"),
        (len(trace.steps), MOST_STEPS, "the trace has {:,} steps"),
    ]
    if too_large := next((_larger(*one) for one in sizes if one[0] > one[1]), None):
        return too_large
    for number, step in enumerate(trace.steps, 1):
        length = len(step.assertion or "") + len(step.claim or "")
        if length > LONGEST_STEP:
            return _larger(length, LONGEST_STEP, f"step {number} has {{:,}} characters")
        if len(step.args) > MOST_PREMISES:
            return _larger(len(step.args), MOST_PREMISES, f"step {number} cites {{:,}} premises")
    return None


def _larger(size: int, most: int, text: str) -> str:
    return f"{text.format(size)}; at most {most:,} are checked"
