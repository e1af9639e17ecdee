"""References to the answer and to the official solution: nobody who solves the problem can see them."""

from __future__ import annotations

import re

from srt.checking.free.citations import premises_of
from srt.language.trace import Step

_KIND = r"official|reference|standard|given|gold(?:en)?|correct|right|model|sample|known|final|provided|expected|true"
_ENGLISH = rf"(?:(?:the|its|their|this|an?)\s+)?(?:(?:{_KIND})\s+)*"
_SEEN = r"answers?(?:\s+(?:key|sheet)s?)?|solutions?|worked\s+solutions?|ground\s+truth|gold\s+label|marking\s+scheme"
_CHINESE = r"(?:官方|标准|参考|给定|已知|正确|题目|最终|所给|给出的?)*(?:的)?(?:答案|解答|题解|解析|标答)"
_PREMISE = re.compile(rf"{_ENGLISH}(?:{_SEEN}|gold)|{_CHINESE}", re.IGNORECASE)
_NOT_OF_THIS = r"(?!\s*(?:choices?|options?|of|to|set|选项|式|几何|法|中的选项))"
"""``the answer choices`` are seen, ``the solution of the equation`` is found."""
_RESTS_ON = (
    r"according\s+to|based\s+on|from|by|as\s+in|as\s+per|per|following|follows?\s+from|using|use|see|consult(?:ing)?"
    r"|match(?:es|ing)?|agree(?:s|ing)?\s+with|consistent\s+with|stated\s+(?:in|by)|confirmed\s+by|look(?:ing)?\s+at"
)
_SAID = re.compile(
    rf"\b(?:{_RESTS_ON})\s+(?:the|its|this)\s+(?:(?:{_KIND})\s+)*(?:{_SEEN})\b{_NOT_OF_THIS}"
    rf"|\b(?:since|because|as|knowing|given)\s+(?:that\s+)?(?:we\s+know\s+(?:that\s+)?)?"
    rf"(?:the|its)\s+(?:(?:{_KIND})\s+)*(?:answer|option|choice)\s+(?:is|equals|must|has)\b"
    rf"|\b(?:official|reference|standard|gold(?:en)?|model|given|known|provided|expected)\s+(?:answers?|solutions?)\b"
    rf"{_NOT_OF_THIS}|\b(?:answer\s+key|ground\s+truth|marking\s+scheme)\b"
    r"|\b(?:answers?|solutions?)\s+(?:says?|states?|tells?|reads?|confirms?|indicates?|claims?)\b"
    r"|(?:根据|依据|按照?|由|从|参照|参考|对照|结合|符合|与|和|见|看|因为|由于|既然|已知)\s*"
    rf"(?:题目|所|给出?|给定|已知|官方|标准|参考|正确|最终|的)*(?:答案|解答|题解|解析|标答){_NOT_OF_THIS}"
    r"|(?:官方|标准|参考)的?(?:答案|解答|题解|解析)"
    rf"|(?:答案|解答|解析|题解)中?(?:给出|说|指出|表明|告诉|显示|可知|已知|知)",
    re.IGNORECASE,
)


def hidden_source(step: Step) -> str | None:
    """What ``step`` refers to that the solver of the problem never sees, as one line; ``None`` if there is nothing."""
    for premise in premises_of(step):
        if premise.kind == "entity" and _PREMISE.fullmatch(" ".join(premise.name.split())):
            return f"cites {premise.name!r}: whoever solves the problem sees neither its answer nor its solution"
    if said := _SAID.search(" ".join(part for part in (step.assertion, step.claim) if part)):
        return f"rests on {said[0]!r}: whoever solves the problem sees neither its answer nor its solution"
    return None
