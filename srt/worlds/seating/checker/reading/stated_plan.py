"""The plan that a text states: who sits where, in sentences, as a list or a table, in English or Chinese.

Names and seats become one private character each; what may stand between the two of a pair is a short list of words and
signs. Nothing rests on how well this reads: a plan that is misread does not fit the clues, or it is the right one.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from srt.prose.own_statements import Speaker
from srt.worlds.seating.checker.claim_sets import TOKENS
from srt.worlds.seating.checker.plans import Plan

LONGEST = 40_000
"""Characters that are read, from the end of a text: the plan that counts is the last."""

CODED, WORDED = "\ue010\ue011\ue012\ue013\ue014\ue015", "\ue020\ue021\ue022\ue023\ue024\ue025"
"""Seats by their names (``S1``), and in words (``the southeast``, ``第三层西格``)."""
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_MARKS = re.compile('[*`"“”$「」]')
_BLANKS = re.compile(r"[^\S\n]+")
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_LOOKALIKE = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u2070-\u2079\u2080-\u2089²³¹\U0001d400-\U0001d7ff]")
"""Letters and digits that look like those of ASCII."""

_WORDS = (
    r"(?:is|are|was|sits?|sitting|seated|stands?|standing|placed|put|goes|must|be|can|only|now|then|also|therefore|"
    r"thus|at|in|on|to|by|the|seat|place|position|spot|cell|slot|takes?|taken|occupie[sd]|holds?|has)(?![a-z])|['’]s(?![a-z])|"
    r"位于|坐|在|于|是|为|放|站|着|就|只能|一定|必须?|应|占据?|则|座位|位置|处|[@:：=>→⇒(（\-–—]"
)
_DENIAL = r"not(?![a-z])|n['’]t|cannot|不|未|没有?"
_GAP = rf" ?(?:(?:{_WORDS}|{_DENIAL}) ?){{1,8}}"
_DENIED = re.compile(_DENIAL)
# ``Gus is south of Ned`` names no seat; a worded one next to a name, with nothing between, is a relation, too.
_SEAT = rf"(?:[{CODED}](?! ?的[左右旁对斜邻])|[{WORDED}](?! ?(?:side |part )?of | ?的))"
_PAIR = re.compile(
    rf"(?P<name>[{TOKENS}])(?P<gap>{_GAP})(?P<seat>{_SEAT})"
    rf"|(?P<seat2>[{CODED}]|(?<![{TOKENS}的以])(?<! of ){_SEAT})(?P<gap2>{_GAP})(?P<name2>[{TOKENS}])(?!的|['’]s [a-z])"
    rf"|(?P<name3>[{TOKENS}]) ?(?P<seat3>[{CODED}])|(?P<seat4>[{CODED}]) ?(?P<name4>[{TOKENS}])"
)
_STARTS = re.compile(
    r"(?:[\n,，;；、&:：(（{\[?？]|think>|[\-–—] |(?<![a-z])(?:since|so|and|then|therefore|thus|hence|because|as|the|"
    r"seat|(?:say|see|get|means|gives|follows|given|knowing|(?:have|take) it|(?:have|remains) is) that)"
    r"|因为|所以|因此|且|和|而|则|设|既然|由于|考虑到|已知|那么|于是|可见|可知|说明|得到|认为|剩下的是|但|然而) *\Z",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r" ?(?:座位|位置|座|位|处|格)?上? ?"
    r"(?:\Z|</think>|[,，;；、&:：)）}\]]|(?:and|so|because|since|but)(?![a-z])|且|和|而|所以)"
)
"""What may stand before and after a plain pair."""
_BLANK = re.compile(
    rf"(?:(?<![^\s(&|=/／])\?|whoever|the blank|要找的|所求){_GAP}{_SEAT}(?:(?:, or|,| or|、|或) ?{_SEAT}){{0,8}}"
    r"(?: ?\||(?= ?(?:\Z|[,，;；/／&])))"
    rf"|(?<![^\s(&|=/／])\? ?[{CODED}]|位于[{CODED}](?:或[{CODED}])*的人"
    rf"|[{CODED}](?:(?:,| and|、|和) ?[{CODED}]){{0,8}}(?: (?:is|are) taken(?! by)| ?已有人)",
    re.IGNORECASE,
)
_RELATION = re.compile(
    rf"[{WORDED}](?= ?(?:side |part )?of )|(?<=[{TOKENS}?的以])[{WORDED}]|[{CODED}](?= ?的[左右旁对斜邻])|"
    rf"(?:fac(?:es|ing) (?:the )?|faces\([^()]{{1,9}}\) ?= ?|[面朝]向?|朝)[{CODED}{WORDED}]|"
    rf"[{CODED}] ?(?:is|是) ?(?=[{TOKENS}](?:的[左右旁对斜邻]|['’]s neighbou?r))"
)
"""Seats that are those of nobody named: of the blank, or directions."""
_TAKEN_BACK = re.compile(
    r"swap|switch|chang(?:e|ing)|trad(?:e|ing)|false|wrong|incorrect|impossible|revers(?:e|ing)|vice versa"
    r"|replac(?:e|ing)|other way a?round|no longer|permut(?:e|ing)|flip|↔|⇄|⇆|<-+>"
    rf"|(?<![a-z])(?:takes?|has|have|gets?|in) (?:[{TOKENS}]['’]s (?:place|seat|spot)"
    rf"|(?:the )?(?:place|seat|spot) of [{TOKENS}])"
    rf"|(?<![a-z])where [{TOKENS}] (?:is|was|sits|sat)(?![a-z])"
    r"|互换|交换|对调|调换|换位|错|假的",
    re.IGNORECASE,
)
_BETWEEN = r" ?(?:,|，|、|;|→|->|-|and|和|:) ?(?:and )?"
_ORDER = re.compile(
    rf"(?P<way>(?:counter|anti)-?clockwise|clockwise|逆时针|顺时针)(?:[^:：]{{0,60}}[:：]|[ ,，]{{0,2}}) ?"
    rf"(?P<names>[{TOKENS}](?:{_BETWEEN}[{TOKENS}]){{5}})",
    re.IGNORECASE,
)
_STATEMENT_ENDS = re.compile(r"[.。！\n]|(?<=\S)!(?=\s|\Z)")
_OPEN = -1
_SOMEBODY = re.compile(f"[{TOKENS}{CODED}{WORDED}]")
_ROW = re.compile(rf"[ |]*+(?:(?:[{TOKENS}][ |]*+)+|(?:[{CODED}{WORDED}][ |]*+)+)")
"""A row of a table that has names alone, or seats alone."""
_RULE = re.compile(r"[ |:\-]*")


def stated_plan(text: str, names: Sequence[str], plan: Plan) -> tuple[int, ...] | None:
    """The seat number of each of ``names`` by what ``text`` says of them last; ``None`` if that is no plan.

    A statement is a sentence or a line. One that gives somebody two seats, or names a seat otherwise than as that of
    one person (``either ... or``, a denial, a move, somebody unknown), or has words beside its pairs that are not
    plain, leaves everybody open whom it names or who sits there, until a later one says it. It is no plan if anybody's
    seat is open, or two have the same.
    """
    at: dict[str, int] = {}
    speaker = Speaker()
    row: list[str] = []
    """The row of names, or of seats, that may head a table."""
    for statement in filter(None, _STATEMENT_ENDS.split(_masked(text, tuple(names), plan))):
        seats = defaultdict[str, set[int]](set)
        denied = set[tuple[str, int]]()
        pairs, rest = _pairs(statement, plan)
        for name, seat, gap in pairs:
            if _DENIED.search(gap):
                denied.add((name, seat))
            else:
                seats[name].add(seat)
        cells = re.findall(f"[{TOKENS}{CODED}{WORDED}]", statement) if _ROW.fullmatch(statement) else []
        for name, seat in _columns(row, cells):
            seats[name].add(seat)
        if cells or not _RULE.fullmatch(statement):
            row = cells
        if pairs or seats:
            if not speaker.is_own(rest):
                seats = defaultdict(set, {name: {_OPEN} for name in seats})
        elif not cells and speaker.takes_back(statement, names_nobody=not _SOMEBODY.search(statement)):
            at.clear()
        loose = set() if cells else {_number(seat) for seat in re.findall(f"[{CODED}{WORDED}]", rest)}
        named = set(re.findall(f"[{TOKENS}]", statement)) if loose or _TAKEN_BACK.search(rest) else set()
        at |= {name: found.pop() if len(found) == 1 else _OPEN for name, found in seats.items()}
        at = {
            name: seat
            for name, seat in at.items()
            if (name, seat) not in denied and name not in named and seat not in loose
        }
    if len(at) < len(names) or len(set(at.values())) < len(names) or _OPEN in at.values():
        return None
    return tuple(at[token] for token in TOKENS[: len(names)])


def _masked(text: str, names: tuple[str, ...], plan: Plan) -> str:
    """The end of ``text`` with names and seats as single characters, blanks single, quotes and emphasis left out."""
    # Full-width, lowered and invisible characters would hide a name, a seat or a denial from the patterns.
    text = _LOOKALIKE.sub(lambda match: unicodedata.normalize("NFKC", match[0]), _INVISIBLE.sub("", text[-LONGEST:]))
    text = _BLANKS.sub(" ", _MARKS.sub("", _PRIVATE.sub(" ", text)))
    text = _names_pattern(names).sub(lambda match: TOKENS[names.index(match[0])], text)
    for pattern, seat_of, marks in _seat_patterns(plan):

        def masked(match: re.Match[str], seat_of: _SeatOf = seat_of, marks: str = marks) -> str:
            seat = seat_of(match)
            return marks[plan.seats.index(seat)] if seat in plan.seats else match[0]

        text = pattern.sub(masked, text)
    return text


def _pairs(statement: str, plan: Plan) -> tuple[list[tuple[str, int, str]], str]:
    """Each name with its seat, and what stands between them; and the statement without these and the blank's seats."""
    if "|" in statement and "@" not in statement:  # Between claims, it is an "or".
        statement = statement.replace("|", ":")
    statement = _RELATION.sub(" ", _BLANK.sub("", f"\n{statement.rstrip()}"))
    found: list[tuple[str, int, str]] = []

    def plain(match: re.Match[str]) -> str:
        if not (
            _STARTS.search(statement[max(0, match.start() - 16) : match.start()])
            and _ENDS.match(statement, match.end())
        ):
            return match[0]
        name = match["name"] or match["name2"] or match["name3"] or match["name4"]
        seat = match["seat"] or match["seat2"] or match["seat3"] or match["seat4"]
        found.append((name, _number(seat), match["gap"] or match["gap2"] or ""))
        return ""

    rest = _PAIR.sub(plain, statement)
    if plan.kind == "shelf":
        for match in _TIER_ROW.finditer(statement):
            tier = _tier(next(filter(None, match.group("word", "ordinal", "zh", "cell"))))
            for side, name in (("E", match["left"]), ("W", match["right"])):
                found.append((name, plan.seats.index(f"{tier}{side}"), ""))
    elif plan.kind != "booth":
        for match in _ORDER.finditer(statement):
            starts = re.findall(f"[{CODED}{WORDED}]", statement[: match.start("names")])
            if len(starts) > 1 or (not starts and plan.compass):
                continue
            start = _number(starts[0]) if starts else 0
            step = 1 if match["way"].lower() in ("clockwise", "顺时针") else -1
            for place, name in enumerate(re.findall(f"[{TOKENS}]", match["names"])):
                found.append((name, (start + step * place) % len(plan.seats), ""))
            rest = rest.replace(starts[0], "") if starts else rest
    return found, rest


