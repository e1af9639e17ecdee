"""Lines and areas as small arrays ("stamps") that are put on a picture: exact, and quick because they are kept.

Points are in eighths of a pixel; a pixel is the square between two whole numbers, so a line two pixels wide along the
edge between two rows is crisp. How much of a pixel a line covers is counted on 4 x 4 samples. All is done in whole
numbers: no font, no floating point, hence the same pixels everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from io import BytesIO
from typing import NamedTuple

import numpy as np
import PIL.Image
from numpy.typing import NDArray

Point = tuple[int, int]
"""x to the right and y down, in eighths of a pixel."""
Path = tuple[Point, ...]
Colour = tuple[int, int, int]

PIXEL = 8
LEVELS = 7
"""How dark ink is, from 0 (no ink) to this."""
_SAMPLES = 4
_BEYOND = 8  # pixels beyond each edge that are painted, and then cut off


class Stamp(NamedTuple):
    """``ink`` (levels) goes over what is there; where ``area`` is true, the ground first gets ``tone``, without ink.

    ``x`` and ``y`` say where the array's corner lies, in pixels from the point at which the stamp is put.
    """

    x: int
    y: int
    ink: NDArray[np.uint8]
    area: NDArray[np.bool_] | None = None
    tone: int = 0


Mark = tuple[int, int, Stamp]
"""A stamp and the place of its origin, in pixels."""


@dataclass(frozen=True)
class Sketch:
    """Marks within a box of ``width`` times ``height`` pixels."""

    width: int
    height: int
    marks: tuple[Mark, ...]

    def moved(self, dx: int, dy: int) -> Iterable[Mark]:
        """The marks, moved by whole pixels."""
        return ((x + dx, y + dy, stamp) for x, y, stamp in self.marks)


@lru_cache(maxsize=4096)
def stroke(paths: tuple[Path, ...], width: int) -> Stamp:
    """Lines along ``paths`` with round ends; ``width`` in eighths of a pixel."""
    left, top, right, bottom = _box(paths, width)
    xs = PIXEL * left + 1 + 2 * np.arange(_SAMPLES * (right - left), dtype=np.int64)
    ys = (PIXEL * top + 1 + 2 * np.arange(_SAMPLES * (bottom - top), dtype=np.int64))[:, None]
    covered = np.zeros((ys.size, xs.size), dtype=bool)
    for path in paths:
        for start, end in zip(path, path[1:] or path, strict=False):
            # Only the samples that may be near: an arc has many short lines in a large box.
            x, y, x_end, y_end = _box(((start, end),), width)
            across = slice(_SAMPLES * (x - left), _SAMPLES * (x_end - left))
            down = slice(_SAMPLES * (y - top), _SAMPLES * (y_end - top))
            covered[down, across] |= _near(xs[across], ys[down], start, end, width)
    return Stamp(left, top, _levels(covered))


@cache
def face(corners: Path, width: int, tone: int) -> Stamp:
    """A convex area of ``tone`` with its outline; corners clockwise on the screen."""
    outline = stroke(((*corners, corners[0]),), width)
    height, across = outline.ink.shape
    xs = PIXEL * (outline.x + np.arange(across, dtype=np.int64)) + PIXEL // 2
    ys = (PIXEL * (outline.y + np.arange(height, dtype=np.int64)) + PIXEL // 2)[:, None]
    return outline._replace(area=_inside(xs, ys, corners), tone=tone)


@cache
def solid_area(corners: Path) -> Stamp:
    """A convex area full of ink, such as the head of an arrow; corners clockwise on the screen."""
    left, top, right, bottom = _box((corners,), 0)
    xs = PIXEL * left + 1 + 2 * np.arange(_SAMPLES * (right - left), dtype=np.int64)
    ys = (PIXEL * top + 1 + 2 * np.arange(_SAMPLES * (bottom - top), dtype=np.int64))[:, None]
    return Stamp(left, top, _levels(_inside(xs, ys, corners)))


def painted(drawing: Sketch) -> NDArray[np.uint8]:
    """The picture as colour numbers: ``(LEVELS + 1) * tone + ink``, one for each pixel, rows from the top.

    Half of a line on the edge of the picture is cut off.
    """
    tones = np.zeros((drawing.height + 2 * _BEYOND, drawing.width + 2 * _BEYOND), dtype=np.uint8)
    inks = np.zeros_like(tones)
    for x, y, stamp in drawing.marks:
        height, width = stamp.ink.shape
        top, left = y + stamp.y + _BEYOND, x + stamp.x + _BEYOND
        there = np.s_[top : top + height, left : left + width]
        ink = inks[there]
        if stamp.area is not None:
            np.copyto(tones[there], stamp.tone, where=stamp.area)
            np.copyto(ink, 0, where=stamp.area)
        np.maximum(ink, stamp.ink, out=ink)
    tones *= LEVELS + 1
    tones += inks
    return tones[_BEYOND:-_BEYOND, _BEYOND:-_BEYOND]


def png(pixels: NDArray[np.uint8], tones: tuple[Colour, ...], ink: Colour) -> bytes:
    """``pixels`` as a PNG with a palette and without metadata.

    The pixels are the same on every machine; the bytes are, where Pillow was built with the same zlib.
    """
    picture = PIL.Image.fromarray(pixels)
    picture.putpalette(_palette(tones, ink))
    buffer = BytesIO()
    picture.save(buffer, "PNG", compress_level=6)
    return buffer.getvalue()


@cache
def _palette(tones: tuple[Colour, ...], ink: Colour) -> bytes:
    """Each tone with each level of ink on it."""
    return bytes(
        (ground * (LEVELS - level) + black * level + LEVELS // 2) // LEVELS
        for tone in tones
        for level in range(LEVELS + 1)
        for ground, black in zip(tone, ink, strict=True)
    )


def _box(paths: tuple[Path, ...], width: int) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the pixels that lines along ``paths`` touch."""
    xs = [x for path in paths for x, _ in path]
    ys = [y for path in paths for _, y in path]
    half = -(-width // 2)
    low = ((min(xs) - half) // PIXEL, (min(ys) - half) // PIXEL)
    return *low, max(-(-(max(xs) + half) // PIXEL), low[0] + 1), max(-(-(max(ys) + half) // PIXEL), low[1] + 1)


def _near(xs: NDArray[np.int64], ys: NDArray[np.int64], start: Point, end: Point, width: int) -> NDArray[np.bool_]:
    """The samples at most half of ``width`` away from the line between two points."""
    (x, y), dx, dy = start, end[0] - start[0], end[1] - start[1]
    length = dx * dx + dy * dy
    if not length:
        dots: NDArray[np.bool_] = 4 * ((xs - x) ** 2 + (ys - y) ** 2) <= width * width
        return dots
    along = (xs - x) * dx + (ys - y) * dy
    off = (xs - x) * dy - (ys - y) * dx
    beside = (along >= 0) & (along <= length) & (4 * off * off <= width * width * length)
    return beside | _near(xs, ys, start, start, width) | _near(xs, ys, end, end, width)


def _inside(xs: NDArray[np.int64], ys: NDArray[np.int64], corners: Path) -> NDArray[np.bool_]:
    inside = np.ones((ys.size, xs.size), dtype=bool)
    for (x, y), (to_x, to_y) in zip(corners, (*corners[1:], corners[0]), strict=True):
        inside &= (to_x - x) * (ys - y) - (to_y - y) * (xs - x) >= 0
    return inside


def _levels(covered: NDArray[np.bool_]) -> NDArray[np.uint8]:
    height, width = covered.shape[0] // _SAMPLES, covered.shape[1] // _SAMPLES
    counts = covered.reshape(height, _SAMPLES, width, _SAMPLES).sum((1, 3))
    levels: NDArray[np.uint8] = ((counts * LEVELS + 8) // _SAMPLES**2).astype(np.uint8)
    return levels
