"""Where a parser is in the tokens of one side of a claim, and in which senses it takes forms that have two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from srt.maths.syntax.expression import Number
from srt.maths.syntax.lexing.token_writer import Token


class Unreadable(Exception):
    """The tokens are no expression that is understood."""


Choice = Literal[
    "divisor", "fraction", "percent", "logarithm", "tower", "product", "coefficient", "bar", "period", "index"
]
"""A form that is written in two senses, taken in the second:

``divisor``: ``12 ÷ 2π`` and ``6/2(1 + 2)`` divide by all of what stands side by side; else by the first factor.
``fraction``: in ``24 ÷ 2/3`` the fraction is one number; else it is divided by 2, then by 3.
``percent``: the per cent of ``50 + 10%`` are of 50; else of 1.
``logarithm``: ``log`` without a base is the natural one; else to base 10.
``tower``: ``2^2^3`` is computed from the left; else from the right.
``coefficient``: ``1/3 πr`` divides by all of ``3πr``; else one third, a fraction in lowest terms, is a factor. A lone
``1/2π`` is left to ``divisor``.
``product``: ``1\\frac{1}{2}`` is a product; else one and a half.
``bar``: the root of ``√36 + 64``, its bar lost, covers the sum; else the 36.
``period``: ``0.1(6)`` repeats the 6; else it is a product.
``index``: ``16^1/2`` is the root; else half of 16.
"""
Reading = frozenset[Choice]
"""The choices that are taken in their second sense."""


class TokenCursor:
    """The place in ``tokens``, and the choices that were ``asked`` for so far."""

    def __init__(self, tokens: Sequence[Token], reading: Reading) -> None:
        self.tokens, self.reading = tokens, reading
        self.at = self.depth = 0
        self.bars = 0
        self.asked: set[Choice] = set()

    def takes(self, choice: Choice) -> bool:
        """Whether a form that stands here is taken in its second sense."""
        self.asked.add(choice)
        return choice in self.reading

    def kind(self, ahead: int = 0) -> str:
        """The kind of the token that stands ``ahead``."""
        place = self.at + ahead
        return self.tokens[place].kind if place < len(self.tokens) else ""

    def text(self, ahead: int = 0) -> str:
        """The text of the token that stands ``ahead``."""
        place = self.at + ahead
        return self.tokens[place].text if place < len(self.tokens) else ""

    def take(self, kind: str) -> Token:
        """The next token, which must be of ``kind``."""
        if self.kind() != kind:
            raise Unreadable
        self.at += 1
        return self.tokens[self.at - 1]

    def literal(self, token: Token) -> Number:
        """The number that ``token`` is."""
        if token.number is None:
            raise Unreadable
        return token.number
