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
    r"(?P<e3>\b(?:volumes?|capacit(?:y|ies))\b)|(?P<e2>\bareas?\b)|"
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
_STATES = re.compile(
    r"(?:\b(?:is|are|was|equals?|becomes?|be|of)|[:：=＝]|约?[为是]|等于|[有达共])\s*+"
    r"(?:(?:\b(?:about|approximately|therefore|thus|then|also|exactly|only|just|hence|equal to)\b|约)\s*+)*+"
    r"(?:\$\s*+)?$",
    re.IGNORECASE,
)
_HOLDS = re.compile(
    r"(?:\b(?:holds?|contains?)(?:\s*+(?:about|up to|exactly|only))?+|能?(?:装|盛|容纳|储)(?:水|油|沙)?)"
    r"\s*+(?:\$\s*+)?$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\ban?\s+(?:\w+\s+)?$", re.IGNORECASE)
_WHICH_IS = re.compile(
    r"[\s$)）]*+(?:[,，]\s*+)?(?:which |that )?(?:is|gives|equals|就?是|即为?)\s*(?:the |its )?", re.IGNORECASE
)


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


def stated_to_be(text: str, start: int) -> tuple[Named, ...]:
    """What the clause before ``start`` says that the value there is: the volume and the height of ``the volume of the
    cone of height 4 is``, either of which it may be of."""
    low = max(
        (cut.end() for cut in _CLAUSE.finditer(text, max(0, start - _REACH), start)), default=max(0, start - _REACH)
    )
    clause = text[low:start]
    if _HOLDS.search(clause):
        return (Named("what it holds", 3),)
    states = _STATES.search(clause)
    nouns = [noun for noun in _NOUN.finditer(clause) if states is None or noun.end() <= states.start() + 1]
    if not nouns or _CALCULATES.search(clause[nouns[0].end() :]):
        return ()
    after = clause[nouns[-1].end() :].strip(" $")
    if states is None:
        stated = not after and not nouns[-1][0].isascii()  # 体积60平方厘米
    else:
        of = states[0].lstrip().startswith("of")  # ``a volume of 60 cm³``, but not ``the volume of 5 cm cubes``
        stated = not of or (after == "of" and _ARTICLE.search(clause[: nouns[-1].start()]) is not None)
    if not stated:
        return ()
    return tuple(Named(f"the {noun[0].lower()}" if noun[0].isascii() else noun[0], _power(noun)) for noun in nouns)


def of_words_after(text: str, end: int) -> Named | None:
    """What the words straight after ``end`` name: ``= 64 cm³, which is the volume``."""
    found = _WHICH_IS.match(text, end)
    noun = _NOUN.match(text, found.end()) if found else None
    return Named(f"the {noun[0].lower()}" if noun[0].isascii() else noun[0], _power(noun)) if noun else None


def asked(text: str) -> set[int]:
    """The powers of length that ``text`` asks for."""
    asked_for = (_FIGURE.split(question[1])[0] for question in _ASKED.finditer(text))
    return {_power(noun) for things in asked_for for noun in _NOUN.finditer(things)}


def _power(noun: re.Match[str]) -> int:
    return int(str(noun.lastgroup)[1])
