"""Words within a sentence that state an answer: "the answer is B", 故选B, "Option B is correct".

A sentence that only considers an answer ("maybe the answer is B") states none.
"""

from __future__ import annotations

import re

from srt.answers.written_form import DENIED_BEHIND, OTHERS_DENIED, undecorated
from srt.io.records import AnswerKind

ADJECTIVES = r"(?:(?:final|true|correct|corrected|revised|right|best|only|chosen|selected|my|our|overall)\s++){0,6}"
_LETTER_LIST = (  # Repeats are bounded: a text of brackets or of letters alone must not cost its length squared.
    r"[(\"'\[{]{0,3}+[A-Z]{1,8}[)\"'\]}]{0,3}+"
    r"(?:\s{0,4}+(?:[,、;&/和或与及]\s{0,2}+)?(?:(?:and|or)\s{1,2}+)?"
    r"[(\"'\[{]{0,3}+(?<![A-Za-z])[A-Z]{1,8}+(?![A-Za-z])[)\"'\]}]{0,3}+){0,12}"
)
_LIST_BEGINS = r"(?<![A-Za-z(\"'\[{])"
_END = r"(?![A-Za-z'’])(?=[ \t]*(?:$|[^ \tA-Za-z]|because|since|as\s|option|only\b|rather\s|instead\s|\n))"
_NAMED = r"(?:answer|option|choice|letter|statement|conclusion|view|one|response|selection|pick)s?"
_BE = (
    r"(?:is|are|was|(?:should|must|would|will|can\s+only|has\s+to)\s+be)(?:\s+(?:therefore|thus|then|indeed|clearly))?"
)
_EITHER = rf"(?:either\s+|both\s+|not\s+\(?[A-Z]\)?,?\s+but\s+(?:rather\s+)?)?(?:{_NAMED}\s+)?"
_SO = r"(?:so|hence|thus|therefore|then|finally|consequently|overall|in\s+conclusion)"
_CHOOSE = (
    r"(?:choose|pick|select|answer|say|conclude|go(?:ing)?\s+(?:with|for)|(?:stay|stick)\s+with|opt\s+for|settle\s+on)"
)
_LETTERS_SAID = tuple(
    re.compile(rf"(?i:{words})({_LETTER_LIST}){_END}")
    for words in (
        rf"(?:(?<![a-z])(?:the|my|our)\s+|^){ADJECTIVES}{_NAMED}\s+(?:(?:here|that\s+\w+)\s+)?{_BE}(?:\s*:\s*|\s+){_EITHER}",
        rf"(?<![a-z])(?:the|my)\s+{ADJECTIVES}{_NAMED}['’]s\s+{_EITHER}",
        rf"(?<![a-z])(?:i|we|you|let['’]s)(?:['’](?:d|ll|m|ve)|\s+(?:would|will|should|can|must|therefore|have|am))*\s+{_CHOOSE}\s+{_EITHER}",
        rf"(?<![a-z])(?:it|that|this|which)(?:['’]s|\s+{_BE}|\s+(?:leaves|makes\s+it|gives))\s+{_EITHER}",
        rf"(?<![a-z])(?:corresponds?|match(?:es)?|leads|points|agrees|consistent|leaves)(?:\s+(?:to|with))?\s+{_NAMED}\s+",
        rf"^{_SO}(?![a-z])[^()]*[,(]\s*(?:(?:which|that)\s+is\s+|i\.e\.,?\s+)?{_NAMED}\s+",
        rf"(?:^|[,;:]\s*|(?<![a-z])and\s+){_SO},?\s+{_EITHER}(?=\(?[A-Z]\)?\s*(?:$|[.,;!(]|and\s+\(?[A-Z](?![a-z])))",
        r"(?:答案(?:就|便|应该|应|则)?[是为选]|(?<!不)正确的?(?:选项|答案|说法|结论|一?项)?(?:就|应该|应|则)?[是为有]|"
        r"(?<![不未可待供备错误人])(?<!不[能可应该会])选择?(?:项)?[是为]?)\s*+(?:[:：]\s*+)?(?:不是\s*+[A-Z]\s*+(?:[,，]\s*+)?而?是\s*+)?(?:选项?\s*+)?",
        r"(?:^|[,，;；])\s*+(?:所以|因此|故|于是)(?:就|应该?)?[是为]\s*+(?:选项?\s*+)?",
        r"(?:(?:认为|(?<!不)应该|(?<!不)应当|(?<!不)应)(?:选择?|是|为)|(?:则|就)(?:选择?|是))\s*+(?:选项?\s*+)?",
        r"不是\s*+[\"“]?[A-Z][\"”]?\s*+(?:[,，]\s*+)?而?是\s*+(?:选项?\s*+)?",
    )
)
_CALLED_WRONG = re.compile(DENIED_BEHIND, re.IGNORECASE)
_LETTERS_CALLED_RIGHT = (
    re.compile(
        rf"{_LIST_BEGINS}({_LETTER_LIST})(?i:\s++(?:is|are)\s++(?:indeed\s++)?(?:the\s++)?(?:only\s++)?"
        rf"(?:(?:correct|right|true)(?:\s++{_NAMED})?|(?:(?<=the )|my\s++){ADJECTIVES}(?:answer|choice))"
        r"(?=\s*+(?:$|[^\sA-Za-z]|because|since|and|as|here)))"
    ),
    re.compile(
        rf"(?i:(?<![a-z])only\s+{_EITHER})({_LETTER_LIST})(?i:\s+(?!fail|(?:and|or)(?![a-z])|is\s+(?:wrong|false|incorrect|not)|does|can)[a-z])"
    ),
    re.compile(rf"^({_LETTER_LIST})\s++it\s++is$"),
    re.compile(
        rf"(?:选项\s*+)?{_LIST_BEGINS}({_LETTER_LIST})\s*+(?:[一二三四两]?个?选?项)?"
        r"(?:(?:[是为都均]|才是)?(?:正确|对)(?:的?(?:选项|答案)|的)?|符合(?:题意|要求)?)"
        r"(?=\s*+(?:$|[,，。;；!！、]))"
    ),
)
_VALUE_SAID = (
    re.compile(
        r"(?:(?<![A-Za-z])(?:the|my|our|required)\s++|^\W*)"
        r"(?:(?:final|correct|corrected|right|exact|required|overall)\s++){0,6}(?:answer|result)s?\s++"
        r"(?:(?:is|are|was|were|equals?|(?:should|must|will|would)\s++be)(?![A-Za-z])\s*+:?\s*+)(.+)",
        re.IGNORECASE | re.DOTALL,
    ),
    re.compile(
        r"(?<!的)(?:最终|正确)?(?:(?:答案|结果|结论)(?:就|便|应该|应|则)?(?:等于|[是为])"
        r"|(?:故|应|因此|所以|答案)填[写入]?)\s*[:：]?\s*(.+)",
        re.DOTALL,
    ),
)
_SENTENCE = re.compile(r"[。！；\n]+|(?<!!)!++(?=\s|$)|\.(?=\s++[A-Z\\$*\"“(\u4e00-\u9fff]|\s*+$)")
_CONSIDERS = re.compile(
    r"(?<![A-Za-z])(?:maybe|perhaps|possibly|might|could|may|guess|at\s+first|first\s+thought|would\s+say|initially|"
    r"originally|seems?)(?![A-Za-z])|可能|也许|或许|原本|起初|一开始|本来|好像|似乎|是不是|若|假设",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"(?<![A-Za-z])(?:if|suppose|whether)(?![A-Za-z])|如果|假如|(?<!答案)是否|是否(?=.)|不(?:知道|确定|清楚)|[?？]$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;，；]|(?<![a-z])but(?![a-z])|但")
