"""The problem of a row, as another trainer hands it over."""

from __future__ import annotations

from functools import lru_cache

from pydantic import ValidationError

from srt.io.errors import UserError
from srt.io.records import Problem


def given_problem(value: object, key: str) -> Problem:
    """The problem that ``value``, which a trainer has under ``key``, is the JSON of.

    Raises:
        UserError: it is no text, or not the JSON of a problem.
    """
    if not isinstance(value, str):
        raise UserError(f"{key}: {type(value).__name__}; a problem as JSON text was expected, as srt build writes it")
    return _read(value, key)


@lru_cache(maxsize=8192)
def _read(text: str, key: str) -> Problem:
    try:
        return Problem.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise UserError(f"{key}: no problem as srt build writes it: {place or text[:40]}: {first['msg']}") from None
