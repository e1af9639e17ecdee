"""What a picture from a corner (isometric, from the front right and above) shows of a solid of stacks.

In this projection the cubes (layer, row, column), (layer + 1, row + 1, column + 1) and so on lie behind each other:
rows count from the back, so one step to the front, to the right and up is one step towards the viewer. The upper face
of a cube is seen as two triangles, and each may be hidden by another cube.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from srt.worlds.views.kernel.stacks import Heights, Place, places


def tops_seen(heights: Heights) -> list[Place]:
    """The places of the stacks whose upper face can be seen, at least half of it."""
    return [place for place in places(heights) if _top_is_seen(heights, place)]


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


def every_cube_is_seen(solid: NDArray[np.int8]) -> bool:
    """Whether the picture shows a whole face of every cube; for solids of any form.

    Each of the three faces that look at the viewer is two triangles. Triangles that fall together in the picture have
    the same difference of coordinates, and the cube that is nearest to the viewer has the greatest sum of them.
    """
    cubes = [(int(x), int(y), int(z)) for z, y, x in np.argwhere(solid)]
    nearest: dict[tuple[int, int], tuple[int, int, int]] = {}
    for x, y, z in sorted(cubes, key=sum):
        for right, front, up in _TRIANGLES:
            nearest[3 * (x - z) + right - up, 3 * (y - z) + front - up] = (x, y, z)
    return all(
        any(
            all(nearest[3 * (x - z) + right - up, 3 * (y - z) + front - up] == (x, y, z) for right, front, up in face)
            for face in (_TRIANGLES[:2], _TRIANGLES[2:4], _TRIANGLES[4:])
        )
        for x, y, z in cubes
    )


_TRIANGLES = ((2, 1, 3), (1, 2, 3), (2, 3, 1), (1, 3, 2), (3, 2, 1), (3, 1, 2))
"""A point in each triangle of a cube, in thirds of its edge: to the right, to the front, up; two for each face."""
