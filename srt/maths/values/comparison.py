"""Whether a relation between two closed values holds: exactly, to the digits that are printed, and with their units.

Units are compared only if both sides have them: ``6 = 6 cm`` is accepted.
"""

from __future__ import annotations

from collections.abc import Iterator

from srt.maths.syntax.expression import (
    ARCS,
    PI,
    TRIGONOMETRIC,
    Call,
    Expression,
    Number,
    Quantity,
    heads,
    number,
    rebuilt,
    walk,
)
from srt.maths.values.dimension import MixedDimensions, dimension, sizes
from srt.maths.values.exact import compare, plain
from srt.maths.values.expression_value import Undecided, Undefined, approximation, rational
from srt.maths.values.printed_digits import Outcome, agree, literal
from srt.maths.work import spend


def holds(left: Expression, relation: str, right: Expression) -> Outcome:
    """Whether ``left relation right`` holds, for closed sides. Raises nothing but :class:`~srt.maths.work.TooMuchWork`.

    An angle without a sign of degrees in a sine or the like may be in degrees or in radians: what holds in one of them
    only is open.
    """
    spend(12 * sum(1 for side in (left, right) for _ in walk(side)))
    outcomes = {_holds_with_degrees(a, relation, b) for a, b in _angle_units(left, right)}
    return outcomes.pop() if len(outcomes) == 1 else "open"


def angle_unit_unsaid(left: Expression, right: Expression) -> bool:
    """Whether ``sin 30`` or the like is in them."""
    return len(list(_angle_units(left, right))) > 1


def _angle_units(left: Expression, right: Expression) -> Iterator[tuple[Expression, Expression]]:
    yield left, right
    turned = rebuilt(left, _degrees_meant), rebuilt(right, _degrees_meant)
    if turned != (left, right):
        yield turned


def _degrees_meant(node: Expression) -> Expression | None:
    match node:
        case Call(head, (Number(value) as angle,)) if head in TRIGONOMETRIC and value:
            return Call(head, (Call("deg", (angle,)),))
        case Call(head, (Call("add", parts) as angle,)) if head in TRIGONOMETRIC and _whole(parts):
            return Call(head, (Call("deg", (angle,)),))
    return None


def _whole(parts: tuple[Expression, ...]) -> bool:
    """Whether all of ``parts`` are whole numbers: the 30 and 45 of ``sin(30 + 45)``."""
    numbers = [part.parts[0] if isinstance(part, Call) and part.head == "neg" else part for part in parts]
    return all(isinstance(part, Number) and part.value.denominator == 1 for part in numbers)


def _holds_with_degrees(left: Expression, relation: str, right: Expression) -> Outcome:
    outcomes = []
    for a, b in _degree_signs(left, right):
        try:
            outcome = _holds(a, relation, b)
        except (Undefined, MixedDimensions):
            outcome = "no"
        except (Undecided, ArithmeticError, ValueError, RecursionError):
            outcome = "open"
        if outcome == "yes":
            return "yes"
        outcomes.append(outcome)
    return "no" if set(outcomes) == {"no"} else "open"


def _degree_signs(left: Expression, right: Expression) -> Iterator[tuple[Expression, Expression]]:
    """The sides as written; also with bare degrees if a degree sign may have been left out."""
    both = heads(left) | heads(right)
    turned = both & (TRIGONOMETRIC | ARCS)
    if "deg" in heads(left) & heads(right) and not turned and PI not in (*walk(left), *walk(right)):
        yield rebuilt(left, _bare_degrees), rebuilt(right, _bare_degrees)
        return
    yield left, right
    one_sided = ("deg" in heads(left)) != ("deg" in heads(right))
    if "deg" in both and not turned & TRIGONOMETRIC and (one_sided or "add" in both):
        yield rebuilt(left, _bare_degrees), rebuilt(right, _bare_degrees)
    if both & ARCS and not both & TRIGONOMETRIC and PI not in (*walk(left), *walk(right)):
        yield rebuilt(left, _all_in_degrees), rebuilt(right, _all_in_degrees)