def _columns(above: Sequence[str], below: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The pairs of a row of names and a row of seats of the same length."""
    if len(above) == len(below):
        for one, other in zip(above, below, strict=True):
            if (one in TOKENS) != (other in TOKENS):
                yield (one, _number(other)) if one in TOKENS else (other, _number(one))


def _number(seat: str) -> int:
    return CODED.index(seat) if seat in CODED else WORDED.index(seat)


_SeatOf = Callable[[re.Match[str]], str]
_TIERS: Mapping[str, str] = {
    word: tier
    for tier, words in {
        "1": "1 one first bottom lowest 一 底",
        "2": "2 two second middle 二 中 中间",
        "3": "3 three third top highest 三 顶",
    }.items()
    for word in words.split()
}
_TIER = (
    r"(?:(?:tier|level|shelf) (?P<word>one|two|three|[123])|(?P<ordinal>first|second|third|bottom|middle|top|lowest|"
    r"highest) (?:tier|level|shelf))(?![a-z])"
)
_SIDE = r"(?P<side>east|west|left|right)(?:ern)?(?![a-z(]| to )(?: (?:side|column|place|spot|pot|cell)(?![a-z]))?"
_TIER_ZH = "第?(?P<zh>[一二三123底顶]|中间?)层"
_TIER_ROW = re.compile(
    rf"(?:{_TIER}|{_TIER_ZH}|(?<=: )(?P<cell>[123]))(?: ?[(（]?(?:from )?left to right[)）]?|从左到右)?"
    rf" ?[:：] ?(?P<left>[{TOKENS}]){_BETWEEN}(?P<right>[{TOKENS}])(?! ?[,，、{TOKENS}])",
    re.IGNORECASE,
)
"""A tier from left to right: east is on the viewer's left."""
_DIRECTIONS_ZH = {"东": "E", "西": "W", "南": "S", "北": "N"}


def _tier(word: str) -> str:
    return _TIERS[word.lower()]


@lru_cache(maxsize=256)
def _names_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """The names, the longest first; ``Ann`` is not in ``Anna``."""
    words = (re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile("|".join(f"(?<![A-Za-z]){word}(?![A-Za-z])" if word[0].isascii() else word for word in words))


@lru_cache(maxsize=16)
def _seat_patterns(plan: Plan) -> tuple[tuple[re.Pattern[str], _SeatOf, str], ...]:
    """How the seats of a scene are called, in the order in which they are looked for."""
    found: list[tuple[re.Pattern[str], _SeatOf, str]] = []
    if plan.kind == "shelf":
        for pattern in (
            rf"(?<![a-z]){_SIDE},? (?:of|on|in) (?:the )?{_TIER}",
            rf"(?<![a-z]){_TIER},? ?(?:on |in |at |\()?(?:the )?{_SIDE}",
            rf"{_TIER_ZH}[的，,]?(?P<side>[东西左右])(?!邻|上|下)[格侧边列面方]?",
        ):
            found.append((re.compile(pattern, re.IGNORECASE), _shelf_seat, WORDED))
    names = "|".join(sorted(map(_loosely, plan.seats), key=len, reverse=True))
    found.append((re.compile(rf"(?<![A-Za-z0-9])(?:{names})(?![A-Za-z0-9])"), _coded_seat, CODED))
    if plan.compass and plan.kind != "booth":
        pattern = r"(?<![a-z])(?:(north|south)(?:[ -]?(east|west))?|(east|west))(?![a-z(])"
        found.append(
            (re.compile(pattern, re.IGNORECASE), lambda m: "".join(w[0].upper() for w in m.groups() if w), WORDED)
        )
        found.append((re.compile("正?(?:([东西])([南北])?|([南北]))[边方侧面]?位?"), _direction_zh, WORDED))
    elif plan.kind != "booth":
        number = r"(?:seat|position|place|spot|座位|位置) ?([1-6])(?![0-9])|([1-6])号(?:座?位)?"
        listed = r"(?:^|(?<=[,，、;；|(（])) ?([1-6])(?= ?[:：=→|])"
        found.append((re.compile(number, re.IGNORECASE), lambda match: f"P{match[1] or match[2]}", CODED))
        found.append((re.compile(listed, re.MULTILINE), lambda match: f"P{match[1]}", CODED))
    return tuple(found)


def _loosely(seat: str) -> str:
    """A pattern of ``seat``: ``S1`` may be written ``s1``, ``S_1``, ``S_{1}``, ``S-1`` or ``S 1``; ``NE`` only so."""
    if seat.isalpha():
        return seat
    one, other = seat[0], seat[1]
    return rf"{one}(?:[ _-]?{other}|_\{{{other}\}})|{seat.lower()}"


def _coded_seat(match: re.Match[str]) -> str:
    return re.sub("[^A-Z0-9]", "", match[0].upper())


def _shelf_seat(match: re.Match[str]) -> str:
    said = match.groupdict()
    side = "E" if said["side"].lower() in ("east", "left", "东", "左") else "W"
    return _tier(said.get("word") or said.get("ordinal") or said["zh"]) + side


def _direction_zh(match: re.Match[str]) -> str:
    """``东北`` is NE: north or south comes first in the name of a seat."""
    return "".join(_DIRECTIONS_ZH[word] for word in (match[3], match[2], match[1]) if word)