_LONGEST_CONCLUSION = 20_000
_LONGEST_SENTENCE = 500
"""Characters of a sentence in which letters are looked for."""


def sentences(body: str) -> list[str]:
    """The sentences of ``body``, without the signs that part them; a question keeps its mark."""
    asked = body[-_LONGEST_CONCLUSION:].replace("?", "?\n").replace("？", "？\n")
    return [sentence for piece in _SENTENCE.split(asked) if (sentence := piece.strip())]


def letters_or_value_said(sentence: str, kind: AnswerKind) -> str | None:
    """All of ``sentence`` from where it begins to state an answer of ``kind``; ``None`` where it states none."""
    if _SUPPOSES.search(sentence):
        return None
    letters = OTHERS_DENIED.sub("", undecorated(sentence[-_LONGEST_SENTENCE:])) if kind == "choice_set" else ""
    for patterns, text in ((_LETTERS_SAID, letters), (_VALUE_SAID, sentence)):
        for pattern in patterns:
            said = [match for match in pattern.finditer(text) if _is_said(text, match)]
            if said:
                return text[said[-1].start(1) :].strip()
    return None


def letters_called_right(sentence: str) -> list[str]:
    """The letters of which ``sentence`` says that they are right, each as it is written."""
    if _SUPPOSES.search(sentence):
        return []
    sentence = undecorated(sentence[-_LONGEST_SENTENCE:])
    found = [match for pattern in _LETTERS_CALLED_RIGHT for match in pattern.finditer(sentence)]
    return [match[1] for match in found if _is_said(sentence, match)]


def _is_said(sentence: str, match: re.Match[str]) -> bool:
    """Whether the clause of ``match`` says it, and does not only consider it, or call it wrong."""
    clause = _CLAUSE.split(sentence[: match.start(1)])[-1]
    if not re.search(r"\w", match[1]):
        return False
    return not _CONSIDERS.search(clause) and not _CALLED_WRONG.match(sentence, match.end(1))
