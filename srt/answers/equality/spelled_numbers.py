"""Numbers in English and Chinese words, as the digits that they stand for: "one hundred and five", 三又四分之三.

A number is read from the start of a text, as far as it goes; "five six" is two numbers, and neither is read.
"""

from __future__ import annotations

import re
from fractions import Fraction

_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL = {word: number for number, word in enumerate(_ONES)} | {
    word: 20 + 10 * place for place, word in enumerate(_TENS)
}
_LARGE = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_PARTS = {
    "half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "hundredth": 100, "thousandth": 1000,
}  # fmt: skip
_PLURALS = {f"{word}s": number for word, number in _PARTS.items()} | {"halves": 2}
_SIGNS = ("minus", "negative")
_WORD = re.compile(r"[ -]{0,2}([A-Za-z]+)(?![A-Za-z])")
_CHANGED = re.compile(r"\s*(?:of|squared|cubed|dozen|times|root)(?![A-Za-z])", re.I)
_MOST_WORDS = 24

_HAN_DIGITS = {sign: number for number, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_SIZES = {"十": 10, "百": 100, "千": 1_000}
_HAN_LARGE = {"万": 10_000, "亿": 100_000_000}
_HAN_SIGN = r"(?:[零〇一二三四五六七八九两十百万亿]|千(?![克米瓦卡牛帕焦伏赫]))"
_HAN_WHOLE = rf"(?:{_HAN_SIGN}{{1,24}}|\d{{1,12}})"
_HAN_NUMBER = re.compile(
    rf"(?P<sign>负?)(?:(?P<percent>百分之(?P<share>{_HAN_WHOLE}(?:点[零〇一二三四五六七八九]{{1,12}}|\.\d{{1,12}})?))"
    rf"|(?:(?P<mixed>{_HAN_WHOLE})又)?(?P<below>{_HAN_WHOLE})分之(?P<above>{_HAN_WHOLE})"
    rf"|(?P<whole>{_HAN_WHOLE})(?:点(?P<digits>[零〇一二三四五六七八九]{{1,12}}))?)"
)
_HAN_GOES_ON = re.compile(rf"{_HAN_SIGN}|又|分之|点\d")
HAN_FRACTION = re.compile(rf"(?:{_HAN_WHOLE}又)?{_HAN_WHOLE}分之{_HAN_WHOLE}")
"""A fraction or a mixed number in Chinese, in numerals or digits."""


def number_in_words(text: str) -> str | None:
    """``text`` with the number in words that it begins with in digits; ``None`` where it does not begin with one.

    A fraction becomes one of whole numbers: "three and a half hours" is ``7/2 hours``, 百分之五 is ``5%``.
    """
    if text[:1].isascii() and text[:1].isalpha():
        return _english(text)
    match = _HAN_NUMBER.match(text)
    if match is None or match[0].isdigit() or _HAN_GOES_ON.match(text, match.end()):
        return None
    found = _han_number(match)
    return None if found is None else f"{found}{text[match.end() :]}"


def _english(text: str) -> str | None:
    found, end = _cardinal_or_fraction(text)
    if found is None or _CHANGED.match(text, end):
        return None
    following = _WORD.match(text, end)
    if following and following[1].casefold() in (*_SMALL, *_LARGE, *_PARTS, *_PLURALS, "hundred"):
        return None  # ``five six`` is no number, and neither is the 5 in it.
    return f"{found}{text[end:]}"


def _cardinal_or_fraction(text: str) -> tuple[Fraction | None, int]:
    """The number that ``text`` begins with, and where it ends."""
    words: list[tuple[str, int]] = []
    at = 0
    while len(words) < _MOST_WORDS and (match := _WORD.match(text, at)):
        words.append((match[1].casefold(), match.end()))
        at = match.end()
    sign = 1
    if words and words[0][0] in _SIGNS:
        sign, words = -1, words[1:]
    if len(words) > 1 and words[0][0] in ("a", "an") and words[1][0] in (*_PARTS, "hundred", "thousand", "million"):
        words = [("one", words[0][1]), *words[1:]]
    whole, used = _cardinal(words)
    if whole is None:
        return None, 0
    mixed = _mixed(words, used)
    if mixed is not None:
        return sign * mixed, words[used][1]
    rest = words[used:]
    if rest and rest[0][0] in (_PARTS if whole == 1 else _PLURALS):
        below = (_PARTS | _PLURALS)[rest[0][0]]
        return sign * Fraction(whole, below), rest[0][1]
    if len(rest) > 1 and rest[0][0] == "point":
        digits = list(_leading_digits(rest[1:]))
        if digits:
            decimal = Fraction(f"{whole}.{''.join(str(_SMALL[word]) for word, _ in digits)}")
            return sign * decimal, digits[-1][1]
    if len(rest) > 2 and rest[0][0] == "and":
        behind = [("one", rest[1][1]), *rest[2:]] if rest[1][0] in ("a", "an") else rest[1:]
        above, count = _cardinal(behind)
        if above is not None and len(behind) > count and behind[count][0] in (_PARTS if above == 1 else _PLURALS):
            return sign * (whole + Fraction(above, (_PARTS | _PLURALS)[behind[count][0]])), behind[count][1]
    return sign * Fraction(whole), words[used - 1][1]


def _mixed(words: list[tuple[str, int]], used: int) -> Fraction | None:
    """``100 7/8`` of "one hundred and seven eighths": what stands behind the last "and" is a fraction, if below 1.

    "One hundred and five thousandths" is 0.105, as decimals are read.
    """
    split = next((at for at in reversed(range(used)) if words[at][0] == "and"), None)
    if split is None or used == len(words):
        return None
    whole, above = _cardinal(words[:split])[0], _cardinal(words[split + 1 : used])[0]
    below = (_PARTS if above == 1 else _PLURALS).get(words[used][0], 0)
    return None if whole is None or above is None or not 0 < above < below < 100 else whole + Fraction(above, below)


def _leading_digits(words: list[tuple[str, int]]) -> list[tuple[str, int]]:
    found = []
    for word, end in words:
        if _SMALL.get(word, 10) > 9:
            break
        found.append((word, end))
    return found


def _cardinal(words: list[tuple[str, int]]) -> tuple[int | None, int]:
    """The whole number at the start of ``words``, and how many of them it takes."""
    total, group, last, used = 0, 0, 0, 0
    limit = 10**12
    at = 0
    while at < len(words):
        word = words[at][0]
        if word == "and" and used and at == used and last in (100, *_LARGE.values()) and at + 1 < len(words):
            at += 1  # ``one hundred and five``; whether a number follows, the next word says.
            continue
        if word in _SMALL:
            number = _SMALL[word]
            room = not used or last in (100, *_LARGE.values()) or (20 <= last < 100 and 0 < number < 10)
            if not room or (number == 0 and used):
                break
            group, last = group + number, number
        elif word == "hundred" and 0 < group < 20 and last not in (100, *_LARGE.values()):
            group, last = group * 100, 100
        elif word in _LARGE and group and _LARGE[word] < limit:
            limit = _LARGE[word]
            total, group, last = total + group * limit, 0, limit
        else:
            break
        at += 1
        used = at
    return (total + group, used) if used else (None, 0)


def _han_number(match: re.Match[str]) -> str | None:
    sign = "-" if match["sign"] else ""
    if match["percent"]:
        return f"{sign}{share}%" if (share := _han_digits(match["share"])) is not None else None
    if match["below"]:
        parts = [_han_whole(match[name]) for name in ("mixed", "above", "below") if match[name]]
        if None in parts or parts[-1] == 0:
            return None
        numbers = [part for part in parts if part is not None]
        value = Fraction(numbers[-2], numbers[-1])
        if len(numbers) == 2:
            return f"{sign}{numbers[0]}/{numbers[1]}"
        return f"{sign}{numbers[0] + value}" if value < 1 else None
    digits = _han_digits(f"{match['whole']}{'点' if match['digits'] else ''}{match['digits'] or ''}")
    return None if digits is None else f"{sign}{digits}"


def _han_digits(text: str) -> str | None:
    """The digits of a number of Chinese numerals with or without a point."""
    whole, _, behind = text.partition("点")
    if "." in whole:
        return whole
    number = _han_whole(whole)
    if number is None:
        return None
    return f"{number}.{''.join(str(_HAN_DIGITS[sign]) for sign in behind)}" if behind else str(number)


def _han_whole(text: str) -> int | None:
    """The whole number of Chinese numerals; ``None`` where their order is none."""
    if text.isdigit() and text.isascii():
        return int(text)
    total = section = digit = 0
    size, pending = 10**9, False
    for sign in text:
        if sign in _HAN_DIGITS:
            if pending and digit:
                return None  # ``二三``: digits without sizes between them.
            digit, pending = _HAN_DIGITS[sign], True
        elif sign in _HAN_SIZES:
            if _HAN_SIZES[sign] >= size or (pending and digit == 0):
                return None
            size = _HAN_SIZES[sign]
            section, digit, pending = section + (digit if pending else 1) * size, 0, False
        else:
            if not section + digit:
                return None
            total = (total + section + digit) * _HAN_LARGE[sign] if sign == "亿" else total + (section + digit) * 10_000
            section = digit = 0
            size, pending = 10**9, False
    return total + section + digit
