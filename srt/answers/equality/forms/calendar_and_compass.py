"""Values that have names: directions of the compass, days of the week, times of day, dates. NE is north-east.

Each kind has one value whatever the spelling, and whatever the language: 周一 is Monday, 4月4日 is "the 4th of April".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_HAN_DAYS = {**{day: at for at, day in enumerate("一二三四五六日")}, "天": 6}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_LATER = _MONTH.replace("month", "later")
_HAN_WAYS = {"东": "east", "南": "south", "西": "west", "北": "north"}
_KINDS: dict[str, re.Pattern[str]] = {
    "direction": re.compile(
        r"(?<![A-Za-z])(?:(?P<up>north|south)[- ]?)?(?P<across>east|west)?(?:ern|wards?|erly)?(?![A-Za-z])"
        r"|(?-i:(?<![A-Za-z])(?P<initials>[NS]?[EW]?)(?![A-Za-z']))|(?P<han>[东西南北]{1,2})",
        re.I,
    ),
    "day": re.compile(
        r"(?<![A-Za-z])(?P<day>Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:s|nes|rs|ur)?(?:day)?\.?(?![A-Za-z])"
        r"|(?:星期|周|礼拜)(?P<han>[一二三四五六日天])",
        re.I,
    ),
    "time": re.compile(
        r"(?<![\d:])(?P<hour>\d{1,2})(?::|[点时])(?P<minute>[0-5]\d)分?(?![\d:])(?:\s?(?P<half>[ap])\.?m(?:\.|(?![A-Za-z])))?",
        re.I,
    ),
    "date": re.compile(
        rf"(?<![A-Za-z]){_MONTH}\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![A-Za-z\d])"
        rf"|(?<!\d)(?P<first>\d{{1,2}})(?:st|nd|rd|th)?\s(?:day\s)?(?:of\s)?{_LATER}(?![A-Za-z])"
        r"|(?<!\d)(?P<han>\d{1,2})月(?P<of>\d{1,2})[日号]",
        re.I,
    ),
}
_AROUND = re.compile(
    r"(?i)^(?:(?:due|the|to|on|at|in|facing|向|往|朝|正)\s*+)*+|(?<!\s)\s*+(?:direction|方向?|面|o'?clock|[.。]){0,3}+$"
)
_CLAUSE = re.compile(r"[,;，；。=\n]|→|⇒|\\(?:to|rightarrow|Rightarrow)(?![a-z])|\.\s")
_LEFT_OPEN = re.compile(
    r"(?i)(?<![a-z])(?:not|maybe|perhaps|might|may\s+be|could|either|or|if|than|of|before|between|behind|longer|then|from)(?![a-z])"
    r"|n['’]t|[不非或偏前]|可能|也许|大概"
)
_TURNED = re.compile(r"(?i)(?:after|before|but|except|until|since|from|day)\s(?:the\s)?$|[除从自]$")
_HAN_TURNED = re.compile(r"的?[前后]|以外|之外|起|开始")
_OF_THE_CLOCK = re.compile(r"(?i)\btime\b|\bwhen\b|何时|clock|watch|时间|时刻|几点|钟|表")
_OF_DIRECTIONS = re.compile(r"(?i)direction|compass|\bfac(?:e|es|ing)\b|north|south|方向|朝|[东南西北]")
_LONGEST = 400


class NamedValue(NamedTuple):
    """``kind`` is a key of the table above; ``value`` is one for all spellings."""

    kind: str
    value: str


def named_value(text: str, question: str) -> NamedValue | None:
    """The value that ``text`` names as a whole, if any; ``7:40`` is a time where ``question`` is of one."""
    body = _AROUND.sub("", text.strip())
    return next((one for start, end, one in _all(body, question) if (start, end) == (0, len(body))), None)


def concluded_value(text: str, kind: str, question: str) -> NamedValue | None:
    """The one value of ``kind`` that the last clause of ``text`` names; ``None`` if it is denied or left open."""
    clauses = [clause for clause in _CLAUSE.split(text[-_LONGEST:]) if clause.strip()]
    if not clauses or _LEFT_OPEN.search(_OF_A_MONTH.sub(" ", clauses[-1])):
        return None
    of_kind = [one for one in _all(clauses[-1], question) if one[2].kind == kind]
    if any(_TURNED.search(clauses[-1][:start]) or _HAN_TURNED.match(clauses[-1], end) for start, end, _ in of_kind):
        return None
    found = {one for _, _, one in of_kind}
    return found.pop() if len(found) == 1 else None


_OF_A_MONTH = re.compile(rf"(?i)(?<=\d(?:st|nd|rd|th)) of (?={_MONTH.replace('month', 'next')})")


def _all(text: str, question: str) -> Iterator[tuple[int, int, NamedValue]]:
    for kind, pattern in _KINDS.items():
        if kind == "time" and not _OF_THE_CLOCK.search(question):
            continue
        for match in pattern.finditer(text):
            if kind == "direction" and len(match["initials"] or "") == 1 and not _OF_DIRECTIONS.search(question):
                continue  # the name of a point or of a person
            if match[0] and (value := _VALUES[kind](match)) is not None:
                yield match.start(), match.end(), NamedValue(kind, value)


def _direction(match: re.Match[str]) -> str | None:
    han = match["han"] or ""
    letters = {"N": "north", "S": "south", "E": "east", "W": "west"}
    ways = [_HAN_WAYS[sign] for sign in han] or [letters[sign] for sign in match["initials"] or ""]
    ways = ways or [way.lower() for way in (match["up"], match["across"]) if way]
    up, across = ([way for way in ways if way in pair] for pair in (("north", "south"), ("east", "west")))
    return "-".join([*up, *across]) if len(up) < 2 and len(across) < 2 and ways else None


def _day(match: re.Match[str]) -> str:
    return str(_HAN_DAYS[match["han"]] if match["han"] else _DAYS.index(match["day"].lower()))


def _time(match: re.Match[str]) -> str | None:
    hour = int(match["hour"]) % 12 + 12 * (match["half"].lower() == "p") if match["half"] else int(match["hour"])
    return f"{hour}:{match['minute']}" if hour < 25 else None


def _date(match: re.Match[str]) -> str:
    if match["han"]:
        return f"{int(match['han'])}-{int(match['of'])}"
    month = (match["month"] or match["later"]).lower()[:3]
    return f"{_MONTHS.index(month) + 1}-{int(match['day'] or match['first'])}"


_VALUES: dict[str, Callable[[re.Match[str]], str | None]] = {
    "direction": _direction,
    "day": _day,
    "time": _time,
    "date": _date,
}
