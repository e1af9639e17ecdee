"""Views of a solid from its cubes: the silhouette, and its visible and hidden lines.

Hidden-line rules. A view shows the solid as one body, without lines between cubes whose faces lie in one plane. Between
two neighbouring squares of the view there is a visible line where their nearest faces are not equally far away, or
where one of the squares is empty. Where they are equally far away, an edge of the body further back is a hidden line,
drawn dashed. An edge of a body lies between squares p and q at a depth where the four cubes around it are one, three,
or two across a diagonal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from srt.worlds.views.kernel.stacks import Direction
from srt.worlds.views.kernel.voxels import Voxels

Segment = tuple[int, int, int, int]
"""x and y of the start, x and y of the end, in units of a cube, from the lower left corner of the view."""


@dataclass(frozen=True)
class DrawnView:
    """``rows``: the squares of the silhouette, the top row first, ``#`` and ``.``. Lines are in one piece each."""

    rows: tuple[str, ...]
    visible: tuple[Segment, ...]
    hidden: tuple[Segment, ...]


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
