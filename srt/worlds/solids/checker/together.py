"""Whether the measures that a text gives can hold together: what they determine agrees, and a solid has the rest.

What follows one measure at a time is computed with 120 digits, which shows any difference between two derivations of a
measure. Where measures follow only together (edges, surface and diagonal of a cuboid), a solid with all of them is
searched for; until one is found, nothing of the problem is proved.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation, localcontext

import numpy as np
import numpy.typing as npt

from srt.worlds.solids.checker.relations import POWERS, SolidRelation, is_determined
from srt.worlds.solids.checker.terms import DIGITS, precisely

_Array = npt.NDArray[np.float64]
_SAME = Decimal(10) ** -90
_STARTS, _ROUNDS, _FOUND = 24, 40, 1e-13


def contradiction(given: Mapping[str, Decimal], near: Mapping[str, float], relations: Sequence[SolidRelation]) -> str:
    """A measure that has two values by the relations; empty where none has. ``near`` is about what follows."""
    with localcontext(prec=DIGITS):
        known, left = dict(given), list(relations)
        while ready := [r for r in left if _ready(r, known, near)]:
            for relation in ready:
                left.remove(relation)
                missing = relation.names - known.keys()
                if missing:
                    (name,) = missing
                    value = _precise(relation, name, known, near[name])
                    if value is None:
                        return f"{name} has no exact value"
                    known[name] = value
                elif abs(_gap(relation, known)) > _SAME:
                    return ", ".join(f"{name} = {known[name]:.6g}" for name in sorted(relation.names))
    return ""


def _ready(relation: SolidRelation, known: Mapping[str, Decimal], near: Mapping[str, float]) -> bool:
    missing = relation.names - known.keys()
    return not missing or (len(missing) == 1 and missing <= near.keys() and is_determined(relation, *missing))


def _gap(relation: SolidRelation, values: Mapping[str, Decimal]) -> Decimal:
    left, right = precisely(relation.left, values), precisely(relation.right, values)
    return (left - right) / (abs(left) + abs(right))


def _precise(relation: SolidRelation, name: str, known: Mapping[str, Decimal], near: float) -> Decimal | None:
    """The value of ``name`` near a float, by secants."""
    before = Decimal(near)
    here = before * (1 + Decimal(10) ** -7)
    try:
        gaps = [_gap(relation, {**known, name: x}) for x in (before, here)]
        for _ in range(40):
            if abs(gaps[1]) < _SAME * _SAME.sqrt() or gaps[0] == gaps[1]:
                break
            step = gaps[1] * (here - before) / (gaps[1] - gaps[0])
            before, here = here, here - step
            gaps = [gaps[1], _gap(relation, {**known, name: here})]
    except (InvalidOperation, ZeroDivisionError):
        return None
    return here if abs(gaps[1]) < _SAME and math.isclose(here, near, rel_tol=1e-5) else None


def some_solid(
    known: Mapping[str, float], relations: Sequence[SolidRelation], allowed: Callable[[Mapping[str, float]], bool]
) -> bool:
    """Whether measures were found for all that is not ``known``, so that every relation holds."""
    unmet = [relation for relation in relations if relation.names - known.keys()]
    while free := [relation for relation in unmet if _always_holds(relation, known, unmet)]:
        unmet = [relation for relation in unmet if relation not in free[:1]]
    names = sorted(frozenset[str]().union(*(relation.names for relation in unmet)) - known.keys())
    if not names:
        return allowed(known)
    rng = random.Random(0)
    lengths = [math.log(known[name]) / power for name in known if (power := POWERS.get(name[0], 1))]
    length = sum(lengths) / len(lengths) if lengths else 0.0
    for turn in range(_STARTS):
        # By turns anywhere, and about as large as what is known: each finds solids that the other misses.
        sizes = [POWERS.get(name[0], 1) * length if turn % 2 else 1.0 for name in names]
        found = _searched(known, unmet, names, [rng.gauss(size, 1) for size in sizes])
        if found is not None and allowed({**known, **found}):
            return True
    return False


def _always_holds(relation: SolidRelation, known: Mapping[str, float], unmet: Sequence[SolidRelation]) -> bool:
    """Whether a side is one measure that is in no other relation: it is whatever the other side gives."""
    for names, others in (relation.names_by_side, relation.names_by_side[::-1]):
        alone = names - known.keys()
        if len(alone) == 1 == len(names) and not alone & others and "-" not in relation.left + relation.right:
            return sum(alone <= another.names for another in unmet) == 1
    return False


def _searched(
    known: Mapping[str, float], relations: Sequence[SolidRelation], names: Sequence[str], start: Sequence[float]
) -> dict[str, float] | None:
    """By Newton's method on the logarithms of the measures, in which products are sums; ``None`` where it ends."""
    place, misses = np.array(start), math.inf
    step: _Array = np.zeros(len(names))
    for _ in range(_ROUNDS):
        for half in range(12):
            tried = place + step / 2**half
            gaps = _gaps(known, relations, names, tried)
            if gaps is not None and float(np.linalg.norm(gaps)) < misses:
                break
        else:
            return None
        place, misses = tried, float(np.linalg.norm(gaps))
        if misses < _FOUND:
            return dict(zip(names, np.exp(place).tolist(), strict=True))
        slopes = _slopes(known, relations, names, place)
        move = np.linalg.lstsq(slopes, -gaps, rcond=1e-10)[0]
        step = np.asarray(move / max(1.0, float(np.abs(move).max()) / 2), dtype=np.float64)
    return None


def _gaps(
    known: Mapping[str, float], relations: Sequence[SolidRelation], names: Sequence[str], place: _Array
) -> _Array | None:
    if float(np.abs(place).max()) > 60:
        return None
    values = {**known, **dict(zip(names, np.exp(place).tolist(), strict=True))}
    return np.array([_apart(relation, values) for relation in relations])


def _apart(relation: SolidRelation, values: Mapping[str, float]) -> float:
    """How far the sides of an equation are apart, as the logarithm of their ratio; both are positive."""
    left, right = relation.sides
    return math.log(max(left(values), 1e-300) / max(right(values), 1e-300))


def _slopes(
    known: Mapping[str, float], relations: Sequence[SolidRelation], names: Sequence[str], place: _Array
) -> _Array:
    values = {**known, **dict(zip(names, np.exp(place).tolist(), strict=True))}
    found = np.zeros((len(relations), len(names)))
    for column, name in enumerate(names):
        more, less = ({**values, name: values[name] * math.exp(step)} for step in (1e-5, -1e-5))
        for row, relation in enumerate(relations):
            if name in relation.names:
                found[row, column] = (_apart(relation, more) - _apart(relation, less)) / 2e-5
    return found
