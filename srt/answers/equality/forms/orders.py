"""Orders of names: ``A, C, B``, ``A-C-B``, ``A → C → B``, ``ACB``, a numbered list, ``A < C < B`` (and ``B > C > A``).

Names by size, ``B < A < C``, are an order too; without signs, what stands first is the least.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ELEMENT = re.compile(r"[A-Za-z][A-Za-z']{0,20}\d?|[\u4e00-\u9fff]{1,4}")
_LESS = re.compile(r"(?<!\s)\s*+(?:<|\\lt(?![a-z]))\s*")
_MORE = re.compile(r"(?<!\s)\s*+(?:>|\\gt(?![a-z]))\s*")
_ARROW = re.compile(r"(?<!\s)\s*+(?:-{1,2}>|→|⇒|\\(?:to|rightarrow|Rightarrow|longrightarrow)(?![a-z]))\s*")
_HYPHEN = re.compile(r"(?<!\s)\s*+(?:[-–—−]|\\text-)\s*")
_COMMA = re.compile(r"(?<!\s)\s*+(?:[,;、]\s*(?:(?:and\s+)?then\s|and\s)?|(?<=\s)(?:and\s+)?then\s|(?<=\s)and\s)\s*")
_LETTERS = re.compile(r"(?:[A-Z]\s?){2,12}")
_ITEM = re.compile(r"\s*\(?(\d{1,2})(?:[.)]|:)\s*(\S+)\s*")
_LEAD = re.compile(
    r"(?:(?:so|thus|hence|therefore)[,\s]\s*|所以|因此)?(?:(?:the|this|their)\s)?(?:[a-z]+\s){0,2}?order\s?(?:is|:|,)\s*"
    r"|(?:so|thus|hence|therefore)[,\s]\s*|(?:所以|因此|故)?(?:正确的?)?(?:顺序|次序|排序)?[是为:]?\s*",
    re.I,
)
_FROM = re.compile(
    r"(?:从|由|按)?(?P<first>[高大多重长远快矮低小少轻短近慢])到[高大多重长远快矮低小少轻短近慢](?:的?(?:顺序|排列|次序))?(?:依次)?(?:是|为|:|,)?\s*"
    r"|from\s(?:the\s)?(?P<most>tall|large|bigg|great|high|long|old|heavi|fast|farth|small|short|low|young|light|slow|near)"
    r"est\sto\s(?:the\s)?[a-z]{3,12}est(?:,|:|\s(?:they|it)\s(?:are|is))?\s*",
    re.I,
)
_HIGHEST = re.compile(r"[高大多重长远快]|tall|large|bigg|great|high|long|old|heavi|fast|farth", re.I)
_FEWEST = 3
"""Names in a list that is an order; two may be two answers."""
_LONGEST = 300


class Order(NamedTuple):
    """``names`` from the first, or from the least where ``by_size``."""

    names: tuple[str, ...]
    by_size: bool


def order(text: str) -> Order | None:
    """The order that ``text``, in plain spelling, is as a whole; ``None`` where it is none."""
    names = elements(text)
    if names is not None and len(set(names)) == len(names) >= _FEWEST:
        return Order(tuple(names), False)
    body = _bare(text)
    if (told := _FROM.match(body)) is not None and (listed := elements(body[told.end() :])) is not None:
        falling = _HIGHEST.match(told["first"] or told["most"]) is not None
        return Order(tuple(listed[::-1] if falling else listed), True) if len(listed) == len(set(listed)) else None
    for sign, turned in ((_LESS, False), (_MORE, True)):
        pieces = sign.split(body)
        if len(pieces) > 1 and all(map(_ELEMENT.fullmatch, pieces)) and len(set(pieces)) == len(pieces):
            return Order(tuple(pieces[::-1] if turned else pieces), True)
    return None


def same_order(gold: Order, given: Order) -> bool | None:
    """Whether two orders are the same; ``None`` where one by size cannot be held against gold without sizes."""
    if gold.by_size and not given.by_size:
        return None
    return gold.names == given.names


def elements(text: str) -> list[str] | None:
    """The elements of a list with one sort of separator, in their order, repeats and all; ``None`` for others."""
    if len(text) > _LONGEST:
        return None
    numbered = [_ITEM.fullmatch(line) for line in text.split("\n")]
    if len(numbered) > 1 and all(numbered):
        numbers = [int(item[1]) for item in numbered if item]
        text = ", ".join(item[2].strip(".,;*") for item in numbered if item)
        if numbers != list(range(1, len(numbers) + 1)):
            return None
    body = _bare(text)
    for separator in (_ARROW, _COMMA, _HYPHEN):
        pieces = separator.split(body)
        if len(pieces) > 1:
            return pieces if all(map(_ELEMENT.fullmatch, pieces)) else None
    return [letter for letter in body if letter != " "] if _LETTERS.fullmatch(body) else None


def _bare(text: str) -> str:
    """``text`` without "the order is" and brackets around the whole."""
    body = text.strip().rstrip(".。")
    lead = _LEAD.match(body)
    body = body[lead.end() :] if lead is not None else body
    if body[:1] + body[-1:] in ("()", "[]"):
        body = body[1:-1]
    return body.strip()
