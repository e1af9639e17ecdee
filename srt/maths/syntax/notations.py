"""Notations that one sign does not show: repeating decimals, amounts of money, matrices, lengths told in words
(``AB 长为 5``, ``the side AB is 5 cm``), and what a whole text uses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from srt.maths.syntax.expression import Number

_DOTTED = r"(?:\\dot\s*(?:\{\d\}|\d)|\d\u0307)"
_REPEATING = re.compile(
    rf"(\d{{1,20}})\.(\d{{0,20}})(?:\\(?:overline|bar)\s*\{{(\d{{1,20}})\}}|({_DOTTED}(?:\d{{0,20}}{_DOTTED})?))|"
    r"(\d{1,20})\.\((\d{1,20})\)"
)
_AMOUNT = re.compile(r"(?:\\\$|[£€¥￥])\s*(?=\.?\d)")
_FORMULA_DOLLAR = re.compile(r"\$(?!\s?\.?\d)")
_MATRIX = re.compile(r"\\begin\s*\{([pbvVB]?matrix|smallmatrix|array)\}")
_RELATION = re.compile(r"[=<>≈≤≥]|\\(?:leq?|geq?|leqslant|geqslant|approx)(?![a-z])")
_GOES_ON = re.compile(
    r"\s*(?:[=<>≈≤≥+*/×·-]|\\(?:approx|leq?|geq?|times|cdot|quad|end|hline|text|mathrm)(?![a-z])|\\\\|&|$)"
)
_ARROW_AS_BAR = re.compile(r"\\overline\s*\{[^{}]{2,12}\}\s*=\s*(?:\\left\s*)?\(\s*\{?[^(),]{1,30},")
_NAMED_LETTER = re.compile(r"(?<![\w.\\])(?<!\d\s)([mghlsL])\s*[=≈]")
_SIDE = re.compile(r"[A-Z][0-9']*[A-Z][0-9']*")
_IS_LONG = re.compile(r"is|的?长?度?[为是]|的?长度?")
_BEFORE_SIDE = re.compile(
    r"(?:^|[.,;:，。；：、\n(（]|\b(?:where|that|if|length of|side|edge|segment|diameter|radius|height)|"
    r"[若知设棱边高径段线弦])\s{0,20}\$?$"
)
_PLAIN_LENGTH = re.compile(
    r"\s*+(?:\$\s*+)?\d+(?:\.\d+)?[^\S\n]*+(?:(?:[cdmk]?m\b|厘米|分米|米|inch(?:es)?|units?)[^\S\n]*+)?"
    r"(?:\$[^\S\n]*+)?(?:[.,;，。；、)）\n]|$|and\b)"
)


@dataclass(frozen=True)
class Conventions:
    """What a whole text shows of how it is written."""

    dollars_are_money: bool
    """Every dollar sign stands before an amount."""
    bars_are_arrows: bool
    """``\\overline{AB} = (1, 2, 3)``: a bar over two points is an arrow."""
    named_letters: frozenset[str]
    """Letters that may be units, and are set to a value here: ``m = 3``."""


def conventions_of(text: str) -> Conventions:
    """The conventions of ``text``."""
    return Conventions(
        _FORMULA_DOLLAR.search(text) is None,
        _ARROW_AS_BAR.search(text) is not None,
        frozenset(_NAMED_LETTER.findall(text)),
    )


def repeating_decimal(start: Number, digits: str) -> Number:
    """``start`` with ``digits`` repeated after it for ever: 0.1 and 6 are one sixth."""
    first = Fraction(1, 10 ** (start.decimals or 0))
    return Number(start.value + first * Fraction(int(digits), 10 ** len(digits) - 1))


def repeating_decimal_at(text: str, at: int) -> tuple[Number, int] | None:
    """The repeating decimal at ``at`` and where it ends: ``0.(3)``, ``0.1\\overline{6}``, ``0.\\dot{8}\\dot{1}``."""
    found = _REPEATING.match(text, at)
    if found is None:
        return None
    whole, digits, under_bar, under_dots, alone, in_brackets = found.groups()
    period = re.sub(r"\D", "", under_bar or under_dots or in_brackets)
    start = Number(Fraction(f"{whole or alone}.{digits or 0}"), len(digits or "") or None)
    return repeating_decimal(start, period), found.end()


def currency_end(text: str, at: int) -> int | None:
    """Where the sign of a currency before an amount ends; ``None`` if none stands at ``at``."""
    found = _AMOUNT.match(text, at)
    return found.end() if found else None


def begins_cell(text: str, after: int) -> bool:
    """Whether the ``&`` before ``after`` parts two cells of a row, and does not only align a formula."""
    return _GOES_ON.match(text, after) is None


def matrix_end(text: str, at: int, bracketed: bool) -> int | None:
    """Where the matrix or table that begins at ``at`` ends.

    ``None`` for a system: a matrix with relations in it, or an array that is not ``bracketed`` and has no rule.
    """
    begin = _MATRIX.match(text, at)
    if begin is None:
        return None
    close = f"\\end{{{begin[1]}}}"
    end = text.find(close, begin.end())
    if end < 0:
        return None
    body = text[begin.end() : end]
    table = begin[1] == "array" and "\\hline" in body
    matrix = (begin[1] != "array" or bracketed) and _RELATION.search(body) is None
    return end + len(close) if table or matrix else None


def tells_length(text: str, name: str, start: int, verb: re.Match[str]) -> bool:
    """Whether ``verb`` says what the length of the side ``name``, which begins at ``start``, is: a plain number.

    What is said of more than the side (``the distance from P to AB is 5``, ``AB is 5 cm longer``) is not read.
    """
    return (
        _SIDE.fullmatch(name) is not None
        and _IS_LONG.fullmatch(verb[0]) is not None
        and _BEFORE_SIDE.search(text[max(0, start - 30) : start]) is not None
        and _PLAIN_LENGTH.match(text, verb.end()) is not None
    )
