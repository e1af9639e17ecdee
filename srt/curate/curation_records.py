"""What curation is asked to do, and its findings."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field

from srt.curate.hash_index import FARTHEST
from srt.io.records import Record
from srt.io.yaml_config import Config, Flag

Check = Literal["pictures", "solution", "exact", "near", "groups", "views", "answers"]
CHECKS: tuple[Check, ...] = get_args(Check)
"""pictures: they can be read. solution: there is one. exact, near: duplicates. groups: a variant of a test item.
views: sizes of three views agree. answers: the solution ends with the gold answer."""

Reason = Literal[
    "unreadable_picture",
    "no_solution",
    "exact_duplicate",
    "near_duplicate",
    "duplicate_with_another_answer",
    "same_pictures",
    "variant_in_another_split",
    "views_disagree",
    "answer_differs",
    "duplicate_in_another_file",
]
Verdict = Literal["drop", "review", "note"]


class CurationFinding(Record):
    """One thing found in a problem. ``drop``: it is left out; ``review``: a person decides; ``note``: it stays.

    ``other_id`` is the problem that it was compared with, in ``other_file`` if that is another file. ``score`` is the
    likeness of the texts, ``picture_score`` that of the pictures that are least alike, 0 to 1. ``splits`` is set where
    the two are in different splits: ``train/test``, this problem's first.
    """

    problem_id: str
    verdict: Verdict
    reason: Reason
    other_id: str | None = None
    other_file: str | None = None
    score: float | None = None
    picture_score: float | None = None
    splits: str | None = None
    detail: str | None = None


class Embeddings(Record):
    """A model that turns texts into vectors, behind an OpenAI-compatible endpoint."""

    model: str = Field(min_length=1)
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"


class Thresholds(Config):
    """Likeness from which a duplicate is dropped, and from which a person decides, for texts and for pictures.

    Those of texts are the published ones (0.90 and 0.85). ``picture_bits`` is how many of the 64 bits of their hashes
    may differ for two pictures to be compared at all; ``same_pictures`` the likeness of texts from which two problems
    with the same pictures and the same answer are shown to a person.
    """

    text_drop: Annotated[float, Flag("Options", "Minimum text similarity to drop a duplicate.")] = Field(
        0.90, ge=0, le=1
    )
    text_review: Annotated[float, Flag("Options", "Minimum text similarity to send a pair to review.")] = Field(
        0.85, ge=0, le=1
    )
    picture_drop: Annotated[float, Flag("Options", "Minimum picture similarity to drop a duplicate.")] = Field(
        0.96, ge=0, le=1
    )
    picture_review: Annotated[float, Flag("Options", "Minimum picture similarity to send a pair to review.")] = Field(
        0.70, ge=0, le=1
    )
    picture_bits: Annotated[int, Flag("Options", "Bits, of 64, in which two picture hashes may differ.")] = Field(
        12, ge=0, le=FARTHEST
    )
    same_pictures: float = Field(0.30, ge=0, le=1)


class CurationOptions(Record):
    """What a run of curation does."""

    skip: frozenset[Check] = frozenset()
    thresholds: Thresholds = Thresholds()
    embeddings: Embeddings | None = None
