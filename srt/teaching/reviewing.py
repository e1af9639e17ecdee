"""The Reviewer: a model that audits every step of a candidate and names what is wrong by the one taxonomy of faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from srt.endpoint.messages import JsonSchema, Role
from srt.language.faults import Fault
from srt.language.text import answer_line, step_line
from srt.language.trace import Trace, one_line
from srt.records import Problem
from srt.teaching.candidate import Unusable, closed
from srt.teaching.exchange import NONE, Desk, ask_usable, official_solution, problem_fields
from srt.teaching.records import Issue, Outcome

FAULTS_TO_NAME = tuple(fault for fault in Fault if fault is not Fault.MALFORMED)
"""What a Reviewer may say. Whether a trace is well formed is the machine's to say."""

MAX_ISSUES = 50
_FAULT_LINES = "\n".join(f"- {fault.value}: {fault.explanation}" for fault in FAULTS_TO_NAME)
_BY_WORD = {fault.value: fault for fault in FAULTS_TO_NAME}


@dataclass(frozen=True)
class Review:
    """What the Reviewer said. Without an outcome ``ok`` there was no usable review, and ``why`` says so.

    ``asked`` counts the outcomes of all its answers.
    """

    outcome: Outcome
    issues: tuple[Issue, ...]
    why: str
    asked: Counter[Outcome]


async def review(problem: Problem, trace: Trace, desk: Desk, doubt: str | None = None) -> Review:
    """Ask the Reviewer about ``trace``. ``doubt`` is a question that the machine leaves to it.

    Raises what ``desk.ask`` raises about the whole run.
    """
    fields = {
        **problem_fields(problem),
        "solution": official_solution(problem),
        "candidate": candidate_text(trace),
        "faults": _FAULT_LINES,
        "doubt": doubt or NONE[problem.lang],
    }

    def read(payload: Mapping[str, Any]) -> tuple[Issue, ...]:
        return read_review(payload, len(trace.steps))

    answered = await ask_usable(desk, Role.REVIEWER, problem, "reviewer", fields, REVIEW_SCHEMA, read)
    return Review(answered.outcome, answered.value or (), answered.why, answered.asked)


def candidate_text(trace: Trace) -> str:
    """``trace`` as prompts show it: its text with the steps numbered."""
    lines = trace.text.split("\n") if trace.text else []
    lines += [f"{number}. {step_line(step, trace.lang)}" for number, step in enumerate(trace.steps, 1)]
    return "\n".join([*lines, answer_line(trace.answer, trace.lang)])


def read_review(payload: Mapping[str, Any], steps: int) -> tuple[Issue, ...]:
    """The issues in a Reviewer's answer about a trace of ``steps`` steps.

    A fault that is no word of the taxonomy becomes ``does_not_follow``, with the word kept in the explanation; a step
    that does not exist becomes the trace as a whole: what was objected to is not lost over its label.

    Raises:
        Unusable: it is no list of issues.
    """
    listed = payload.get("issues")
    if not isinstance(listed, list):
        raise Unusable(Outcome.MALFORMED, '"issues" is no list')
    return tuple(_issue(raw, number, steps) for number, raw in enumerate(listed[:MAX_ISSUES], 1))


def _issue(raw: Any, number: int, steps: int) -> Issue:
    if not isinstance(raw, Mapping):
        raise Unusable(Outcome.MALFORMED, f"issue {number} is no object")
    explanation, fix = _said(raw.get("explanation")), _said(raw.get("suggested_fix"))
    word = _said(raw.get("fault")).casefold().replace(" ", "_").replace("-", "_")
    fault = _BY_WORD.get(word)
    if fault is None:
        fault, explanation = Fault.DOES_NOT_FOLLOW, f"{word or 'no class'}: {explanation}"
    if not explanation:
        explanation = fault.explanation
    return Issue(
        by="reviewer",
        step=_step(raw.get("step"), steps),
        fault=fault,
        explanation=explanation,
        suggested_fix=fix or None,
    )


def _step(value: Any, steps: int) -> int | None:
    if isinstance(value, str):
        digits = value.strip().removeprefix("#")
        value = int(digits) if digits.isdecimal() and len(digits) < 5 else None
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 1 <= value <= steps else None


def _said(value: Any) -> str:
    return one_line(value.encode("utf-8", "replace").decode("utf-8")) if isinstance(value, str) else ""


_TEXT = {"type": "string"}
REVIEW_SCHEMA = JsonSchema(
    name="review",
    definition=closed(
        {
            "token": _TEXT,
            "issues": {
                "type": "array",
                "items": closed(
                    {
                        "step": {"type": ["integer", "null"]},
                        "fault": {"type": "string", "enum": [fault.value for fault in FAULTS_TO_NAME]},
                        "explanation": _TEXT,
                        "suggested_fix": {"type": ["string", "null"]},
                    }
                ),
            },
        }
    ),
)
"""What the Reviewer's structured output is asked for."""
