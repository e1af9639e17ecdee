"""References to the answer and to the official solution: nobody who solves the problem can see them."""

from __future__ import annotations

import re

from srt.language.trace import Step
from srt.prose.checking.citations import premises_of

_KIND = (
    r"official|reference|standard|given|gold(?:en)?|correct|right|model|sample|known|final|provided|expected|true|worked"
    r"|textbook|original"
)
_OFFICIAL = r"official|reference|standard|gold(?:en)?|model|given|known|provided|expected|worked|textbook"
_ENGLISH = rf"(?:(?:the|its|their|this|an?)\s+)?(?:(?:{_KIND})\s+)*"
_SEEN = r"answers?(?:\s+(?:key|sheet)s?)?|solutions?|ground\s+truth|gold\s+label|marking\s+scheme"
_CHINESE_KIND = r"题目|所|给出?|给定|已知|官方|标准|参考|正确|最终|原|的"
_CHINESE_SEEN = r"答案|解答|题解|解析|标答|解法"
_PREMISE = re.compile(rf"{_ENGLISH}(?:{_SEEN}|gold)|(?:{_CHINESE_KIND})*(?:{_CHINESE_SEEN})", re.IGNORECASE)
_NOT_OF_THIS = r"(?!\s*(?:choices?|options?|of|to|set|选项|式|几何|法|中的选项))"
"""``the answer choices`` are seen, ``the solution of the equation`` is found."""
_RESTS_ON = (
    r"according\s+to|based\s+on|from|by|as\s+in|as\s+per|per|following|follows?\s+from|using|use|see|consult(?:ing)?"
    r"|match(?:es|ing)?|agree(?:s|ing)?\s+with|consistent\s+with|(?:stated|shown|given|found|noted)\s+(?:in|by)"
    r"|confirmed\s+by|look(?:ing)?\s+at"
)
_AUTHORS_VERB = (
    r"says?|states?|tells?|reads?|confirms?|indicates?|claims?|notes?|points?\s+out|mentions?|obtains?|computes?"
    r"|calculates?|concludes?|finds?|uses?|takes?|sets?\s+up|shows?|derives?|assumes?|argues?"
)
"""What the writer of a solution does, and a solution of an equation, or of salt, does not."""
_REASON = r"since|because|as|knowing|given"
_SAID = re.compile(
    rf"\b(?:{_RESTS_ON})\s++(?:the|its|this)\s++(?:(?:{_KIND})\s++){{0,6}}(?:{_SEEN})\b{_NOT_OF_THIS}"
    rf"|\b(?:{_REASON})\s++(?:that\s++)?(?:we\s++know\s++(?:that\s++)?)?"
    rf"(?:the|its)\s++(?:(?:{_KIND})\s++){{0,6}}(?:answer|option|choice)\s++(?:is|equals|must|has)\b"
    rf"|\bwe\s++know\s++(?:that\s++)?the\s++(?:(?:{_KIND})\s++){{0,6}}answer\s++is\b"
    rf"|\b(?:{_OFFICIAL})\s++(?:answers?|solutions?|analysis|explanations?)\b{_NOT_OF_THIS}"
    r"|\b(?:answer\s++key|ground\s++truth|marking\s++scheme)\b"
    rf"|\bthe\s++(?:answers?|solutions?)\s++(?:then\s++|also\s++|first\s++)?(?:{_AUTHORS_VERB})\b"
    r"|\bthe\s++(?:analysis|explanation)\s++(?:says|states|notes|points\s++out|mentions|given|provided)\b"
    r"|\bgiven\s++in\s++the\s++(?:analysis|explanation)\b"
    # The answer stands first, and something is inferred from it.
    rf"|^\s*+the\s++(?:(?:{_KIND})\s++){{0,6}}answer\s++is\b[^,;.]*[,;]\s*+(?:so|hence|thus|therefore|which\s++means)\b"
    rf"|^\s*+(?:{_CHINESE_KIND})*答案[是为][^，,。；]*[，,；]\s*+(?:所以|因此|因而|从而|于是|则)"
    r"|(?:因为|由于|既然)\s*+(?:正确|标准|参考|给定|的){0,6}(?:答案|选项|选择)\s*+[是为]"
    r"|(?:根据|依据|按照?|由|从|参照|参考|对照|结合|符合|与|和|见|看|如|已知)\s*+"
    rf"(?:{_CHINESE_KIND}){{0,6}}(?:{_CHINESE_SEEN}){_NOT_OF_THIS}"
    rf"|(?:官方|标准|参考)的?(?:{_CHINESE_SEEN})|标答|点睛"
    r"|(?:答案|解答|解析|题解)(?:中|里|过程中?)?(?:已?给出|说|指出|表明|告诉|显示|可知|已知|知|求得|利用|取|所示)",
    re.IGNORECASE,
)


def hidden_source(step: Step) -> str | None:
    """What ``step`` refers to that the solver of the problem never sees, as one line; ``None`` if there is nothing."""
    for premise in premises_of(step):
        if premise.kind == "entity" and _PREMISE.fullmatch(" ".join(premise.name.split())):
            return f"cites {premise.name!r}: a solver sees neither its answer nor its solution"
    return hidden_source_in(" ".join(part for part in (step.assertion, step.claim) if part))


def hidden_source_in(text: str) -> str | None:
    """The same of a ``text``, such as the prose of a cot trace."""
    said = _SAID.search(text)
    return said and f"rests on {said[0]!r}: a solver sees neither its answer nor its solution"
