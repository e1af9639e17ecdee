"""Commas that part the numbers of a list or the thousands of one number, and what a side is in the rarer sense.

``5×4=20,100÷20=5`` has a comma of thousands for most readers, and two equations for its writer; ``12，300×2=24，600``
is the same the other way round. The other sense never shows that a claim is right, but keeps it from being refuted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from srt.maths.syntax.expression import number
from srt.maths.syntax.lexing.token_writer import Token

_BEFORE = re.compile(r"(?<![\d.])(\d{1,3}(?:，\d{3})*)，$")
_AFTER = re.compile(r"((?:，\d{3})+)(?!\d)")
_ONE_COMMA = re.compile(r"(\d+)([,．])(\d+)")
_REACH = 24


def apart_or_together(text: str, tokens: Sequence[Token], middle: bool) -> Iterator[tuple[Token, ...]]:
    """The other senses of the side ``tokens`` of ``text``.

    Its numbers at the ends with what stands beyond their commas; and the parts of a number with a comma, where that is
    in the ``middle`` of a chain: the end of one equation and the beginning of the next.
    """
    first, last = tokens[0], tokens[-1]
    before = _BEFORE.search(text[max(0, first.start - _REACH) : first.start]) if len(first.text) == 3 else None
    after = _AFTER.match(text, last.end)
    if first.kind == "number" and first.text.isdigit() and before:
        tokens = (_number(first, before[1] + first.text), *tokens[1:])
    if last.kind == "number" and last.text.isdigit() and len(last.text) <= 3 and after:
        tokens = (*tokens[:-1], _number(tokens[-1], tokens[-1].text + after[1]))
    if tokens[0] is not first or tokens[-1] is not last:
        yield tuple(tokens)
    for at, token in enumerate(tokens if middle else ()):
        written = _ONE_COMMA.fullmatch(text[token.start : token.end]) if token.kind == "number" else None
        if written:
            yield (*tokens[:at], _number(token, written[1]))
            yield (_number(token, written[3]), *tokens[at + 1 :])


def _number(token: Token, digits: str) -> Token:
    plain = re.sub(r"\D", "", digits)
    return replace(token, text=plain, number=number(Fraction(plain)))
