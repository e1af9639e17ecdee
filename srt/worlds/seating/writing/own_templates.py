"""The sentence templates of our own, for each language and style.

A language is a module (:mod:`.templates_en`, :mod:`.templates_zh`) with a table for each family of scenes. A row is a
claim and the sentences that mean it; ``{X}`` and ``{Y}`` are names, the other fields are in ``FIELDS``, which maps each
piece of a claim to its word. A row stands for all ways to fill its fields; ``{spot2}`` is another ``{spot}``.
``OPENINGS`` are the words before the clues, with ``{names}`` and ``{compass}``, which ``COMPASS`` fills.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Literal

from srt.io.records import Lang
from srt.worlds.seating.scenes import SCENES, Scene
from srt.worlds.seating.writing import templates_en, templates_zh
from srt.worlds.seating.writing.sentence_templates import TEXT_BLANK, SentenceTemplates, Wording, fill_names

Wordiness = Literal["short", "long"]


@cache
def own_templates(lang: Lang, style: Wordiness) -> SentenceTemplates:
    """Our templates in ``lang``; ``long`` opens with a full description of the scene, ``short`` with a few words."""
    language = {"en": templates_en, "zh": templates_zh}[lang]
    clues = {scene: tuple(_wordings(scene, language.WORDINGS[scene.family], language.FIELDS)) for scene in SCENES}
    openings = {}
    for scene in SCENES:
        compass = language.COMPASS.get((style, scene.family, scene.compass), "")
        openings[scene] = (language.OPENINGS[style][scene.kind].replace("{compass}", compass),)
    return SentenceTemplates(
        lang=lang,
        source="own",
        openings=openings,
        clues=clues,
        questions={scene: tuple(q for wording in clues[scene] for q in _questions(wording)) for scene in SCENES},
        names=language.NAMES,
        joiner=language.JOINER,
        clue_line=language.CLUE_LINE,
        last_clue_line=language.LAST_CLUE_LINE,
        question_line=language.QUESTION_LINE,
        none_of_the_above=language.NONE_OF_THE_ABOVE,
    )


def _wordings(
    scene: Scene, rows: Sequence[tuple[str, ...]], fields: Mapping[str, Mapping[str, str]]
) -> Iterator[Wording]:
    """Every relation that ``scene`` has, with its sentences. Without a compass it has no directions."""
    has_compass = scene.compass != "none"
    looked_in = {seat.rstrip("12") for seat in scene.seats if has_compass}
    meant = {
        **fields,
        "direction": {piece: word for piece, word in fields["direction"].items() if piece in looked_in},
        "bearing": fields["bearing"] if has_compass else {},
        "cardinal": fields["cardinal"] if has_compass else {},
    }
    for claim, *texts in rows:
        names = re.findall(r"\{([a-z_]+[23]?)\}", claim)
        for filling in itertools.product(*(meant[name.removesuffix("2")].items() for name in names)):
            if len(set(filling)) == len(filling):
                pieces = {name: piece for name, (piece, _) in zip(names, filling, strict=True)}
                words = {name: word for name, (_, word) in zip(names, filling, strict=True)}
                yield Wording(_fill(claim, pieces), tuple(_fill(text, words) for text in texts))


def _fill(template: str, parts: Mapping[str, str]) -> str:
    return template.format(X="{X}", Y="{Y}", **parts)


def _questions(wording: Wording) -> list[Wording]:
    """The questions that blank out one name of a clue."""
    blanks = [(("?", "{X}"), (TEXT_BLANK, "{X}")), (("{X}", "?"), ("{X}", TEXT_BLANK))][: wording.arity]
    return [
        Wording(fill_names(wording.claim, *in_claim), tuple(fill_names(text, *in_text) for text in wording.texts))
        for in_claim, in_text in blanks
    ]
