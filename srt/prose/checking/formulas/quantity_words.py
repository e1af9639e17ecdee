"""Words and letters for quantities, ``the lateral area``, 侧面积, ``V``, and for parts of solids, ``radius``, 高."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

AREAS = frozenset({"area", "base area", "area of a face", "lateral area", "surface area"})
PAINTED = frozenset(f"cubes with {faces}" for faces in ("no painted face", "one painted face", "two painted faces",
                                                        "three painted faces"))  # fmt: skip
QUANTITIES = AREAS | PAINTED | {"volume", "perimeter", "length of all edges", "diagonal", "faces", "edges", "vertices"}
"""The quantities that are calculated by formulas; other roles are those of lengths and angles."""

_NOUNS = {
    "axis": r"\b(?:around|about)\s+(?:its|the|one|a)\s+(?:\w+\s+){0,2}?(?:side|leg|edge)(?:\s+of(?:\s+length)?)?"
            r"|绕着?(?:其|它的)?(?:长为|边长为|直角边)?(?=\s*\d)",
    "length of all edges": r"(?:total|sum)[^.;，。]{0,20}\bedges|total edge length"
                           r"|棱长(?:之|的)?总?和",
    "slant": r"slant (?:height|edge|length)s?|apothem|generator|generatrix|母线长?|斜高",
    "lateral area": r"(?:lateral|curved|side)(?: surface)? areas?|lateral surface"
                    r"|area of (?:the|its) (?:lateral|curved|side) (?:surface|faces)|侧面积|侧面展开图的面积",
    "base area": r"(?:base|bottom) areas?|areas? of (?:the|its|each|one|a) (?:\w+ )?(?:base|bottom)"
                 r"|base (?:has|with|of) (?:an? |the )?area|底面的?面积|底面积",
    "surface area": r"(?:total |whole |outer )?surface(?: areas?)?|total areas?|表面积|全面积",
    "area": r"\bareas?\b|面积",
    "volume": r"\bvolumes?\b|\bcapacit(?:y|ies)\b|体积|容积",
    "faces": r"number of (?:\w+ ){0,2}faces|面数",
    "edges": r"number of (?:\w+ ){0,2}edges|棱数",
    "vertices": r"number of (?:\w+ ){0,2}(?:vertices|corners)|顶点数",
    "radius": r"\bradi(?:us|i)\b|半径",
    "diameter": r"\bdiameters?\b|直径",
    "perimeter": r"\bperimeters?\b|\bcircumferences?\b|\barc(?: length)?\b|周长|弧长",
    "diagonal": r"\b(?:space |body |face )?diagonals?\b|对角线",
    "angle": r"\bangles?\b|(?<![三四五六多直])角(?!形|边)",
    "sides": r"\bnumber of sides|边数",
    "height": r"\b(?:heights?|altitudes?|depths?)\b|(?<![斜最增])高|深度?|厚",
    "length": r"\b(?:edges?|sides?|widths?|lengths?|legs?|bases?|distances?|measures?|dimensions?)\b"
              r"|棱|边|长|宽|距离|底(?!面)",
}  # fmt: skip
_NOUN = re.compile("|".join(f"(?P<_{at}>{words})" for at, words in enumerate(_NOUNS.values())), re.IGNORECASE)
_ROLES = tuple(_NOUNS)
_HAN = re.compile(r"[\u3400-\u9fff]")
_CLAUSE = re.compile(r"[,，;；。!?！？\n∴∵]|\.(?!\d)|\b(?:and|since|so|therefore|hence|thus)\b|[且故]|所以|因此")
_RELATES = re.compile(
    r"\b(?:ratios?|times|per|percent\w*|products?|twice|half|halves|squared?|cubed|factors?|scale)\b|%|一半|比|倍|率|积的|乘|除|分之",
    re.IGNORECASE,
)
"""The words are about a ratio or a multiple of what they name."""
_LINK = re.compile(
    r"(?:\s*+(?:of|的)\s*+[^\d=]{0,40})?\s*+"
    r"(?:is|are|was|equals?|becomes?|will be|must be|to be|has|[:：=＝≈]|约?为|是|等于|有|共)?"
    r"[\s$:：=＝≈\\(]*",
    re.IGNORECASE,
)
# From where a run of such characters begins, and possessively: no run is read twice, however long it is.
_LABEL = re.compile(r"(?<![\w\\{}'′△])(?:[^\WA-Z]|[\\{}'′△])*+([A-Z])([\w\\{}'′△]*+)\s*+[=＝≈]\s*+\$?\s*+$")
_ASKED = re.compile(
    r"(?:\b(?:find|what is|what are|calculate|compute|determine|how (?:many|large|long|much))\b|求|多少|几)"
    r"([^.;。；?？]{0,80})|"
    r"([^.,;。；，?？]{0,40})(?:是多少|为多少|有多少|有几|[?？])",
    re.IGNORECASE,
)
_QUALIFIED = (
    ("surface area", re.compile(r"表|全|surf|tot", re.IGNORECASE)),
    ("lateral area", re.compile(r"侧|lat|side|curv", re.IGNORECASE)),
    ("base area", re.compile(r"底|base|bot", re.IGNORECASE)),
)


@dataclass(frozen=True)
class Noun:
    """A word in a text for a ``role``: a quantity, or a part of a solid."""

    role: str
    start: int
    end: int


def nouns_in(text: str) -> list[Noun]:
    """The words for quantities and lengths in ``text``: of ``base radius`` the radius."""
    nouns = [Noun(_ROLES[int(str(found.lastgroup)[1:])], *found.span()) for found in _NOUN.finditer(text)]
    modifiers = {
        one
        for one, after in itertools.pairwise(nouns)
        if text[one.end : after.start] == " " and not _HAN.match(text[one.start])
    }
    return [one for one in nouns if one not in modifiers]


def asked_quantities(question: str) -> frozenset[str]:
    """The quantities that ``question`` asks for."""
    found = set()
    for phrase in _ASKED.finditer(question):
        nouns = nouns_in(phrase[0])
        if nouns:
            found.add(_head(phrase[0], nouns).role)
        found |= {role for role, words in _COUNTED.items() if words.search(phrase[0])} | _painted(phrase[0])
    return frozenset(found) & QUANTITIES


def asks_for_relation(question: str) -> bool:
    """Whether ``question`` asks for a ratio, a multiple or a difference of quantities, not for the value of one."""
    return any(_RELATES.search(phrase[0]) or _DIFFERS.search(phrase[0]) for phrase in _ASKED.finditer(question))


_DIFFERS = re.compile(
    r"\b(?:differ\w*|increas\w*|decreas\w*|more|less|larger|smaller|greater|change\w*|max\w*|min\w*|function|terms of"
    r"|range)\b|增加|减少|多少倍|相差|比.{0,60}[多少大小]|变|最[大小多少]|范围|函数|表示",
    re.IGNORECASE,
)

_PAINTED = {
    "cubes with no painted face": r"\b(?:no|zero|not|un|without)\b|0|没有|都?[不没未]|零",
    "cubes with one painted face": r"\b(?:one|1|single)\b|一面|1个?面|一个面",
    "cubes with two painted faces": r"\b(?:two|2)\b|[两二2]个?面",
    "cubes with three painted faces": r"\b(?:three|3)\b|[三3]个?面",
}
_OF_PAINT = re.compile(
    r"(?:paint|colou?r)\w{0,3}\s{1,3}(?:faces?|sides?)|(?:faces?|sides?)\s{1,3}(?:\w{1,12}\s{1,3})?(?:paint|colou?r)|[涂染]",
    re.IGNORECASE,
)


def _painted(phrase: str) -> frozenset[str]:
    """What ``phrase`` asks for of small cubes that a painted cube is cut into."""
    if not _OF_PAINT.search(phrase):
        return frozenset()
    found = [quantity for quantity, words in _PAINTED.items() if re.search(words, phrase, re.IGNORECASE)]
    return frozenset(found) if len(found) == 1 else frozenset()


_COUNTED = {
    "faces": re.compile(r"how many (?:\w+ )?faces|多少个?面|几个?面", re.IGNORECASE),
    "edges": re.compile(r"how many (?:\w+ )?edges|多少条?棱|几条棱", re.IGNORECASE),
    "vertices": re.compile(r"how many (?:\w+ )?(?:vertices|corners)|多少个?顶点|几个?顶点", re.IGNORECASE),
}


def _head(text: str, nouns: list[Noun]) -> Noun:
    """The head of an English phrase stands first, ``the volume of a cone of height 4``, that of a Chinese one last.

    Of ``the length of its diagonal`` it is the diagonal.
    """
    if _HAN.match(text[nouns[0].start]):
        return nouns[-1]
    measured = len(nouns) > 1 and nouns[0].role == "length" and nouns[1].role in QUANTITIES
    return nouns[1] if measured and _MEASURE_OF.fullmatch(text[nouns[0].end : nouns[1].start]) else nouns[0]


_MEASURE_OF = re.compile(r"\s+of\s+(?:\w+\s+){0,2}", re.IGNORECASE)


def quantity_before(text: str) -> str | None:
    """The quantity or role that the words at the end of ``text`` name: ``so the lateral area is``."""
    said = text.rstrip(" $:：=＝≈")
    clause = said[max((cut.end() for cut in _CLAUSE.finditer(said)), default=0) :][-160:]
    clause += text[len(said) :]
    nouns = nouns_in(clause)
    if not nouns or _RELATES.search(clause):
        return None
    head = _head(clause, nouns)
    if head.role in QUANTITIES or not any(noun.role in QUANTITIES for noun in nouns):
        return head.role
    last = [noun for noun in nouns if noun.role in QUANTITIES][-1]
    return last.role if _LINK.fullmatch(clause[last.end :]) else head.role


def quantity_after(text: str) -> str | None:
    """The quantity that the start of ``text`` names: ``is the volume``, 是体积."""
    found = re.match(r"\s*+\S{0,8}\s*+(?:(?:,\s*+)?which )?(?:is|gives|是|为|即)\s*(?:the |its |所求的?)?", text)
    nouns = nouns_in(text[found.end() : found.end() + 40]) if found else []
    return nouns[0].role if nouns and nouns[0].start == 0 and nouns[0].role in QUANTITIES else None


def label_before(text: str) -> tuple[str, str] | None:
    """The letter and the index of ``S_侧 =`` at the end of ``text``."""
    found = _LABEL.search(text)
    return (found[1], found[2]) if found else None


def quantities_of_letter(letter: str, index: str, context: str, asked: frozenset[str]) -> frozenset[str]:
    """What the customary ``letter`` with its ``index`` stands for in a problem, of which ``context`` are the texts.

    Empty where it stands for nothing in particular: ``S`` is an area only where the texts speak of one.
    """
    spoken = {noun.role for noun in nouns_in(context)} | asked
    if letter in "SA" and spoken & AREAS:
        named = next((quantity for quantity, words in _QUALIFIED if words.search(index)), None)
        return frozenset({named}) if named else AREAS if letter == "S" or "volume" not in index else frozenset()
    if letter == "V":
        return frozenset({"vertices"}) if "vertices" in spoken and "volume" not in spoken else frozenset({"volume"})
    if letter in "CP" and "perimeter" in spoken:
        return frozenset({"perimeter"})
    if letter == "L" and "lateral area" in spoken:
        return frozenset({"lateral area"})
    if letter == "F" and ("faces" in asked or _COUNTED_WORDS["faces"].search(context)):
        return frozenset({"faces"})
    if letter == "E" and ("edges" in asked or _COUNTED_WORDS["edges"].search(context)):
        return frozenset({"edges"})
    return frozenset()


_COUNTED_WORDS = {
    "faces": re.compile(r"\bfaces\b|个面|面数", re.IGNORECASE),
    "edges": re.compile(r"\bedges\b|条棱|棱数", re.IGNORECASE),
}
