"""What is judged is whole: checked once, at the door, so that nothing behind it has to ask again."""

from __future__ import annotations

from typing import get_args

from pydantic import ValidationError

from srt.io.errors import UserError
from srt.io.records import FROM_FILE, FinishReason, Problem

_REASONS: tuple[str, ...] = get_args(FinishReason)


def refuse_unreadable(problem: object, text: object, finish_reason: object) -> None:
    """Raise a :class:`UserError` unless these are a whole problem, a text, and one of the finish reasons.

    A problem that was changed with ``model_copy(update=...)`` was checked by nobody.
    """
    if not isinstance(problem, Problem):
        raise UserError(f"problem: of type {type(problem).__name__}; a Problem was expected")
    if not isinstance(text, str):
        raise UserError(f"text: of type {type(text).__name__}; what a model wrote was expected, as a str")
    if finish_reason not in _REASONS:
        raise UserError(f"finish_reason {finish_reason!r}: one of {', '.join(_REASONS)} was expected")
    try:
        # As from a file: a file may call its splits what it likes.
        Problem.model_validate(problem.model_dump(warnings=False), context=FROM_FILE)
    except (ValidationError, AttributeError, TypeError, ValueError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else {"loc": (), "msg": str(error)}
        place = ".".join(map(str, first["loc"]))
        raise UserError(f"problem {problem.id!r}: {place or 'its fields'}: {first['msg']}") from None
