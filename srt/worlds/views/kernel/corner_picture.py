"""What a picture from a corner (isometric, from the front right and above) shows of a solid of stacks.

In this projection the cubes (layer, row, column), (layer + 1, row + 1, column + 1) and so on lie behind each other:
rows count from the back, so one step to the front, to the right and up is one step towards the viewer. The upper face
of a cube is seen as two triangles, and each may be hidden by another cube.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from srt.worlds.views.kernel.stacks import Heights, Place, places
from srt.worlds.views.kernel.voxels import is_rotation, voxels_of_form


@lru_cache(maxsize=4096)
def every_top_is_seen(heights: Heights) -> bool:
    """Whether the picture shows the height of every stack."""
    return all(_top_is_seen(heights, place) for place in places(heights))


def _top_is_seen(heights: Heights, place: Place) -> bool:
    """Follow the two halves of the upper face along the ray towards the viewer, one layer of cubes after another.

    Within a layer a point moves from its own place to the next one on the diagonal, by way of the place at the right
    (the half that is nearer to the right) or of the place in front.
    """
    y, x = place
    halves = {"right", "front"}
    level = heights[y][x]
    while halves and y < len(heights) and x < len(heights[0]):
        if _height(heights, y, x + 1) > level:
            halves.discard("right")
        if _height(heights, y + 1, x) > level:
            halves.discard("front")
        level, y, x = level + 1, y + 1, x + 1
        if _height(heights, y, x) >= level:
            return False  # Both halves end the layer in this place, where a cube stands.
    return bool(halves)


def _height(heights: Heights, y: int, x: int) -> int:
    return heights[y][x] if y < len(heights) and x < len(heights[0]) else 0


@lru_cache(maxsize=4096)
def positions_seen(form: bytes) -> tuple[NDArray[np.int8], ...]:
    """The positions in space in which every cube of a solid is seen, given by its canonical form.

    Exchanging axes turns the picture about the line of sight, or mirrors it; it shows the same cubes. So one look from
    each of the eight corners is enough.
    """
    solid = voxels_of_form(form)
    found: dict[bytes, NDArray[np.int8]] = {}
    for signs in product((1, -1), repeat=3):
        up, deep, wide = signs
        from_corner = solid[::up, ::deep, ::wide]
        if every_cube_is_seen(from_corner):
            for axes in permutations(range(3)):
                if is_rotation(axes, signs):
                    position = from_corner.transpose(axes)
                    found.setdefault(bytes(position.shape) + position.tobytes(), position)
    return tuple(found.values())


def every_cube_is_seen(solid: NDArray[np.int8]) -> bool:
    """Whether the picture shows a whole face of every cube; for solids of any form.

    Each of the three faces that look at the viewer is two triangles. Triangles that fall together in the picture have
    the same difference of coordinates, and the cube that is nearest to the viewer has the greatest sum of them.
    """
    taken: set[tuple[int, int]] = set()
    for x, y, z in sorted(((x, y, z) for z, y, x in np.argwhere(solid).tolist()), key=sum, reverse=True):
        right, front = 3 * (x - z), 3 * (y - z)
        faces = [[(right + a, front + b) for a, b in face] for face in _FACES]
        if all(one in taken or other in taken for one, other in faces):
            return False
        taken.update(*faces)
    return True


_FACES = (((-1, -2), (-2, -1)), ((1, 2), (-1, 1)), ((2, 1), (1, -1)))
"""A point in each triangle of the upper, the front and the right face: to the right less up, to the front less up, in
thirds of an edge."""
