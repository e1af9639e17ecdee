"""The pictures of many problems: which can be read, which problems have nearly the same ones, how alike they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np
import PIL.Image

from srt.curate.entries import Entry
from srt.curate.fingerprint import (
    ComparedPicture,
    compared_picture,
    drawn_part,
    likeness,
    perceptual_hash,
    same_strokes,
)
from srt.curate.hash_index import HashIndex
from srt.images.open import open_picture, read_picture
from srt.io.errors import UserError

MOST_CANDIDATES = 200
"""A picture that more problems have, nearly the same, does not single out candidates any more."""
_FEW = 50
"""With more candidates than this, the problem's next picture is looked up to leave fewer."""


class PictureGroups:
    """The hashes of all pictures of ``entries``. Each picture, by its SHA-256, is decoded once for them.

    ``unreadable`` has the reason, by position, why a problem's pictures cannot be read.
    """

    def __init__(self, entries: Iterable[Entry], bits: int) -> None:
        self.unreadable: dict[int, str] = {}
        self._bits = bits
        self._hashes: dict[str, int | None] = {}
        self._where: dict[str, tuple[Entry, int]] = {}
        self._read: dict[tuple[Path, str], str] = {}
        readable = [one for one in entries if one.images and self._take_in(one)]
        self._by_count = {
            count: _PictureIndex([one for one in readable if len(one.images) == count], self._hashes, bits)
            for count in {len(one.images) for one in readable}
        }
        self._compared = lru_cache(maxsize=2048)(self._prepare)
        self._strokes = lru_cache(maxsize=64)(self._open_strokes)

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

    def likeness(self, one: Entry, other: Entry) -> float:
        """How alike the least alike of their pictures are, each paired with another's; 1 where neither has pictures."""
        if len(one.images) != len(other.images):
            return 0.0
        left = [image.sha256 for image in other.images]
        worst = 1.0
        for image in one.images:
            if not left:
                break
            if image.sha256 in left:
                left.remove(image.sha256)
                continue
            scores = [(self._pair(image.sha256, digest), digest) for digest in dict.fromkeys(left)]
            score, best = max(scores)
            if score == 0.0:
                return 0.0
            left.remove(best)
            worst = min(worst, score)
        return worst

    def same_strokes(self, one: Entry, other: Entry) -> bool:
        """Whether each picture of ``one`` is one of ``other``'s, stroke by stroke: slow, for pairs that are alike."""
        digests = {image.sha256 for image in other.images}
        return all(
            image.sha256 in digests or any(self._same_strokes(image.sha256, digest) for digest in digests)
            for image in one.images
        )

    def _same_strokes(self, one: str, other: str) -> bool:
        first, second = self._strokes(one), self._strokes(other)
        return first is not None and second is not None and same_strokes(first, second)

    def _pair(self, one: str, other: str) -> float:
        first, second = self._hashes.get(one), self._hashes.get(other)
        if first is None or second is None or (first ^ second).bit_count() > self._bits:
            return 0.0
        looks = self._compared(one), self._compared(other)
        return likeness(looks[0], looks[1]) if looks[0] and looks[1] else 0.0

    def _prepare(self, digest: str) -> ComparedPicture | None:
        picture = self._open(digest)
        return compared_picture(picture) if picture else None

    def _open_strokes(self, digest: str) -> PIL.Image.Image | None:
        picture = self._open(digest)
        return drawn_part(picture) if picture else None

    def _open(self, digest: str) -> PIL.Image.Image | None:
        holder, number = self._where[digest]
        try:
            return open_picture(holder.root, holder.images[number])
        except UserError:  # it was readable a moment ago; a picture that is gone is like no other
            return None

    def _take_in(self, one: Entry) -> bool:
        for number, image in enumerate(one.images):
            place = one.root, image.path
            if self._read.get(place) == image.sha256:
                continue
            try:
                if image.sha256 in self._hashes:
                    read_picture(one.root, image)  # the same picture under another path says nothing about this file
                else:
                    self._hashes[image.sha256] = perceptual_hash(open_picture(one.root, image))
                    self._where[image.sha256] = (one, number)
            except UserError as error:
                self.unreadable[one.position] = str(error)
                return False
            self._read[place] = image.sha256
        return True


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
