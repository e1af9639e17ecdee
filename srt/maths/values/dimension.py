"""The dimension of an expression with units: powers of length, mass and time, as far as the written units tell it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from srt.maths.syntax.expression import Call, Expression, Number, Quantity, Symbol, walk
from srt.maths.values.expression_value import rational


class MixedDimensions(Exception):
    """Quantities of different dimension are added or compared: ``5 cm + 3 cm²``."""


@dataclass(frozen=True)
class Dimension:
    """``powers``: of length, mass, time, zeros left out. ``bare``: a number without a unit is a factor or a term, which
    may be a quantity whose unit is not written. ``unitless``: no unit is written at all."""

    powers: dict[str, Fraction] = field(default_factory=dict)
    bare: bool = False
    unitless: bool = True

    def times(self, other: Dimension, sign: int = 1) -> Dimension:
        """That of the product, or of the quotient for ``sign`` -1."""
        powers = dict(self.powers)
        for kind, power in other.powers.items():
            powers[kind] = powers.get(kind, Fraction()) + sign * power
        return Dimension(
            {kind: power for kind, power in powers.items() if power},
            self.bare or other.bare,
            self.unitless and other.unitless,
        )

    def raised(self, exponent: Fraction) -> Dimension:
        """That of a power."""
        return Dimension({kind: power * exponent for kind, power in self.powers.items()}, self.bare, self.unitless)


def dimension(tree: Expression) -> Dimension:
    """The dimension of ``tree``, a closed scalar. Raises :class:`MixedDimensions`."""
    match tree:
        case Quantity(dimension=("any", _)):
            return Dimension(bare=True)
        case Quantity(value=value, dimension=(kind, power)):
            inside = dimension(value)
            return inside if inside.powers else Dimension({kind: Fraction(power)}, unitless=False)
        case Number():
            return Dimension(bare=True)
        case Call("mul" | "dot" | "cross", parts):
            total = Dimension()
            for part in parts:
                total = total.times(dimension(part))
            return total
        case Call("div", (Number(Fraction() as a, None), Number(Fraction() as b, None))) if a <= 4 and b <= 12:
            return Dimension()  # A fraction of a formula, such as 4/3.
        case Symbol():
            return Dimension()
        case Call("div", (above, below)):
            return dimension(above).times(dimension(below), -1)
        case Call("add" | "max" | "min" | "pm", parts):
            return _common(map(dimension, parts))
        case Call("neg" | "abs" | "percent" | "floor" | "ceil", (part,)):
            return dimension(part)
        case Call("pow", (base, exponent)):
            power_ = rational(exponent)
            return dimension(base).raised(power_) if power_ is not None else Dimension(bare=True)
        case Call("root", (part, Number(index))) if index:
            return dimension(part).raised(1 / index)
    return Dimension(bare=True) if not any(isinstance(node, Quantity) for node in walk(tree)) else Dimension()


def _common(parts: Iterable[Dimension]) -> Dimension:
    """The dimension of a sum."""
    found: Dimension | None = None
    bare = False
    for part in parts:
        bare |= part.bare
        if part.unitless:
            continue
        if found is not None and part.powers != found.powers and not (found.bare or part.bare):
            raise MixedDimensions
        found = part if found is None or found.bare else found
    return Dimension(bare=bare) if found is None else Dimension(found.powers, bare, False)


def sizes(tree: Expression) -> set[tuple[Fraction, tuple[str, int]]]:
    """The units in ``tree``: scale and dimension of each."""
    return {(node.scale, node.dimension) for node in walk(tree) if isinstance(node, Quantity)}
