"""Duplicates among problems, within a file and across files and splits.

A problem is a pair of text and pictures. "The three views of a solid are shown; its volume is" stands above hundreds of
different pictures, and one picture may carry several questions: only where both are alike is it the same problem. Two
problems whose gold answers differ are never taken for one: that pair goes to a person.

Of two duplicates the test item stays; within a split, an item of another file, then the earlier one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from srt.curate.curation_records import CurationFinding, Reason, Thresholds, Verdict
from srt.curate.entries import Entry, by_priority, same_answer
from srt.curate.picture_comparison import PairLikeness, compare_pair
from srt.curate.picture_groups import MOST_CANDIDATES, PictureGroups
from srt.curate.shingles import lone_letters, wording
from srt.curate.similarity import Similarity
from srt.io.progress import progress
from srt.io.worker_processes import Workers

Outcome = tuple[Verdict, Reason, float, float]
_CHUNK = 16


class AlikeTexts(NamedTuple):
    """Two problems whose texts do not keep them from being the same. ``score``: the likeness of the texts.

    ``alike``: they ask the same, in nearly the same words. ``certain``: alike enough to drop one of them. ``conflict``:
    their gold answers differ.
    """

    one: Entry
    other: Entry
    score: float
    alike: bool
    certain: bool
    conflict: bool


def exact_duplicates(entries: list[Entry]) -> tuple[list[CurationFinding], dict[int, Entry]]:
    """Find problems with the same normal form of text and the very same pictures as one that stays.

    Returns the findings, and every entry that is left for further comparison, by position: one of each set of equals.
    """
    found: list[CurationFinding] = []
    first: dict[tuple[str, ...], Entry] = {}
    left: dict[int, Entry] = {}
    for one in by_priority(entries):
        other = first.setdefault(exact_key(one), one)
        if other is one or one.lang != other.lang:
            left[one.position] = one
            continue
        if same_answer(one, other) is False:
            left[one.position] = one
            finding: Outcome = ("review", "duplicate_with_another_answer", 1.0, 1.0)
        else:
            finding = ("drop", "exact_duplicate", 1.0, 1.0)
        found += _findings(one, other, finding)
    return found, left


def exact_key(one: Entry) -> tuple[str, ...]:
    """What exact duplicates have in common."""
    return one.normal, lone_letters(one.compared), *(image.sha256 for image in one.images)


def group_variants(entries: list[Entry]) -> list[CurationFinding]:
    """Find problems whose group (a translation, a variant) has an item in a split that takes precedence over theirs."""
    best: dict[str, Entry] = {}
    found = []
    for one in by_priority(entries):
        if one.group is None:
            continue
        other = best.setdefault(one.group, one)
        if one.rank > other.rank:
            found += _findings(one, other, ("drop", "variant_in_another_split", None, None))
    return found


def near_duplicates(
    entries: list[Entry], groups: PictureGroups, similarity: Similarity, thresholds: Thresholds, workers: Workers
) -> tuple[list[CurationFinding], int]:
    """Find problems that are nearly the same as one that stays; and how many pairs were compared.

    Texts first: they are cheap, and decide most pairs. The pictures of the others are compared by ``workers``.
    """
    pairs = dict.fromkeys(_pairs(entries, groups, similarity, thresholds))
    similarity.prepare({one.position: one for pair in pairs for one in pair}.values())
    alike = [
        texts
        for one, other in progress(pairs, len(pairs), "pairs of texts")
        if (texts := compare_texts(one, other, similarity, thresholds)) is not None
    ]
    jobs = (groups.pair(texts.one, texts.other, strokes_from(texts, thresholds)) for texts in alike)
    looks = progress(workers.map(compare_pair, jobs, _CHUNK), len(alike), "pairs of pictures")
    outcomes = [
        (texts.one, texts.other, finding)
        for texts, pictures in zip(alike, looks, strict=True)
        if (finding := outcome(texts, pictures, thresholds)) is not None
    ]
    return decide(entries, outcomes), len(pairs)


def decide(entries: list[Entry], outcomes: Iterable[tuple[Entry, Entry, Outcome]]) -> list[CurationFinding]:
    """The findings on ``entries``, from the ``outcomes`` of all pairs; an entry that is in no pair may be left out."""
    neighbours: dict[int, list[tuple[Entry, Outcome]]] = defaultdict(list)
    for one, other, finding in outcomes:
        neighbours[one.position].append((other, finding))
        neighbours[other.position].append((one, finding))
    found: list[CurationFinding] = []
    staying: set[int] = set()
    for one in by_priority(entries):
        standing = [(other, finding) for other, finding in neighbours[one.position] if other.position in staying]
        # Until the findings drop it. What is dropped takes no other with it: two problems that are like it may differ.
        staying.add(one.position)
        if not standing:
            continue
        # The one that decides most: a reason to drop before one to look, an item of a split that takes precedence, the
        # likest.
        other, finding = max(standing, key=lambda pair: (pair[1][0] == "drop", pair[0].rank < one.rank, pair[1][2]))
        findings = _findings(one, other, finding)
        found += findings
        if any(item.verdict == "drop" and item.problem_id == one.id for item in findings):
            staying.remove(one.position)
    return found


def _pairs(
    entries: list[Entry], groups: PictureGroups, similarity: Similarity, thresholds: Thresholds
) -> Iterator[tuple[Entry, Entry]]:
    """Pairs to compare: by pictures; by texts where there are none, or where too many problems have the same ones."""
    left = {one.position for one in entries}
    by_text: list[Entry] = []
    for one in entries:
        candidates = groups.candidates(one) if one.images else None
        if candidates is None:
            by_text.append(one)
            continue
        for other in candidates:
            if other.position in left and _worth_comparing(one, other):
                yield _ordered(one, other)
    if by_text:
        similarity.prepare(by_text)
        for one, other in similarity.pairs(by_text, thresholds.text_review, MOST_CANDIDATES):
            if _worth_comparing(one, other):
                yield _ordered(one, other)


def _worth_comparing(one: Entry, other: Entry) -> bool:
    """Not two of other files, and not two known variants of each other."""
    return (one.file is None or other.file is None) and (one.group is None or one.group != other.group)


def _ordered(one: Entry, other: Entry) -> tuple[Entry, Entry]:
    return (one, other) if one.position < other.position else (other, one)


def compare_texts(one: Entry, other: Entry, similarity: Similarity, thresholds: Thresholds) -> AlikeTexts | None:
    """How the texts of two problems are alike, if the problems may be the same."""
    text = similarity.score(one, other)
    if text < min(thresholds.text_review, thresholds.same_pictures):
        return None
    same = same_answer(one, other)
    agree, conflict = same is True, same is False
    same_facts = one.facts == other.facts
    alike = text >= thresholds.text_review and (same_facts or agree)
    asks_the_same = agree and bool(one.images) and one.lang == other.lang and text >= thresholds.same_pictures
    if not (alike or asks_the_same) or (conflict and text < thresholds.text_drop):
        return None
    # Measures of likeness hardly see one turned word or number, which makes another problem.
    certain = text >= thresholds.text_drop and same_facts and wording(one.compared) == wording(other.compared)
    return AlikeTexts(one, other, text, alike, certain, conflict)


def strokes_from(texts: AlikeTexts, thresholds: Thresholds) -> float | None:
    """The likeness of pictures from which their strokes decide; ``None`` where nothing would be dropped anyway."""
    return thresholds.picture_drop if texts.certain and not texts.conflict else None


def outcome(texts: AlikeTexts, pictures: PairLikeness, thresholds: Thresholds) -> Outcome | None:
    """What becomes of two problems, if anything."""
    least = pictures.least
    if least < thresholds.picture_review:
        return None
    certain = texts.certain and least >= thresholds.picture_drop
    if texts.conflict:
        return ("review", "duplicate_with_another_answer", texts.score, least) if certain else None
    # Nothing is dropped on a likeness alone.
    if certain and pictures.same_strokes:
        return ("drop", "near_duplicate", texts.score, least)
    if texts.alike:
        return ("review", "near_duplicate", texts.score, least)
    return ("review", "same_pictures", texts.score, least) if least >= thresholds.picture_drop else None


def _findings(
    one: Entry, other: Entry, finding: tuple[Verdict, Reason, float | None, float | None]
) -> list[CurationFinding]:
    """The finding on ``one``, a duplicate of ``other``; a note on ``other`` where ``one`` is in another file."""
    verdict, reason, score, picture_score = finding
    if one.file is not None:
        if other.file is not None:
            return []
        one, other, verdict, reason = other, one, "note", "duplicate_in_another_file"
    return [
        CurationFinding(
            problem_id=one.id,
            verdict=verdict,
            reason=reason,
            other_id=other.id,
            other_file=other.file,
            score=score if score is None else round(score, 4),
            picture_score=picture_score if picture_score is None or not one.images else round(picture_score, 4),
            splits=f"{one.split}/{other.split}" if one.split != other.split else None,
        )
    ]
