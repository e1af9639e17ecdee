"""How alike two texts are: by their shingles, or by a model's embeddings where one is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Protocol

from srt.curate.entries import Entry
from srt.curate.shingles import jaccard, minhash_pairs, shingles, signature
from srt.io.progress import progress
from srt.io.worker_processes import Workers

_CHUNK = 128


class Similarity(Protocol):
    """A measure of likeness of texts, 0 to 1."""

    def prepare(self, entries: Iterable[Entry]) -> None:
        """Called once, before any :meth:`score`, with all entries that will be compared."""

    def score(self, one: Entry, other: Entry) -> float:
        """The likeness of two texts."""

    def pairs(self, entries: Sequence[Entry], least: float, most: int) -> Iterator[tuple[Entry, Entry]]:
        """Pairs that may be alike by ``least`` or more; an entry with at most ``most`` earlier ones."""


class Shingles:
    """The share of runs of characters that two texts have in common (the measure that MinHash estimates), exactly."""

    def __init__(self, workers: Workers) -> None:
        self.workers = workers
        self._shingles = lru_cache(maxsize=20_000)(shingles)

    def prepare(self, entries: Iterable[Entry]) -> None:
        """Nothing to prepare."""

    def score(self, one: Entry, other: Entry) -> float:
        """The Jaccard index of the shingles."""
        return jaccard(self._shingles(one.normal), self._shingles(other.normal))

    def pairs(self, entries: Sequence[Entry], least: float, most: int) -> Iterator[tuple[Entry, Entry]]:
        """By MinHash: no comparison of all pairs."""
        signatures = self.workers.map(signature, (one.normal for one in entries), _CHUNK)
        for earlier, later in minhash_pairs(progress(signatures, len(entries), "texts"), least, most):
            yield entries[earlier], entries[later]
