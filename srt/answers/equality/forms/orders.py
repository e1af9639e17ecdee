"""Orders of names: ``A, C, B``, ``A-C-B``, ``A → C → B``, ``ACB``, a list of lines, ``B < A < C``, or in a sentence.

An order by size says at which end the least stands: with its signs, or in words ("from the tallest to the shortest").
"""

from __future__ import annotations

import re
from typing import NamedTuple

from srt.answers.clauses import conclusion, is_open
from srt.answers.equality.normal_form import plain
from srt.answers.written_form import undecorated

_ELEMENT = re.compile(r"[A-Za-z][A-Za-z']{0,20}\d?|[\u4e00-\u9fff]{1,4}")
_LESS = re.compile(r"(?<!\s)\s*+(?:[<＜]|\\lt(?![a-z]))\s*")
_MORE = re.compile(r"(?<!\s)\s*+(?:(?<!-)[>＞]|\\gt(?![a-z]))\s*")
_ARROW = re.compile(r"(?<!\s)\s*+(?:-{1,2}>|→|⇒|\\(?:to|rightarrow|Rightarrow|longrightarrow)(?![a-z]))\s*")
_HYPHEN = re.compile(r"(?<!\s)\s*+(?:[-–—−]|\\text-)\s*")
_COMMA = re.compile(r"(?<!\s)\s*+(?:[,;、]\s*(?:(?:and\s+)?then\s|and\s)?|(?<=\s)(?:and\s+)?then\s|(?<=\s)and\s)\s*")
_LETTERS = re.compile(r"(?:[A-Z]\s?){2,12}")
_NUMBERED_LINE = re.compile(r"\s*\(?(\d{1,2})(?:[.)]|:)\s*(\S+)\s*")
_LEAD = re.compile(
    r"(?:(?:so|thus|hence|therefore)[,\s]\s*|所以|因此)?(?:(?:the|this|their)\s)?(?:[a-z]+\s){0,2}?order\s?(?:is|:|,)\s*"
    r"|(?:so|thus|hence|therefore)[,\s]\s*|(?:所以|因此|故)?(?:正确的?)?(?:顺序|次序|排序)?[是为:]?\s*",
    re.I,
)
_FROM_LEAD = re.compile(
    r"(?:从|由|按)?[\u4e00-\u9fff]到[\u4e00-\u9fff](?:的?(?:顺序|排列|次序))?(?:依次)?(?:是|为|:|,)?\s*"
    r"|from\s(?:the\s)?[a-z]{3,12}\sto\s(?:the\s)?[a-z]{3,12}(?:,|:|\s(?:they|it)\s(?:are|is))?\s*",
    re.I,
)
_FEWEST = 3
"""Names in a list that is an order; two may be two answers."""

_LINK = (
    r"(?:\s{0,3}(?:[,，、;；]|-{1,2}>?|[–—→⇒<>＜＞]|\\(?:to|rightarrow|lt|gt)(?![a-z])|"
    r"(?<![A-Za-z])(?:and|then|next|finally|lastly|last|followed\s{1,2}by)(?![a-z])|[和再]|然后|最后){1,1})"
)
_LINKS = re.compile(rf"{_LINK}{{1,4}}\s{{0,3}}|\s{{1,3}}")
_LETTER = r"[\"'“(]{0,2}(?<![A-Za-z])[A-Z](?![A-Za-z'’])[\"'”)]{0,2}"
_NAME = r"(?<![A-Za-z])[A-Z][a-z]{1,20}(?![A-Za-z])"
_RUNS = (
    re.compile(rf"{_LETTER}(?:(?:{_LINKS.pattern}){_LETTER}){{1,30}}"),
    re.compile(rf"{_NAME}(?:{_LINK}{{1,4}}\s{{0,3}}{_NAME}){{1,30}}"),
)
_RUN_TOGETHER = re.compile(r"(?<![A-Za-z])[A-Z]{3,12}(?![A-Za-z])")
_LIST_LINE = re.compile(
    r"[ \t]*+(?:\(?\d{1,2}[.)、:]|[-*•])?[ \t]*+[*_(\"]{0,3}([A-Za-z]{1,20}|[\u4e00-\u9fff]{1,6})[*_)\".,;]{0,4}[ \t]*"
)
_NUMBER = re.compile(r"\(?\d{1,2}[.)]\s{1,3}(?=[A-Z])")
_FIRST = re.compile(r"(?<![A-Za-z])(?:first|firstly)[,\s]", re.I)
_NO_ORDER = re.compile(
    r"[≤≥={}]|\\(?:le|ge)q?(?![a-z])|revers|backwards|last\s+to\s+first|opposite\s+order"
    r"|(?<![a-z])(?:not|cannot|equal(?:ly)?|same|alike|unclear|unknown)(?![a-z])|[不倒]|相[反同等]|反过来|一样",
    re.I,
)
"""What says that a sentence tells no order, or another one than its names stand in."""

_LEAST = r"(?:small|low|short|least|light|few|young|near|slow)"
_MOST = r"(?:large|high|great|big|tall|long|most|heav|old|far|fast)"
_HAN_LEAST, _HAN_MOST = "小低短轻少矮近慢", "大高长重多远快"


