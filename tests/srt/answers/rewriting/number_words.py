"""Whole numbers in English and Chinese words, by the generator's own rules."""

from __future__ import annotations

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS = {
    2: "half",
    3: "third",
    4: "quarter",
    5: "fifth",
    6: "sixth",
    7: "seventh",
    8: "eighth",
    9: "ninth",
    10: "tenth",
}
_HAN = "零一二三四五六七八九"


def english(number: int, joined: str = "and ") -> str:
    """``one hundred and five``; below a million. ``joined``: what stands after a hundred."""
    if number < 0:
        return f"minus {english(-number, joined)}"
    if number < 20:
        return _ONES[number]
    if number < 100:
        ones = f"-{_ONES[number % 10]}" if number % 10 else ""
        return _TENS[number // 10 - 2] + ones
    if number < 1000:
        rest = f" {joined}{english(number % 100, joined)}" if number % 100 else ""
        return f"{_ONES[number // 100]} hundred{rest}"
    small = number % 1000
    rest = f" {joined if small < 100 else ''}{english(small, joined)}" if small else ""
    return f"{english(number // 1000, joined)} thousand{rest}"


def english_fraction(above: int, below: int) -> str:
    """``three quarters``; denominators up to ten."""
    name = _ORDINALS[below]
    plural = "halves" if below == 2 else f"{name}s"
    return f"{english(above)} {name if above == 1 else plural}"


def has_english_fraction(below: int) -> bool:
    """Whether the fraction has a name here."""
    return below in _ORDINALS


def han(number: int) -> str:
    """``一百零五``; below a hundred million."""
    if number < 0:
        return f"负{han(-number)}"
    if number >= 10_000:
        rest = number % 10_000
        zero = "零" if rest and rest < 1000 else ""
        return f"{han(number // 10_000)}万{zero}{_han_small(rest) if rest else ''}"
    if 10 <= number < 20:
        return "十" + (_HAN[number % 10] if number % 10 else "")
    return _han_small(number)


def _han_small(number: int) -> str:
    if number < 10:
        return _HAN[number]
    text, gap = "", False
    for size, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // size % 10
        if digit:
            text += ("零" if gap and text else "") + _HAN[digit] + sign
            gap = False
        else:
            gap = True
    return text


def han_fraction(above: int, below: int) -> str:
    """``四分之三``."""
    return f"{han(below)}分之{han(above)}"


def han_decimal(text: str) -> str:
    """``三点一四`` of ``3.14``."""
    whole, _, digits = text.partition(".")
    return f"{han(int(whole))}点{''.join(_HAN[int(digit)] for digit in digits)}"
