"""Relations of lines, planes and figures: ``AB \\perp CD`` is ``DC \\perp BA``, 平行 is ``\\parallel``."""

from __future__ import annotations

import re

_SIGNS = (
    (re.compile(r"\\(?:parallel|px)(?![a-z])|//|∥|平行于|is\s++parallel\s++to", re.I), "parallel"),
    (re.compile(r"\\perp(?![a-z])|⊥|⟂|垂直于|is\s++perpendicular\s++to", re.I), "perpendicular"),
    (re.compile(r"\\cong(?![a-z])|≌|≅"), "congruent"),
)
_POINT = r"[A-Za-z](?:_\{?\d\}?|\d|['′])?"
_NAME = re.compile(
    r"(?:\\(?:triangle|angle|overline)\s*+|△|∠|plane\s++|line\s++|edge\s++|平面|直线|棱)?"
    rf"\s*+\{{?((?:{_POINT}\s*+){{1,6}})\}}?"
)
_LONGEST = 100


def relation(text: str) -> tuple[str, frozenset[str]] | None:
    """The kind of relation and the names of both sides, in any order; ``None`` where ``text`` is no relation."""
    for sign, kind in _SIGNS if len(text) <= _LONGEST else ():
        sides = [_NAME.fullmatch(side.strip()) for side in sign.split(text)]
        if len(sides) == 2 and all(sides):
            return kind, frozenset(_sorted_points(side[1], kind) for side in sides if side)
    return None


def _sorted_points(name: str, kind: str) -> str:
    """A segment is named by its ends in any order; vertices of congruent figures correspond, and keep theirs."""
    points = re.findall(r"[A-Za-z](?:\d|['′])?", re.sub(r"[_{}\s]", "", name))
    return "".join(points if kind == "congruent" else sorted(points))
