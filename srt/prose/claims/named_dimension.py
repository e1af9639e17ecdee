"""What a name or a noun says of a result: ``V``, ``the surface area is``, 周长为."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Named:
    """``word``: the name, or the noun with its article; ``power``: of length, 3 for a volume."""

    word: str
    power: int


_NAMES = (
    (3, re.compile(r"V(?:[_'\d].*)?")),
    (2, re.compile(r"S(?:[_'\d△].*)?")),
    (1, re.compile(r"(?!SA|LA|BA|TA)[A-Z][\d']*[A-Z][\d']*|[hrRdl](?:[_'\d].*)?")),
)
_NOUN = re.compile(
    r"(?P<e3>\bvolumes?\b)|(?P<e2>\bareas?\b)|"
    r"(?P<e1>\b(?:lengths?|perimeters?|circumferences?|distances?|diagonal|radius|radii|diameters?|heights?|widths?|"
    r"depths?|edges?)\b)|(?P<h3>体积|容积)|(?P<h2>面积)|"
    r"(?P<h1>周长|半径|直径|距离|棱长(?:总和|之和)?|边长|弧长|母线长?|(?<![增最])[长宽高深](?=度?[为是:：=＝\s$]))",
    re.IGNORECASE,
)
_AREA = re.compile(r"\barea\b|面积", re.IGNORECASE)
_ASKED = re.compile(r"(?:\b(?:find|what is|calculate|compute|determine)\b|求)([^.,，。;；?？]{0,80})", re.IGNORECASE)
_FIGURE = re.compile(r"\b(?:of|with|whose|if|when)\b")
_CLAUSE = re.compile(
    r"[,，;；。.!?！？\n∴∵]|\b(?:and|since|so)\b|[且而]|\$[^$]*=[^$]*\$|\\(?:therefore|because)(?![a-z])"
)
_CALCULATES = re.compile(
    r"[×*·+÷/]|\\(?:times|cdot|div)|"
    r"\b(?:times|squared?|cubed|products?|ratios?|per|multipl\w+|divid\w+|factors?|percent\w*|numbers?|many|unit)\b|"
    r"[乘除比倍每率]|平方|立方|[^面体容]积|几分|分之|个数",
    re.IGNORECASE,
)
"""The clause speaks of a product, a square, a ratio or a count of what it names."""
_VERB = re.compile(
    r"\s*+(?:约?为|是|等于|[:：=＝]|=|(?:is|are|was|equals?|becomes|will be|must be)\b[^=]{0,40}|的?[和差]?)?"
    r"[\s:：$=＝\\(]*"
)
_REACH = 120


def of_name(name: str, text: str) -> Named | None:
    """What the usual letters stand for; an ``S`` is an area only where ``text`` speaks of one."""
    power = next((power for power, pattern in _NAMES if pattern.fullmatch(name)), None)
    if power is None or (power == 2 and not _AREA.search(text)):
        return None
    return Named(name, power)


def of_words(text: str, start: int) -> Named | None:
    """What the words straight before ``start`` name, where they name it plainly."""
    clause = text[max(0, start - _REACH) : start]
    said = clause.rstrip(" $\n:：=＝")
    low = max((cut.end() for cut in _CLAUSE.finditer(said)), default=0)
    clause = clause[low:]
    if _CALCULATES.search(clause):
        return None
    nouns = list(_NOUN.finditer(clause))
    if not nouns:
        return None
    # The head of an English phrase stands first, ``the volume of a cone of height 4``, that of a Chinese one last.
    head = nouns[0] if nouns[0][0].isascii() else nouns[-1]
    english = head[0].isascii()
    after = clause[head.end() :]
    if not (english and (after.lstrip().startswith("of ") or len({*map(_power, nouns)}) == 1)) and not (
        not english and _VERB.fullmatch(after)
    ):
        return None
    return Named(f"the {head[0].lower()}" if english else head[0], _power(head))


def asked(text: str) -> set[int]:
    """The powers of length that ``text`` asks for."""
    asked_for = (_FIGURE.split(question[1])[0] for question in _ASKED.finditer(text))
    return {_power(noun) for things in asked_for for noun in _NOUN.finditer(things)}


def _power(noun: re.Match[str]) -> int:
    return int(str(noun.lastgroup)[1])
