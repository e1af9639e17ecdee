"""Duplicates among problems, within a file and across files and splits.

A problem is a pair of text and pictures. "The three views of a solid are shown; its volume is" stands above hundreds of
different pictures, and one picture may carry several questions: only where both are alike is it the same problem. Two
problems whose gold answers differ are never taken for one: that pair goes to a person.

Of two duplicates the test item stays; within a split, an item of another file, then the earlier one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from srt.curate.entries import Entry, by_right_to_stay
from srt.curate.pictures import MOST, Gallery
from srt.curate.records import CuratedOut, Reason, Thresholds, Verdict
from srt.curate.similarity import Similarity

Finding = tuple[Verdict, Reason, float, float]


def exact(entries: list[Entry]) -> tuple[list[CuratedOut], dict[int, Entry]]:
    """Problems with the same normal form of text and the very same pictures as one that stays.

    Gives what was found, and every entry that is left for further comparison, by position: one of each set of equals.
    """
    found: list[CuratedOut] = []
    first: dict[tuple[str, tuple[str, ...]], Entry] = {}
    left: dict[int, Entry] = {}
    for one in by_right_to_stay(entries):
        key = one.normal, tuple(image.sha256 for image in one.images)
        other = first.setdefault(key, one)
        if other is one or one.lang != other.lang:
            left[one.position] = one
            continue
        if one.answer and other.answer and one.answer != other.answer:
            left[one.position] = one
            finding: Finding = ("review", "duplicate_with_another_answer", 1.0, 1.0)
        else:
            finding = ("drop", "exact_duplicate", 1.0, 1.0)
        found += _said(one, other, finding)
    return found, left


def variants(entries: list[Entry]) -> list[CuratedOut]:
    """Problems whose group (a translation, a variant) has an item in a split that stands above theirs."""
    best: dict[str, Entry] = {}
    found = []
    for one in by_right_to_stay(entries):
        if one.group is None:
            continue
        other = best.setdefault(one.group, one)
        if one.rank > other.rank:
            found += _said(one, other, ("drop", "variant_in_another_split", None, None))
    return found


def near(
    entries: list[Entry], gallery: Gallery, similarity: Similarity, thresholds: Thresholds
) -> tuple[list[CuratedOut], int]:
    """Problems nearly the same as one that stays; and how many pairs were compared."""
    pairs = dict.fromkeys(_pairs(entries, gallery, similarity, thresholds))
    similarity.prepare({one.position: one for pair in pairs for one in pair}.values())
    neighbours: dict[int, list[tuple[Entry, Finding]]] = defaultdict(list)
    for one, other in pairs:
        finding = _compare(one, other, gallery, similarity, thresholds)
        if finding is not None:
            neighbours[one.position].append((other, finding))
            neighbours[other.position].append((one, finding))
    found: list[CuratedOut] = []
    staying: set[int] = set()
    for one in by_right_to_stay(entries):
        standing = [(other, finding) for other, finding in neighbours[one.position] if other.position in staying]
        staying.add(one.position)
        if not standing:
            continue
        other, finding = max(standing, key=lambda pair: (pair[1][0] == "drop", pair[0].rank < one.rank, pair[1][2]))
        said = _said(one, other, finding)
        found += said
        if any(item.verdict == "drop" and item.problem_id == one.id for item in said):
            staying.remove(one.position)
    return found, len(pairs)


def _pairs(
    entries: list[Entry], gallery: Gallery, similarity: Similarity, thresholds: Thresholds
) -> Iterator[tuple[Entry, Entry]]:
    """Pairs to compare: by pictures; by texts where there are none, or where too many problems have the same ones."""
    left = {one.position for one in entries}
    by_text: list[Entry] = []
    for one in entries:
        if not one.images:
            by_text.append(one)
            continue
        candidates = gallery.candidates(one)
        if candidates is None:
            by_text.append(one)
            continue
        yield from (
            _ordered(one, other) for other in candidates if other.position in left and _worth_comparing(one, other)
        )
    if by_text:
        similarity.prepare(by_text)
        for one, other in similarity.pairs(by_text, thresholds.text_review, MOST):
            if _worth_comparing(one, other):
                yield _ordered(one, other)


def _worth_comparing(one: Entry, other: Entry) -> bool:
    """Not two of other files, and not two known variants of each other."""
    return (one.file is None or other.file is None) and (one.group is None or one.group != other.group)


def _ordered(one: Entry, other: Entry) -> tuple[Entry, Entry]:
    return (one, other) if one.position < other.position else (other, one)


def _compare(
    one: Entry, other: Entry, gallery: Gallery, similarity: Similarity, thresholds: Thresholds
) -> Finding | None:
    """What two problems are to each other. Texts first: they are cheap, and tell most pairs apart."""
    text = similarity.score(one, other)
    conflict = bool(one.answer and other.answer and one.answer != other.answer)
    agree = bool(one.answer and one.answer == other.answer)
    same_facts = one.facts == other.facts
    alike = text >= thresholds.text_review and (same_facts or agree)
    asks_the_same = agree and bool(one.images) and one.lang == other.lang and text >= thresholds.same_pictures
    if not (alike or asks_the_same) or (conflict and text < thresholds.text_drop):
        return None
    pictures = gallery.likeness(one, other)
    if pictures < thresholds.picture_review:
        return None
    certain = text >= thresholds.text_drop and pictures >= thresholds.picture_drop and same_facts
    if conflict:
        return ("review", "duplicate_with_another_answer", text, pictures) if certain else None
    if certain and gallery.same_strokes(one, other):
        return ("drop", "near_duplicate", text, pictures)
    if alike:
        return ("review", "near_duplicate", text, pictures)
    return ("review", "same_pictures", text, pictures) if pictures >= thresholds.picture_drop else None


def _said(one: Entry, other: Entry, finding: tuple[Verdict, Reason, float | None, float | None]) -> list[CuratedOut]:
    """The record on ``one``, which stands behind ``other``; a note on ``other`` where ``one`` is in another file."""
    verdict, reason, score, picture_score = finding
    if one.file is not None:
        if other.file is not None:
            return []
        one, other, verdict, reason = other, one, "note", "duplicate_in_another_file"
    return [
        CuratedOut(
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
