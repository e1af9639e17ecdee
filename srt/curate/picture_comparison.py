"""What is asked of the pixels of one picture, or of two problems' pictures: the slow part of curation.

Each is a function of its argument alone, so that it can run in any process.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import PIL.Image

from srt.curate.fingerprint import (
    ComparedPicture,
    compared_picture,
    drawn_part,
    likeness,
    perceptual_hash,
    same_strokes,
)
from srt.images.normalise import shown_picture
from srt.images.open import read_picture
from srt.io.errors import UserError
from srt.io.records import Image


class PictureFile(NamedTuple):
    """A picture: ``path`` is relative to ``root``, ``sha256`` that of its record."""

    root: Path
    path: str
    sha256: str

    def open(self) -> PIL.Image.Image:
        """The picture as it is shown; raises as :func:`srt.images.normalise.shown_picture` does."""
        return shown_picture(self.root, Image(path=self.path, sha256=self.sha256))


class Look(NamedTuple):
    """What a look at a picture shows: its perceptual hash (``None`` for a blank one), or why it cannot be read."""

    hash: int | None
    fault: str | None


class PicturePair(NamedTuple):
    """The pictures of two problems, each with its hash, to be compared.

    Hashes more than ``bits`` apart are of different pictures. From a likeness of ``strokes_from`` on (``None``: never),
    strokes are compared too, which takes longest.
    """

    one: tuple[tuple[PictureFile, int | None], ...]
    other: tuple[tuple[PictureFile, int | None], ...]
    bits: int
    strokes_from: float | None


class PairLikeness(NamedTuple):
    """``least``: the likeness, 0 to 1, of the pictures that are least alike. Are all the same stroke by stroke?"""

    least: float
    same_strokes: bool


def look_at(file: PictureFile) -> Look:
    """Decode the picture."""
    try:
        return Look(perceptual_hash(file.open()), None)
    except UserError as error:
        return Look(None, str(error))


def verify(file: PictureFile) -> Look:
    """Read the file without decoding it: enough for another copy of a picture that was looked at."""
    try:
        read_picture(file.root, Image(path=file.path, sha256=file.sha256))
    except UserError as error:
        return Look(None, str(error))
    return Look(None, None)


def compare_pair(pair: PicturePair) -> PairLikeness:
    """How alike the pictures of two problems are, each paired with another's; 1 where neither has any."""
    least = _least_likeness(pair)
    close = pair.strokes_from is not None and least >= pair.strokes_from
    return PairLikeness(least, close and _all_same_strokes(pair))


def _least_likeness(pair: PicturePair) -> float:
    if len(pair.one) != len(pair.other):
        return 0.0
    left = list(pair.other)
    least = 1.0
    for file, value in pair.one:
        if not left:
            break
        equal = next((at for at, (other, _) in enumerate(left) if other.sha256 == file.sha256), None)
        if equal is not None:
            del left[equal]
            continue
        # The digest decides between equals, so that the result does not depend on the order of the pictures.
        scores = [(_likeness(file, value, *other, pair.bits), other[0].sha256, other) for other in dict.fromkeys(left)]
        score, _, best = max(scores)
        if score == 0.0:
            return 0.0
        left.remove(best)
        least = min(least, score)
    return least


def _likeness(one: PictureFile, value: int | None, other: PictureFile, other_value: int | None, bits: int) -> float:
    if value is None or other_value is None or (value ^ other_value).bit_count() > bits:
        return 0.0
    looks = _compared(one), _compared(other)
    return likeness(looks[0], looks[1]) if looks[0] and looks[1] else 0.0


def _all_same_strokes(pair: PicturePair) -> bool:
    """Whether the problems have the same pictures stroke by stroke, in the same order: a text may count them."""
    return all(
        file.sha256 == other.sha256 or _same_strokes(file, other)
        for (file, _), (other, _) in zip(pair.one, pair.other, strict=True)
    )


def _same_strokes(one: PictureFile, other: PictureFile) -> bool:
    first, second = _strokes(one), _strokes(other)
    return first is not None and second is not None and same_strokes(first, second)


@lru_cache(maxsize=2048)
def _compared(file: PictureFile) -> ComparedPicture | None:
    picture = _opened(file)
    return compared_picture(picture) if picture else None


@lru_cache(maxsize=64)
def _strokes(file: PictureFile) -> PIL.Image.Image | None:
    picture = _opened(file)
    return drawn_part(picture) if picture else None


def _opened(file: PictureFile) -> PIL.Image.Image | None:
    try:
        return file.open()
    except UserError:  # it was readable a moment ago; a picture that is gone is like no other
        return None
