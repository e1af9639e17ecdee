"""A claim as a sentence for people.

The sentence has one reading only: names are bare where none of their words is a word of ours, else JSON strings.
"""

from __future__ import annotations

from srt.io.records import Lang
from srt.worlds.seating.claim_language import parse_claim
from srt.worlds.seating.writing.phrases import ASSERTION_EN, ASSERTION_ZH, Lexicon

LEXICONS: dict[Lang, Lexicon] = {"en": ASSERTION_EN, "zh": ASSERTION_ZH}
STOPS: dict[Lang, str] = {"en": ".", "zh": "。"}


def assertion(claim_text: str, lang: Lang) -> str:
    """The sentence that says ``claim_text`` in ``lang``.

    Raises:
        ClaimError: ``claim_text`` is no claim.
    """
    clause = LEXICONS[lang].clause(parse_claim(claim_text))
    return clause[:1].upper() + clause[1:] + STOPS[lang]
