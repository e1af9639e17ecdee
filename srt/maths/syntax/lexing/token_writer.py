"""A token, and the place where the readers of the lexer write them, with what they know of the text so far."""

from __future__ import annotations

import re
from dataclasses import dataclass

from srt.maths.syntax.expression import Number
from srt.maths.syntax.notations import conventions_of
from srt.maths.syntax.spellings import WIDE
from srt.maths.units.unit import Unit

_FORMULAS = re.compile(r"\\(?:frac|overrightarrow|vec|sqrt)(?![a-z])")


@dataclass(frozen=True)
class Token:
    """Characters ``[start, end)`` of the text. ``text``: what it stands for; ``gap``: white space stands before it."""

    kind: str
    text: str
    start: int
    end: int
    gap: bool = False
    number: Number | None = None
    unit: Unit | None = None


class TokenWriter:
    """The tokens of a text up to the place that is read now.

    ``articles``: a lone ``a`` before a word is an article.
    """

    def __init__(self, text: str, articles: bool) -> None:
        self.articles = articles
        self.source = text
        self.text = text.translate(WIDE)
        self.at = 0
        self.math = False
        self.bare = "$" not in text and _FORMULAS.search(text) is not None
        """Formulas stand without delimiters: ``\\frac{2m+1}{3}`` names an m."""
        self.depth = 0
        self.conventions = conventions_of(text)
        self.gap = False
        self.out: list[Token] = []

    def _emit(self, kind: str, text: str, end: int, number: Number | None = None, unit: Unit | None = None) -> bool:
        self.out.append(Token(kind, text, self.at, end, self.gap, number, unit))
        self.at, self.gap = end, False
        return True

    def _skip(self, end: int) -> bool:
        self.at, self.gap = end, True
        return True

    def _last(self, *kinds: str) -> bool:
        return bool(self.out) and self.out[-1].kind in kinds

    def _after(self, *kinds: str) -> bool:
        """Whether the last token, delimiters of formulas left out, is of one of ``kinds``."""
        last = next((token for token in reversed(self.out[-2:]) if token.kind != "edge"), None)
        return last is not None and last.kind in kinds
