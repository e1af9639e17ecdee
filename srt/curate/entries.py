"""What curation keeps of a problem: what is compared and nothing else, so that tens of thousands fit in memory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from srt.answers.equality import SAME_VALUE, equal_texts
from srt.answers.written_form import canonical_text
from srt.curate.shingles import Facts, facts, normal_form
from srt.io.records import Image, Lang, Problem

_WHOLE = re.compile(r"-?\d{1,15}")
_RANKS = {"test": 0, "dev": 1, "val": 1, "validation": 1}
TRAIN_RANK = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """``position`` is its place among all entries, ``file`` ``None`` for a problem of the file that is curated.

    ``rank`` orders splits by which problem stays: 0 test, 1 dev, 2 the others. ``answer`` is the gold answer as text:
    where the options are texts, the right ones and not their letters. ``compared`` is the text that is compared, as it
    was written.
    """

    position: int
    id: str
    file: str | None
    root: Path
    split: str
    rank: int
    lang: Lang
    group: str | None
    compared: str
    normal: str
    facts: Facts
    images: tuple[Image, ...]
    answer: str | None


def entry(problem: Problem, position: int, root: Path, file: str | None = None) -> Entry:
    """The entry of ``problem``. The paths of its pictures are relative to ``root``."""
    # Sorted, and without options that only repeat their letter: the same options in another order are the same problem.
    options = sorted(text for letter, text in problem.choices.items() if normal_form(text) not in ("", letter.lower()))
    compared = "\n".join([problem.question, *options])
    return Entry(
        position=position,
        id=problem.id,
        file=file,
        root=root,
        split=problem.split,
        rank=_RANKS.get(problem.split.casefold(), TRAIN_RANK),
        lang=problem.lang,
        group=problem.group_id,
        compared=compared,
        normal="\n".join(filter(None, map(normal_form, [problem.question, *options]))),
        facts=facts(compared),
        images=tuple([_with_lower_case_digest(image) for image in problem.images]),
        answer=_answer(problem, options),
    )


def _with_lower_case_digest(image: Image) -> Image:
    """``image`` with a digest that equals that of other records of the picture, however they write it."""
    digest = image.sha256.lower()
    return image if digest == image.sha256 else image.model_copy(update={"sha256": digest})


def category_of(problem: Problem) -> str:
    """What the summary counts it under."""
    return problem.subcategory or problem.category or "none"


def by_priority(entries: list[Entry]) -> list[Entry]:
    """Test before dev before train, at each rank the other files first, then those with an answer, in file order."""
    return sorted(entries, key=lambda one: (one.rank, one.file is None, one.answer is None, one.position))


def same_answer(one: Entry, other: Entry) -> bool | None:
    """Whether two problems have the same gold answer; ``None`` where one of them has none."""
    if not one.answer or not other.answer:
        return None
    return _equal_answers(*sorted((one.answer, other.answer)))


@lru_cache(maxsize=2**16)
def _equal_answers(one: str, other: str) -> bool:
    # Two whole numbers need no algebra, which takes long.
    if _WHOLE.fullmatch(one) and _WHOLE.fullmatch(other):
        return int(one) == int(other)
    return normal_form(one) == normal_form(other) or equal_texts(one, other, "text", SAME_VALUE).equal


def _answer(problem: Problem, options: list[str]) -> str | None:
    if problem.answer is None:
        return None
    if problem.answer.kind == "choice_set" and len(options) == len(problem.choices) > 0:
        right = (problem.choices.get(letter, letter) for letter in problem.answer.value)
        return "; ".join(sorted(right, key=normal_form))
    return canonical_text(problem.answer)
