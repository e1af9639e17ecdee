"""The second method by which sampled problems are proved; it shares nothing with the kernel's own.

The cubes of the solids that fit given views are counted by inclusion and exclusion. Let a line be a column of a side
view, with the height that it must reach. A solid whose stacks keep below the bounds, and which misses the height of all
lines of a set S, has stacks lower than that in each of them. So the generating function of the fitting solids, in which
the exponent counts cubes, is the sum over all sets S of (-1)^|S| times the product over the places of the powers of q
that S allows; for the rows the sum is taken row by row, inside the product. Polynomials are integers in base 2^64:
multiplying integers multiplies the polynomials.

Views and faces of one solid are read off its cubes, written out as a set of points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

from srt.worlds.views.kernel.stacks import Heights

Point = tuple[int, int, int]
_BASE = 64
"""Bits of a coefficient: enough for 2^63 solids."""


_UNBOUNDED = 99


@lru_cache(maxsize=4096)
def cube_counts(
    depth: int, width: int, columns: tuple[int, ...] | None, rows: tuple[int, ...] | None, top: Heights | None
) -> tuple[int, int, int]:
    """Number of solids that fit, and the least and the most cubes; all 0 if none fits.

    ``columns`` are the heights of the front view from left to right, ``rows`` those of the left view from back to
    front; at least one of them is given.
    """
    bounded_columns = columns if columns is not None else (_UNBOUNDED,) * width
    bounded_rows = rows if rows is not None else (_UNBOUNDED,) * depth

    def fillings(y: int, missed: tuple[bool, ...], row_missed: bool) -> int:
        """The generating function of row ``y``, for the lines that are missed."""
        product_ = 1
        for x in range(width):
            highest = min(bounded_columns[x] - missed[x], bounded_rows[y] - row_missed)
            if top is None:
                product_ *= _powers(0, highest)
            else:
                product_ *= _powers(1, highest) if top[y][x] else _powers(0, min(0, highest))
        return product_

    total = 0
    for missed in product((False, True) if columns is not None else (False,), repeat=width):
        term = 1
        for y in range(depth):
            term *= fillings(y, missed, False) - (fillings(y, missed, True) if rows is not None else 0)
        total += -term if sum(missed) % 2 else term
    if total == 0:
        return 0, 0, 0
    solids, least, most, power = 0, -1, 0, 0
    while total:
        coefficient = total & ((1 << _BASE) - 1)
        if coefficient:
            solids += coefficient
            least, most = power if least < 0 else least, power
        total >>= _BASE
        power += 1
    return solids, least, most


@lru_cache(maxsize=256)
def _powers(lowest: int, highest: int) -> int:
    """q^lowest + ... + q^highest."""
    return sum(1 << (_BASE * power) for power in range(lowest, highest + 1))


def cubes_of(heights: Heights) -> set[tuple[int, int, int]]:
    """The cubes as points: to the right, to the back, up."""
    return {
        (x, len(heights) - 1 - y, z)
        for y, row in enumerate(heights)
        for x, height in enumerate(row)
        for z in range(height)
    }


def view_rows(heights: Heights, direction: str) -> tuple[str, ...]:
    """The squares of a view, the top row first."""
    depth, width = len(heights), len(heights[0])
    tallest = max(map(max, heights))
    points = cubes_of(heights)
    match direction:
        case "front":
            seen, across, up = {(x, z) for x, _, z in points}, width, tallest
        case "back":
            seen, across, up = {(width - 1 - x, z) for x, _, z in points}, width, tallest
        case "left":
            seen, across, up = {(depth - 1 - y, z) for _, y, z in points}, depth, tallest
        case "right":
            seen, across, up = {(y, z) for _, y, z in points}, depth, tallest
        case "top":
            seen, across, up = {(x, y) for x, y, _ in points}, width, depth
    return tuple("".join("#" if (a, b) in seen else "." for a in range(across)) for b in reversed(range(up)))


def free_faces(heights: Heights) -> tuple[int, int]:
    """All free unit faces, and those among them that lie on the table."""
    points = cubes_of(heights)
    steps = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))
    free = sum((x + a, y + b, z + c) not in points for x, y, z in points for a, b, c in steps)
    return free, sum(z == 0 for _, _, z in points)


def is_turned(one: frozenset[Point], other: frozenset[Point]) -> bool:
    """Whether a rotation and a shift take one set of points to the other.

    A rigid motion is known by where it sends four points that span space: to points at the same distances from each
    other and, unless it is a mirror image, with the same sign of their volume. Every point is known by its distances to
    the four. Where all points lie in one plane, three are enough, and turning the plane over is a rotation.
    """
    if sorted(_apart(a, b) for a in one for b in one) != sorted(_apart(a, b) for a in other for b in other):
        return False
    frame = _frame(sorted(one))
    expected = sorted([_apart(point, corner) for corner in frame] for point in one)
    return any(
        (len(frame) < 4 or _volume(*frame) == _volume(*image))
        and sorted([_apart(point, corner) for corner in image] for point in other) == expected
        for image in _images(frame, other)
    )


def _frame(points: Sequence[Point]) -> list[Point]:
    """Points that span the line, the plane or the space in which all lie."""
    frame = list(points[:2])
    for point in points[2:]:
        corners = [*frame, point]
        if (len(frame) == 2 and any(_cross(*corners))) or (len(frame) == 3 and _volume(*corners)):
            frame = corners
    return frame


def _images(frame: Sequence[Point], points: frozenset[Point]) -> Iterator[list[Point]]:
    """The rows of points at the same distances from each other as those of ``frame``."""
    if not frame:
        yield []
        return
    for image in _images(frame[:-1], points):
        for point in points:
            if all(_apart(point, here) == _apart(frame[-1], there) for here, there in zip(image, frame, strict=False)):
                yield [*image, point]


def _apart(one: Point, other: Point) -> int:
    """The square of the distance."""
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2 + (one[2] - other[2]) ** 2


def _cross(base: Point, one: Point, other: Point) -> Point:
    (a, b, c), (d, e, f) = ((x - u, y - v, z - w) for (x, y, z), (u, v, w) in ((one, base), (other, base)))
    return b * f - c * e, c * d - a * f, a * e - b * d


def _volume(base: Point, one: Point, other: Point, last: Point) -> int:
    """Six times the volume of the tetrahedron, with its sign."""
    across = zip(_cross(base, one, other), last, base, strict=True)
    return sum(area * (end - start) for area, end, start in across)
