"""Yes or no, in whatever words a sentence says it: "Yes, because ...", "It is not parallel", 不平行.

Either the sentence begins with the word, or it asserts what the question asks, in the question's words and in their
order. Both together must agree. A condition ("yes, if ...") and a possibility decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from srt.answers.clauses import conclusion, is_open
from srt.answers.written_form import undecorated
from srt.maths.words import word_set

_YES = r"yes|yeah|yep|true|correct|right|是的?|对的?|正确|能|可以|会"
_NO = r"no|nope|false|incorrect|wrong|untrue|not\s+true|不是的?|否|不对|不正确|错误?的?|不能|不可以|不会|不"
_SUBJECT = (
    r"(?:(?:so|thus|hence|therefore|and|indeed)[,\s]+)*"
    r"(?:(?:(?:it|this|that|(?:the|this|that)\s+(?:final\s+)?(?:answer|statement|claim|assertion|proposition|conclusion))\s+is|it[’']s)"
    r"\s*+(?::\s*+)?|(?:(?:这个?|该)?(?:说法|命题|结论|判断|答案)是?|答)[:：]?\s*+)?"
)
_LEAD = re.compile(
    rf"\W{{0,10}}{_SUBJECT}\W{{0,6}}(?:(?P<no>{_NO})|(?P<yes>{_YES}))(?![A-Za-z\u4e00-\u9fff])"
    r"(?=\W{0,10}(?:$|[,.;:!，。；：！(（—–-]|\*\*|because|since|as\s|it\s|they\s|the\s))",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\W*(?:but\s+)?(?:only\s+)?(?:if|unless|when|provided|assuming|except|if|当|只有|除非|如果)(?![a-z])", re.I
)
_OTHER_WORD = re.compile(
    r"(?:^|[,.;:!，。；]\s*|\sso\s)(?:(?P<no>no|否|不是)|(?P<yes>yes|是的))(?![A-Za-z\u4e00-\u9fff])", re.I
)
_NEGATION = re.compile(r"(?<![a-z])(?:not|never|cannot|neither)(?![a-z])|n[’']t(?![a-z])|不|没有?|并非|无法", re.I)
_HALF_DENIED = re.compile(
    r"not\s+(?:necessarily|always|sure|certain|enough|known|possible\s+to\s+tell)|不一定|不确定|无法(?:确定|判断)", re.I
)
_SIGNS = {"∥": " parallel ", "⊥": " perpendicular ", r"\parallel": " parallel ", r"\perp": " perpendicular "}
_FUNCTION = word_set(
    "a an the is are was were be been being do does did can could will would should must has have had it its they them "
    "this that these those there to of in on at by with and so thus hence therefore indeed also then line plane point "
    "not never cannot hence each other"
)
_PRONOUN_ALONE = re.compile(
    r"(?:no|yes)?\W*(?:it|they|this|that|he|she)\s+(?:is|are|can|do(?:es)?|will|has|have|was|were)(?P<no>\s*not|n[’']t)?[\s.!]*",
    re.I,
)
_WORD = re.compile(r"[A-Za-z]+|\d+")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_HAN_FUNCTION = frozenset("是的于与和跟同直线平面所以因此故它这该个吗呢了也都就，,")
_LONGEST = 400


def yes_or_no(text: str, question: str) -> bool | None:
    """What ``text`` answers to ``question``, which asks for yes or no; ``None``: nothing, or both."""
    body = re.sub(r"(?<![a-z])can[’']t(?![a-z])", "cannot", undecorated(text[:_LONGEST]), flags=re.I)
    lead = _LEAD.match(body)
    said = None if lead is None else lead["yes"] is not None
    rest = body[lead.end() :] if lead is not None else ""
    if lead is not None and (_CONDITION.match(rest) or _HALF_DENIED.search(rest)):
        return None
    asserted = _asserted(rest.strip(" ,.;:!，。；：—–-") if lead is not None else body, question)
    if said is None:
        return asserted
    against = any((match["yes"] is not None) != said for match in _OTHER_WORD.finditer(rest))
    return None if against or asserted == (not said) else said


def _asserted(sentence: str, question: str) -> bool | None:
    """Whether ``sentence`` says or denies what ``question`` asks; ``None`` where it says something else."""
    clause = conclusion(sentence)
    if not clause or is_open(clause) or _HALF_DENIED.search(clause):
        return None
    lead = _LEAD.match(clause)
    if lead is not None and lead.end() >= len(clause.rstrip(" .。!！")):
        return lead["yes"] is not None
    alone = _PRONOUN_ALONE.fullmatch(clause)
    if alone is not None:
        return alone["no"] is None
    denied = len(_NEGATION.findall(clause)) % 2 == 1
    if _NEGATION.search(question):
        return None
    if _HAN.search(clause):
        said, asked = _han(clause), _han(question)
        # 平行于P and 与P平行 are one: only the names keep their order.
        named = [[one for one in each if one.isascii()] for each in (said, asked)]
        same = set(said) <= set(asked) and (not named[0] or _is_within(*named))
        return not denied if said and same else None
    said = _words(clause)
    predicate = any(not word.isupper() for word in said)
    return not denied if predicate and _is_within(said, _words(question)) else None


def _words(text: str) -> list[str]:
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    found = _WORD.findall(re.sub(r"[’']s(?![a-z])", "", _NEGATION.sub(" ", text)))
    said = [word for word in found if word.isupper() or word.casefold() not in _FUNCTION]
    return [word if word.isupper() else word.casefold().removesuffix("s") for word in said]


def _han(text: str) -> list[str]:
    for sign, word in _SIGNS.items():
        text = text.replace(sign, "平行" if "parallel" in word else "垂直")
    body = re.sub(r"是否|能否|[?？。！!\s]|是不是|能不能|对吗", "", text)
    return [char for char in _NEGATION.sub("", body) if char not in _HAN_FUNCTION]


def _is_within(said: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether ``said`` is something, and all of it is in ``asked``, in its order."""
    rest = iter(asked)
    return bool(said) and all(word in rest for word in said)
