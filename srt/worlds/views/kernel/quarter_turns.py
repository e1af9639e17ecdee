"""Quarter turns of a solid of cubes in space, and the shortest row of them that leads from one solid to another.

A turn is named by the viewer who sees it clockwise: ``top``, ``front``, ``right``, or from the other side ``bottom``,
``back``, ``left``. At most three lead to any of the 24 positions.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from srt.worlds.views.kernel.voxels import Voxels

TURNS = ("top", "front", "right", "bottom", "back", "left")


def turned(solid: Voxels, turn: str) -> Voxels:
    """``solid`` (layer from the bottom, row from the back, column from the left) after one quarter turn."""
    match turn:
        case "top" | "bottom":
            return np.rot90(solid, -1 if turn == "top" else 1, axes=(1, 2))
        case "front" | "back":
            return np.rot90(solid[::-1], -1 if turn == "front" else 1, axes=(0, 2))[::-1]
        case "right" | "left":
            return np.rot90(solid[::-1, ::-1], -1 if turn == "right" else 1, axes=(0, 1))[::-1, ::-1]
    raise ValueError(f"{turn!r} is not one of {', '.join(TURNS)}")


def turns_to_positions(solid: Voxels) -> dict[tuple[tuple[int, ...], bytes], tuple[str, ...]]:
    """The shortest row of turns to each position of ``solid`` in space, by the shape and the bytes of the array."""
    rows: dict[tuple[tuple[int, ...], bytes], tuple[str, ...]] = {position(solid): ()}
    reached: deque[tuple[Voxels, tuple[str, ...]]] = deque([(solid, ())])
    while reached:
        here, row = reached.popleft()
        for turn in TURNS:
            there = turned(here, turn)
            if position(there) not in rows:
                rows[position(there)] = (*row, turn)
                reached.append((there, (*row, turn)))
    return rows


def position(solid: Voxels) -> tuple[tuple[int, ...], bytes]:
    """The shape and the bytes of an array."""
    return solid.shape, solid.tobytes()
