"""Solids of unit cubes of any form, as small arrays: rotations and canonical form.

An array has the axes (layer from the bottom, row from the back, column from the left) and the values 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from srt.worlds.views.kernel.stacks import Heights

Voxels = NDArray[np.int8]


def from_heights(heights: Heights) -> Voxels:
    """The array of a solid of stacks."""
    plan = np.array(heights)
    return (np.arange(plan.max())[:, None, None] < plan).astype(np.int8)


def to_heights(solid: Voxels) -> Heights | None:
    """The height map of ``solid``; ``None`` if it has a cube that stands on nothing."""
    if (np.diff(solid, axis=0) > 0).any():
        return None
    return tuple(tuple(int(height) for height in row) for row in solid.sum(axis=0))


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
