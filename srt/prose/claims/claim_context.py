"""The words around a claim: is it conditional, a choice, denied, or attributed to somebody else?"""

from __future__ import annotations

import re
from dataclasses import dataclass

_CLAUSE = r"(?:^|(?<=[,，;；。.:：!?、\s$(（【】》∴∵]))"
_ASSUMED = re.compile(
    rf"{_CLAUSE}(?:if|suppose|supposing|assume|assuming|when|whenever|unless|provided|would|might)\b[^,，;；。.=]{{0,40}}$|"
    r"(?:若|假设|假如|如果|当|要使|为使|使得|欲使|只要|除非|倘若)[^,，;；。.=]{0,25}$",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    rf"{_CLAUSE}(?:let|take|taking|letting|set|setting|choose|denote|put)\b[^,，;；。.=]{{0,40}}$|"
    r"(?:设|令|取|记|代入|不妨)[^,，;；。.=]{0,25}$",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|cannot|contradict\w*|impossible|absurd|false|wrong\w*|incorrect\w*|mistak\w*|error\w*|never|instead|"
    r"unless|neither|nor|mod|modulo|congruent)\b|n['’]t\b|no\s+(?:real\s+)?solution|"
    r"不(?!妨|等式|变|同|难|仅|但|论|断|妙|规则|共|在同)|矛盾|错|无解|假设|反证|并非|否则|进制|看作|误",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"[,，;][^,，;]{0,40}?(?:\b(?:not|never|instead|neither|nor)\b|n['’]t\b)"
    r"(?!\s+(?:hold|true|correct|right|possible|equal|valid|work|satisf\w+|meet|agree|make|be|the|so|a|an|what)\b)",
    re.IGNORECASE,
)
"""A remark that denies something else: ``= 5, which does not depend on a``."""
_WHOLE_PART = re.compile(
    r"^[^,，;；]{0,40}?(?:\b(?:remainder|rounded|left\s?over)\b|余)|^[\s$)）]*(?:full|whole|complete|entire)\b",
    re.IGNORECASE,
)
"""What stands after a quotient that leaves a remainder or is rounded: ``13 ÷ 6 = 2 full cycles``."""
_OR_BEFORE, _OR_AFTER = re.compile(r"(?:或者?|\bor)[\s$]*$"), re.compile(r"[\s$,，]*(?:或者?|or\b)")
_TOLD = re.compile(
    r"\b(?:options?|choices?|says|said|claims|thinks|conclude[sd] that|statement)\b|选项|认为|同学|小明|小亮|结论",
    re.IGNORECASE,
)
_ANOTHER_CASE = re.compile(
    r"\b(?:figure|fig\.?|case|method|solution|way|part|situation|diagram)\s*[(（$]*(?:\d|[IVX]+\b|one|two|three)|"
    r"\b(?:when|if|otherwise|another|second|similarly|likewise|suppose|alternatively|instead|reject|rejected|discard|discarded|extraneous)\b|"
    r"\b(?:new|now|becom\w+|increas\w+|decreas\w+|doubl\w+|halv\w+|original\w*|after|before|enlarg\w+|"
    r"extend\w*|mov\w+|fold\w*|rotat\w+)\b|"
    r"图\s*[(（$]*[\d一二三①②③]|[情况当若设或折翻变另再舍第后新原增减放缩移]|展开|延长|同理|方法|解法|对于|选项|[A-H][项对错]|正确|错误|[(（]\s*[2-9]\s*[)）]|[②③④]",
    re.IGNORECASE,
)
_CONCLUDED = re.compile(
    r"(?:therefore|thus|hence|so|\\therefore|∴|所以|故|因此|从而|可得|即)[\s,，:：$]*$", re.IGNORECASE
)
_OPTION = re.compile(r"(?:^|[\s(（$])[A-H][.．、:：)）]\s*+\$?\s*+$")
_ENDS = re.compile(
    r"(?:(?<!\d)(?<!\bi)(?<!\be)(?<!\bi\.e)(?<!\be\.g)\.|(?<!\bi\.e)(?<!\be\.g)\.(?=\s)|(?<!\d)[。!?！？;；]|\n\s*\n)",
    re.IGNORECASE,
)
"""The end of a sentence; the dots of *i.e.* and *e.g.* end none."""
_REACH = 120


@dataclass(frozen=True)
class ClaimContext:
    """``assumed``: said under an if; ``chosen``: let x be 1; ``denied``: the sentence denies or doubts something, or
    reports what somebody claims; ``concluded``: a word like therefore comes before it; ``alternative``: an *or* joins
    it to another claim."""

    assumed: bool
    chosen: bool
    denied: bool
    concluded: bool
    alternative: bool


def another_case(text: str) -> bool:
    """Whether ``text`` may lead from one case, figure or part of a problem to another."""
    return _ANOTHER_CASE.search(text) is not None


def context_of(text: str, start: int, end: int) -> ClaimContext:
    """The context of characters ``[start, end)`` of ``text``."""
    low = max(0, start - _REACH)
    before = text[low:start]
    for stop in _ENDS.finditer(before):
        low = start - len(before) + stop.end()
    before = text[low:start]
    after = text[end : end + _REACH]
    stop_after = _ENDS.search(after)
    after = after[: stop_after.start()] if stop_after else after
    return ClaimContext(
        assumed=_ASSUMED.search(before) is not None,
        chosen=_CHOSEN.search(before) is not None,
        denied=_DENIED.search(before) is not None
        or _DENIED.search(_ASIDE.sub("", after[:60])) is not None
        or _WHOLE_PART.search(after) is not None
        or _TOLD.search(before) is not None
        or _OPTION.search(text[max(0, start - 8) : start]) is not None,
        concluded=_CONCLUDED.search(before[-24:]) is not None,
        alternative=_OR_BEFORE.search(before) is not None or _OR_AFTER.match(after) is not None,
    )
