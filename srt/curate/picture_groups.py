"""The pictures of many problems: which can be read, and which problems have nearly the same ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import numpy as np

from srt.curate.entries import Entry
from srt.curate.hash_index import HashIndex
from srt.curate.picture_comparison import Look, PictureFile, PicturePair, look_at, verify
from srt.io.progress import progress
from srt.io.worker_processes import Workers

MOST_CANDIDATES = 200
"""A picture that more problems have, nearly the same, does not single out candidates any more."""
_FEW = 50
"""With more candidates than this, the problem's next picture is looked up to leave fewer."""
_CHUNK = 16
PICTURE: Final = np.dtype([("owner", "<u8"), ("count", "u1"), ("digest", "<u8"), ("hash", "<u8"), ("blank", "?")])
"""A picture of the problem at the position ``owner``, which has ``count`` pictures: the first 64 bits of its SHA-256,
and its perceptual hash, unless it is blank."""


class PictureGroups:
    """The hashes of all pictures of ``entries``. Each picture, by its SHA-256, is decoded once for them.

    ``unreadable`` has the reason, by position, why a problem's pictures cannot be read.
    """

    def __init__(self, entries: Collection[Entry], bits: int, workers: Workers) -> None:
        self.unreadable: dict[int, str] = {}
        self._bits = bits
        self._hashes: dict[str, int | None] = {}
        self._files: dict[str, PictureFile] = {}
        looks = _look_at_all(entries, workers)
        self._readable = {one.position: one for one in entries if one.images and self._take_in(one, looks)}
        rows = [row for one in self._readable.values() for row in picture_rows(one, self._hashes)]
        self._index = PictureIndex(np.array(rows, PICTURE), bits)

    def candidates(self, one: Entry) -> list[Entry] | None:
        """As :meth:`PictureIndex.candidates`; none if ``one`` has no readable picture."""
        if one.position not in self._readable:
            return []
        found = self._index.candidates(picture_rows(one, self._hashes))
        return None if found is None else [self._readable[position] for position in found]

    def pair(self, one: Entry, other: Entry, strokes_from: float | None) -> PicturePair:
        """The pictures of two problems, to be compared."""
        return PicturePair(self._with_hashes(one), self._with_hashes(other), self._bits, strokes_from)

    def _with_hashes(self, one: Entry) -> tuple[tuple[PictureFile, int | None], ...]:
        digests = (image.sha256 for image in one.images)
        return tuple((self._files[digest], self._hashes[digest]) for digest in digests if digest in self._files)

    def _take_in(self, one: Entry, looks: dict[PictureFile, Look]) -> bool:
        for file in picture_files(one):
            look = looks[file]
            if look.fault is not None:
                self.unreadable[one.position] = look.fault
                return False
            self._hashes.setdefault(file.sha256, look.hash)
            self._files.setdefault(file.sha256, file)
        return True


def picture_files(one: Entry) -> list[PictureFile]:
    """The pictures of a problem, in order."""
    return [PictureFile(one.root, image.path, image.sha256) for image in one.images]


def _look_at_all(entries: Collection[Entry], workers: Workers) -> dict[PictureFile, Look]:
    """A look at each file. Of the copies of a picture (by its SHA-256), one that can be read is decoded, the others
    are only verified: a picture under one path says nothing about the file at another.
    """
    files = list(dict.fromkeys(file for one in entries for file in picture_files(one)))
    # Reversed: of several copies the first stays.
    first = {file.sha256: file for file in reversed(files)}
    jobs = ((file, first[file.sha256] is file) for file in files)
    looks = dict(zip(files, progress(workers.map(_look, jobs, _CHUNK), len(files), "pictures"), strict=True))
    for file, look in looks.items():
        if look.fault is None and (decoded := first[file.sha256]) is not file:
            if looks[decoded].fault is not None:
                decoded = first[file.sha256] = file
                looks[file] = look_at(file)
            looks[file] = looks[decoded]
    return looks


def _look(job: tuple[PictureFile, bool]) -> Look:
    file, decoded = job
    return look_at(file) if decoded else verify(file)


def picture_rows(one: Entry, hashes: Mapping[str, int | None]) -> list[tuple[int, int, int, int, bool]]:
    """A row of :data:`PICTURE` for each different picture of ``one``, in order; ``hashes`` by SHA-256."""
    digests = dict.fromkeys(image.sha256 for image in one.images)
    count = len(one.images)
    return [
        (one.position, count, int(digest[:16], 16), hashes[digest] or 0, hashes[digest] is None) for digest in digests
    ]


class PictureIndex:
    """Problems looked up by their pictures, which are rows of :data:`PICTURE`."""

    def __init__(self, pictures: Any, bits: int) -> None:
        self._shelves = {
            int(count): _Shelf(pictures[pictures["count"] == count], bits) for count in np.unique(pictures["count"])
        }

    def candidates(self, pictures: Sequence[tuple[int, int, int, int, bool]]) -> list[int] | None:
        """Problems with as many pictures as one whose ``pictures`` are given, each with a hash near to one of its.

        Their positions, without its own. ``None`` where more than :data:`MOST_CANDIDATES` problems have pictures like
        that: no comparison of all pairs.
        """
        found: set[int] | None = None
        for _, count, digest, value, blank in pictures:
            near = self._shelves[count].near(digest, None if blank else value)
            if near is None:
                continue
            found = near if found is None else found & near
            # Few enough: to look up the next picture would cost more than to compare them.
            if len(found) <= _FEW:
                break
        return None if found is None else sorted(found - {pictures[0][0]})


class _Shelf:
    """Problems with the same number of pictures, looked up by any one of them."""

    def __init__(self, pictures: Any, bits: int) -> None:
        by_digest = pictures[np.argsort(pictures["digest"], kind="stable")]
        self._digests, self._owners = np.ascontiguousarray(by_digest["digest"]), by_digest["owner"]
        drawn = pictures[~pictures["blank"]]
        self._index = HashIndex(np.ascontiguousarray(drawn["hash"]), bits)
        self._owners_drawn = drawn["owner"]

    def near(self, digest: int, value: int | None) -> set[int] | None:
        """The problems that have the picture or one with a near hash; ``None`` where they are too many."""
        low, high = (int(np.searchsorted(self._digests, np.uint64(digest), side)) for side in ("left", "right"))
        if high - low > MOST_CANDIDATES:
            return None
        found = set(self._owners[low:high].tolist())
        if value is None:
            return found
        near = self._index.near(value)
        return None if len(near) > MOST_CANDIDATES else found.union(self._owners_drawn[near].tolist())