def _towards(first: str, last: str, han_first: str, han_last: str, words: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![a-z]){first}\w{{0,6}}\s.{{0,20}}?to\s(?:the\s)?(?:\w{{1,12}}\s)?{last}"
        rf"|(?<![a-z]){first}i?(?:est)?\s(?:first|(?:\w{{1,12}}\s)?is)(?![a-z])|{words}"
        rf"|[{han_first}]到[{han_last}]|[从由][{han_first}]",
        re.I,
    )


_RISES = _towards(_LEAST, _MOST, _HAN_LEAST, _HAN_MOST, "ascending|increasing|升序")
_FALLS = _towards(_MOST, _LEAST, _HAN_MOST, _HAN_LEAST, "descending|decreasing|降序")
_LONGEST_LIST = 300
_LONGEST_SENTENCE = 400


class Order(NamedTuple):
    """``names`` as they stand. ``rises``: by size, the least first (or last, if false); ``None``: no word of size."""

    names: tuple[str, ...]
    rises: bool | None

    def __str__(self) -> str:
        """The order as an answer: ``A, C, B``, ``A < C < B`` or ``A > C > B``."""
        return {None: ", ", True: " < ", False: " > "}[self.rises].join(self.names)


def order(text: str) -> Order | None:
    """The order that ``text``, in plain spelling, is as a whole; ``None`` where it is none."""
    body = _bare(text)
    told = _FROM_LEAD.match(body)
    rises = None if told is None else direction(told[0])
    if rises is not None and told is not None:
        body = text = body[told.end() :]
    names = elements(text)
    if names is not None and len(set(names)) == len(names) >= _FEWEST:
        return Order(tuple(names), rises)
    for sign, up in ((_LESS, True), (_MORE, False)):
        pieces = sign.split(body)
        if len(pieces) > 1 and all(map(_ELEMENT.fullmatch, pieces)) and len(set(pieces)) == len(pieces):
            return Order(tuple(pieces), up) if rises in (None, up) else None
    return None


def order_said(text: str) -> Order | None:
    """The order that ``text``, as a model wrote it, states; ``None`` where it states none, several, or denies one.

    Unlike those of :func:`order`, names may come again: ``L, R, R, L``.
    """
    listed = _lines(text)
    if listed is not None:
        return Order(tuple(listed), None)
    whole = order(plain(text)) if len(text) <= _LONGEST_LIST else None
    if whole is not None:
        return whole
    body = _NUMBER.sub(", ", undecorated(conclusion(text[:_LONGEST_SENTENCE])))
    if is_open(body) or _NO_ORDER.search(body):
        return None
    body = _FIRST.sub("", body)
    found = [match[0] for pattern in _RUNS for match in pattern.finditer(body)]
    runs = [[name for piece in _LINKS.split(one) if (name := piece.strip("\"'“”()"))] for one in found]
    runs = [run for run in runs if len(run) >= _FEWEST] or [list(one) for one in _RUN_TOGETHER.findall(body)]
    if len(runs) != 1:
        return None
    said = {
        direction(text[:_LONGEST_SENTENCE]),
        *(up for sign, up in ((_LESS, True), (_MORE, False)) if sign.search(body)),
    } - {None}
    return Order(tuple(runs[0]), next(iter(said), None)) if len(said) < 2 else None


def direction(text: str) -> bool | None:
    """Whether ``text`` speaks of an order from the least (true) or from the greatest; ``None``: of neither, or both."""
    rises, falls = _RISES.search(text) is not None, _FALLS.search(text) is not None
    return rises if rises != falls else None


def names_as_asked(said: Order, question: str) -> tuple[str, ...]:
    """The names of ``said`` in the direction that ``question`` asks for: those of ``A > B > C`` from the least."""
    against = said.rises is not None and direction(question) is (not said.rises)
    return said.names[::-1] if against else said.names


def same_order(gold: Order, given: Order, question: str) -> bool | None:
    """Whether two orders are the same; one that says no size stands in the direction that ``question`` asks for.

    ``None`` where gold has a direction and nothing says that of ``given``.
    """
    asked = direction(question)
    wanted, said = (asked if one.rises is None else one.rises for one in (gold, given))
    if gold.rises is not None and said is None:
        return None
    turned = wanted is not None and said is not None and wanted != said
    return gold.names == (given.names[::-1] if turned else given.names)


def elements(text: str) -> list[str] | None:
    """The elements of a list with one sort of separator, in their order, repeats and all; ``None`` for others."""
    if len(text) > _LONGEST_LIST:
        return None
    numbered = [_NUMBERED_LINE.fullmatch(line) for line in text.split("\n")]
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


def _lines(text: str) -> list[str] | None:
    """The names of a list, one a line; ``None`` where ``text`` is no such list."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    found = [_LIST_LINE.fullmatch(line) for line in lines]
    return [one[1] for one in found if one] if len(lines) > 2 and all(found) else None


def _bare(text: str) -> str:
    """``text`` without "the order is" and brackets around the whole."""
    body = text.strip().rstrip(".。")
    lead = _LEAD.match(body)
    body = body[lead.end() :] if lead is not None else body
    if body[:1] + body[-1:] in ("()", "[]"):
        body = body[1:-1]
    return body.strip()
