"""The traces that MathSpatial publishes, as traces of ours: operations and assertions, without arguments.

A trace stands in a field ``atomic_cot_gpt_4o_*`` of ``data.json``: an object, or a string that should be one (some 93%
are valid JSON; the others are refused, never repaired). Where there are several such fields, the newest is taken: the
one whose numbers in the name are highest. The trace's id ends in the field's name.
"""

from __future__ import annotations

import re
from typing import Any

import orjson
from pydantic import ValidationError

from srt.answers import canonical_text, read_answer, same
from srt.corpora.gold import read_gold
from srt.corpora.item import NotImported, Why
from srt.language.trace import Operation, Step, Trace
from srt.prose import equal_values
from srt.records import Answer, Lang, Problem

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


def published_trace(row: dict[str, Any], problem: Problem) -> Trace | NotImported:
    """The published trace of ``problem`` from its ``data.json``; what cannot be one of ours is refused with a reason.

    A trace that reaches another answer than gold is no trace. One that says gold in other words gets gold's own text.
    """
    fields = sorted((name for name in row if name.startswith(FIELD)), key=_age)
    field = next((name for name in reversed(fields) if row[name]), None)
    if field is None:
        return _refused(problem, "no_trace", f"{FIELD}_*: no such field, or an empty one")
    try:
        steps, answer = _take_apart(row[field])
    except ValueError as error:
        return _refused(problem, "trace_malformed", f"{field}: {error}")
    if not answer:
        return _refused(problem, "trace_without_answer", f"{field}: final_answer: missing")
    if problem.answer is not None and not _reaches(problem.answer, answer, problem):
        gold = canonical_text(problem.answer)
        return _refused(problem, "disagrees_with_gold", f"{field}: final_answer: {answer[:80]!r}, gold is {gold!r}")
    return Trace(
        id=f"{problem.id}/{field}",
        problem_id=problem.id,
        kind="free",
        lang=_lang(steps),
        steps=tuple(steps),
        answer=canonical_text(problem.answer) if problem.answer else answer,
        teacher=TEACHER,
    )


def _take_apart(value: Any) -> tuple[list[Step], str]:
    if isinstance(value, str):
        try:
            value = orjson.loads(_without_fence(value.strip()))
        except orjson.JSONDecodeError as error:
            raise ValueError(f"a string that is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ValueError(f"an object was expected, not {type(value).__name__}")
    reasoning = value.get("reasoning")
    if not isinstance(reasoning, list) or not reasoning:
        raise ValueError("reasoning: a list of steps was expected")
    answer = value.get("final_answer")
    return [_step(number, said) for number, said in enumerate(reasoning, 1)], _answer_text(answer)


def _without_fence(text: str) -> str:
    """Without the fence of a Markdown block around the whole."""
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        return text.partition("\n")[2].removesuffix("```")
    return text


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


def _reaches(gold: Answer, answer: str, problem: Problem) -> bool:
    if gold.kind == "choice_set":
        given = read_answer(answer, "choice_set", problem.choices).answer
        return given is not None and same(gold, given)
    given = read_gold(answer, {}, choice=False).answer
    return given is not None and _equal(gold, given)


def _equal(gold: Answer, given: Answer) -> bool:
    """Equal as answers, or exactly equal in value; a unit that one of them leaves out does not part them."""
    if same(gold, given):
        return True
    if gold.kind == "parts" and given.kind == "parts":
        return len(gold.value) == len(given.value) and all(map(_equal, gold.value, given.value))
    values = ("number", "expression")
    if gold.kind not in values or given.kind not in values or (gold.unit and given.unit and gold.unit != given.unit):
        return False
    return equal_values(str(gold.value), str(given.value)) is True


def _lang(steps: list[Step]) -> Lang:
    return "zh" if any(_CHINESE.search(step.assertion or "") for step in steps) else "en"


def _age(field: str) -> tuple[tuple[tuple[int, str], ...], str]:
    numbers = (number.lstrip("0") for number in re.findall(r"\d+", field.removeprefix(FIELD)))
    return tuple((len(number), number) for number in numbers), field


def _refused(problem: Problem, reason: Why, detail: str) -> NotImported:
    return NotImported(item=problem.id, what="trace", reason=reason, detail=detail)
