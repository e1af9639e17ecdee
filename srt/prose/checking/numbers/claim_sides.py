"""The sides of the claims of a step as expressions, read again from the text where they stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from srt.io.records import Lang
from srt.language.trace import ClaimCheck
from srt.maths.equal_values import readings
from srt.maths.syntax.expression import Expression
from srt.maths.syntax.lexing.lexer import tokens_of
from srt.maths.syntax.lexing.token_writer import Token
from srt.maths.syntax.readings import readings_of

_RELATION = re.compile(r" (=|≈|<=|>=|!=|<|>) ")


@dataclass(frozen=True)
class ClaimSides:
    """The ``check`` of a claim and its two sides, ``None`` if one of them cannot be read again.

    ``equates``: the sides are known to be equal.
    """

    check: ClaimCheck
    sides: tuple[Expression, Expression] | None
    equates: bool


def sides_of(assertion: str, lang: Lang, claims: Sequence[ClaimCheck]) -> tuple[ClaimSides, ...]:
    """The sides of the decided ``claims``, which were found in ``assertion`` (or stand beside it, at its end)."""
    tokens = tokens_of(assertion, lang)
    return tuple(_sides(tokens, check) for check in claims if check.support != "unchecked")


def _sides(tokens: Sequence[Token], check: ClaimCheck) -> ClaimSides:
    said: list[list[Token]] = [[]]
    for token in tokens:
        if token.start >= check.start and token.end <= check.end:
            if token.kind == "rel":
                said.append([])
            else:
                said[-1].append(token)
    parts = _RELATION.split(check.claim)
    found = [_side(said[place] if len(said) > 1 else [], parts[place]) for place in (0, -1)]
    equates = check.support == "computed" and len(parts) == 3 and parts[1] in "=≈"
    left, right = found
    return ClaimSides(check, None if left is None or right is None else (left, right), equates)


def _side(tokens: Sequence[Token], normal_form: str) -> Expression | None:
    tree = readings_of([tokens]).first if tokens else None
    return tree if tree is not None else next(iter(readings(normal_form)), None)
