"""Claims as clauses of English or Chinese: one table of phrases, one way to put them together.

A :class:`Lexicon` holds a phrase for each function, region and attribute value, and a pattern for each form of claim.
There are six, three a language: sentences for people, with names quoted where they would be ambiguous; the same for
prose, with all names bare; and a terse form. Functions stand before their name (``the left neighbour of Ann``) or after
it (``安的左邻``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from srt.worlds.seating.claim_language import (
    BLANK,
    Apply,
    Atom,
    Attribute,
    Claim,
    Equal,
    Meet,
    Member,
    Nobody,
    Place,
    Region,
    RightOptions,
    Term,
)

Counted = tuple[str, int]


@dataclass(frozen=True)
class Lexicon:
    """Phrases and patterns of one language and register.

    Patterns take ``{x}`` and ``{y}`` (names), ``{t}`` and ``{u}`` (terms), ``{r}`` and ``{s}`` (regions), ``{v}`` (an
    attribute with its value), ``{seat}``, ``{letters}``. Where ``quotes`` is set, a name that could be misread is
    quoted, which is any but words that match ``word``, joined by ``gap``, none of them in ``vocabulary``.
    """

    functions: Mapping[Counted, str]
    regions: Mapping[Counted, str]
    attributes: Mapping[tuple[str, str], str]
    function_first: bool
    link: str
    patterns: Mapping[str, str]
    blank: str
    comma: str
    conjunction: str
    disjunction: str
    word: str
    gap: str
    vocabulary: frozenset[str]
    quotes: bool = True

    def clause(self, claim: Claim) -> str:
        """``claim`` without capital letter and full stop."""
        return self.disjunction.join(self.conjunction.join(map(self.atom, atoms)) for atoms in claim)

    def atom(self, atom: Atom) -> str:
        """One atom as a clause."""
        match atom:
            case Place(name, seat):
                return self._fill("place", x=self.name(name), seat=seat)
            case Attribute(function, name, value):
                return self._fill("attribute", x=self.name(name), v=self.attributes[function, value])
            case Member(name, region, negated):
                kind = "not member" if negated else "member"
                return self._fill(kind, x=self.name(name), r=self.region(region), y=self.name(region.of))
            case Meet(first, second):
                x, y = self.name(first.of), self.name(second.of)
                return self._fill("meet", r=self.region(first), x=x, s=self.region(second), y=y)
            case Equal(left, right, negated):
                return self._fill("not equal" if negated else "equal", t=self.term(left), u=self.term(right))
            case Nobody():
                return self.patterns["nobody"]
            case RightOptions(letters):
                kind = "no option" if not letters else "option" if len(letters) == 1 else "options"
                return self._fill(kind, letters=self.comma.join(letters))

    def term(self, term: Term) -> str:
        """A name, or what functions make of it."""
        chain: list[str] = []
        while isinstance(term, Apply):
            chain.append(self.functions[term.function, term.k])
            term = term.argument
        parts = [*chain, self.name(term)] if self.function_first else [self.name(term), *reversed(chain)]
        return self.link.join(parts)

    def region(self, region: Region) -> str:
        """The phrase of a region, without its name."""
        return self.regions[region.name, region.k]

    def name(self, name: str) -> str:
        """A name: bare, or as a JSON string where something in it could be taken for a word of ours."""
        if name == BLANK:
            return self.blank
        if not self.quotes:
            return name
        if self._bare.fullmatch(name) and not self.vocabulary.intersection(self._words(name.lower())):
            return name
        return json.dumps(name, ensure_ascii=False)

    @cached_property
    def _bare(self) -> re.Pattern[str]:
        return re.compile(f"{self.word}(?:{self.gap}{self.word})*" if self.gap else f"(?:{self.word})+")

    def _words(self, text: str) -> list[str]:
        return text.split(self.gap) if self.gap else list(text)

    def _fill(self, kind: str, **parts: str) -> str:
        return self.patterns[kind].format(**parts)


_ORDINALS = ("", "first", "second", "third", "fourth", "fifth")
DIRECTIONS_EN = {
    "N": "north",
    "NE": "northeast",
    "E": "east",
    "SE": "southeast",
    "S": "south",
    "SW": "southwest",
    "W": "west",
    "NW": "northwest",
}
DIRECTIONS_ZH = {"N": "北", "NE": "东北", "E": "东", "SE": "东南", "S": "南", "SW": "西南", "W": "西", "NW": "西北"}


def _en_functions() -> dict[Counted, str]:
    table: dict[Counted, str] = {
        ("across", 1): "the one opposite",
        ("diag", 1): "the one diagonal to",
        ("up", 1): "the one just above",
        ("up", 2): "the one two tiers straight above",
        ("down", 1): "the one just below",
        ("down", 2): "the one two tiers straight below",
    }
    for side in ("left", "right"):
        table[f"front_{side}", 1] = f"the one front-{side} of"
        table[side, 1] = f"the {side} neighbour of"
        for k in range(2, 6):
            table[side, k] = f"the {_ORDINALS[k]} to the {side} of"
    for k in range(1, 6):
        table["cw", k] = f"the {_ORDINALS[k]} clockwise from"
        table["ccw", k] = f"the {_ORDINALS[k]} counterclockwise from"
    # The grammar lets up and down count to five, though no shelf is that high.
    for k in range(3, 6):
        table["up", k] = f"the one {k} tiers straight above"
        table["down", k] = f"the one {k} tiers straight below"
    return table


def _en_regions() -> dict[Counted, str]:
    table: dict[Counted, str] = {
        ("beside", 0): "beside",
        ("one_between", 0): "two places from",
        ("above", 0): "on a higher tier than",
        ("below", 0): "on a lower tier than",
        ("tier_above", 0): "on the tier just above",
        ("tier_below", 0): "on the tier just below",
        ("tier_next", 0): "one tier away from",
        ("tier_apart", 0): "two tiers away from",
        ("stacked", 0): "stacked with",
        ("over", 0): "straight above",
        ("under", 0): "straight below",
        ("diag_above", 0): "diagonally above",
        ("diag_below", 0): "diagonally below",
        ("same_side", 0): "in the same column as",
    }
    for side in ("left", "right"):
        table[side, 0] = f"just {side} of"
        table[f"{side}_side", 0] = f"on the {side} side of"
        for height, word in (("upper", "up"), ("lower", "down")):
            for k, tiers in ((0, ""), (1, "one tier "), (2, "two tiers ")):
                table[f"{height}_{side}", k] = f"{tiers}{word} and {side} of"
    for word in DIRECTIONS_EN.values():
        table[word, 0] = f"{word} of"
        table[f"due_{word}", 0] = f"due {word} of"
    return table


def _attributes(directions: Mapping[str, str], faces: str, tier: str, column: str) -> dict[tuple[str, str], str]:
    table = {("faces", letters): faces.format(word) for letters, word in directions.items()}
    table |= {("tier", number): tier.format(number) for number in "123"}
    return table | {("column", letter): column.format(directions[letter]) for letter in "EW"}


def _zh_functions() -> dict[Counted, str]:
    table: dict[Counted, str] = {
        ("across", 1): "正对面",
        ("diag", 1): "斜对面",
        ("front_left", 1): "左前方",
        ("front_right", 1): "右前方",
        ("left", 1): "左邻",
        ("right", 1): "右邻",
        ("up", 1): "上邻",
        ("down", 1): "下邻",
    }
    for k in range(1, 6):
        table["cw", k] = f"顺时针第{k}位"
        table["ccw", k] = f"逆时针第{k}位"
    for k in range(2, 6):
        table["left", k] = f"左数第{k}位"
        table["right", k] = f"右数第{k}位"
        table["up", k] = f"正上第{k}层"
        table["down", k] = f"正下第{k}层"
    return table


def _zh_regions() -> dict[Counted, str]:
    table: dict[Counted, str] = {
        ("beside", 0): "旁边",
        ("one_between", 0): "隔位",
        ("above", 0): "更高层",
        ("below", 0): "更低层",
        ("tier_above", 0): "上层",
        ("tier_below", 0): "下层",
        ("tier_next", 0): "邻层",
        ("tier_apart", 0): "隔层",
        ("stacked", 0): "上下邻格",
        ("over", 0): "正上方",
        ("under", 0): "正下方",
        ("diag_above", 0): "斜上方",
        ("diag_below", 0): "斜下方",
        ("same_side", 0): "同列",
    }
    for side, word in (("left", "左"), ("right", "右")):
        table[side, 0] = f"{word}格"
        table[f"{side}_side", 0] = f"{word}侧"
        for height, way in (("upper", "上"), ("lower", "下")):
            for k, tiers in ((0, ""), (1, "1层"), (2, "2层")):
                table[f"{height}_{side}", k] = f"{word}{way}方{tiers}"
    for letters, word in DIRECTIONS_ZH.items():
        table[DIRECTIONS_EN[letters], 0] = f"{word}边"
        table[f"due_{DIRECTIONS_EN[letters]}", 0] = f"正{word}边"
    return table


_EN_PATTERNS = {
    "place": "{x} is at {seat}",
    "attribute": "{x} {v}",
    "member": "{x} is {r} {y}",
    "not member": "{x} is not {r} {y}",
    "meet": "a place {r} {x} is also {s} {y}",
    "equal": "{t} is {u}",
    "not equal": "{t} is not {u}",
    "nobody": "nobody fills the blank",
    "no option": "no option is right",
    "option": "option {letters} is right",
    "options": "options {letters} are right",
}
_ZH_PATTERNS = {
    "place": "{x}位于{seat}",
    "attribute": "{x}{v}",
    "member": "{x}在{y}的{r}",
    "not member": "{x}未在{y}的{r}",
    "meet": "某格既在{x}的{r}又在{y}的{s}",
    "equal": "{t}是{u}",
    "not equal": "{t}并非{u}",
    "nobody": "无人可填空",
    "no option": "无正确选项",
    "option": "正确选项为{letters}",
    "options": "正确选项为{letters}",
}
_EN_TERSE = {
    "place": "{x} {seat}",
    "attribute": "{x} {v}",
    "member": "{x} {r} {y}",
    "not member": "{x} not {r} {y}",
    "meet": "{r} {x} is {s} {y}",
    "equal": "{t}: {u}",
    "not equal": "{t}: not {u}",
    "nobody": "?: nobody",
    "no option": "none",
    "option": "{letters}",
    "options": "{letters}",
}
_ZH_TERSE = {
    "place": "{x}{seat}",
    "attribute": "{x}{v}",
    "member": "{x}在{y}{r}",
    "not member": "{x}不在{y}{r}",
    "meet": "{x}{r}即{y}{s}",
    "equal": "{t}：{u}",
    "not equal": "{t}：非{u}",
    "nobody": "?：无人",
    "no option": "无",
    "option": "{letters}",
    "options": "{letters}",
}


_EN_TABLES = (
    _en_functions(),
    _en_regions(),
    _attributes(DIRECTIONS_EN, "faces {}", "is on tier {}", "is in the {} column"),
)
_ZH_TABLES = (_zh_functions(), _zh_regions(), _attributes(DIRECTIONS_ZH, "朝向{}", "位于第{}层", "位于{}列"))


def _phrases(*tables: Mapping[Any, str]) -> str:
    """All phrases of ``tables``, without the fields of patterns."""
    return " ".join(re.sub(r"{\w+}", " ", phrase) for table in tables for phrase in table.values())


ASSERTION_EN = Lexicon(
    *_EN_TABLES,
    function_first=True,
    link=" ",
    patterns=_EN_PATTERNS,
    blank="the blank",
    comma=", ",
    conjunction=" and ",
    disjunction=", or ",
    word=r"[A-Z][A-Za-z'’\-]*",
    gap=" ",
    vocabulary=frozenset(re.findall(r"[a-z'-]+", _phrases(*_EN_TABLES, _EN_PATTERNS) + " and or the blank")),
)
ASSERTION_ZH = Lexicon(
    *_ZH_TABLES,
    function_first=False,
    link="的",
    patterns=_ZH_PATTERNS,
    blank="所求",
    comma="、",
    conjunction="，且",
    disjunction="；或",
    word=r"[㐀-鿿]",
    gap="",
    vocabulary=frozenset(re.sub(r"\s", "", _phrases(*_ZH_TABLES, _ZH_PATTERNS) + "且或所求")),
)

PROSE_EN = replace(ASSERTION_EN, quotes=False)
PROSE_ZH = replace(ASSERTION_ZH, quotes=False)


def _short_en(phrase: str) -> str:
    """A phrase for people with the words left out that a note does without."""
    phrase = re.sub(r"^(the one|the|on the|on a|in the) ", "", phrase)
    phrase = re.sub(r"^(left|right) neighbour of$", r"\1 of", phrase)
    for number, word in enumerate(_ORDINALS):
        phrase = re.sub(rf"^{word} (?:to the )?(?=\w)", f"{number} ", phrase) if word else phrase
    return phrase


TERSE_EN = replace(
    PROSE_EN,
    functions={key: _short_en(phrase) for key, phrase in ASSERTION_EN.functions.items()},
    regions={key: _short_en(phrase) for key, phrase in ASSERTION_EN.regions.items()},
    attributes=_attributes(DIRECTIONS_EN, "faces {}", "tier {}", "{} column"),
    patterns=_EN_TERSE,
    blank="?",
    conjunction=", ",
    disjunction=" / ",
)
TERSE_ZH = replace(
    PROSE_ZH,
    attributes=_attributes(DIRECTIONS_ZH, "朝{}", "第{}层", "{}列"),
    link="",
    patterns=_ZH_TERSE,
    blank="?",
    conjunction="，",
    disjunction="／",
)
