"""What a question asks for: its asking words, names and unit; and whether a sentence says yes or no to it."""

from __future__ import annotations

import re

from srt.answers.equality.normal_form import plain
from srt.maths.units.unit import Unit
from srt.maths.units.unit_phrases import phrase_unit

_SENTENCE = re.compile(r"[.。?？!！;；\n](?!\d)")
_ASKS = re.compile(r"\b(?:find|what|which|how|calculate|compute|determine|evaluate|express)\b|求|计算", re.IGNORECASE)
_ASKS_LATE = re.compile(r"多少|几|何|哪|则|_{2,}|[(（]\s*[)）]")
_CONDITION = re.compile(
    r"\b(?:if|when|where|given|with|whose|such that|so that|knowing)\b|已知|[,，]?其中", re.IGNORECASE
)
# An index in the middle of a name is read to its end, and only the last may be cut short: one way to read each name.
_NAME = r"\\?[A-Za-zα-ωΑ-Ω]+(?:_\{?\w{1,12}(?:\}|(?!\w)|(?=_\{))|['′₀-₉\d]){0,8}(?:_\{?\w{1,12}\}?)?"
_ASKED_NAME = re.compile(
    rf"(?:\b(?:(?:length|value|measure|size)\s++of|find|what\s++is|calculate|compute|determine)|求)\s*+(?:the\s++)?"
    rf"(?:(?:line\s++)?segment|edge|side|线段|侧?棱|边|实数)?\s*+\$?({_NAME})\$?"
    r"(?=\s*+(?:$|[,，]|的?[长值]|[和与及]|and\b))",
    re.IGNORECASE,
)
_UNIT_ASKED = re.compile(
    r"(?i:\b(?:in|how many))\s++((?:square\s|cubic\s)?\s*+[A-Za-z]+(?:\^\{?\d\}?)?)"
    r"|(?:多少|几)((?:平方|立方)?(?:[毫厘分千公]?[米升克]|公[里斤]))"
)
_LAST_SENTENCE = re.compile(r"(?<![^.。?？!！;；,，\n])([^.。?？!！;；,，\n]++)[?？]\s*+$")
_IS_IT = re.compile(r"(is|are) (.+)")


def asked_part(question: str) -> str:
    """The part of ``question`` that says what is asked, without what is given; all of it where no word asks."""
    found = []
    for sentence in _SENTENCE.split(question):
        if early := _ASKS.search(sentence):
            found.append(_CONDITION.split(sentence[early.start() :])[0])
        elif late := _ASKS_LATE.search(sentence):
            before = max(sentence.rfind(comma, 0, late.start()) for comma in ",，")
            found.append(sentence[before + 1 :])
    return "; ".join(found) or question


def asked_names(asked: str) -> frozenset[str]:
    """The names whose values :func:`asked_part` asks for, as in *the length of AC*."""
    names = (re.sub(r"[\\{}_]", "", match[1]) for match in _ASKED_NAME.finditer(asked))
    return frozenset(name for name in names if len(name) == 1 or not name.islower())


def asked_unit(asked: str) -> Unit | None:
    """The unit that :func:`asked_part` asks for: cm³ of *what is the volume in cm³*."""
    for match in _UNIT_ASKED.finditer(plain(asked)):
        if unit := phrase_unit(match[1] or match[2]):
            return unit
    return None


def answers_yes(said: str, question: str) -> bool | None:
    """Whether ``said`` answers the yes-or-no ``question`` with yes, in the same words; ``None`` if it does not answer.

    *Is the line parallel to the plane?* is answered by *the line is not parallel to the plane*; 是否平行 by 不平行.
    """
    asked = _LAST_SENTENCE.search(question)
    if asked is None:
        return None
    words, sentence = (" ".join(text.casefold().replace("$", " ").split()) for text in (asked[1], said.rstrip(" .。")))
    if is_it := _IS_IT.fullmatch(words):
        verb, rest = is_it.groups()
        if "not" in rest.split():
            return None
        said_words = sentence.split()
        for at in (at for at, word in enumerate(said_words) if word == verb):
            before, after = said_words[:at], said_words[at + 1 :]
            if [*before, *after] == rest.split():
                return True
            if after[:1] == ["not"] and [*before, *after[1:]] == rest.split():
                return False
        return None
    if "不" in words or not ("是否" in words or words.endswith("吗")):
        return None
    stem, sentence = words.removesuffix("吗").replace("是否", "").replace(" ", ""), sentence.replace(" ", "")
    if "是否" in words:
        sentence = sentence.replace("是", "")
    return True if sentence == stem else False if sentence.replace("不", "", 1) == stem else None
