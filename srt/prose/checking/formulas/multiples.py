"""How often a value may be taken: so many faces has a solid, and so small is the part that a plane cuts off."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from srt.prose.checking.formulas.float_values import same
from srt.prose.checking.formulas.named_values import ValueInRole

_FACES: Mapping[str, tuple[tuple[str, int], ...]] = {
    "surface area": ((r"\bcub|正方体|立方体", 6), (r"tetrahedr|四面体", 4), (r"octahedr|八面体", 8)),
    "lateral area": (
        (r"\bcub|正方体|立方体|box|长方体|square|正方|正四棱|四棱", 4),
        (r"triang|tetrahedr|三棱|四面体|三角", 3),
        (r"pentag|五棱", 5),
        (r"hexag|六棱|六边", 6),
    ),
}
"""How many equal faces a solid has, by its words."""
_CUT_ACROSS = re.compile(r"parallel to (?:its|the) base|平行于底面|与底面平行", re.IGNORECASE)


def counted_faces(quantity: str, problem: str) -> frozenset[int] | None:
    """How many faces may be counted in ``quantity`` of a solid of the ``problem``; ``None`` if any number may."""
    if quantity not in _FACES:
        return None
    found = frozenset(n for words, n in _FACES[quantity] if re.search(words, problem, re.IGNORECASE))
    return found or None


def is_part(value: float, whole: ValueInRole, problem: str) -> bool:
    """Whether ``value`` may be a part or a multiple of the ``whole`` volume.

    What a plane parallel to the base cuts off a cone is similar to it: an eighth at half of its height.
    """
    if whole.role != "volume" or not _CUT_ACROSS.search(problem):
        return True
    ratio = Fraction(value / whole.value).limit_denominator(10_000)
    return any(same(float(part), value / whole.value) and _is_cube(part) for part in (ratio,)) or _is_cube(1 - ratio)


def _is_cube(ratio: Fraction) -> bool:
    if ratio <= 0:
        return False
    above, below = round(ratio.numerator ** (1 / 3)), round(ratio.denominator ** (1 / 3))
    return (above**3, below**3) == (ratio.numerator, ratio.denominator)
