"""The second method for nets of a cube: each square is carried into space. It shares nothing with the kernel.

A square has a normal that points out of the cube, and arrows to the right and up, as it is drawn. Over an edge the
paper bends by a right angle away from the viewer: to the right, the arrow to the right becomes the normal. Two faces
are opposite if their normals are; three faces meet clockwise in this order, seen from outside, if the determinant of
their normals is -1.
"""

from __future__ import annotations

from collections.abc import Mapping

Vector = tuple[int, int, int]


def normals(rows: tuple[tuple[int, ...], ...]) -> Mapping[int, Vector] | None:
    """The normal of each face; ``None`` if the squares do not fold to a cube."""
    digits = {(x, -y): digit for y, row in enumerate(rows) for x, digit in enumerate(row) if digit}
    found: dict[int, Vector] = {}

    def carry(place: tuple[int, int], out: Vector, right: Vector, up: Vector) -> None:
        digit = digits.pop(place, 0)
        if not digit:
            return
        found[digit] = out
        x, y = place
        carry((x + 1, y), right, _minus(out), up)
        carry((x - 1, y), _minus(right), out, up)
        carry((x, y + 1), up, right, _minus(out))
        carry((x, y - 1), _minus(up), right, out)

    if digits:
        carry(min(digits), (0, 0, 1), (1, 0, 0), (0, 1, 0))
    return found if not digits and len(found) == len(set(found.values())) == 6 else None


def opposite_face(rows: tuple[tuple[int, ...], ...], digit: int) -> int | None:
    """The digit on the opposite face."""
    faces = normals(rows) or {}
    return next((other for other, normal in faces.items() if normal == _minus(faces[digit])), None)


def folds_to(rows: tuple[tuple[int, ...], ...], top: int, right: int, front: int) -> bool:
    """Whether the net folds to a cube that can lie with these three faces at the top, the right and the front."""
    faces = normals(rows)
    if faces is None or not {top, right, front} <= set(faces):
        return False
    (a, b, c), (d, e, f), (g, h, i) = faces[top], faces[right], faces[front]
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) == -1


def _minus(vector: Vector) -> Vector:
    return -vector[0], -vector[1], -vector[2]
