"""The distance of two vertices of a cube that the problem names: in ``ABCD-EFGH`` AC is √2, and AG √3 edges long."""

from __future__ import annotations

import re

_CUBE = re.compile(
    r"(?:\bcube|正方体)\s*\$?\s*([A-Z])\s*([A-Z])\s*([A-Z])\s*([A-Z])\s*[-–—]\s*"
    r"([A-Z](?:_?\{?1\}?|['′₁])?)\s*([A-Z](?:_?\{?1\}?|['′₁])?)\s*([A-Z](?:_?\{?1\}?|['′₁])?)\s*([A-Z](?:_?\{?1\}?|['′₁])?)"
)
_CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))
_POINT = re.compile(r"[A-Z](?:_?\{?1\}?|['′₁])?")


def squared_distance(problem: str, name: str) -> int | None:
    """The square of the length of ``name`` in edges; ``None`` if it joins no two vertices of a cube of ``problem``."""
    cube = _CUBE.search(problem)
    points = _POINT.findall(name)
    if cube is None or len(points) != 2 or "".join(points) != name:
        return None
    places = {_plain(vertex): (*_CORNERS[at % 4], at // 4) for at, vertex in enumerate(cube.groups())}
    one, other = (places.get(_plain(point)) for point in points)
    if one is None or other is None:
        return None
    return sum(a != b for a, b in zip(one, other, strict=True))


def _plain(vertex: str) -> str:
    return vertex[0] + ("1" if len(vertex) > 1 else "")
