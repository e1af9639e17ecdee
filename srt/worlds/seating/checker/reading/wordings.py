"""The meaning of each sentence, looked up among all that the grammar of its scene generates."""

from __future__ import annotations

import re
from functools import cache

from srt.io.records import Lang
from srt.worlds.seating.checker.plans import Kind
from srt.worlds.seating.checker.reading import wordings_en, wordings_zh
from srt.worlds.seating.checker.reading.grammar import SLOTS

_BLANK = re.compile(r"[(（]\s*[)）]")
_GRAMMARS = {"en": wordings_en.GRAMMAR, "zh": wordings_zh.GRAMMAR}


@cache
def sentences(kind: Kind, lang: Lang) -> dict[str, str]:
    """The literal that each sentence of a scene says; both have :data:`~.grammar.SLOTS` in the place of names.

    Raises:
        ValueError: two rules of a grammar give one sentence two literals, which is a fault of the grammar.
    """
    found: dict[str, str] = {}
    for sentence, literal in _GRAMMARS[lang].generate(kind.partition("-")[0]):
        if found.setdefault(_key(sentence), literal) != literal:
            raise ValueError(f"{sentence!r} says both {found[_key(sentence)]!r} and {literal!r}")
    return found


def without_end(sentence: str) -> str:
    """``sentence`` without the signs at its end, which do not matter."""
    return sentence.strip().rstrip(";；.。?？")


def literal_of(sentence: str, kind: Kind, lang: Lang, tokens: str, blank: str) -> str | None:
    """The literal of a clue or question, ``None`` if no rule generates it; capitals do not matter.

    ``sentence`` has no end and one of ``tokens`` in the place of each name, and so has the literal. It has ``blank`` in
    the place of ``()``.
    """
    if blank in sentence:
        return None
    sentence = _BLANK.sub(blank, sentence)
    who = [letter for letter in sentence if letter == blank or letter in tokens]
    if len(who) > len(SLOTS):
        return None
    for slot, token in zip(SLOTS, who, strict=False):
        sentence = sentence.replace(token, slot, 1)
    literal = sentences(kind, lang).get(_key(sentence))
    if literal is None:
        return None
    for slot, token in zip(SLOTS, who, strict=False):
        literal = literal.replace(slot, token)
    return literal


def _key(sentence: str) -> str:
    """A sentence in small letters: names are tokens by now."""
    return sentence.strip().lower()
