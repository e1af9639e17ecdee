"""The match of one sentence against the patterns of its language, English or Chinese."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from srt.io.records import Lang
from srt.worlds.seating.claim_language import Claim, parse_claim
from srt.worlds.seating.reading.pattern_notation import SLOTS, LanguagePatterns
from srt.worlds.seating.reading.patterns_en import ENGLISH
from srt.worlds.seating.reading.patterns_zh import CHINESE
from srt.worlds.seating.scenes import Family

_LANGUAGES: dict[Lang, LanguagePatterns] = {"en": ENGLISH, "zh": CHINESE}


def language(lang: Lang) -> LanguagePatterns:
    """The patterns of ``lang``."""
    return _LANGUAGES[lang]


@lru_cache(maxsize=4096)
def read_wording(lang: Lang, family: Family, template: str) -> Claim | None:
    """The claim that ``template`` means, or ``None`` where no pattern knows it.

    ``template`` is a sentence without its full stop in which :data:`SLOTS` stand for the entities; so they do in the
    claim. Where several patterns match, the first decides.
    """
    return next(iter(all_readings(lang, family, template)), None)


def all_readings(lang: Lang, family: Family, template: str) -> list[Claim]:
    """What each pattern that matches ``template`` makes of it; more than one different claim is a fault of ours."""
    vocabulary = language(lang).vocabulary
    readings = []
    for pattern, fields, claim in _compiled(lang, family):
        if match := pattern.fullmatch(template):
            pieces = {name: _piece(vocabulary.get(name.rstrip("23")), match[name]) for name in fields}
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


def _piece(words: Mapping[str, str] | None, text: str) -> str:
    if words is None:
        return text
    return next(piece for word, piece in words.items() if re.fullmatch(word, text, re.IGNORECASE))
