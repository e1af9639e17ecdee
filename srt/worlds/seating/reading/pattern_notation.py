"""The notation in which wordings are written down.

A pattern is a pair of texts. The first is a regular expression with fields in braces, ``{X} is the {side} neighbou?r of
{Y}``; the second is the claim that it means, with the same fields, ``{side}({Y}) = {X}``. ``{X}`` and ``{Y}`` are
entities or the blank; the other fields are words of the language's vocabulary, each with the piece of claim that it
stands for. A digit tells a field from another of the same kind (``{spot}``, ``{spot2}``). The patterns are
compositional: they know words and how they combine, not sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from srt.worlds.seating.scenes import Compass, Family, Kind

SLOTS = "\ue000\ue001\ue002\ue003"
"""What stands for the entities of a sentence, in order of appearance, while it is matched."""


@dataclass(frozen=True)
class SceneSentence:
    """A sentence of a scene's description, and what it says of the scene (``None``: nothing)."""

    wording: str
    kind: Kind | None = None
    compass: Compass | None = None


@dataclass(frozen=True)
class LanguagePatterns:
    """All that the reader knows of one language."""

    vocabulary: Mapping[str, Mapping[str, str]]
    """Field name -> {regular expression of a word: the piece of claim that it stands for}."""
    wordings: Mapping[Family, Sequence[tuple[str, str]]]
    scene_sentences: Sequence[SceneSentence]
    headers: Sequence[str]
    """Regular expressions of a scene text, with groups ``names`` and ``scene`` (what is left without the names)."""
    name_separator: str
    word_edges: bool
    """Whether a name ends where a word ends."""
