"""Points, tuples, sets and intervals: an opening bracket, elements, a closing bracket.

``0 < x \\le 1`` is the interval ``(0, 1]``, ``x > 2`` and 大于2 are ``(2, \\infty)``, ``x = 2, y = -3`` is a point.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from srt.answers.equality.normal_form import closing, top_level


class Brackets(NamedTuple):
    """What is in brackets. ``opens`` and ``closes`` are ``(``, ``[``, ``{`` and their counterparts."""

    opens: str
    elements: list[str]
    closes: str


_BETWEEN = re.compile(r"[,、;]")
_LESS = r"(?:<|≤|\\le(?![a-z])|\\lt(?![a-z]))"
_CHAIN = re.compile(
    rf"(?P<low>[^<>=≤≥]{{1,200}}?)\s{{0,20}}(?P<opens>{_LESS})\s*+[A-Za-z]\s*+(?P<closes>{_LESS})\s*+(?P<high>[^<>=≤≥]+)"
)
_GREATER = r"(?:>|≥|\\ge(?![a-z])|\\gt(?![a-z]))"
_TURNED = re.compile(
    rf"(?P<high>[^<>=≤≥]{{1,200}}?)\s{{0,20}}(?P<closes>{_GREATER})\s*+[A-Za-z]\s*+(?P<opens>{_GREATER})\s*+(?P<low>[^<>=≤≥]+)"
)
_TURNED_SIDE = re.compile(r"(?P<end>[^<>=≤≥A-Za-z]{1,60}?)\s{0,20}(?P<sign><|>|≤|≥|\\le|\\ge|\\lt|\\gt)\s*[A-Za-z]")
_OTHER_WAY = {"<": ">", ">": "<", "≤": "≥", "≥": "≤", r"\le": "≥", r"\ge": "≤", r"\lt": ">", r"\gt": "<"}
_RELATED = re.compile(r"[<>≤≥∼]|\\[lg][et](?![a-z])|than|least|most|[于少多过足]")
_SET_BUILDER = re.compile(r"(?:\\\{)?\s*[A-Za-z]\s*(?:\||∣|\\mid(?![a-z])|:)\s*(.{1,90}?)\s*(?:\\\})?")
_BOTH = re.compile(r"(?<!\s)\s*+(?:,\s*(?=[A-Za-z]\s*[<>≤≥\\])|(?<![A-Za-z])and(?![A-Za-z])|且)\s*")
_ONE_SIDED = re.compile(
    r"(?:[A-Za-z]\s*(?P<sign><|≤|\\le|\\lt|>|≥|\\ge|\\gt)|(?:[A-Za-z]\s*(?:is\s+)?)?(?P<words>不[大小多少]于|[大小多少]于|不?超过|至[少多]|最[少多]|不足|"
    r"(?:(?:no|not)\s+)?(?:more|less|greater|fewer|larger|smaller)\s+than|at\s+(?:least|most)))(?![A-Za-z])\s*(?P<end>[^<>=≤≥]+)",
    re.I,
)
_RANGE = re.compile(r"(?P<low>[^∼]+)∼(?P<high>[^∼]+)")
_STRICT = ("<", r"\lt", ">", r"\gt")
_MORE = re.compile(r">|≥|\\g[et]|[大多]于|超过|至少|最少|more|greater|larger|least", re.I)
_INCLUSIVE = re.compile(r"≤|≥|\\[lg]e(?![a-z])|不|至|最|(?<![a-z])(?:no|not|at)(?![a-z])", re.I)
_DENIED = re.compile(r"^(?:不(?!足)|no)", re.I)
_COORDINATE = re.compile(r"([xyz])\s*=\s*([^=]+)")
_PLAIN_NUMBER = re.compile(r"[-+]?[\d./]+|[-+]?\\(?:frac|sqrt).*")
_ASKS_POINT = re.compile(r"coordinate|point|坐标", re.I)
_LONGEST = 100


def bracketed(text: str) -> Brackets | None:
    """``(1, 2)``, ``[0, 1)``, ``\\{1, 2\\}``; ``None`` for others."""
    body = text.strip()
    if body[:2] == r"\{" and body[-2:] == r"\}":
        return Brackets("{", top_level(body[2:-2], _BETWEEN), "}")
    if len(body) < 3 or body[0] not in "([" or body[-1] not in ")]":
        return None
    inner = body[1:-1]
    if closing(f"({inner})", 0) != len(inner) + 1:
        return None
    elements = top_level(inner, _BETWEEN)
    return Brackets(body[0], elements, body[-1]) if len(elements) > 1 and all(elements) else None


def interval(text: str) -> Brackets | None:
    """Inequalities as an interval; ``None`` for others."""
    if len(text) > _LONGEST or not _RELATED.search(text):
        return None
    text = text.strip()
    builder = _SET_BUILDER.fullmatch(text)
    text = builder[1] if builder is not None else text
    pair = _BOTH.split(text)
    if len(pair) == 2:
        return _intersection(*map(_one_interval, pair))
    return _one_interval(text)


def _intersection(one: Brackets | None, other: Brackets | None) -> Brackets | None:
    """``x > 1`` and ``x < 3`` together: one of them has the lower end, the other the upper one."""
    if one is None or other is None:
        return None
    low, high = (other, one) if one.elements[0] == r"-\infty" else (one, other)
    if high.elements[0] != r"-\infty" or low.elements[1] != r"\infty":
        return None
    return Brackets(low.opens, [low.elements[0], high.elements[1]], high.closes)


def _one_interval(text: str) -> Brackets | None:
    turned = _TURNED.fullmatch(text)
    if turned is not None:
        opens, closes = ("(" if turned["opens"] in _STRICT else "["), (")" if turned["closes"] in _STRICT else "]")
        return Brackets(opens, [turned["low"].strip(), turned["high"].strip()], closes)
    chain = _CHAIN.fullmatch(text)
    if chain is not None:
        opens, closes = ("(" if chain["opens"] in _STRICT else "["), (")" if chain["closes"] in _STRICT else "]")
        return Brackets(opens, [chain["low"].strip(), chain["high"].strip()], closes)
    within = _RANGE.fullmatch(text)
    if within is not None:
        return Brackets("[", [within["low"].strip(), within["high"].strip()], "]")
    low = _TURNED_SIDE.fullmatch(text)
    text = f"x {_OTHER_WAY[low['sign']]} {low['end']}" if low is not None else text
    side = _ONE_SIDED.fullmatch(text)
    if side is None:
        return None
    sign, end = side["sign"] or side["words"], side["end"].strip()
    more = (_MORE.search(sign) is not None) != (_DENIED.match(sign) is not None)
    inclusive = _INCLUSIVE.search(sign) is not None and sign != "不足"
    if more:
        return Brackets("[" if inclusive else "(", [end, r"\infty"], ")")
    return Brackets("(", [r"-\infty", end], "]" if inclusive else ")")


def as_point(text: str, question: str) -> str:
    """``x = 2, y = -3``, and ``2, -3`` where the question asks for a point, as ``(2, -3)``; others as they are."""
    if len(text) > _LONGEST or not re.search(r"[,;]", text):
        return text
    pieces = top_level(text.strip(), _BETWEEN)
    found = [_COORDINATE.fullmatch(piece) for piece in pieces]
    if all(found) and [match[1] for match in found if match] == ["x", "y", "z"][: len(found)]:
        return f"({', '.join(match[2].strip() for match in found if match)})"
    asked = _ASKS_POINT.search(question) and all(map(_PLAIN_NUMBER.fullmatch, pieces)) and len(pieces) > 1
    return f"({', '.join(pieces)})" if asked else text


def is_infinite(element: str) -> bool:
    """Whether an end of an interval is infinite: ``+\\infty``, ∞."""
    return re.fullmatch(r"[-+]?\s*(?:\\infty|∞)\s*", element) is not None
