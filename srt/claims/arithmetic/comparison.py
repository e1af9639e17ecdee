"""Whether a relation between two closed values holds: exactly, by rounding, and with their units.

Rounding: a decimal with k digits after the point means any value that rounds or truncates to it; pi may have been taken
as 3.14 or the like if the result shows it. Units are compared only if both sides have them: ``6 = 6 cm`` is accepted.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

from srt.claims.arithmetic.exact import Undecided, Undefined, approximation, compare, rational, real_of
from srt.claims.syntax.expression import (
    PI,
    TRIGONOMETRIC,
    Call,
    Expression,
    Number,
    Quantity,
    heads,
    number,
    rebuilt,
    symbols,
    walk,
)

Outcome = Literal["yes", "no", "open"]
"""``open``: undecided, such as a value rounded silently, units that do not match, or a value too large to compute."""

_TURNED = TRIGONOMETRIC | {"arcsin", "arccos", "arctan"}
_PI_TAKEN_AS = tuple(map(Fraction, ("3.14", "22/7", "3.1416", "3.142", "3.14159")))


def holds(left: Expression, relation: str, right: Expression) -> Outcome:
    """Whether ``left relation right`` holds, for closed sides. Never raises."""
    outcomes = []
    for a, b in _degree_readings(left, right):
        try:
            outcome = _holds(a, relation, b)
        except Undefined:
            outcome = "no"
        except (Undecided, ArithmeticError, ValueError, RecursionError):
            outcome = "open"
        if outcome == "yes":
            return "yes"
        outcomes.append(outcome)
    return "no" if set(outcomes) == {"no"} else "open"


def _degree_readings(left: Expression, right: Expression) -> Iterator[tuple[Expression, Expression]]:
    """The sides as written; also with bare degrees if a degree sign may have been left out."""
    both = heads(left) | heads(right)
    if "deg" in heads(left) & heads(right) and not both & _TURNED and PI not in (*walk(left), *walk(right)):
        yield rebuilt(left, _bare_degrees), rebuilt(right, _bare_degrees)
        return
    yield left, right
    if ("deg" in both and ("deg" in heads(left)) != ("deg" in heads(right))) or ("deg" in both and "add" in both):
        yield rebuilt(left, _bare_degrees), rebuilt(right, _bare_degrees)
    if both & TRIGONOMETRIC:
        yield rebuilt(left, _degrees_meant), rebuilt(right, _degrees_meant)


def _bare_degrees(node: Expression) -> Expression | None:
    return node.parts[0] if isinstance(node, Call) and node.head == "deg" else None


def _degrees_meant(node: Expression) -> Expression | None:
    match node:
        case Call(head, (Number(value) as angle,)) if head in TRIGONOMETRIC and value.denominator == 1:
            return Call(head, (Call("deg", (angle,)),))
    return None


def _holds(left: Expression, relation: str, right: Expression) -> Outcome:
    if _beyond_space(left) != _beyond_space(right):
        return "no"
    matched = _in_one_unit(left, right)
    if matched is None:
        return "open"
    sides = (left, right)
    left, right = matched
    if relation in ("=", "≈"):
        outcome = _equal(left, relation, right)
        return "open" if outcome == "no" and _converted_silently(sides, left, right) else outcome
    sign = compare(left, right)
    true = {"<": sign < 0, ">": sign > 0, "<=": sign <= 0, ">=": sign >= 0, "!=": sign != 0}[relation]
    return "yes" if true else "no"


def _beyond_space(side: Expression) -> bool:
    """Whether ``side`` has a unit such as cm^4, which no spatial quantity has."""
    return any(
        isinstance(node, Quantity) and node.dimension[0] == "length" and node.dimension[1] > 3 for node in walk(side)
    )


def _in_one_unit(left: Expression, right: Expression) -> tuple[Expression, Expression] | None:
    """Both sides without units, in SI if the units differ in size; ``None`` if they cannot be matched."""
    units = [
        {(node.scale, node.dimension) for node in walk(side) if isinstance(node, Quantity)} for side in (left, right)
    ]
    if not units[0] or not units[1]:
        mixed = len({scale for scale, dimension in units[0] | units[1] if dimension[1] == 1}) > 1
        return None if mixed else (left, right)
    sizes = [_dimension(side) for side in (left, right)]
    if None in sizes:
        return None if len(units[0] | units[1]) > 1 else (left, right)
    if sizes[0] != sizes[1]:
        return None
    if len({scale for scale, _ in units[0] | units[1]}) == 1:
        return left, right
    return rebuilt(left, _in_si), rebuilt(right, _in_si)


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


def _dimension(tree: Expression) -> dict[str, Fraction] | None:
    """The powers of length, mass and time of ``tree``; ``None`` where a sum mixes them."""
    match tree:
        case Quantity(dimension=(kind, power)):
            return None if kind == "any" else {kind: Fraction(power)}
        case Call("mul" | "dot" | "cross", parts):
            sizes = [_dimension(part) for part in parts]
            return None if None in sizes else _product(*[size for size in sizes if size is not None])
        case Call("div", (above, below)):
            a, b = _dimension(above), _dimension(below)
            return None if a is None or b is None else _product(a, {kind: -power for kind, power in b.items()})
        case Call("add", parts):
            sizes = [_dimension(part) for part in parts]
            return sizes[0] if all(size == sizes[0] for size in sizes) else None
        case Call("neg" | "abs", (part,)):
            return _dimension(part)
        case Call("pow", (base, exponent)):
            size, power_ = _dimension(base), rational(exponent)
            return None if size is None or power_ is None else {kind: power * power_ for kind, power in size.items()}
        case Call("root", (part, Number(index))):
            size = _dimension(part)
            return None if size is None else {kind: power / index for kind, power in size.items()}
        case Call(_, parts):
            return {} if not any(isinstance(node, Quantity) for node in walk(tree)) else None
    return {}


def _product(*sizes: dict[str, Fraction]) -> dict[str, Fraction]:
    total: dict[str, Fraction] = {}
    for size in sizes:
        for kind, power in size.items():
            total[kind] = total.get(kind, Fraction()) + power
    return {kind: power for kind, power in total.items() if power}


def _equal(left: Expression, relation: str, right: Expression) -> Outcome:
    try:
        if compare(left, right) == 0:
            return "yes"
    except Undefined:
        raise
    except Undecided:
        # Beyond exact comparison (sines of other angles, towers of roots): digits may still tell the sides apart.
        return "no" if _far_apart(left, right) else "open"
    outcomes = [_rounded(side, other, relation) for side, other in ((right, left), (left, right)) if literal(side)]
    for outcome in ("yes", "open"):
        if outcome in outcomes:
            return outcome
    if relation == "≈" or _irrational(left) or _irrational(right):
        return _near(left, right, relation)
    return "no"


def _far_apart(left: Expression, right: Expression) -> bool:
    a, b = approximation(_radians(left), 60), approximation(_radians(right), 60)
    if literal(left) or literal(right):
        return False
    return bool(abs(a - b) > (abs(a) + abs(b)) * 1e-20)


def literal(tree: Expression) -> tuple[Fraction, Fraction] | None:
    """The value of ``tree`` and the unit of its last digit, if it is a single literal."""
    match tree:
        case Number(value, decimals):
            if decimals is None and value.denominator != 1:
                return None
            return value, Fraction(1, 10 ** (decimals or 0))
        case Quantity(value=inner) | Call("neg", (inner,)) | Call("deg", (inner,)):
            found = literal(inner)
            return (-found[0], found[1]) if found and isinstance(tree, Call) and tree.head == "neg" else found
        case Call("percent", (inner,)):
            found = literal(inner)
            return (found[0] / 100, found[1] / 100) if found else None
    return None


def _rounded(side: Expression, other: Expression, relation: str) -> Outcome:
    """Whether ``other`` rounds or truncates to the literal ``side``."""
    found = literal(side)
    if found is None:
        return "no"
    value, last = found
    if isinstance(side, Call) and side.head == "deg":
        other = Call("div", (Call("mul", (other, number(180))), PI))
    whole = last == 1
    if relation == "≈" and whole:
        while value and value % (last * 10) == 0:
            last *= 10
    nearest: Outcome = "no"
    for taken in (_radians(other), *_stand_ins(other)):
        if rational(taken) == value:
            return "yes"
        off = (approximation(taken, 40) - real_of(value)) * (-1 if value < 0 else 1)
        step = real_of(last)
        if -step / 2 <= off < step:
            if not whole or relation == "≈":
                return "yes"
            if abs(off) <= step / 2 and abs(value) >= 10 and (_irrational(other) or _has_decimals(other)):
                nearest = "open"
        elif (relation == "≈" and abs(off) < 3 * step) or (not whole and abs(off) < step and _irrational(other)):
            nearest = "open"
    return nearest


def _stand_ins(tree: Expression) -> Iterator[Expression]:
    """``tree`` with pi taken as 3.14 and the like, and with its square roots rounded to two or three digits."""
    roots = {node for node in walk(tree) if isinstance(node, Call) and node.head == "root" and not symbols(node)}
    if PI in walk(tree):
        for pi in _PI_TAKEN_AS:
            yield rebuilt(tree, lambda node, pi=pi: number(pi) if node == PI else None)  # type: ignore[misc]
    if any(isinstance(node.parts[0], Number) and node.parts[1] == number(2) for node in roots):
        for digits in (2, 3):
            yield rebuilt(tree, lambda node, digits=digits: _root_rounded(node, digits))  # type: ignore[misc]


def _root_rounded(node: Expression, digits: int) -> Expression | None:
    match node:
        case Call("root", (Number(value), Number(Fraction(numerator=2, denominator=1)))) if value > 0:
            root = approximation(node, 30) * 10**digits
            return Number(Fraction(int(root + 0.5), 10**digits), digits)
    return None


def _near(left: Expression, right: Expression, relation: str) -> Outcome:
    """Whether the sides agree within what the last digits of their decimals leave open."""
    literals = [{node for node in walk(side) if isinstance(node, Number) and node.decimals} for side in (left, right)]
    own = tuple(
        set() if literal(side) else mine - others  # How a lone decimal is rounded, :func:`_rounded` has judged.
        for side, mine, others in zip((left, right), literals, reversed(literals), strict=True)
    )
    for pi in (None, *(_PI_TAKEN_AS if PI in walk(left) or PI in walk(right) else ())):
        values = [approximation(_radians(side), 40, pi) for side in (left, right)]
        slack = real_of(Fraction())
        for side, value, loose in zip((left, right), values, own, strict=True):
            for node in loose:
                moved = Number(node.value + Fraction(1, 10 ** (node.decimals or 0)), node.decimals)
                varied = rebuilt(side, lambda n, old=node, new=moved: new if n == old else None)  # type: ignore[misc]
                slack += abs(approximation(_radians(varied), 40, pi) - value)
        if pi is not None and values[0] == values[1]:
            return "yes"
        if slack and abs(values[0] - values[1]) <= slack:
            return "yes" if slack <= abs(values[0]) / 20 else "open"
        if relation == "≈" and not (literals[0] or literals[1]) and abs(values[0] - values[1]) <= abs(values[0]) / 20:
            return "open"
    return "no"


def _has_decimals(tree: Expression) -> bool:
    return any(isinstance(node, Number) and node.decimals for node in walk(tree))


def _irrational(tree: Expression) -> bool:
    return rational(_radians(tree)) is None


def _radians(tree: Expression) -> Expression:
    return rebuilt(
        tree,
        lambda n: (
            Call("div", (Call("mul", (n.parts[0], PI)), number(180)))
            if isinstance(n, Call) and n.head == "deg"
            else None
        ),
    )
