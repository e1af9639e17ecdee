"""Solids of unit cubes of any form, as small arrays: views with visible and hidden lines, rotations, canonical form.

An array has the axes (layer from the bottom, row from the back, column from the left) and the values 0 and 1.

Hidden-line rules. A view shows the solid as one body, without lines between cubes whose faces lie in one plane. Between
two neighbouring squares of the view there is a visible line where their nearest faces are not equally far away, or
where one of the squares is empty. Where they are equally far away, an edge of the body further back is a hidden line,
drawn dashed. An edge of a body lies between squares p and q at a depth where the four cubes around it are one, three,
or two across a diagonal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from srt.worlds.views.kernel.stacks import Direction, Heights

Voxels = NDArray[np.int8]
Segment = tuple[int, int, int, int]
"""x and y of the start, x and y of the end, in units of a cube, from the lower left corner of the view."""


@dataclass(frozen=True)
class DrawnView:
    """``rows``: the squares of the silhouette, the top row first, ``#`` and ``.``. Lines are in one piece each."""

    rows: tuple[str, ...]
    visible: tuple[Segment, ...]
    hidden: tuple[Segment, ...]


def from_heights(heights: Heights) -> Voxels:
    """The array of a solid of stacks."""
    plan = np.array(heights)
    return (np.arange(plan.max())[:, None, None] < plan).astype(np.int8)


def to_heights(solid: Voxels) -> Heights | None:
    """The height map of ``solid``; ``None`` if it has a cube that stands on nothing."""
    if (np.diff(solid, axis=0) > 0).any():
        return None
    return tuple(tuple(int(height) for height in row) for row in solid.sum(axis=0))


def seen_from(solid: Voxels, direction: Direction) -> Voxels:
    """The solid turned so that the axes are (depth from the viewer, row from the top, column from the left)."""
    match direction:
        case "front":
            return solid[::-1, ::-1, :].transpose(1, 0, 2)
        case "back":
            return solid[::-1, :, ::-1].transpose(1, 0, 2)
        case "left":
            return solid[::-1, :, :].transpose(2, 0, 1)
        case "right":
            return solid[::-1, ::-1, ::-1].transpose(2, 0, 1)
        case "top":
            return solid[::-1]


def silhouette(solid: Voxels, direction: Direction) -> tuple[str, ...]:
    """The squares of the view, the top row first."""
    seen = seen_from(solid, direction).max(axis=0)
    return tuple("".join("#" if square else "." for square in row) for row in seen.tolist())


def drawn_view(solid: Voxels, direction: Direction) -> DrawnView:
    """The view with its lines, by the hidden-line rules above."""
    seen = np.pad(seen_from(solid, direction), 1)
    rows = seen.shape[1] - 2
    upright = _lines(seen)
    level = _lines(seen.transpose(0, 2, 1))
    lines: dict[bool, list[Segment]] = {True: [], False: []}
    for visible in (True, False):
        for x, start, end in _runs(upright[visible]):
            lines[visible].append((x, rows - end, x, rows - start))
        for y, start, end in _runs(level[visible]):
            lines[visible].append((start, rows - y, end, rows - y))
    return DrawnView(silhouette(solid, direction), tuple(sorted(lines[True])), tuple(sorted(lines[False])))


def _lines(seen: Voxels) -> dict[bool, NDArray[np.bool_]]:
    """For each row and each border between two columns of the padded view: whether a line is there, by visibility."""
    deep = seen.shape[0]
    nearest = np.where(seen.any(axis=0), seen.argmax(axis=0), deep)[1:-1]
    visible: NDArray[np.bool_] = np.not_equal(nearest[:, :-1], nearest[:, 1:])
    body = seen[:, 1:-1]
    around = body[:-1, :, :-1] + body[:-1, :, 1:] + body[1:, :, :-1] + body[1:, :, 1:]
    diagonal = (around == 2) & (body[:-1, :, :-1] == body[1:, :, 1:])
    edge = ((around == 1) | (around == 3) | diagonal).any(axis=0)
    return {True: visible, False: np.logical_and(edge, ~visible)}


def _runs(lines: NDArray[np.bool_]) -> Iterator[tuple[int, int, int]]:
    """Border, start and end of every unbroken line."""
    for border in range(lines.shape[1]):
        start = None
        for at in range(lines.shape[0] + 1):
            there = at < lines.shape[0] and lines[at, border]
            if there and start is None:
                start = at
            elif not there and start is not None:
                yield border, start, at
                start = None


def rotations(solid: Voxels, shape: tuple[int, ...] | None = None) -> Iterator[Voxels]:
    """The solid in its 24 positions in space, some of them equal where it is symmetric; or those of one ``shape``."""
    for axes, flips in _ROTATIONS.items():
        turned = solid.transpose(axes)
        if shape in (None, turned.shape):
            for up, deep, wide in flips:
                yield turned[::up, ::deep, ::wide]


def is_rotation(axes: tuple[int, ...], signs: tuple[int, ...]) -> bool:
    """Whether exchanging axes and turning round those with -1 is a rotation; otherwise it gives a mirror image."""
    return (signs.count(-1) % 2 == 0) == (axes in _EVEN)


_EVEN = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
_ROTATIONS = {
    axes: [signs for signs in product((1, -1), repeat=3) if is_rotation(axes, signs)] for axes in permutations(range(3))
}
"""By the order of the axes, those that are turned round."""


def canonical_voxels(solid: Voxels, reflections: bool = False) -> bytes:
    """The same bytes for all rotations of ``solid``, and with ``reflections`` for those of its mirror image."""
    solid = trimmed(solid)
    shape = tuple(sorted(solid.shape))
    images = (solid, solid[:, :, ::-1]) if reflections else (solid,)
    forms = [position.tobytes() for image in images for position in rotations(image, shape)]
    return bytes(shape) + bytes(min(forms))


def voxels_of_form(form: bytes) -> Voxels:
    """The solid with the canonical form ``form``."""
    return np.frombuffer(form[3:], np.int8).reshape(tuple(form[:3]))


@lru_cache(maxsize=4096)
def canonical_in_space(heights: Heights) -> bytes:
    """The same bytes for all solids of stacks that rotations take to each other."""
    return canonical_voxels(from_heights(heights))


def trimmed(solid: Voxels) -> Voxels:
    """The smallest box that holds the solid."""
    filled = np.argwhere(solid)
    if not len(filled):
        return solid[:0, :0, :0]
    low, high = filled.min(axis=0), filled.max(axis=0) + 1
    return solid[low[0] : high[0], low[1] : high[1], low[2] : high[2]]


def is_one_piece(solid: Voxels) -> bool:
    """Whether the cubes hang together by faces; not so if there is none."""
    left = {(int(z), int(y), int(x)) for z, y, x in np.argwhere(solid)}
    if not left:
        return False
    reached = [left.pop()]
    while reached:
        z, y, x = reached.pop()
        near = {(z + 1, y, x), (z - 1, y, x), (z, y + 1, x), (z, y - 1, x), (z, y, x + 1), (z, y, x - 1)} & left
        left -= near
        reached += near
    return not left
