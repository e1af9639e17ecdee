"""Which problems are nearly the same: pairs by their pictures and by a join on the buckets of their texts, compared.

======================== ============================================================================================
:class:`FindCandidates`  of each shard: pairs by pictures, and the buckets of texts (MinHash), each sorted
:class:`JoinBuckets`     of each range of buckets, of all shards: pairs of texts that share one
:class:`ComparePairs`    of each range of problems, of all before: the pairs whose later one is there are compared
======================== ============================================================================================

So each part reads a slice of every file of the step before, and nothing but files goes from one to another. A problem
is known here by its place in the order of those that are left: the arrays ``at`` (by position) and ``order``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import orjson

from srt.curate.curation_records import Thresholds
from srt.curate.duplicates import compare_texts, outcome, strokes_from
from srt.curate.entries import Entry
from srt.curate.picture_comparison import PicturePair, compare_pair
from srt.curate.picture_groups import MOST_CANDIDATES, PictureIndex, picture_files
from srt.curate.shingles import buckets, signature
from srt.curate.similarity import Shingles
from srt.io.atomic_files import write_atomically
from srt.io.locations import Location, version_of
from srt.io.worker_processes import Workers
from srt.scale.compared_problems import ComparisonStep
from srt.scale.problem_index import load_array, map_array, mapped, save_array

_BUCKET: Final = np.dtype([("bucket", "<u8"), ("at", "<u8")])
_TEXTS: Final = np.dtype([("later", "<u8"), ("earlier", "<u8")])
_PAIR: Final = np.dtype(
    [("later", "<u8"), ("earlier", "<u8"), ("by_text", "?"), ("found_for", "<u8"), ("found", "<u8")]
)
"""A pair, and in which turn it is found on one machine: for which problem, as which of those found for it."""


@dataclass(frozen=True)
class PairStep(ComparisonStep):
    """``thresholds`` say from which likeness on texts, and pictures, are compared."""

    thresholds: Thresholds

    def worth_comparing(self, one: Any, other: Any) -> Any:
        """Not two of other sources, and not two known variants of each other; by positions."""
        groups, own = mapped(self.problems.array("groups")), self.problems.own
        return ((one < own) | (other < own)) & ((groups[one] == 0) | (groups[one] != groups[other]))

    def pictures(self) -> _Pictures:
        """The index of all pictures, which a process makes once."""
        path = self.problems.array("pictures")
        return _pictures(path, version_of(path), self.thresholds.picture_bits)


@dataclass(frozen=True)
class FindCandidates(PairStep):
    """Pairs by pictures; the buckets of texts where there are none, or where too many problems have the same ones."""

    last = "buckets"

    def work_on(self, number: int) -> None:
        """Of the problems of shard ``number`` that are left."""
        at = mapped(self.problems.array("at"))
        start, end = self.problems.starts[number : number + 2]
        pictured = load_array(self.problems.array("marks", number))["pictures"] > 0
        by_text = at[start:end] >= 0
        pairs: list[Any] = []
        for position in (start + np.flatnonzero(by_text & pictured)).tolist():
            near = self.pictures().candidates(position)
            if near is not None:
                by_text[position - start] = False
                others = np.array([other for other in near if at[other] >= 0], np.int64)
                others = others[self.worth_comparing(position, others)]
                rows = np.empty(len(others), _PAIR)
                here, there = at[position], at[others]
                # The order of what is left, not of the sources: "earlier" is the one that stays.
                rows["later"], rows["earlier"] = np.maximum(here, there), np.minimum(here, there)
                rows["by_text"], rows["found_for"], rows["found"] = False, here, others
                pairs.append(rows)
        rows = np.concatenate([np.empty(0, _PAIR), *pairs])
        save_array(self.problems.array("near", number), rows[np.argsort(rows["later"], kind="stable")])
        save_array(self.problems.array(self.last, number), self._buckets(number, by_text))

    def _buckets(self, number: int, by_text: Any) -> Any:
        at = mapped(self.problems.array("at"))
        rows = [
            (bucket, at[one.position])
            for (_, one), wanted in zip(self.problems.entries(number) if by_text.any() else (), by_text, strict=False)
            if wanted
            for bucket in buckets(signature(one.normal), self.thresholds.text_review)
        ]
        found = np.array(rows, _BUCKET)
        return found[np.argsort(found["bucket"], kind="stable")]


@dataclass(frozen=True)
class JoinBuckets(PairStep):
    """Pairs of texts that share a bucket of a range: each with the first ones before it. ``parts``: how many ranges."""

    parts: int
    last = "joined"

    def place(self, number: int) -> str:
        """A range of buckets has no line."""
        return "pairs of texts"

    def work_on(self, number: int) -> None:
        """Join the buckets of range ``number``."""
        # The hashes are spread evenly, so equal ranges hold about equally many buckets without being counted.
        low, high = (2**64 * end // self.parts for end in (number, number + 1))
        files = [self.problems.array("buckets", shard) for shard in range(len(self.problems.shards))]
        rows = np.concatenate([np.empty(0, _BUCKET), *_between(files, "bucket", low, high)])
        pairs = first_pairs(pairs_in_buckets(rows, MOST_CANDIDATES), MOST_CANDIDATES)
        save_array(self.problems.array(self.last, number), pairs)


@dataclass(frozen=True)
class ComparePairs(PairStep):
    """What becomes of the pairs whose later problem is in a range of the order; only pairs of which something does.

    ``size``: how many problems a range has. ``joins``: how many ranges of buckets were joined.
    """

    joins: int
    size: int
    last = "compared"

    def place(self, number: int) -> str:
        """A range of the order has no line."""
        return "pairs of problems"

    def work_on(self, number: int) -> None:
        """Compare the pairs of range ``number``; in ``compared`` is how many they are."""
        pairs = self._pairs(number * self.size, (number + 1) * self.size)
        found = [
            [bool(pair["by_text"]), int(pair["found_for"]), int(pair["found"]), one, other, *finding]
            for pair, one, other, finding in self._compare(pairs)
        ]
        write_atomically(self.problems.other("outcomes", number), [orjson.dumps(found)])
        save_array(self.problems.array(self.last, number), np.array([len(pairs)]))

    def _pairs(self, low: int, high: int) -> Any:
        """Each once, as it is found first on one machine: by pictures before by texts."""
        joined = [self.problems.array("joined", part) for part in range(self.joins)]
        texts = np.concatenate([np.empty(0, _TEXTS), *_between(joined, "later", low, high)])
        texts = first_pairs(texts, MOST_CANDIDATES)
        order = mapped(self.problems.array("order"))
        texts = texts[self.worth_comparing(order[texts["later"]], order[texts["earlier"]])]
        by_text = np.empty(len(texts), _PAIR)
        by_text["later"], by_text["earlier"], by_text["by_text"] = texts["later"], texts["earlier"], True
        by_text["found_for"], by_text["found"] = texts["later"], texts["earlier"]
        near = [self.problems.array("near", shard) for shard in range(len(self.problems.shards))]
        every = np.concatenate([np.empty(0, _PAIR), *_between(near, "later", low, high), by_text])
        # By later, earlier, by_text, ...: of the same pair the one that one machine would find first comes first, and
        # stays.
        every = every[np.lexsort([every[name] for name in reversed(_PAIR.names or ())])]
        return every[changes(every["later"], every["earlier"])]

    def _compare(self, pairs: Any) -> Iterator[tuple[Any, int, int, tuple[Any, ...]]]:
        order = mapped(self.problems.array("order"))
        # Pairs are sorted, so the same problems come again and again.
        entry_at = lru_cache(maxsize=4096)(self.problems.entry)
        similarity = Shingles(Workers(1))
        for pair in pairs:
            one, other = (entry_at(at) for at in sorted(int(order[pair[name]]) for name in ("earlier", "later")))
            # Texts first: most pairs end here, without a picture being read.
            texts = compare_texts(one, other, similarity, self.thresholds)
            if texts is None:
                continue
            first, second = self._with_hashes(one), self._with_hashes(other)
            job = PicturePair(first, second, self.thresholds.picture_bits, strokes_from(texts, self.thresholds))
            finding = outcome(texts, compare_pair(job), self.thresholds)
            if finding is not None:
                yield pair, one.position, other.position, finding

    def _with_hashes(self, one: Entry) -> tuple[Any, ...]:
        if not one.images:
            return ()
        hashes = {digest: None if blank else value for _, _, digest, value, blank in self.pictures().of(one.position)}
        return tuple((file, hashes[int(file.sha256[:16], 16)]) for file in picture_files(one))


def pairs_in_buckets(rows: Any, most: int) -> Any:
    """Each row of a bucket with the first ``most`` of those before it: no more of them can be among its first."""
    rows = rows[np.lexsort((rows["at"], rows["bucket"]))]
    starts = np.flatnonzero(changes(rows["bucket"]))
    first = np.repeat(starts, np.diff(np.append(starts, len(rows))))
    counts = np.minimum(np.arange(len(rows)) - first, most)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    pairs = np.empty(len(within), _TEXTS)
    pairs["later"] = np.repeat(rows["at"], counts)
    pairs["earlier"] = rows["at"][np.repeat(first, counts) + within]
    return pairs


def first_pairs(pairs: Any, most: int) -> Any:
    """The first ``most`` that each later one is paired with, each once, in order."""
    pairs = pairs[np.lexsort((pairs["earlier"], pairs["later"]))]
    pairs = pairs[changes(pairs["later"], pairs["earlier"])]
    starts = np.flatnonzero(changes(pairs["later"]))
    first = np.repeat(starts, np.diff(np.append(starts, len(pairs))))
    return pairs[np.arange(len(pairs)) - first < most]


def changes(*columns: Any) -> Any:
    """Whether a row of sorted ``columns`` differs from the one before it."""
    differs = np.ones(len(columns[0]), bool)
    differs[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return differs


def _between(files: list[Location], column: str, low: int, high: int) -> Iterator[Any]:
    """Of each file, which is sorted by ``column``, the rows whose value is at least ``low`` and less than ``high``."""
    for file in files:
        rows = map_array(file)
        # By bisection in a file that stays on disk: a range is read, not the whole of it.
        values = rows[column]
        yield np.array(rows[bisect_left(values, low) : bisect_left(values, high)])


class _Pictures:
    """All pictures by their problems' positions, and problems by pictures."""

    def __init__(self, rows: Any, bits: int) -> None:
        self._rows = rows
        self._owners = np.ascontiguousarray(rows["owner"])
        self._index = PictureIndex(rows, bits)

    def of(self, position: int) -> list[tuple[int, int, int, int, bool]]:
        """The rows of the problem's pictures, in their order."""
        low, high = (int(np.searchsorted(self._owners, np.uint64(position), side)) for side in ("left", "right"))
        found: list[tuple[int, int, int, int, bool]] = self._rows[low:high].tolist()
        return found

    def candidates(self, position: int) -> list[int] | None:
        """As those of :class:`~srt.curate.picture_groups.PictureIndex`; none if a picture cannot be read."""
        rows = self.of(position)
        return self._index.candidates(rows) if rows else []


@lru_cache(maxsize=1)
def _pictures(path: Location, _version: tuple[int, int | str], bits: int) -> _Pictures:
    return _Pictures(map_array(path), bits)
