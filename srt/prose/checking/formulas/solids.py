"""The solids that a text names, which of them a number in it belongs to, and how far apart vertices of a cube are."""

from __future__ import annotations

import re

_SOLID = re.compile(
    r"frustum(?:\s+of\s+an?\s+(?:\w+\s+){0,2}(?:cone|pyramid))?|truncated\s+(?:cone|pyramid)|[圆棱]台"
    r"|hemi-?spher\w*|half[- ](?:sphere|ball)|半球|\bspher\w*|\bballs?\b|球"
    r"|\bcones?\b|conical|圆锥|pyramids?|tetrahedr\w*|棱锥|四面体|cylind\w*|圆柱"
    r"|\bcub(?:e|es|ical)\b|正方体|立方体|\bbox(?:es)?\b|cuboids?|长方体|prisms?|棱柱",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.;。；?？!\n](?!\d)")
_BEHIND = re.compile(r"[^.;,，。；\d]{0,8}的[^.;,，。；\d]{0,4}?(?=圆|棱|正|长|球|半|立|四)")
_SHARED = re.compile(
    r"\b(?:same|equal\w*|shares?|common|identical|congruent|inscribed|circumscribed|largest|inside|into|from|melt\w*|fits?"
    r"|touch\w*|its|their|each)\b|相[等同]|等[底高]|同[底高]|共|内[切接]|外[切接]|[铸熔溶]|最大|削|挖|截|其|它们",
    re.IGNORECASE,
)
"""One solid has a length of another."""
_CUBE = re.compile(
    r"(?:\bcube|正方体)\s*+(?:\$\s*+)?([A-Z])\s*+([A-Z])\s*+([A-Z])\s*+([A-Z])\s*+[-–—]\s*+"
    r"([A-Z](?:_?\{?1\}?|['′₁])?)\s*+([A-Z](?:_?\{?1\}?|['′₁])?)\s*+([A-Z](?:_?\{?1\}?|['′₁])?)\s*+"
    r"([A-Z](?:_?\{?1\}?|['′₁])?)"
)
_CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))
_POINT = re.compile(r"[A-Z](?:_?\{?1\}?|['′₁])?")


def solids_in(text: str) -> tuple[str, ...]:
    """The words in ``text`` for solids; of ``a frustum of a cone`` the frustum."""
    return tuple(dict.fromkeys(match[0].lower().split(" of ")[0] for match in _SOLID.finditer(text)))


def have_own_lengths(text: str) -> bool:
    """Whether ``text`` names several solids, and none of them has a length of another."""
    return len(solids_in(text)) > 1 and not _SHARED.search(text)


def owner_of(text: str, start: int, end: int) -> str:
    """The solid that the number at ``[start, end)`` of ``text`` belongs to: the last before it, or 高为4的圆锥."""
    behind = _BEHIND.match(text, end)
    after = _SOLID.match(text, behind.end()) if behind else None
    if after:
        return after[0].lower()
    low = max((cut.end() for cut in _SENTENCE.finditer(text, 0, start)), default=0)
    named = solids_in(text[low:start])
    return named[-1] if named else ""


def squared_distance(problem: str, name: str) -> int | None:
    """The square of the length of ``name`` in edges; ``None`` if it joins no two vertices of a cube of ``problem``.

    In the cube ``ABCD-EFGH`` AC is √2, and AG √3 edges long.
    """
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
