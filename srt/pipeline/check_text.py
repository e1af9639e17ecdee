"""Check what a model wrote: parse its text as a trace, and check the steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pydantic import ValidationError

from srt.answers.extraction import without_think_tags
from srt.io.errors import UserError
from srt.io.records import Problem
from srt.language.text import TraceSyntaxError, parse
from srt.language.trace import Trace, TraceCheck, TraceKind


class TextCheck(NamedTuple):
    """What a text is: ``kind`` is ``None`` if it is no trace, and ``fault`` says why.

    ``check`` has the verdicts on the steps; a cot trace has no steps to check. ``refusal`` says why a trace could not
    be checked.
    """

    kind: TraceKind | None = None
    check: TraceCheck | None = None
    fault: str | None = None
    refusal: str | None = None


def check_text(
    problem: Problem, text: str, trace_id: str, checker: Callable[[Problem, Trace], TraceCheck]
) -> TextCheck:
    """Parse ``text``, a model's output for ``problem``, and check its steps with ``checker``. No text is an error."""
    try:
        parsed = parse(without_think_tags(text))
    except TraceSyntaxError as error:
        return TextCheck(fault=str(error))
    if parsed.kind == "cot":
        return TextCheck(kind="cot")
    try:
        return TextCheck(kind=parsed.kind, check=checker(problem, parsed.trace(trace_id, problem.id)))
    except (UserError, ValidationError) as error:
        return TextCheck(kind=parsed.kind, refusal=" ".join(str(error).split()))
