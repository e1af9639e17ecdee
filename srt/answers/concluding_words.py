"""Words within a sentence that state an answer: "the answer is B", 故选B, "Option B is correct".

A sentence that only considers an answer ("maybe the answer is B") states none.
"""

from __future__ import annotations

import re
import unicodedata

from srt.io.records import AnswerKind

_ADJECTIVES = r"(?:(?:final|true|correct|corrected|revised|right|best|only|my|our|overall)\s+)*"
_LETTER_LIST = (  # Repeats are bounded: a text of brackets or of letters alone must not cost its length squared.
    r"[(\"'“*\[{$【]{0,4}[A-Z][)\"'”*\]}$】]{0,4}"
    r"(?:\s{0,4}(?:[,、;&/和或与及]\s{0,2})?(?:(?:and|or)\s{1,2})?"
    r"[(\"'“*\[{$]{0,4}(?<![a-z])[A-Z](?![A-Za-z])[)\"'”*\]}$]{0,4}){0,25}"
)
_END = r"(?![A-Za-z'’])(?=[ \t]*(?:$|[^ \tA-Za-z]|because|since|as\s|option|only\b|\n))"
_NAMED = r"(?:answer|option|choice|letter|statement|conclusion|view|one|response)s?"
_THE_ANSWER = (
    rf"(?:the|my|our)\s+{_ADJECTIVES}{_NAMED}\s+(?:(?:here|that\s+\w+)\s+)?"
    r"(?:is|are|was|should\s+be|must\s+be|would\s+be|will\s+be)\s*(?:therefore|thus|then|indeed)?\s*:?\s+"
)
_NOT_BUT = r"(?:not\s+[(\"'*]*[A-Z][)\"'*]*,?\s+but\s+(?:rather\s+)?)?"
_EITHER = r"(?:either\s+|both\s+)?(?:(?:option|choice|statement|answer)s?\s+)?"
_LETTERS_SAID = (
    re.compile(rf"(?i:(?<![a-z]){_THE_ANSWER}{_NOT_BUT}{_EITHER})({_LETTER_LIST}){_END}"),
    re.compile(
        rf"(?i:(?<![a-z])(?:i\s+(?:would\s+|will\s+|therefore\s+)?(?:choose|pick|select|answer|stay\s+with|go\s+with)|"
        rf"we\s+(?:choose|pick|select))\s+{_EITHER})({_LETTER_LIST}){_END}"
    ),
    re.compile(rf"(?i:(?<![a-z])(?:it\s+is|it['’]s|that\s+is|this\s+is|that\s+leaves)\s+)({_LETTER_LIST}){_END}"),
    re.compile(
        rf"(?i:(?<![a-z])(?:it\s+is|it['’]s|that\s+is|this\s+is|must\s+be|leaves)\s+(?:either\s+)?(?:option|choice|answer)\s+)"
        rf"({_LETTER_LIST}){_END}"
    ),
    re.compile(
        r"(?:答案(?:就|便|应该|应|则)?[是为选]|正确的?(?:选项|答案|说法|结论|一?项)?(?:就|应该|应|则)?[是为有]|"
        r"(?<![不未可待供备])选择?(?:项)?[是为]?)\s*[:：]?\s*"
        rf"(?:不是\s*[A-Z]\s*[,，]?\s*而?是\s*)?(?:选项?\s*)?({_LETTER_LIST})(?![A-Za-z])"
        r"(?!\s*(?:不(?!选)|错|是错|项?[是为]?错|项?不))"
    ),
    re.compile(r"不是\s*[\"“]?[A-Z][\"”]?\s*[,，]?\s*而?是\s*(?:选项?\s*)?" rf"({_LETTER_LIST})(?![A-Za-z])"),
)
_LETTERS_CALLED_RIGHT = (
    re.compile(
        rf"(?<![A-Za-z])({_LETTER_LIST})(?i:\s+(?:is|are)\s+(?:indeed\s+)?(?:the\s+)?(?:only\s+)?(?:correct|right|true)"
        rf"(?:\s+{_NAMED})?(?=\s*(?:$|[^\sA-Za-z]|because|since|and|as|here)))"
    ),
    re.compile(
        rf"(?:选项\s*)?(?<![A-Za-z])({_LETTER_LIST})\s*(?:选?项)?(?:[是为]|才是)?正确(?:的?(?:选项|答案)|的)?"
        r"(?=\s*(?:$|[,，。;；!！、]))"
    ),
)
_VALUE_SAID = (
    re.compile(
        r"(?<![A-Za-z])(?:the|my|our|required)\s+(?:(?:final|correct|corrected|right|exact|required|overall)\s+)*"
        r"(?:answer|result)s?\s+(?:(?:is|are|was|were|equals?|(?:should|must|will|would)\s+be)(?![A-Za-z])\s*:?\s*)(.+)",
        re.IGNORECASE | re.DOTALL,
    ),
    re.compile(
        r"(?<!的)(?:最终|正确)?(?:答案|结果|结论)(?:就|便|应该|应|则)?(?:等于|[是为])\s*[:：]?\s*(.+)", re.DOTALL
    ),
)
_SENTENCE = re.compile(r"[。！？!?；\n]+|\.(?=\s+[A-Z\\$*\"“(\u4e00-\u9fff]|\s*$)")
_CONSIDERS = re.compile(
    r"(?<![A-Za-z])(?:maybe|perhaps|possibly|might|could|may|guess|at\s+first|first\s+thought|would\s+say|initially|if|"
    r"originally|suppose|seems?|whether)(?![A-Za-z])|可能|也许|或许|原本|起初|一开始|本来|如果|假如|是否|好像|似乎|是不是",
    re.IGNORECASE,
)
_LONGEST_CONCLUSION = 20_000
_LONGEST_SENTENCE = 500
"""Characters of a sentence in which letters are looked for."""


def sentences(body: str) -> list[str]:
    """The sentences of ``body``, without the signs that part them; a decimal point parts none."""
    return [sentence for piece in _SENTENCE.split(body[-_LONGEST_CONCLUSION:]) if (sentence := piece.strip())]


def letters_or_value_said(sentence: str, kind: AnswerKind) -> str | None:
    """All of ``sentence`` from where it begins to state an answer of ``kind``; ``None`` where it states none."""
    if _CONSIDERS.search(sentence):
        return None
    if kind == "choice_set":
        sentence = unicodedata.normalize("NFKC", sentence[-_LONGEST_SENTENCE:])
    for pattern in _LETTERS_SAID if kind == "choice_set" else _VALUE_SAID:
        said = list(pattern.finditer(sentence))
        if said:
            return sentence[said[-1].start(1) :].strip()
    return None


def letters_called_right(sentence: str) -> list[str]:
    """The letters of which ``sentence`` says that they are right, each as it is written."""
    if _CONSIDERS.search(sentence):
        return []
    sentence = unicodedata.normalize("NFKC", sentence[-_LONGEST_SENTENCE:])
    return [match[1] for pattern in _LETTERS_CALLED_RIGHT for match in pattern.finditer(sentence)]
