"""How wordings are recognised: a small notation for patterns, and the match of one sentence against them.

A pattern is a pair of texts. The first is a regular expression with fields in braces, ``{X} is the {side} neighbou?r of
{Y}``; the second is the claim that it means, with the same fields, ``{side}({Y}) = {X}``. ``{X}`` and ``{Y}`` are
entities or the blank; the other fields are words of the language's vocabulary, each with the piece of claim that it
stands for. A field may carry a digit to be told from another of its kind (``{spot}``, ``{spot2}``). The patterns are
compositional: they know words and how they combine, not sentences. English is :mod:`.patterns_en`, Chinese is
:mod:`.patterns_zh`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from srt.records import Lang
from srt.worlds.seating.claims import Claim, parse_claim
from srt.worlds.seating.scenes import Compass, Kind

SLOTS = "\ue000\ue001\ue002\ue003"
"""What stands for the entities of a sentence, in order of appearance, while it is matched."""

Family = str
"""``booth``, ``hexagon`` or ``shelf``: the wordings of a family do not depend on compass or facing."""

Vocabulary = Mapping[str, Mapping[str, str]]
"""Field name -> {regular expression of a word: the piece of claim that it stands for}."""

Wordings = Mapping[Family, Sequence[tuple[str, str]]]


@dataclass(frozen=True)
class SceneSentence:
    """A sentence of a scene's description, and what it says of the scene (``None``: nothing)."""

    wording: str
    kind: Kind | None = None
    compass: Compass | None = None


@dataclass(frozen=True)
class Language:
    """All that the reader knows of one language."""

    vocabulary: Vocabulary
    wordings: Wordings
    scene_sentences: Sequence[SceneSentence]
    headers: Sequence[str]
    """Regular expressions of a scene text, with groups ``names`` and ``scene`` (what is left without the names)."""
    name_separator: str
    word_edges: bool
    """Whether a name ends where a word ends."""


@cache
def language(lang: Lang) -> Language:
    """The patterns of ``lang``."""
    if lang == "en":
        from srt.worlds.seating.patterns_en import ENGLISH

        return ENGLISH
    from srt.worlds.seating.patterns_zh import CHINESE

    return CHINESE


def family_of(kind: Kind) -> Family:
    """The family of wordings that scenes of ``kind`` speak in."""
    return kind.partition("-")[0]


@cache
def read_wording(lang: Lang, family: Family, template: str) -> Claim | None:
    """The claim that ``template`` means, or ``None`` where no pattern knows it.

    ``template`` is a sentence without its full stop in which :data:`SLOTS` stand for the entities; so they do in the
    claim. Where several patterns match, the first speaks.
    """
    return next(iter(all_readings(lang, family, template)), None)


def all_readings(lang: Lang, family: Family, template: str) -> list[Claim]:
    """What each pattern that matches ``template`` makes of it; more than one different claim is a fault of ours."""
    vocabulary = language(lang).vocabulary
    readings = []
    for pattern, fields, claim in _compiled(lang, family):
        if match := pattern.fullmatch(template):
            pieces = {name: _piece(vocabulary, name, match[name]) for name in fields}
            readings.append(parse_claim(claim.format(**pieces)))
    return readings


@cache
def _compiled(lang: Lang, family: Family) -> list[tuple[re.Pattern[str], tuple[str, ...], str]]:
    known = language(lang)
    compiled = []
    for wording, claim in known.wordings[family]:
        fields: list[str] = []

        def group(match: re.Match[str], fields: list[str] = fields) -> str:
            fields.append(match[1])
            words = known.vocabulary.get(match[1].rstrip("23"))
            inside = f"[{SLOTS}]" if words is None else "|".join(words)
            return f"(?P<{match[1]}>{inside})"

        expression = re.sub(r"\{([A-Za-z_]+[23]?)\}", group, wording)
        compiled.append((re.compile(expression, re.IGNORECASE), tuple(fields), claim))
    return compiled


def _piece(vocabulary: Vocabulary, field: str, text: str) -> str:
    words = vocabulary.get(field.rstrip("23"))
    if words is None:
        return text
    return next(piece for word, piece in words.items() if re.fullmatch(word, text, re.IGNORECASE))
