"""What a step may cite: the words between its operation and its claim.

A premise is one string, the same in JSON and in English text: ``(2)`` the second clue, ``#4`` the fourth step,
``scene`` the rules of the scene, ``wlog`` a choice free by symmetry, ``question``, a capital letter for an option, or
the name of an entity of the problem. A name that could be mistaken for one of the others, or that contains a space or
punctuation, is written as a JSON string: ``"Monthly Rose"``. Chinese text writes the three words as 场景, 不妨设
and 题问.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from srt.io.records import Lang

PremiseKind = Literal["given", "step", "scene", "wlog", "question", "option", "entity"]

WORDS: dict[Lang, dict[str, str]] = {
    "en": {"scene": "scene", "wlog": "wlog", "question": "question"},
    "zh": {"scene": "场景", "wlog": "不妨设", "question": "题问"},
}
_RESERVED = {word for words in WORDS.values() for word in words.values()}
_GIVEN = re.compile(r"\(([1-9][0-9]{0,3})\)")
_STEP = re.compile(r"#([1-9][0-9]{0,3})")
_OPTION = re.compile(r"[A-Z]")
_PLAIN_NAME = re.compile(r"[^\W\d_][\w'’.\-]*")


@dataclass(frozen=True)
class Premise:
    """A parsed premise. ``number`` is set for ``given`` and ``step``, ``name`` for ``option`` and ``entity``."""

    kind: PremiseKind
    number: int = 0
    name: str = ""

    def __str__(self) -> str:
        if self.kind == "given":
            return f"({self.number})"
        if self.kind == "step":
            return f"#{self.number}"
        if self.kind == "option":
            return self.name
        return entity_word(self.name) if self.kind == "entity" else self.kind


@lru_cache(maxsize=16_384)
def parse_premise(word: str) -> Premise:
    """The premise that ``word``, in canonical form, denotes; raises :class:`ValueError` for any other word."""
    if match := _GIVEN.fullmatch(word):
        return Premise("given", number=int(match[1]))
    if match := _STEP.fullmatch(word):
        return Premise("step", number=int(match[1]))
    if word in ("scene", "wlog", "question"):
        return Premise(word)  # type: ignore[arg-type]
    if _OPTION.fullmatch(word):
        return Premise("option", name=word)
    if word.startswith('"'):
        try:
            name = json.loads(word)
        except ValueError:
            raise ValueError(f"{word!r} is not a quoted name") from None
        # A name has one spelling: quoted only where it must be, or the same premise could be written in two ways.
        if not isinstance(name, str) or not name or entity_word(name) != word:
            raise ValueError(f"{word!r} is not a name in its normal form")
        return Premise("entity", name=name)
    if _is_plain(word):
        return Premise("entity", name=word)
    raise ValueError(
        f"{word!r} is not a premise: (k), #k, scene, wlog, question, an option letter or a name was expected"
    )


def renumber_steps(words: Iterable[str], new_number: Mapping[int, int]) -> tuple[str, ...]:
    """Canonical premises with the steps that they name renumbered; a step without a new number is left out."""
    kept = []
    for word in words:
        premise = parse_premise(word)
        if premise.kind != "step":
            kept.append(word)
        elif premise.number in new_number:
            kept.append(f"#{new_number[premise.number]}")
    return tuple(kept)


def entity_word(name: str) -> str:
    """How the entity ``name`` is written as a premise: bare if it is unmistakable, else as a JSON string."""
    return name if _is_plain(name) else json.dumps(name, ensure_ascii=False)


def localize(word: str, lang: Lang) -> str:
    """A canonical premise as text in ``lang`` writes it."""
    return WORDS[lang].get(word, word)


def canonical(word: str, lang: Lang) -> str:
    """The canonical form of a premise read from text in ``lang``; the inverse of :func:`localize`."""
    # A word of the other language stays as it is, and is then no premise: a text has one language.
    return next((key for key, local in WORDS[lang].items() if word == local), word)


def _is_plain(name: str) -> bool:
    return bool(_PLAIN_NAME.fullmatch(name)) and not _OPTION.fullmatch(name) and name not in _RESERVED
