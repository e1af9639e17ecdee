"""Numbers that are not in plain digits: mixed numbers, fractions in Chinese, whole numbers up to 99 in words.

``3 1/2``, ``3\\frac{1}{2}`` and 3又1/2 are 3 + 1/2: no products, and no two numbers.
"""

from __future__ import annotations

import re

_INTEGERS = r"(?<![\w.,^}/)])(\d{1,6})"
_MIXED = (
    re.compile(_INTEGERS + r"\s*+又?\s*+\\frac\s*+(?:\{\s*+(\d{1,6})\s*+\}\s*+\{\s*+(\d{1,6})\s*+\}|(\d)(\d))"),
    re.compile(_INTEGERS + r"(?:\s+|\s*又\s*)(\d{1,6})\s*/\s*(\d{1,6})(?![\d.])"),
    re.compile(_INTEGERS + r"\s*又\s*(?P<han>\d{1,6})\s*分之\s*(\d{1,6})"),
)
_HAN_FRACTION = re.compile(r"(\d{1,6})\s*分之\s*(\d{1,6})")
_HAN_DIGITS = re.compile(
    r"(?<![零一二三四五六七八九十两])[零一二三四五六七八九十两]++(?=\s*+(?:又|分之))|(?<=又|之)[零一二三四五六七八九十两]+"
)
_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ENGLISH = {word: number for number, word in enumerate(_ONES)} | {
    f"{tens}{f'-{ones}' if ones else ''}": 20 + 10 * place + unit
    for place, tens in enumerate(_TENS)
    for unit, ones in enumerate(["", *_ONES[1:10]])
}
_HAN = "零一二三四五六七八九"
_HAN_NUMBER = re.compile(rf"(?:([{_HAN}两])?(十)([{_HAN}])?|([{_HAN}两]))(?![十百千万分{_HAN}])")
_WORD = re.compile(r"[A-Za-z]+(?:[- ](?:one|two|three|four|five|six|seven|eight|nine)(?![a-z]))?", re.I)


def with_sums(text: str) -> str:
    """``text`` with its mixed numbers as sums, and 三分之二 in digits (3分之2) as a fraction."""

    def as_sum(match: re.Match[str]) -> str:
        whole, above, below = [group for group in match.groups() if group is not None]
        if "han" in match.groupdict():
            above, below = below, above
        return f"({whole}+{above}/{below})" if int(above) < int(below) else match[0]

    if "分之" in text:
        text = _HAN_DIGITS.sub(lambda match: number_in_words(match[0]) or match[0], text)
    if "/" in text or "frac" in text or "又" in text:
        for pattern in _MIXED:
            text = pattern.sub(as_sum, text)
    return _HAN_FRACTION.sub(r"(\2/\1)", text) if "分之" in text else text


def number_in_words(text: str) -> str | None:
    """``text`` with the number word that it begins with in digits; ``None`` where it does not begin with one."""
    match = _WORD.match(text)
    if match is not None:
        found = _ENGLISH.get(re.sub(r"\s+", "-", match[0].casefold()))
        return None if found is None else f"{found}{text[match.end() :]}"
    match = _HAN_NUMBER.match(text)
    if match is None:
        return None
    digits = {character: number for number, character in enumerate(_HAN)} | {"两": 2}
    if match[4]:
        number = digits[match[4]]
    else:
        number = 10 * (digits[match[1]] if match[1] else 1) + (digits[match[3]] if match[3] else 0)
    return f"{number}{text[match.end() :]}"
