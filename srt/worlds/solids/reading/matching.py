"""Matches texts with templates: which solid, which quantities and which values stand in the slots of a wording."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from srt.io.records import Lang
from srt.worlds.solids.reading import published
from srt.worlds.solids.reading.measures import UNIT
from srt.worlds.solids.reading.published import BLANK, SYNONYMS
from srt.worlds.solids.reading.quantity_words import quantities
from srt.worlds.solids.reading.wordings import SOLIDS
from srt.worlds.solids.table import base_kind


def matches(templates: Sequence[str], text: str, lang: Lang) -> Iterator[dict[str, str]]:
    """The slots of each of ``templates`` that is all of ``text``."""
    for template in templates:
        if match := _pattern(template, lang).fullmatch(text):
            yield match.groupdict()


def items(text: str, kind: str, lang: Lang) -> Iterator[tuple[str, str]]:
    """The pairs of a quantity and a value that ``text`` lists; one of them is empty where it does not."""
    separator = re.compile("，|、" if lang == "zh" else r", and |, | and ")
    words = "|".join(words_of(kind, lang))
    if lang == "zh" and (each := re.fullmatch(rf"((?:{words})(?:[、和与](?:{words}))+)分别(?:是|为) ?(.+)", text)):
        names, values = re.findall(words, each[1]), re.split("[、，和]", each[2])
        fits = len(names) == len(values) and all(value == value.strip() for value in values)
        yield from zip(names, values, strict=True) if fits else [("", "")]
        return
    value = r"(\S|\S.*\S)"
    pattern = rf"(?:an? |the )?({words})(?: of| is)? {value}" if lang == "en" else rf"({words})(?:是|为)? ?{value}"
    for item in separator.split(text):
        match = re.fullmatch(pattern, item)
        yield (match[1], match[2]) if match else ("", "")


def kind_of(word: str, lang: Lang) -> str:
    """The kind of solid that a word names."""
    return next(kind for kind in SOLIDS[lang] if word in solids_of(kind, lang))


def letter_of(word: str, kind: str, lang: Lang) -> str | None:
    """The letter of a quantity of a solid; ``None`` where the solid has none of that name."""
    return next((letter for letter, names in _quantities(kind, lang).items() if word in names), None)


def letters_of(kind: str, lang: Lang) -> tuple[str, ...]:
    """The letters of all quantities of a kind of solid."""
    return tuple(_quantities(kind, lang))


def words_of(kind: str, lang: Lang) -> list[str]:
    """The words for quantities of a kind of solid, the longest first."""
    return sorted((word for names in _quantities(kind, lang).values() for word in names), key=len, reverse=True)


def solids_of(kind: str, lang: Lang) -> tuple[str, ...]:
    """The words for a kind of solid."""
    return (*SOLIDS[lang][kind], *published.SOLIDS[lang].get(kind, ()))


@cache
def _quantities(kind: str, lang: Lang) -> dict[str, tuple[str, ...]]:
    also = published.QUANTITIES[lang].get(base_kind(kind), {})
    return {letter: (*names, *also.get(letter, ())) for letter, names in quantities(kind, lang).items()}


def without_blank(question: str, lang: Lang) -> str:
    """The question with *how many* for the gap at its end."""
    return re.sub(rf"{BLANK}$", r"多少\g<unit>？", question) if lang == "zh" else question


@cache
def _pattern(template: str, lang: Lang) -> re.Pattern[str]:
    names = {name for kind in SOLIDS[lang] for name in solids_of(kind, lang)}
    # 圆柱体积 is 圆柱 and 体积.
    solids = "|".join(
        name + "(?!积)" * (name[-1] == "体" and name[:-1] in names) for name in sorted(names, key=len, reverse=True)
    )
    every = sorted({word for kind in SOLIDS[lang] for word in words_of(kind, lang)}, key=len, reverse=True)
    slots = {
        "new": solids,
        "known": solids,
        "second": solids,
        "quantity": "|".join(every),
        "other": "|".join(every),
        "measures": ".+",
        "value": r"\S(?:.*\S)?",
        "times": "[1-9][0-9]{0,3}",
        "unit": UNIT,
        "more": r"\S(?:.*\S)?",
        "angle": r"\S(?:.*\S)?",
        **dict.fromkeys(("long", "wide", "high"), r"\S(?:.*\S)?"),
    }
    pieces = re.split(r"\{(\w+)\}", template)
    parts = []
    for n, piece in enumerate(pieces):
        if n % 2 and piece in SYNONYMS:
            # The longest first: what follows may be any text, and would take the rest of the word.
            parts.append(f"(?:{'|'.join(sorted(map(re.escape, SYNONYMS[piece]), key=len, reverse=True))})")
        else:
            parts.append(rf"(?P<{piece}>{slots[piece]})" if n % 2 else re.escape(piece))
    return re.compile("".join(parts))