def _bare_degrees(node: Expression) -> Expression | None:
    return node.parts[0] if isinstance(node, Call) and node.head == "deg" else None


def _all_in_degrees(node: Expression) -> Expression | None:
    """``arctan(4/3) = 53.13``, ``360 - 5 arccos(1/3) = 7.36°``."""
    if isinstance(node, Call) and node.head in ARCS:
        return Call("div", (Call("mul", (node, number(180))), PI))
    return _bare_degrees(node)


def _holds(left: Expression, relation: str, right: Expression) -> Outcome:
    matched = _in_one_unit(left, right)
    if matched is None:
        return "open"
    sides = (left, right)
    left, right = matched
    if relation in ("=", "≈"):
        outcome = _equal(left, relation, right)
        silently = outcome == "no" and (_converted_silently(sides, left, right) or _hundredfold(left, relation, right))
        return "open" if silently else outcome
    sign = compare(left, right)
    true = {"<": sign < 0, ">": sign > 0, "<=": sign <= 0, ">=": sign >= 0, "!=": sign != 0}[relation]
    return "yes" if true else "no"


def _hundredfold(left: Expression, relation: str, right: Expression) -> bool:
    """``3/4 × 100 = 75%``: a share that was multiplied by a hundred, and the sign beside it."""
    for side, other in ((left, right), (right, left)):
        match side:
            case Call("percent", (value,)) if "percent" not in heads(other) and number(100) in walk(other):
                return _equal(other, relation, value) != "no"
    return False


def _in_one_unit(left: Expression, right: Expression) -> tuple[Expression, Expression] | None:
    """Both sides without units, in SI if the units differ in size; ``None`` if they cannot be matched.

    Raises :class:`MixedDimensions` where they are of different dimension.
    """
    units = sizes(left) | sizes(right)
    if not units:
        return left, right
    if _beyond_space(left) != _beyond_space(right):
        raise MixedDimensions
    a, b = dimension(left), dimension(right)
    scales = {scale for scale, of in units if of[1] == 1}
    if a.unitless or b.unitless:
        return None if len(scales) > 1 else (left, right)
    if a.powers != b.powers:
        if a.bare or b.bare:
            return None
        raise MixedDimensions
    if len({scale for scale, _ in units}) == 1:
        return left, right
    return rebuilt(left, _in_si), rebuilt(right, _in_si)


def _beyond_space(side: Expression) -> bool:
    """Whether ``side`` has a unit such as cm^4, which no spatial quantity has."""
    return any(kind == "length" and power > 3 for _, (kind, power) in sizes(side))


def _converted_silently(sides: tuple[Expression, Expression], left: Expression, right: Expression) -> bool:
    """``50 × 40 × 30 = 60 L``: only one side has a unit, and the other differs by a factor of 100, 1000, ..."""
    units = [any(isinstance(node, Quantity) for node in walk(side)) for side in sides]
    if units[0] == units[1]:
        return False
    a, b = rational(left), rational(right)
    if not a or not b:
        return False
    ratio = max(abs(a), abs(b)) / min(abs(a), abs(b))
    return ratio >= 100 and ratio.denominator == 1 and str(ratio.numerator).strip("0") == "1"


def _in_si(node: Expression) -> Expression | None:
    if isinstance(node, Quantity):
        return node.value if node.scale == 1 else Call("mul", (node.value, number(node.scale)))
    return None


def _equal(left: Expression, relation: str, right: Expression) -> Outcome:
    try:
        if compare(left, right) == 0:
            return "yes"
    except Undefined:
        raise
    except Undecided:
        # Beyond exact comparison (sines of other angles, towers of roots): digits may still tell the sides apart.
        return "no" if _far_apart(left, right) else "open"
    return agree(left, relation, right)


def _far_apart(left: Expression, right: Expression) -> bool:
    a, b = approximation(plain(left), 60), approximation(plain(right), 60)
    if literal(left) or literal(right):
        return False
    return bool(abs(a - b) > (abs(a) + abs(b)) * 1e-20)
