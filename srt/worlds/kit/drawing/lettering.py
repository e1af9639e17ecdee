"""Letters, digits and a few Chinese characters in single strokes, as in technical drawings (after ISO 3098).

They are drawn here, so no font is needed and none is shipped. Coordinates are percent of the height of a capital
letter: x from the left edge of the glyph, y up from the base line.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from srt.worlds.kit.drawing.raster import PIXEL, Path, Point, Sketch, Stamp, stroke

_COSINES = (1000, 966, 866, 707, 500, 259, 0, -259, -500, -707, -866, -966)
"""Of the multiples of 15 degrees up to 165, in thousandths."""


class _Glyph(NamedTuple):
    width: int
    strokes: tuple[Path, ...]


def drawn_text(text: str, height: int, width: int) -> Sketch:
    """``text`` in one line; ``height`` of a capital in pixels, ``width`` of the line in eighths of a pixel.

    Raises:
        KeyError: there is no glyph for a character.
    """
    paths, right, rise, fall = _paths(text, height)
    half = -(-width // (2 * PIXEL))
    stamp = stroke(paths, width)
    return Sketch(right + 2 * half, rise + fall + 2 * half, ((half, rise + half, stamp),))


@cache
def slanted_text(text: str, centre: Point, right: Point, up: Point, width: int) -> Stamp:
    """``text`` on a parallelogram with the sides ``right`` and ``up``, half as high as it; all in eighths of a pixel.

    Raises:
        KeyError: there is no glyph for a character.
    """
    paths, long, _, _ = _paths(text, 100)
    middle, unit = long * PIXEL // 2, 2 * 100 * PIXEL

    def placed(axis: int, x: int, y: int) -> int:
        return centre[axis] + ((x - middle) * right[axis] - (y + unit // 4) * up[axis]) // unit

    return stroke(tuple(tuple((placed(0, x, y), placed(1, x, y)) for x, y in path) for path in paths), width)


@cache
def _paths(text: str, height: int) -> tuple[tuple[Path, ...], int, int, int]:
    """The paths from the left end of the base line; width, rise and fall of the text in pixels."""
    chinese = any(character > "\u2e80" for character in text)
    unit, percent = PIXEL * height * (13 if chinese else 10), 1000
    found: list[Path] = []
    at = 0
    for character in text:
        if character == " ":
            at += 45
            continue
        glyph = _GLYPHS[character]
        found += [tuple(((at + x) * unit // percent, -y * unit // percent) for x, y in path) for path in glyph.strokes]
        at += glyph.width + (12 if chinese else 24)
    right = max(x for path in found for x, _ in path)
    # All words have the same depth below the base line, so that labels beside each other stand on one line.
    fall = -(-30 * unit // percent // PIXEL) if text.islower() else 0
    return tuple(found), -(-right // PIXEL), -(-unit // 10 // PIXEL), fall


def _arc(x: int, y: int, across: int, up: int, start: int, end: int) -> Path:
    """A piece of an ellipse around (x, y), from ``start`` to ``end`` degrees, counted against the clock."""
    step = 15 if end > start else -15
    angles = range(start, end + step, step)
    return tuple((x + across * _cosine(angle) // 1000, y + up * _cosine(angle - 90) // 1000) for angle in angles)


def _cosine(degrees: int) -> int:
    half_turns, place = divmod(degrees // 15, 12)
    return -_COSINES[place] if half_turns % 2 else _COSINES[place]


def _ring(x: int, y: int, across: int, up: int) -> Path:
    return _arc(x, y, across, up, 0, 360)


def _closed(*corners: tuple[int, int]) -> Path:
    return (*corners, corners[0])


_STEM: Path = ((0, 0), (0, 100))
_BOWL = _ring(28, 33, 28, 33)
_HUMP: Path = (*_arc(21, 45, 21, 21, 180, 0), (42, 0))
_ARCH: Path = (*_arc(27, 39, 27, 27, 180, 0), (54, 0))

_GLYPHS = {
    "A": _Glyph(68, (((0, 0), (34, 100), (68, 0)), ((12, 34), (56, 34)))),
    "B": _Glyph(
        62,
        (
            (*_STEM, *_arc(32, 77, 23, 23, 90, -90), (0, 54)),
            ((0, 54), *_arc(34, 27, 27, 27, 90, -90), (0, 0)),
        ),
    ),
    "C": _Glyph(68, (_arc(36, 50, 36, 50, 45, 315),)),
    "D": _Glyph(66, ((*_STEM, *_arc(20, 50, 46, 50, 90, -90), (0, 0)),)),
    "E": _Glyph(56, (((56, 100), (0, 100), (0, 0), (56, 0)), ((0, 52), (46, 52)))),
    "F": _Glyph(54, (((54, 100), (0, 100), (0, 0)), ((0, 52), (44, 52)))),
    "G": _Glyph(72, ((*_arc(36, 50, 36, 50, 45, 360), (42, 50)),)),
    "H": _Glyph(64, (_STEM, ((64, 0), (64, 100)), ((0, 52), (64, 52)))),
    "0": _Glyph(60, (_ring(30, 50, 30, 50),)),
    "1": _Glyph(30, (((4, 78), (28, 100), (28, 0)),)),
    "2": _Glyph(60, ((*_arc(30, 70, 28, 30, 165, -30), (0, 0), (60, 0)),)),
    "3": _Glyph(60, ((*_arc(29, 76, 26, 24, 150, -90), *_arc(29, 26, 30, 26, 90, -150)),)),
    "4": _Glyph(62, (((46, 0), (46, 100), (0, 30), (62, 30)),)),
    "5": _Glyph(60, (((54, 100), (9, 100), (4, 56), *_arc(28, 33, 32, 33, 120, -150)),)),
    "6": _Glyph(60, (_ring(30, 31, 30, 31), _arc(58, 31, 58, 69, 180, 105))),
    "7": _Glyph(58, (((0, 100), (58, 100), (20, 0)),)),
    "8": _Glyph(60, (_ring(30, 76, 25, 24), _ring(30, 26, 30, 26))),
    "9": _Glyph(60, (_ring(30, 69, 30, 31), _arc(2, 69, 58, 69, 0, -75))),
    "a": _Glyph(56, (_BOWL, ((56, 66), (56, 0)))),
    "b": _Glyph(56, (_STEM, _BOWL)),
    "c": _Glyph(50, (_arc(28, 33, 28, 33, 45, 315),)),
    "d": _Glyph(56, (_BOWL, ((56, 100), (56, 0)))),
    "e": _Glyph(56, (((0, 35), (56, 35), *_arc(28, 33, 28, 33, 0, 315)),)),
    "f": _Glyph(38, ((*_arc(32, 82, 18, 18, 60, 180), (14, 0)), ((0, 66), (36, 66)))),
    "g": _Glyph(56, (_BOWL, ((56, 66), (56, -8)), _arc(30, -8, 26, 22, 0, -150))),
    "h": _Glyph(54, (_STEM, _ARCH)),
    "i": _Glyph(8, (((4, 66), (4, 0)), ((4, 92),))),
    "k": _Glyph(48, (_STEM, ((46, 66), (0, 24)), ((16, 39), (48, 0)))),
    "l": _Glyph(8, (((4, 100), (4, 0)),)),
    "m": _Glyph(84, (((0, 66), (0, 0)), _HUMP, tuple((x + 42, y) for x, y in _HUMP))),
    "n": _Glyph(54, (((0, 66), (0, 0)), _ARCH)),
    "o": _Glyph(56, (_BOWL,)),
    "p": _Glyph(56, (((0, 66), (0, -30)), _BOWL)),
    "r": _Glyph(40, (((0, 66), (0, 0)), _arc(27, 39, 27, 27, 180, 60))),
    "t": _Glyph(36, (((14, 92), *_arc(30, 18, 16, 18, 180, 285)), ((0, 66), (34, 66)))),
    "v": _Glyph(52, (((0, 66), (26, 0), (52, 66)),)),
    "w": _Glyph(78, (((0, 66), (19, 0), (39, 66), (59, 0), (78, 66)),)),
    "主": _Glyph(
        100, (((46, 98), (56, 86)), ((18, 72), (84, 72)), ((22, 40), (80, 40)), ((6, 4), (96, 4)), ((51, 72), (51, 4)))
    ),
    "左": _Glyph(
        100,
        (
            ((6, 78), (94, 78)),
            ((44, 100), (36, 68), (24, 38), (4, 8)),
            ((40, 46), (88, 46)),
            ((64, 46), (64, 4)),
            ((30, 4), (96, 4)),
        ),
    ),
    "右": _Glyph(
        100,
        (
            ((6, 78), (94, 78)),
            ((44, 100), (36, 72), (24, 48), (4, 26)),
            _closed((38, 46), (86, 46), (86, 2), (38, 2)),
        ),
    ),
    "上": _Glyph(100, (((48, 98), (48, 4)), ((48, 58), (86, 58)), ((4, 4), (96, 4)))),
    "后": _Glyph(
        100,
        (
            ((84, 98), (54, 91), (18, 88)),
            ((18, 88), (18, 52), (14, 24), (3, 2)),
            ((18, 62), (96, 62)),
            _closed((38, 42), (86, 42), (86, 2), (38, 2)),
        ),
    ),
    "俯": _Glyph(
        100,
        (
            ((26, 100), (16, 74), (2, 52)),
            ((17, 72), (17, 0)),
            ((63, 100), (66, 90)),
            ((36, 88), (98, 88)),
            ((36, 88), (36, 46), (32, 20), (25, 2)),
            ((56, 78), (51, 62), (43, 48)),
            ((49, 58), (49, 0)),
            ((60, 58), (98, 58)),
            ((84, 76), (84, 2), (74, 6)),
            ((65, 42), (71, 28)),
        ),
    ),
    "视": _Glyph(
        100,
        (
            ((20, 100), (26, 90)),
            ((4, 76), (40, 76), (24, 54), (2, 34)),
            ((23, 52), (23, 0)),
            ((29, 46), (40, 34)),
            ((52, 30), (52, 94), (92, 94), (92, 30)),
            ((72, 80), (71, 52), (62, 24), (40, 0)),
            ((76, 34), (76, 6), (80, 2), (94, 2), (97, 20)),
        ),
    ),
    "图": _Glyph(
        100,
        (
            _closed((6, 96), (94, 96), (94, 2), (6, 2)),
            ((44, 88), (34, 72), (20, 60)),
            ((38, 78), (72, 78), (54, 58), (20, 40)),
            ((34, 68), (56, 52), (82, 42)),
            ((42, 38), (60, 30)),
            ((34, 22), (62, 10)),
        ),
    ),
    "正": _Glyph(
        100,
        (((8, 94), (92, 94)), ((54, 94), (54, 4)), ((54, 52), (86, 52)), ((26, 60), (26, 4)), ((4, 4), (96, 4))),
    ),
    "面": _Glyph(
        100,
        (
            ((4, 96), (96, 96)),
            ((52, 96), (45, 76)),
            _closed((12, 76), (88, 76), (88, 2), (12, 2)),
            ((37, 76), (37, 2)),
            ((63, 76), (63, 2)),
            ((37, 52), (63, 52)),
            ((37, 27), (63, 27)),
        ),
    ),
    "从": _Glyph(
        100,
        (
            ((28, 94), (26, 60), (18, 30), (2, 4)),
            ((27, 56), (34, 40), (44, 24)),
            ((70, 94), (68, 60), (58, 28), (38, 4)),
            ((69, 62), (79, 32), (98, 4)),
        ),
    ),
    "看": _Glyph(
        100,
        (
            ((82, 98), (52, 93), (18, 91)),
            ((14, 75), (88, 75)),
            ((4, 58), (96, 58)),
            ((50, 92), (42, 66), (26, 42), (4, 22)),
            _closed((34, 44), (82, 44), (82, 0), (34, 0)),
            ((34, 29), (82, 29)),
            ((34, 15), (82, 15)),
        ),
    ),
}
