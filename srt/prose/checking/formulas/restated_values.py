"""Values that a step states in its own words, beside what the problem states of the same numbers.

``the radius is 4 and the height is 3`` does not read what ``base radius 3 and height 4`` says. Nor is the side about
which a rectangle turns the radius of the solid, or the width of a view a radius.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from srt.prose.checking.formulas.float_values import same
from srt.prose.checking.formulas.named_values import ValueInRole
from srt.prose.checking.formulas.quantity_words import AREAS, QUANTITIES

_SPECIFIC = QUANTITIES | {"radius", "diameter", "height", "slant", "angle", "sides", "axis"}
_EQUAL = re.compile(
    r"\b(?:equals?|same|as (?:long|high|wide|tall|deep)|square axial)\b|相等|等于|相同|等边", re.IGNORECASE
)
"""A length may be that of another part, too."""
_VIEWS = re.compile(r"\bviews?\b|视图", re.IGNORECASE)
_OF_VIEWS = frozenset({"length", "height", ""})


def restated(values: Iterable[ValueInRole], given: Iterable[ValueInRole], problem: str) -> Iterator[ValueInRole | str]:
    """The ``values`` of a step, with the roles and owners that they have among those ``given`` in the text ``problem``.

    What contradicts it is none of them: a line that says why.
    """
    stated = tuple(given)
    for one in values:
        alike = [other for other in stated if same(other.value, one.value)]
        roles = {other.role for other in alike}
        if why := _against(one, roles, problem):
            yield why
        elif not one.role and alike:
            yield from alike
        else:
            owners = {other.owner for other in alike if other.owner}
            yield from (ValueInRole(one.value, one.role, owner) for owner in owners or {one.owner})


def _against(one: ValueInRole, roles: set[str], problem: str) -> str | None:
    """Why a value cannot have the role of ``one`` where the problem states it in ``roles``."""
    specific = roles & _SPECIFIC
    another = one.role in _SPECIFIC and specific and roles <= _SPECIFIC | {""}
    # Of a solid of rotation a side is the radius; a view shows a diameter.
    wide = one.role == "radius" and roles and roles <= _OF_VIEWS and roles != {""} and _VIEWS.search(problem)
    if not (another or wide) or any(_alike(one.role, role) for role in roles) or _EQUAL.search(problem):
        return None
    return f"it states {one.value:g} as the {one.role}, the problem as the {min(specific or roles - {''})}"


def _alike(one: str, other: str) -> bool:
    """All areas are areas, and the axis of a rotation is a height."""
    return one == other or {one, other} <= AREAS or {one, other} == {"axis", "height"}
