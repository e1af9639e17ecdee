"""The pictures of many problems: which can be read, and which problems have nearly the same ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

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
        readable = [one for one in entries if one.images and self._take_in(one, looks)]
        self._by_count = {
            count: _PictureIndex([one for one in readable if len(one.images) == count], self._hashes, bits)
            for count in {len(one.images) for one in readable}
        }

    def candidates(self, one: Entry) -> list[Entry] | None:
        """Problems with as many pictures, each of which has a hash near to that of one of ``one``'s; not ``one``.

        ``None`` where more than :data:`MOST_CANDIDATES` problems have pictures like that: no comparison of all pairs.
        """
        shelf = self._by_count.get(len(one.images))
        if shelf is None or one.position in self.unreadable:
            return []
        found: set[int] | None = None
        for image in one.images:
            near = shelf.near(image.sha256, self._hashes[image.sha256])
            if near is None:
                continue
            found = near if found is None else found & near
            if len(found) <= _FEW:
                break
        if found is None:
            return None
        return [shelf.entries[number] for number in sorted(found) if shelf.entries[number] is not one]

    def pair(self, one: Entry, other: Entry, strokes_from: float | None) -> PicturePair:
        """The pictures of two problems, to be compared."""
        return PicturePair(self._with_hashes(one), self._with_hashes(other), self._bits, strokes_from)

    def _with_hashes(self, one: Entry) -> tuple[tuple[PictureFile, int | None], ...]:
        digests = (image.sha256 for image in one.images)
        return tuple((self._files[digest], self._hashes[digest]) for digest in digests if digest in self._files)

    def _take_in(self, one: Entry, looks: dict[PictureFile, Look]) -> bool:
        for file in _files(one):
            look = looks[file]
            if look.fault is not None:
                self.unreadable[one.position] = look.fault
                return False
            self._hashes.setdefault(file.sha256, look.hash)
            self._files.setdefault(file.sha256, file)
        return True


def _files(one: Entry) -> list[PictureFile]:
    return [PictureFile(one.root, image.path, image.sha256) for image in one.images]


def _look_at_all(entries: Collection[Entry], workers: Workers) -> dict[PictureFile, Look]:
    """A look at each file. Of the copies of a picture (by its SHA-256), one that can be read is decoded, the others
    are only verified: a picture under one path says nothing about the file at another.
    """
    files = list(dict.fromkeys(file for one in entries for file in _files(one)))
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


class _PictureIndex:
    """Problems with the same number of pictures, looked up by any one of their pictures."""

    def __init__(self, entries: list[Entry], hashes: dict[str, int | None], bits: int) -> None:
        self.entries = entries
        self._same: dict[str, set[int]] = defaultdict(set)
        self._owners: list[int] = []
        values: list[int] = []
        for number, one in enumerate(entries):
            for digest in {image.sha256 for image in one.images}:
                self._same[digest].add(number)
                value = hashes[digest]
                if value is not None:
                    values.append(value)
                    self._owners.append(number)
        self._index = HashIndex(np.array(values, dtype=np.uint64), bits)

    def near(self, digest: str, value: int | None) -> set[int] | None:
        """Numbers of the problems that have the picture or one with a near hash; ``None`` where they are too many."""
        found = self._same.get(digest, set())
        if len(found) > MOST_CANDIDATES:
            return None
        if value is None:
            return set(found)
        near = self._index.near(value)
        return None if len(near) > MOST_CANDIDATES else found.union(self._owners[at] for at in near)
