"""Whether a value depends on the numbers that the premises state.

``3/3 = 1``, ``3 - 3 = 0`` and ``3^0 = 1`` come out so whatever the 3 is: such a number is pure, and from pure numbers
any number can be counted up. A value depends on the premises if it becomes another one where every number that they
state is replaced by another one. All replacements are made by one function, which keeps the order of the numbers and
meets no sum or product of theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from srt.maths.syntax.expression import Call, Expression, Number, Quantity
from srt.prose.checking.formulas.float_values import float_value

_ACCURACY = 1e-9
Find = Callable[[Fraction], "Sourced | None"]
"""The source of a number, where it has one."""


@dataclass(frozen=True)
class Sourced:
    """A number with a source. ``varied``: what it is where the premises state other numbers; ``pure``: it is the same,
    and was computed; ``given``: a premise states it; ``terms``: the numbers that it is the sum of, as often as each is
    added."""

    varied: float
    pure: bool = False
    given: bool = False
    terms: Counter[float] = field(default_factory=Counter)


def stated(value: Fraction) -> Sourced:
    """``value`` as a premise states it."""
    size = float(abs(value))
    other = size**1.1 + 0.05 * size / (1 + size)
    return Sourced(other if value >= 0 else -other, given=True)


def computed(source: Expression, value: Fraction, find: Find) -> Sourced:
    """``value``, which is computed as ``source``, or is a factor of what is computed so."""
    before, after = float_value(source, {}), float_value(_varied(source, find), {})
    if before is None or after is None or not before:
        return stated(value)
    if abs(after - before) <= _ACCURACY * abs(before):
        return Sourced(float(value), pure=True)
    terms = counted(source, find) if isinstance(source, Call) and source.head == "add" else Counter()
    return Sourced(float(value) * after / before, terms=terms)


def depends(tree: Expression, find: Find) -> bool:
    """Whether ``tree`` has another value where the premises state other numbers."""
    before, after = float_value(tree, {}), float_value(_varied(tree, find), {})
    return before is None or after is None or abs(after - before) > _ACCURACY * max(1.0, abs(before))


def uncounted(total: Expression, find: Find, has: Callable[[Fraction], bool]) -> Iterator[Number]:
    """The numbers of times that ``total`` adds a number up, and that have no source themselves.

    ``1 + 1 = 2, 2 + 1 = 3`` takes three times 1: the 3 needs a source as that of ``3 * 1`` does. Numbers that are
    written out side by side, ``2 + 1 + 1``, are no multiple, nor are those that premises state.
    """
    terms = counted(total, find)
    sources = [_source(term, find) for term in _terms(total)]
    again = {base for source in sources if source for base in source.terms}
    counts_up = len(terms) == 1 and not all(source is not None and source.given for source in sources)
    for base, count in terms.items():
        if abs(count) > 1 and (counts_up or base in again) and not has(Fraction(abs(count))):
            yield Number(Fraction(abs(count)))


def counted(total: Expression, find: Find) -> Counter[float]:
    """How often ``total`` adds each number; a number that was added up itself counts as its terms."""
    counts: Counter[float] = Counter()
    for term in _terms(total):
        inner, sign = (term.parts[0], -1) if isinstance(term, Call) and term.head == "neg" else (term, 1)
        source = _source(inner, find)
        value = float_value(inner, {})
        for base, count in (source.terms if source and source.terms else {value or 0.0: 1}).items():
            counts[base] += sign * count
    return counts


def _terms(total: Expression) -> tuple[Expression, ...]:
    return total.parts if isinstance(total, Call) and total.head == "add" else (total,)


def _source(term: Expression, find: Find) -> Sourced | None:
    inner = term.parts[0] if isinstance(term, Call) and term.head == "neg" else term
    inner = inner.value if isinstance(inner, Quantity) else inner
    return find(inner.value) if isinstance(inner, Number) else None


def _varied(tree: Expression, find: Find) -> Expression:
    """``tree`` where the premises state other numbers; exponents, indices of roots and constants stay."""
    match tree:
        case Number(value=value):
            source = find(value)
            return tree if source is None else Number(Fraction(source.varied))
        case Quantity(value=inner):
            return _varied(inner, find)
        case Call("div", (Number(value=above), Number(value=below))) if below and not (find(above) and find(below)):
            source = find(above / below)
            if source is not None:
                return Number(Fraction(source.varied))
        case Call("pow" | "root" as head, (base, index)):
            return Call(head, (_varied(base, find), index))
    return Call(tree.head, tuple(_varied(part, find) for part in tree.parts)) if isinstance(tree, Call) else tree
