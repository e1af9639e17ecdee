"""The traces that MathSpatial publishes, as traces of ours: operations and assertions, without arguments.

A trace is in a field ``atomic_cot_gpt_4o_*`` of ``data.json``: an object, or a string that should be one (some 93% are
valid JSON; the others are refused, never repaired). Of several such fields the newest is taken, the one whose numbers
in the name are highest. The trace's id ends in the field's name.
"""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

from srt.answers.equality import TRAINING, equal_to_gold
from srt.answers.written_form import canonical_text
from srt.corpora.corpus_reader import ImportRefusal, ImportRefusalReason
from srt.io.records import Problem
from srt.io.strict_json import JsonFault, load_json
from srt.language.trace import Operation, Step, Trace

TEACHER = "gpt-4o (published, no arguments)"
FIELD = "atomic_cot_gpt_4o"

_OPERATIONS: dict[str, Operation] = {
    "correlate": "CORRELATE",
    "corr": "CORRELATE",
    "constrain": "CONSTRAIN",
    "cons": "CONSTRAIN",
    "infer": "INFER",
}
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def published_trace(row: dict[str, Any], problem: Problem) -> Trace | ImportRefusal:
    """The published trace of ``problem`` from its ``data.json``, or a refusal with the reason.

    A trace whose answer does not equal gold is refused. One that writes gold in another way gets gold's own text.
    """
    field = max((name for name in row if name.startswith(FIELD) and row[name]), key=_age, default=None)
    if field is None:
        return _refused(problem, "no_trace", f"{FIELD}_*: no such field, or an empty one")
    try:
        steps, answer = _take_apart(row[field])
    except ValueError as error:
        return _refused(problem, "trace_malformed", f"{field}: {error}")
    if not answer:
        return _refused(problem, "trace_without_answer", f"{field}: final_answer: missing")
    if problem.answer is not None and not equal_to_gold(problem, answer, TRAINING).equal:
        gold = canonical_text(problem.answer)
        return _refused(problem, "disagrees_with_gold", f"{field}: final_answer: {answer[:80]!r}, gold is {gold!r}")
    return Trace(
        id=f"{problem.id}/{field}",
        problem_id=problem.id,
        kind="free",
        lang="zh" if any(_CHINESE.search(step.assertion or "") for step in steps) else "en",
        steps=tuple(steps),
        answer=canonical_text(problem.answer) if problem.answer else answer,
        teacher=TEACHER,
    )


def _take_apart(value: Any) -> tuple[list[Step], str]:
    if isinstance(value, str):
        value = value.strip()
        if value.startswith("```") and value.endswith("```") and "\n" in value:  # a Markdown block
            value = value.partition("\n")[2].removesuffix("```")
        try:
            value = load_json(value)
        except JsonFault as error:
            raise ValueError(f"a string: {error}") from None
    if not isinstance(value, dict):
        raise ValueError(f"an object was expected, not {type(value).__name__}")
    reasoning = value.get("reasoning")
    if not isinstance(reasoning, list) or not reasoning:
        raise ValueError("reasoning: a list of steps was expected")
    answer = value.get("final_answer")
    return [_step(number, said) for number, said in enumerate(reasoning, 1)], _answer_text(answer)


def _step(number: int, said: Any) -> Step:
    if not isinstance(said, dict):
        raise ValueError(f"reasoning: step {number}: an object was expected, not {type(said).__name__}")
    word, text = said.get("op"), said.get("step")
    op = _OPERATIONS.get(word.strip().casefold()) if isinstance(word, str) else None
    if op is None:
        raise ValueError(f"reasoning: step {number}: op: Correlate, Constrain or Infer was expected, not {word!r:.40}")
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"reasoning: step {number}: step: a text was expected")
    try:
        return Step(op=op, assertion=text)
    except ValidationError as error:
        raise ValueError(f"reasoning: step {number}: {error.errors(include_url=False)[0]['msg']}") from None


def _answer_text(value: Any) -> str:
    if isinstance(value, bool):
        return ""
    if isinstance(value, int | float):
        return str(value)
    return " ".join(value.split()) if isinstance(value, str) else ""


def _age(field: str) -> tuple[tuple[tuple[int, str], ...], str]:
    numbers = (number.lstrip("0") for number in re.findall(r"\d+", field.removeprefix(FIELD)))
    # Compared as text, the longer number being the larger: int() refuses thousands of digits.
    return tuple((len(number), number) for number in numbers), field


def _refused(problem: Problem, reason: ImportRefusalReason, detail: str) -> ImportRefusal:
    return ImportRefusal(item=problem.id, what="trace", reason=reason, detail=detail)
