"""A draft from the editor, read as a trace; every fault names its step and field."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, ValidationError

from srt.answers.written_form import canonical_text, expected_kind, read_answer
from srt.io.records import Lang, Problem, Record
from srt.language.premises import canonical, parse_premise
from srt.language.trace import Operation, Step, Trace, TraceKind

DraftField = Literal["premises", "text", "answer"]
# A quoted name, or anything without a separator, Chinese ones included.
_PREMISE = re.compile(r'"(?:\\.|[^"\\])*"|[^\s,，、]+')
_MAX_CHARS = 20_000


class DraftStep(Record):
    """One row of the editor. ``premises`` are separated by spaces or commas, in the trace's language."""

    op: Operation
    premises: str = Field(default="", max_length=_MAX_CHARS)
    text: str = Field(default="", max_length=_MAX_CHARS)


class Draft(Record):
    """The editor's content: ``steps`` of a world or free trace, or the ``text`` of a cot trace."""

    steps: tuple[DraftStep, ...] = Field(default=(), max_length=500)
    text: str | None = Field(default=None, max_length=5 * _MAX_CHARS)
    answer: str = Field(max_length=_MAX_CHARS)


@dataclass(frozen=True)
class DraftFault:
    """A reason why a draft is not a trace. ``step`` counts from 1; ``None`` is the draft as a whole."""

    step: int | None
    field: DraftField
    message: str


def read_draft(
    draft: Draft, problem: Problem, kind: TraceKind, old: Trace | None, who: str
) -> Trace | list[DraftFault]:
    """``draft`` as a trace of ``kind``, or all its faults.

    The trace keeps the id of ``old``, the trace that was edited, if there is one. Its teacher is the person, ``who``.
    """
    lang = old.lang if old else problem.lang
    faults: list[DraftFault] = []
    steps = []
    for number, row in enumerate(draft.steps if kind != "cot" else (), 1):
        step = _step(row, number, kind, lang, old)
        if isinstance(step, Step):
            steps.append(step)
        else:
            faults.append(step)
    if kind != "cot" and not draft.steps:
        faults.append(DraftFault(None, "text", "a trace needs at least one step"))
    if kind == "cot" and not (draft.text or "").strip():
        faults.append(DraftFault(None, "text", "the text is empty"))
    if not draft.answer.strip():
        faults.append(DraftFault(None, "answer", "the answer is empty"))
    if faults:
        return faults
    answer = draft.answer
    # People type letters in any form; a trace has one, and two forms would count as two answers.
    if expected_kind(problem) == "choice_set" and (read := read_answer(answer, "choice_set", problem.choices).answer):
        answer = canonical_text(read)  # "a,c" becomes "A, C"
    return Trace(
        id=old.id if old else f"{problem.id}/person",
        problem_id=problem.id,
        kind=kind,
        lang=lang,
        steps=tuple(steps),
        text=draft.text if kind == "cot" else None,
        answer=answer,
        teacher=who,
    )


def _step(row: DraftStep, number: int, kind: TraceKind, lang: Lang, old: Trace | None) -> Step | DraftFault:
    words = [canonical(word, lang) for word in _PREMISE.findall(row.premises)]
    for word in words:
        try:
            parse_premise(word)
        except ValueError as error:
            return DraftFault(number, "premises", str(error))
    args = tuple(words)
    try:
        if kind == "world":
            return Step(op=row.op, args=args, claim=row.text)
        step = Step(op=row.op, args=args, assertion=row.text)
    except ValidationError:
        return DraftFault(number, "text", "the step is empty")
    # A claim found in an assertion stays with it until somebody rewords it.
    claims = {one.assertion: one.claim for one in old.steps} if old else {}
    return step.model_copy(update={"claim": claims.get(step.assertion)})
