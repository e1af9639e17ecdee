"""The Reviewer: a model that audits every step of a candidate and names what is wrong (:mod:`.review_classes`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from srt.io.records import Lang, Problem
from srt.language.faults import Fault
from srt.language.text import answer_line, step_line
from srt.language.trace import Trace, TraceKind, one_line
from srt.llm.exchange import Answered, LlmContext, Outcome, Unusable, ask_usable
from srt.llm.fence import Own
from srt.llm.prompt_templates import NONE, official_solution, problem_fields
from srt.llm.request import JsonSchema, closed_object, within
from srt.teaching.case_store.case_records import Issue, ModelRole
from srt.teaching.loop.candidate import form_of_trace, storable
from srt.teaching.loop.review_classes import class_lines, review_class, review_classes

MAX_ISSUES = 50
_MOST = {"token": 32, "analysis": 8000, "issues": MAX_ISSUES, "explanation": 1000, "suggested_fix": 1000}
"""Items and characters of the parts of a review, where the schema is bounded."""
_DOUBT: dict[Lang, str] = {
    "en": "Does the answer at the end of the reasoning mean the same as the given answer? A machine cannot tell. If it "
    f"does not, that is an issue of the class {Fault.WRONG_ANSWER.value}.",
    "zh": f"推理末尾的答案与给定的答案意思相同吗？机器无法判断。若不同，请报告一条 {Fault.WRONG_ANSWER.value}。",
}


async def review(
    problem: Problem, trace: Trace, context: LlmContext, doubt: str | None = None
) -> Answered[tuple[Issue, ...]]:
    """The issues that the Reviewer raises on ``trace``.

    ``doubt`` says that the machine could not tell whether the answer is the given one.

    Raises what ``context.ask`` raises about the whole run.
    """
    fields = {
        **problem_fields(problem),
        "solution": official_solution(problem),
        "candidate": candidate_text(trace),
        "rules": context.templates.piece(f"rules_{form_of_trace(problem, trace)}", problem.lang, {}),
        "faults": Own(class_lines(trace.kind, problem.lang)),
        # The two answers stand above it: the question itself has no words of others, as it had once.
        "doubt": Own(_DOUBT[problem.lang], before=doubt) if doubt else Own(NONE[problem.lang]),
    }
    read = partial(read_review, steps=len(trace.steps))
    return await ask_usable(
        context, ModelRole.REVIEWER, problem, "reviewer", fields, review_schema(trace.kind, len(trace.steps)), read
    )


def candidate_text(trace: Trace) -> str:
    """``trace`` as prompts show it: its text with the steps numbered."""
    lines = trace.text.split("\n") if trace.text else []
    lines += [f"{number}. {step_line(step, trace.lang)}" for number, step in enumerate(trace.steps, 1)]
    return "\n".join([*lines, answer_line(trace.answer, trace.lang)])


def read_review(payload: Mapping[str, Any], steps: int) -> tuple[Issue, ...]:
    """The issues in a Reviewer's answer about a trace of ``steps`` steps.

    A finer class of fault becomes the one that a Reviewer names, an unknown word ``does_not_follow``, with the word
    kept in the explanation, and a step that does not exist becomes the whole trace: no objection is lost over its
    label.

    Raises:
        Unusable: it is not a list of issues.
    """
    listed = payload.get("issues")
    if not isinstance(listed, list):
        raise Unusable(Outcome.MALFORMED, '"issues" is not a list')
    return tuple(_issue(raw, number, steps) for number, raw in enumerate(listed[:MAX_ISSUES], 1))


def _issue(raw: Any, number: int, steps: int) -> Issue:
    if not isinstance(raw, Mapping):
        raise Unusable(Outcome.MALFORMED, f"issue {number} is not an object")
    explanation, fix = _clean_text(raw.get("explanation")), _clean_text(raw.get("suggested_fix"))
    word = _clean_text(raw.get("fault")).casefold().replace(" ", "_").replace("-", "_")
    fault = review_class(word)
    if fault is None or fault != word:
        fault, explanation = fault or Fault.DOES_NOT_FOLLOW, f"{word or 'no class'}: {explanation}"
    return Issue(
        by="reviewer",
        step=_step(raw.get("step"), steps),
        fault=fault,
        explanation=explanation or fault.explanation,
        suggested_fix=fix or None,
    )


def _step(value: Any, steps: int) -> int | None:
    if isinstance(value, str):
        # No more digits than a step can have: int() refuses thousands of them.
        digits = value.strip().removeprefix("#")
        value = int(digits) if digits.isdecimal() and len(digits) < 5 else None
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 1 <= value <= steps else None


def _clean_text(value: Any) -> str:
    return one_line(storable(value)) if isinstance(value, str) else ""


def review_schema(kind: TraceKind, steps: int) -> JsonSchema:
    """The JSON schema of a review of a trace of ``kind`` with so many ``steps``. The analysis comes first: a model that
    has named no issue yet can still find one."""
    text = {"type": "string"}
    issue = {
        "step": {"type": ["integer", "null"]},
        "fault": {"type": "string", "enum": [fault.value for fault in review_classes(kind)]},
        "explanation": text,
        "suggested_fix": {"type": ["string", "null"]},
    }
    issues = {"type": "array", "items": closed_object(issue)}
    review = closed_object({"token": text, "analysis": text, "issues": issues})
    bounded = within(review, _MOST)
    bounded["properties"]["issues"]["items"]["properties"]["step"]["enum"] = [*range(1, steps + 1), None]
    return JsonSchema(name="review", definition=review, bounded=bounded)
