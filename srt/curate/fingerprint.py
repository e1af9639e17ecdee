"""Near-duplicate pictures: a perceptual hash to find them, and a comparison place by place to be sure of them.

Diagrams of school geometry look alike: two nets of a cube that differ in one digit have nearly the same hash. So the
hash only proposes candidates. Two pictures are alike if, cropped and scaled to what is drawn in them, no small region
differs. That holds for a recompressed, padded or brightened copy, and mostly for a resized one. A thin letter is lost
in that scaling, so a picture is dropped only if it is also the same stroke by stroke, in its own pixels.

The hash is pHash: 64 signs of the lowest frequencies of a discrete cosine transform of 32 x 32 grey values, relative to
their median (Zauner, "Implementation and Benchmarking of Perceptual Image Hash Functions", 2010), here of the part of
the picture that is drawn on.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
import PIL.Image
import PIL.ImageFilter
from numpy.typing import NDArray

from srt.images.normalise import scaled_down

SIDE: Final = 160
"""Pixels a side of the picture that is compared place by place."""
_BLOCK: Final = 20
_SHIFT: Final = 3
_HASHED: Final = 32
_LOW: Final = 8
_LARGEST: Final = 512
_INK: Final = 0.35
"""Share of the strongest contrast that counts as drawn; below it is JPEG noise."""
_FAINTEST: Final = 24
"""Grey levels (of 256) of the strongest contrast below which a picture is blank."""
_DIFFERENT: Final = 0.5
"""Likeness below which two pictures are different ones, whatever else is seen."""
_FLAT: Final = 0.06
"""Standard deviation (of 0 to 1) below which a block is blank."""
_STROKE: Final = 0.2
"""Share of the full contrast, as the mean of 3 x 3 pixels, by which two copies differ at most. Measured on drawings of
``research/teaching/curate_planted.py``: JPEG of quality 40 up to 0.12, one letter or digit for another 0.27 to 0.65.
"""
_COSINES: Final = np.cos(np.pi * np.arange(_LOW)[:, None] * (2 * np.arange(_HASHED) + 1) / (2 * _HASHED))
"""The first rows of the matrix of the discrete cosine transform (type II, unscaled)."""

Grey = NDArray[np.float32]


@dataclass(frozen=True)
class ComparedPicture:
    """A picture prepared for comparison: ``grey`` is SIDE x SIDE, 0 to 255; ``ratio`` is width to height."""

    grey: NDArray[np.uint8]
    ratio: float


def perceptual_hash(picture: PIL.Image.Image) -> int | None:
    """The 64 bits of a decoded picture; ``None`` for a blank one, whose bits would be noise."""
    cut = drawn_part(picture)
    if cut is None:
        return None
    levels = np.asarray(cut.resize((_HASHED, _HASHED), PIL.Image.Resampling.BOX), dtype=np.float64)
    low = (_COSINES @ levels @ _COSINES.T).ravel()
    # The median leaves out the first coefficient, the mean brightness, which is far larger than the others.
    return int.from_bytes(np.packbits(low > np.median(low[1:])).tobytes(), "big")


def compared_picture(picture: PIL.Image.Image) -> ComparedPicture | None:
    """A decoded picture cropped to what is drawn, its contrast stretched; ``None`` for a blank one."""
    cut = drawn_part(picture)
    if cut is None:
        return None
    # Blurred, so that a line that lies a pixel off still overlaps.
    small = cut.resize((SIDE, SIDE), PIL.Image.Resampling.BOX).filter(PIL.ImageFilter.GaussianBlur(1.5))
    levels = np.asarray(small, dtype=np.float32)
    low, high = np.percentile(levels, (1, 99))
    grey = np.clip((levels - low) / max(float(high - low), 1.0), 0.0, 1.0)
    return ComparedPicture((grey * 255).astype(np.uint8), cut.width / cut.height)


def likeness(one: ComparedPicture, other: ComparedPicture) -> float:
    """1 for the same picture, less the more the most different small region differs; 0 if the proportions differ.

    Per block of 20 x 20 pixels (of 160 x 160), the correlation of the grey values, so that lines made thinner or paler
    by a rescaling stay the same lines; a block may lie up to three pixels off. Blank blocks are equal.
    """
    if not 0.9 < one.ratio / other.ratio < 1.1:
        return 0.0
    first, second = (picture.grey.astype(np.float32) / np.float32(255) for picture in (one, other))
    worst = _worst_block(first, second)
    # The other way round finds what is drawn only in `other`. It cannot raise a score that is already low.
    return max(0.0, worst if worst < _DIFFERENT else min(worst, _worst_block(second, first)))


def same_strokes(one: PIL.Image.Image, other: PIL.Image.Image) -> bool:
    """Whether two pictures, as :func:`drawn_part` gives them, differ in no stroke; the larger is scaled to the smaller.

    Their cuts may lie a pixel off one another. A copy of another size mostly fails: scaling changes thin lines as much
    as a changed letter does.
    """
    small, large = sorted((one, other), key=lambda picture: picture.size)
    # A pixel apart they are scaled the same, and scaling would only blur one of them.
    if max(large.width - small.width, abs(large.height - small.height)) > 1:
        large = large.resize(small.size, PIL.Image.Resampling.LANCZOS)
    first, second = _contrast(small), _contrast(large)
    rows, columns = (min(sides) for sides in zip(first.shape, second.shape, strict=True))
    first, second = first[:rows, :columns], second[:rows, :columns]
    return any(
        np.abs(_mean_of_nine(_part(first, down, right) - _part(second, -down, -right))).max() <= _STROKE
        for down, right in ((0, 0), *product((-1, 0, 1), repeat=2))
    )


def _part(levels: Grey, down: int, right: int) -> Grey:
    """The part of ``levels`` that overlaps another picture when it is moved down and right by -1, 0 or 1."""
    rows, columns = levels.shape
    return levels[max(0, down) : rows - max(0, -down), max(0, right) : columns - max(0, -right)]


def _contrast(picture: PIL.Image.Image) -> Grey:
    """Grey values relative to the background, the median, as shares of the strongest contrast."""
    levels: Grey = np.asarray(picture, dtype=np.float32)
    levels = levels - np.median(levels)
    levels /= max(float(np.abs(levels).max()), 1.0)
    return levels


def _mean_of_nine(levels: Grey) -> Grey:
    """The mean of each pixel and its eight neighbours; beyond the edge, the edge is repeated."""
    padded = np.pad(levels, 1, mode="edge")
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    mean: Grey = (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) / 9
    return mean


def _worst_block(fixed: Grey, moved: Grey) -> float:
    """The least, over blocks, of the best correlation over shifts of ``moved``."""
    padded = np.pad(moved, _SHIFT, mode="edge")
    here = _blocks(fixed)
    norms = np.linalg.norm(here, axis=1)
    best = np.full(len(here), -1.0, np.float32)
    for row in range(2 * _SHIFT + 1):
        for column in range(2 * _SHIFT + 1):
            there = _blocks(padded[row : row + SIDE, column : column + SIDE])
            best = np.maximum(best, _correlation(here, norms, there))
    return float(best.min())


def _blocks(grey: Grey) -> Grey:
    """One row of pixels a block, less their mean."""
    count = SIDE // _BLOCK
    rows = grey.reshape(count, _BLOCK, count, _BLOCK).swapaxes(1, 2).reshape(count * count, _BLOCK * _BLOCK)
    centred: Grey = rows - rows.mean(1, keepdims=True)
    return centred


def _correlation(here: Grey, one: Grey, there: Grey) -> Grey:
    """The correlation of each block of ``here``, whose norms are ``one``, with that of ``there``."""
    blank = _FLAT * _BLOCK  # the norm of a block whose standard deviation is _FLAT
    other = np.linalg.norm(there, axis=1)
    value = (here * there).sum(1) / np.maximum(one, blank) / np.maximum(other, blank)
    return np.where((one < blank) & (other < blank), 1.0, value).astype(np.float32)


def drawn_part(picture: PIL.Image.Image) -> PIL.Image.Image | None:
    """A picture, as it is shown, in grey (at most 512 a side), cropped to what is drawn; ``None`` for a blank one.

    Drawn is what differs from the background, the median of the border.
    """
    # Scaled first: what follows makes several copies, which of a large picture would take much memory.
    flat = scaled_down(picture, _LARGEST, PIL.Image.Resampling.BOX).convert("L")
    levels = np.asarray(flat, dtype=np.float32)
    border = np.concatenate([levels[0], levels[-1], levels[:, 0], levels[:, -1]])
    contrast = np.abs(levels - np.median(border))
    if contrast.max() < _FAINTEST:
        return None
    ink = contrast > _INK * contrast.max()
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    return flat.crop((int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1))
