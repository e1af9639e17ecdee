"""What has been said already: twice within a claim, or by an earlier step.

Of two claims that say the same, the simpler one may follow the other, as ``? = cw(Ann, 2)`` does ``? =
across(ccw(Ann))``; in the other direction, or in words as simple, nothing is gained. A claim gets simpler in a few ways
only, so that steps which say the same again come to an end.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from srt.worlds.seating.checker.claim_sets import BLANK, NONE, TOKENS, Language, Meaning, relates
from srt.worlds.seating.checker.lookup_or_substitution import functions_at_once, rest_of

Words = tuple[int, ...]
"""How complicated a claim is, in several respects."""
_NOBODY = f"{BLANK} = {NONE}"


class _Content(NamedTuple):
    """What a claim says, equal for claims that say the same of the same people; and in which words."""

    said: object
    words: Words


class Said:
    """What the steps of a trace of one scene have said so far."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._steps: dict[object, list[tuple[Words, int]]] = {}

    def before(self, claim: Meaning) -> int | None:
        """The number of a step that says what ``claim`` does, in words as simple or simpler."""
        content = _content(claim, self._language)
        return next((n for words, n in self._steps.get(content.said, ()) if not simpler(content.words, words)), None)

    def add(self, number: int, claim: Meaning) -> None:
        """Step ``number`` says ``claim``."""
        content = _content(claim, self._language)
        self._steps.setdefault(content.said, []).append((content.words, number))


def says_the_same(one: Meaning, other: Meaning, language: Language) -> bool:
    """Whether two claims of ``language`` say the same of the same people, in whatever words."""
    return _content(one, language).said == _content(other, language).said


@lru_cache(maxsize=4096)
def said_twice(masked: str, language: Language) -> str | None:
    """What makes a claim of ``language`` longer and adds nothing to it; ``None`` where each part of it adds something.

    An atom adds nothing where it always holds, or where another one of its alternative implies it; an alternative where
    another one holds whenever it does.
    """
    alternatives = [alternative.split(" & ") for alternative in masked.split(" | ")]
    entities = TOKENS[: len(language.world.plan.seats)] if BLANK in masked else BLANK
    blocks = [[_blocks(atom, entities, language) for atom in atoms if atom != _NOBODY] for atoms in alternatives]
    always = (language.world.full, language.world.full) * len(entities)
    if any(block == always for said in blocks for block in said):
        return "a part of it always holds"
    if any(_one_holds_with_another(said) for said in blocks):
        return "one part of it says what another says"
    whole = [tuple([_all(masks) for masks in zip(*said, strict=True)]) for said in blocks if said]
    return "one alternative of it is a case of another" if _one_holds_with_another(whole) else None


def simpler(one: Words, other: Words) -> bool:
    """Whether ``one`` is simpler than ``other`` in some respect, and in none more complicated."""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def _content(claim: Meaning, language: Language) -> _Content:
    if claim.letters is not None:
        return _Content(claim.letters, ())
    return _content_of_text(claim.masked, language)


@lru_cache(maxsize=4096)
def _content_of_text(masked: str, language: Language) -> _Content:
    # What a claim about the blank repeats of others says nothing of the blank.
    of_blank = rest_of(masked, []) if BLANK in masked else masked
    meaning = language.meaning(of_blank)
    assert meaning is not None, "a part of a claim is a claim"
    return _Content((meaning.blank, meaning.tied, meaning.form.tokens), _words(of_blank))


def _words(masked: str) -> Words:
    """The relations that are used at once, the functions inside one another, and whether the blank is in a function."""
    alternatives = [alternative.split(" & ") for alternative in masked.split(" | ")]
    relations = max(sum(map(relates, atoms)) for atoms in alternatives)
    return relations, functions_at_once(masked), int(f"({BLANK}" in masked)


def _blocks(atom: str, entities: str, language: Language) -> tuple[int, ...]:
    """Where an atom holds if each of ``entities`` fills the blank: places, relations, places, relations, ..."""
    return tuple([mask for entity in entities for mask in language.block(atom.replace(BLANK, entity)) or ()])


def _one_holds_with_another(blocks: Sequence[tuple[int, ...]]) -> bool:
    """Whether some of ``blocks`` holds wherever another one of them does."""
    return any(
        all(mask & other == other for mask, other in zip(one, another, strict=True))
        for place, one in enumerate(blocks)
        for at, another in enumerate(blocks)
        if at != place
    )


def _all(masks: tuple[int, ...]) -> int:
    found = masks[0]
    for mask in masks[1:]:
        found &= mask
    return found
