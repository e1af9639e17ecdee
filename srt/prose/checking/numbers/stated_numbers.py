"""The numbers that a text states: in digits, in words, as fractions and as per cents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from srt.io.records import Lang
from srt.maths.syntax.lexing.lexer import tokens_of
from srt.maths.syntax.lexing.token_writer import Token
from srt.maths.units.unit import Unit
from srt.maths.work import remembered

_REFERENCE = re.compile(
    r"#\s?\d+|\b(?:steps?|figures?|fig\.|parts?|cases?|options?|view|question|problem)\s+\(?\d+\)?(?:\s*(?:,|and)\s*\d+)*"
    r"|第\s*\d+\s*[步问题]|步骤\s*\d+|[图问题]\s*\d+|情况\s*\d+|[(（]\d{1,2}[)）]|[①-⑳]",
    re.IGNORECASE,
)
"""Numbers of steps, clues, figures and cases: they count nothing."""
_SMALL = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
          "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
          "seventeen": 17, "eighteen": 18, "nineteen": 19}  # fmt: skip
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_PARTS = {"half": 2, "halves": 2, "halved": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4,
          "fourths": 4, "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6, "eighth": 8, "eighths": 8}  # fmt: skip
_TIMES = {"twice": 2, "double": 2, "doubled": 2, "doubles": 2, "both": 2, "pair": 2, "thrice": 3, "triple": 3,
          "tripled": 3, "dozen": 12, "hundred": 100, "thousand": 1000}  # fmt: skip
_WORDS = _SMALL | _TENS | _TIMES
_ENGLISH = re.compile(
    rf"\b(?!three[- ](?:views?|dimension))(?:({'|'.join(_TENS)})[- ]({'|'.join(list(_SMALL)[1:10])})"
    rf"|({'|'.join([*_WORDS, *_PARTS])}))\b",
    re.IGNORECASE,
)
_HAN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2, "双": 2, "俩": 2}
_HAN_PLACES = {"十": 10, "百": 100, "千": 1000}
_HAN = "[零一二三四五六七八九两双俩十百千]+"
_CHINESE = re.compile(rf"两两|({_HAN})分之({_HAN})|(半)|(?<!百分之)({_HAN})(?!分之|角|视|维|[米克]|平方)")


@dataclass(frozen=True)
class WrittenNumber:
    """A number as ``text`` writes it, and its ``values``: ``half`` is 1/2, and 2 to divide by; ``unit`` follows it."""

    text: str
    values: tuple[Fraction, ...]
    unit: Unit | None = None


@remembered(maxsize=256)
def numbers_in(text: str, lang: Lang | None = None) -> tuple[WrittenNumber, ...]:
    """The numbers that ``text`` states, exponents and numbers of steps and figures left out."""
    plain = without_references(text)
    return (*_in_digits(tokens_of(plain, lang)), *_in_english(plain), *_in_chinese(plain))


def without_references(text: str) -> str:
    """``text`` with the numbers of steps, clues, figures and cases blanked out."""
    return _REFERENCE.sub(lambda match: " " * len(match[0]), text)


def values_in(text: str, lang: Lang | None = None) -> frozenset[Fraction]:
    """All values of :func:`numbers_in`."""
    return frozenset(value for number in numbers_in(text, lang) for value in number.values)


def _in_digits(tokens: Sequence[Token]) -> Iterator[WrittenNumber]:
    inline = [token for token in tokens if token.kind != "edge"]
    for at, token in enumerate(inline):
        if token.number is None or token.kind != "number" or _is_exponent(inline, at):
            continue
        value = token.number.value
        after = inline[at + 1] if at + 1 < len(inline) else None
        percent = after is not None and after.kind == "percent"
        yield WrittenNumber(token.text, (value, value / 100) if percent else (value,), after.unit if after else None)
        yield from _fraction(inline, at)


def _is_exponent(tokens: Sequence[Token], at: int) -> bool:
    before = [token.text for token in tokens[max(0, at - 2) : at]]
    return before[-1:] == ["^"] or (before[:1] == ["^"] and tokens[at - 1].kind in ("lbrace", "op"))


def _fraction(tokens: Sequence[Token], at: int) -> Iterator[WrittenNumber]:
    """``1/2``, ``1:2``, ``\\frac{1}{2}`` and ``\\frac12`` from the numerator at ``at``."""
    above = tokens[at].number
    rest = tokens[at + 1 : at + 4]
    kinds = [token.kind for token in rest]
    below: Token | None = None
    if kinds[1:2] == ["number"] and (rest[0].text in "/÷∶:" or rest[0].kind == "ratio"):
        below = rest[1]
    elif kinds == ["rbrace", "lbrace", "number"]:
        below = rest[2]
    elif kinds[:1] == ["number"] and at and tokens[at - 1].kind == "frac":
        below = rest[0]
    if above is not None and below is not None and below.number is not None and below.number.value:
        yield WrittenNumber(f"{tokens[at].text}/{below.text}", (above.value / below.number.value,))


def _in_english(text: str) -> Iterator[WrittenNumber]:
    for match in _ENGLISH.finditer(text):
        if match[1]:
            value = _TENS[match[1].casefold()] + _SMALL[match[2].casefold()]
        elif part := _PARTS.get(match[3].casefold()):
            yield WrittenNumber(match[0], (Fraction(1, part), Fraction(part)))
            continue
        else:
            value = _WORDS[match[3].casefold()]
        yield WrittenNumber(match[0], (Fraction(value),))


def _in_chinese(text: str) -> Iterator[WrittenNumber]:
    for match in _CHINESE.finditer(text):
        if match[3]:
            yield WrittenNumber(match[0], (Fraction(1, 2), Fraction(2)))
        elif match[4]:
            yield WrittenNumber(match[0], (Fraction(_han(match[4])),))
        elif match[1] and (below := _han(match[1])):
            yield WrittenNumber(match[0], (Fraction(_han(match[2]), below), Fraction(_han(match[2])), Fraction(below)))


def _han(numeral: str) -> int:
    """``二十四`` is 24; digits alone stand beside each other, ``二四`` is 24 too."""
    total = digit = 0
    for char in numeral[:12]:
        if place := _HAN_PLACES.get(char):
            total += max(digit, 1) * place
            digit = 0
        else:
            digit = 10 * digit + _HAN_DIGITS[char]
    return total + digit
