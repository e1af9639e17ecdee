"""Whether the unit of a result follows: from its name, from the words before it, and from the units of the premises.

``V = 1/3 · π · 3² · 4 = 12π cm²`` is wrong because a V is a volume, and because the radius of 3 cm and the height of 4
cm make a volume. A number of the computation that is stated with a unit carries it; other numbers are counts and
coefficients, or quantities whose unit nobody stated: they leave a missing power open.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from srt.maths.syntax.expression import Call, Expression, Number, Quantity, walk
from srt.maths.units.unit import Unit
from srt.maths.values.comparison import holds
from srt.maths.values.dimension import MixedDimensions, dimension
from srt.maths.values.expression_value import Undecided
from srt.prose.claims.known_quantities import COUNTS, KnownQuantities, base, size
from srt.prose.claims.named_dimension import Named

_MOST_READINGS = 48
_MOST_NUMBERS = 8


@dataclass(frozen=True)
class UnitVerdict:
    """``wrong``: the unit, or the value in it, contradicts what is said; else the unit is only not shown."""

    wrong: bool
    reason: str


def not_in(named: Named, left: Expression, right: Expression) -> str | None:
    """Why the unit of ``left = right``, of which one side only has units, is not one of what is ``named``."""
    with_unit = [side for side in (left, right) if _has_unit(side)]
    if len(with_unit) != 1:
        return None
    power = _power(with_unit[0])
    units = {node for node in walk(with_unit[0]) if isinstance(node, Quantity)}
    lengths = all(node.dimension[0] == "length" for node in units)
    if not lengths or len(units) != 1 or power is None or not 1 <= power <= 3 or power == named.power:
        return None
    return f"{named.word} cannot be in {units.pop().unit}"


def unit_verdict(
    left: Expression,
    relation: str,
    right: Expression,
    named: Named | None,
    known: KnownQuantities,
    start: int,
    end: int,
) -> UnitVerdict | None:
    """What speaks against the unit of ``left = right``, whose numbers agree, at ``[start, end)``; ``None`` if nothing.

    ``relation``: ``=`` or ``≈``. ``named``: what a name or the words say that both sides are.
    """
    if _has_unit(left) and not _has_unit(right):
        left, right = right, left
    try:
        said = dimension(right)
    except MixedDimensions:
        return None
    if said.unitless:
        return _unit_not_said(left, known, start) if not _has_unit(left) else None
    if set(said.powers) - {"length"} or _has_unit(left) or not any(isinstance(node, Call) for node in walk(left)):
        return None
    return _against_premises(left, relation, right, said.powers.get("length", Fraction()), named, known, (start, end))


def holds_with_units(left: Expression, relation: str, right: Expression, known: KnownQuantities, start: int) -> bool:
    """Whether ``left = right`` holds with units at its numbers: ``4 × 4 × 50 = 800 dm³`` for 4 dm and 50 cm."""
    if _has_unit(left) or not _has_unit(right):
        return False
    units = _units_in(left, known, start)
    if not units or len(units) > _MOST_NUMBERS:
        return False
    return any(holds(one, relation, right) == "yes" for one in _readings(left, list(_factors(left)), units))


_KINDS = {1: "a length", 2: "an area", 3: "a volume"}


def _kind(power: Fraction) -> str:
    return _KINDS.get(int(power), f"length to the power {power}") if power.denominator == 1 else f"length^{power}"


def _has_unit(side: Expression) -> bool:
    return any(isinstance(node, Quantity) for node in walk(side))


def _unit_not_said(left: Expression, known: KnownQuantities, start: int) -> UnitVerdict | None:
    """``60 × 2 = 120`` for 60 cm by 2 m."""
    if not any(isinstance(node, Call) and node.head in ("mul", "cross", "dot", "add") for node in walk(left)):
        return None
    scales = [{size(unit) for unit in units} for units in _units_in(left, known, start).values()]
    apart = any(one.isdisjoint(other) for one, other in itertools.combinations(scales, 2))
    return UnitVerdict(False, "its numbers are stated in different units, and its unit is not said") if apart else None


def _units_in(side: Expression, known: KnownQuantities, start: int) -> dict[int, list[Unit]]:
    """The units of the numbers of ``side`` that are stated with one, by their order."""
    leaves = list(_factors(side))
    return {at: units for at, leaf in enumerate(leaves) if (units := known.units_of(leaf.value, start))}


def _factors(tree: Expression) -> Iterator[Number]:
    """The numbers of ``tree``, exponents and indices of roots left out."""
    match tree:
        case Number():
            yield tree
        case Call("pow" | "root", (inner, _)):
            yield from _factors(inner)
        case Call(_, parts):
            for part in parts:
                yield from _factors(part)


def _against_premises(
    left: Expression,
    relation: str,
    right: Expression,
    power: Fraction,
    named: Named | None,
    known: KnownQuantities,
    span: tuple[int, int],
) -> UnitVerdict | None:
    leaves = list(_factors(left))
    units = _units_in(left, known, span[0])
    if not units or len(leaves) > 24 or len(units) > _MOST_NUMBERS:
        return None
    others = [leaf for at, leaf in enumerate(leaves) if at not in units]
    foreign = not known.elsewhere(base(_unit(right).unit), *span)
    converted = known.converted({leaf.value for leaf in leaves}, _unit(right), span[0])
    readings = list(_readings(left, leaves, units))
    fitting = [one for one in readings if _power(one) == power]
    outcomes = {holds(one, relation, right) for one in fitting}
    if "yes" in outcomes:
        likely = named is not None or _power(_carried(left, units)) == power
        return None if likely or not known.given() else UnitVerdict(False, "its unit may be another by its numbers")
    if converted:
        return None
    if fitting and outcomes == {"no"}:
        return UnitVerdict(foreign or not others, "its numbers are in other units, and nothing converts them")
    if base(_unit(right).unit) in ("L", "mL"):
        return None  # 20 m² of paint at 0.5 L: the unit of a rate is not known.
    powers = [found for one in readings if (found := _power(one)) is not None]
    if named is not None or not known.given():
        return None
    plain = _power(_carried(left, units))
    counted = all(leaf.value in COUNTS or leaf.decimals for leaf in others) and known.asked == {plain}
    if powers and (power < min(powers) or (power > max(powers) and (counted or not others))):
        return UnitVerdict(True, f"its numbers make {_kind(max(powers))}, its unit is of {_kind(power)}")
    return UnitVerdict(False, "the units of its numbers do not show its unit")


def _unit(side: Expression) -> Quantity:
    return next(node for node in walk(side) if isinstance(node, Quantity))


def _readings(left: Expression, leaves: list[Number], units: dict[int, list[Unit]]) -> Iterator[Expression]:
    """``left`` with the stated units at its numbers; a small whole number may be a count instead, if not raised."""
    raised = {id(leaf) for node in walk(left) if isinstance(node, Call) and node.head == "pow" for leaf in node.parts}
    options: list[list[Unit | None]] = [
        [*units[at], *([None] if leaves[at].value in COUNTS and id(leaves[at]) not in raised else [])] for at in units
    ]
    for chosen in itertools.islice(itertools.product(*options), _MOST_READINGS):
        yield _with_units(left, dict(zip(units, chosen, strict=True)))


def _carried(left: Expression, units: dict[int, list[Unit]]) -> Expression:
    """``left`` with a unit at every number that is stated with one, those of a fraction such as 1/3 left out."""
    return _with_units(left, {at: found[0] for at, found in units.items()}, fractions=False)


def _with_units(tree: Expression, chosen: dict[int, Unit | None], fractions: bool = True) -> Expression:
    places = itertools.count()

    def built(node: Expression, bare: bool) -> Expression:
        match node:
            case Number():
                unit = chosen.get(next(places))
                if unit is None or bare:
                    return node
                return Quantity(node, unit.name, unit.scale, unit.power)
            case Call("pow" | "root" as head, (inner, index)):
                return Call(head, (built(inner, bare), index))
            case Call("div", (Number(), Number())) if not fractions:
                return Call("div", tuple(built(part, True) for part in node.parts))
            case Call(head, parts):
                return Call(head, tuple(built(part, bare) for part in parts))
        return node

    return built(tree, False)


def _power(tree: Expression) -> Fraction | None:
    try:
        found = dimension(tree)
    except (MixedDimensions, Undecided):
        return None
    return found.powers.get("length", Fraction())
