"""Deciding one reading of a pair ``left = right``: computed, solved for, substituted, or equal for all values."""

from __future__ import annotations

import re
from dataclasses import dataclass

from srt.maths.syntax.expression import (
    Call,
    Expression,
    Number,
    Quantity,
    Symbol,
    free,
    normal_form,
    number,
    substituted,
    symbols,
    walk,
)
from srt.maths.values.comparison import angle_unit_unsaid, holds
from srt.maths.values.expression_value import Undecided, approximation
from srt.maths.values.identity import identical
from srt.maths.values.printed_digits import Outcome
from srt.maths.values.vectors import NotScalar, components, product_missing, scalar
from srt.maths.words import word_set
from srt.prose.claims.claim_context import another_case
from srt.prose.claims.find import Prose
from srt.prose.claims.links import Link
from srt.prose.claims.rewriting import rewrites, tied
from srt.prose.claims.scope import Scope, is_term
from srt.prose.claims.solving import solves, solves_vector

_NO_PRODUCT = "vectors are added or divided where a number is needed"
FAILS = "it does not solve "
_FAR = 4000
_LENGTH = re.compile(r"∠?[A-Z][0-9']*(?:[A-Z][0-9']*)+")
_WHEN = re.compile(r"当[^。；;]{0,60}?时|[Ww]hen\b")
_ANY_UNKNOWN = word_set("x y z t k n m s u v w lambda mu theta alpha beta")
"""Letters that stand for one unknown here and for another there."""


@dataclass(frozen=True)
class Finding:
    """The result of one way to decide a pair. ``sure``: a ``no`` may be reported as refuted."""

    outcome: Outcome
    reason: str
    sure: bool = True
    counterexample: str | None = None


def decide(
    scope: Scope, link: Link, left: Expression, relation: str, right: Expression, prose: Prose, place: int
) -> Finding:
    """Decide this reading of ``left relation right``, the sides ``place`` and ``place + 1`` of ``link``.

    Raises what the evaluation of numbers and vectors raises: :class:`Undecided`, :class:`NotScalar`, arithmetic errors.
    """
    # The safest way first: two computed sides need nothing that is stated elsewhere.
    if _both(left, right):
        return _compared(left, relation, right, "both sides are computed")
    at = link.at
    # Before names are filled in: ``h = 4`` after ``h = 4`` would be proved by what it repeats.
    if relation in ("=", "≈"):
        solved = _solved(scope, link, left, right, prose, loosely=relation == "≈")
        if solved is not None:
            return solved
    a, b = scope.filled(left, at), scope.filled(right, at)
    if any(scope.lost_arrow(side, at, alone=components(a) is None) for side in (left, right)):
        return Finding("open", "a name that is multiplied by a vector is not its length")
    here = scope.here(left, at) and scope.here(right, at)
    if _both(a, b):
        # False with these values is an error only where no name can stand for something else here. Each line below
        # takes out one way in which right solutions come to look wrong.
        sure = _may_refute(scope, link, left, right) and not _sign_dropped(left, right, a, b)
        sure = sure and not (relation not in ("=", "≈") and _range(scope, left, right))
        sure = sure and not (scope.may_be_vectors(left, at) or scope.may_be_vectors(right, at))
        sure = sure and here and not _after_a_case(scope, link, left, right, prose)
        if relation == "=" and any(product_missing(x) and components(y) is None for x, y in ((a, b), (b, a))):
            return Finding("no", _NO_PRODUCT, sure, _NO_PRODUCT)
        return _compared(a, relation, b, f"with {_used(scope, left, right, at)}", sure)
    if relation not in ("=", "≈"):
        return Finding("open", "not every name in it has a value here")
    # A normal vector that was set to (x, y, z) is compared by its components, too.
    generic = (scope.filled(left, at, generic=True), scope.filled(right, at, generic=True))
    outcomes = [_identity(x, y) for x, y in ((a, b), generic)]
    if "yes" in outcomes:
        return Finding("yes", "the sides are equal for all values of their names")
    if "no" in outcomes and here and rewrites(scope, link, place, left, right, *generic):
        example = _example(*generic)
        if example is not None:
            return Finding("no", "the sides are not equal for all values of their names", True, example)
    return Finding("open", "nothing stated here decides it")


def _both(left: Expression, right: Expression) -> bool:
    return not symbols(left) and not symbols(right)


def _compared(left: Expression, relation: str, right: Expression, reason: str, sure: bool = True) -> Finding:
    """The finding on two closed sides, numbers or vectors."""
    u, v = components(left), components(right)
    if u is not None or v is not None:
        if u is None or v is None or len(u) != len(v) or relation not in ("=", "≈"):
            return Finding("open", "a vector is compared with what is none", sure=False)
        outcomes = [holds(x, relation, y) for x, y in zip(u, v, strict=True)]
        outcome: Outcome = "no" if "no" in outcomes else "open" if "open" in outcomes else "yes"
        example = f"the left side is {_vector_value(u)}, the right {_vector_value(v)}"
        return Finding(outcome, reason, sure, example if outcome == "no" else None)
    signed = _both_signs(left, relation, right)
    if signed is not None:
        return Finding(signed, reason, sure=False)
    try:
        left, right = scalar(left), scalar(right)
    except NotScalar:
        return Finding("open", "a side is neither a number nor a vector", sure=False)
    outcome = holds(left, relation, right)
    if outcome == "open" and angle_unit_unsaid(left, right):
        return Finding(outcome, "an angle may be in degrees or in radians, and they differ")
    if outcome == "open":
        return Finding(outcome, "rounded, in other units, or too large to decide", sure=False)
    told = f"the left side is {_value(left)}, the right {_value(right)}" if outcome == "no" else None
    return Finding(outcome, reason, sure, told)


def _both_signs(left: Expression, relation: str, right: Expression) -> Outcome | None:
    """``x^2 = 9, x = ±3``: both signs must hold."""
    for side, other in ((left, right), (right, left)):
        if isinstance(side, Call) and side.head == "pm":
            if isinstance(other, Call) and other.head == "pm" and len(other.parts) == len(side.parts) == 1:
                same = holds(Call("abs", side.parts), relation, Call("abs", other.parts))
                return "yes" if same == "yes" else "open"
            return "open"
    return None


def _solved(
    scope: Scope, link: Link, left: Expression, right: Expression, prose: Prose, loosely: bool
) -> Finding | None:
    """The finding on ``h = 4`` from an earlier value or an earlier condition on h."""
    for name, value in ((left, right), (right, left)):
        if not is_term(name):
            continue
        if symbols(value):
            if isinstance(name, Symbol) and (arrow := scope.arrow(name, link.at)) is not None:
                return _coordinates(scope, link, name, arrow, value)
            continue
        vector = components(value)
        if vector is not None:
            return _vector_solved(scope, link, name, value, vector)
        known = scope.known(name, link.at)
        if known is not None:
            if holds(known, "=", value) == "yes":
                if scope.given(name):
                    return Finding("yes", "it is given")
                return Finding("open", "it is stated before, and not shown there")
            return None
        if not isinstance(name, Symbol):
            return None
        against = None if loosely else _against_a_statement(scope, link, name, value, prose)
        if against is not None:
            return against
        several = link.context.alternative
        both = value.parts if isinstance(value, Call) and value.head == "pm" and len(value.parts) == 1 else None
        for one in (both[0], Call("neg", both)) if both else (value,):
            found = solves(scope, name.name, one, link.at, several, loosely)
            if found is None or found.holds == "open":
                return None
            condition = f"{normal_form(found.statement.left)} = {normal_form(found.statement.right)}"
            if found.holds == "no":
                sure = found.near and not link.context.chosen and not found.statement.assumed
                # ``V = a^3`` says what a V is: that of one solid, not of the next.
                alike = name in found.statement.sides and _LENGTH.fullmatch(name.name) is None
                sure = sure and (scope.one_claim or not alike)
                sure = sure and (several or not another_case(prose.text[found.statement.end : link.chain.start]))
                return Finding("no", FAILS + condition, sure, f"{normal_form(value)} does not solve {condition}")
            if not found.only and not both and not several:
                return Finding("open", f"it solves {condition}, but other values may too")
        return Finding("yes", f"it solves {condition}")
    return None


def _against_a_statement(scope: Scope, link: Link, name: Symbol, value: Expression, prose: Prose) -> Finding | None:
    """The finding on ``BC = 11`` where ``BC = 12`` is given, or stated before in the same case."""
    against = scope.contradicted(name, value, link.at)
    if against is None or link.context.chosen or name.name in _ANY_UNKNOWN:
        return None
    if isinstance(value, Call) and value.head == "pm":
        return None
    low = max(0, against.at)
    if not _LENGTH.fullmatch(name.name):
        return None  # An ``h`` or ``S_1`` of one solid, and of the next, or before and after a change.
    if not scope.scenes.same(against.at, link.at):
        return None
    if link.chain.start - low > _FAR or another_case(prose.text[low : link.chain.end + 14]):
        return None
    stated = f"{name.name} = {normal_form(against.value)}"
    return Finding("no", f"{stated} is stated before", True, f"{stated} is stated before")


def _vector_solved(
    scope: Scope, link: Link, name: Expression, value: Expression, vector: tuple[Expression, ...]
) -> Finding | None:
    """The finding on ``→AB = (1, 2, 2)`` from coordinates, on ``n = (1, 1, 2)`` from its conditions."""
    if not isinstance(name, Symbol):
        return None
    known = scope.known(name, link.at) or scope.arrow(name, link.at)
    if known is not None:
        return _compared(known, "=", value, "from the coordinates stated before", scope.here(name, link.at))
    found = solves_vector(scope, name, vector, link.at)
    if found.failed is not None:
        condition = f"{normal_form(found.failed.left)} = {normal_form(found.failed.right)}"
        return Finding("no", f"it does not meet {condition}", True, f"{normal_form(value)} does not meet {condition}")
    return Finding("yes", "it meets the conditions set for it") if found.met >= 2 else None


def _coordinates(scope: Scope, link: Link, name: Symbol, arrow: Expression, value: Expression) -> Finding | None:
    """The finding on ``→BE = (0, 4/3, 2a/3)`` from the coordinates of B and E, which have unknowns in them."""
    a, b = scope.filled(arrow, link.at), scope.filled(value, link.at)
    if components(b) is None:
        return None
    outcome = _identity(a, b)
    sure = not (link.context.assumed or link.context.chosen) and scope.here(name, link.at)
    sure = sure and not tied(scope, link, free((a, b)))
    told = "its coordinates are {} by those of its ends"
    shown = told.format(f"({', '.join(map(normal_form, components(a) or ()))})")
    return Finding(outcome, "from the coordinates stated before", sure, shown if outcome == "no" else None)


def _identity(a: Expression, b: Expression) -> Outcome:
    u, v = components(a), components(b)
    if u is not None and v is not None:
        if len(u) != len(v):
            return "no"
        found = [identical(x, y) for x, y in zip(u, v, strict=True)]
        return "no" if "no" in found else "open" if "open" in found else "yes"
    try:
        return identical(scalar(a), scalar(b))
    except NotScalar:
        return "open"


def _may_refute(scope: Scope, link: Link, left: Expression, right: Expression) -> bool:
    """Whether a false value of ``left = right`` with its names filled in can only be an error.

    A condition on unknowns, ``2x - z = 0``, may be about other unknowns of the same name; a computation that writes the
    numbers instead of the names, or a conclusion, is not.
    """
    if link.context.chosen or link.context.assumed:
        return False
    named = free((left, right))
    if all(components(scope.filled(Symbol(name), link.at)) is not None for name in named):
        return True  # Lengths, products and angles of vectors with known coordinates.
    if scope.one_claim or all(len(name) > 1 and name[0].isupper() for name in named):
        return True
    values = [side for side in (left, right) if not symbols(side)]
    if any(isinstance(value, Call) and value.head not in ("neg", "vec") for value in values):
        return True
    zero = any(isinstance(value, Number) and value.value == 0 for value in values)
    return link.context.concluded and not zero


def _after_a_case(scope: Scope, link: Link, left: Expression, right: Expression, prose: Prose) -> bool:
    """Whether a number that is filled in may be that of another case: 当 λ=1 时 cos θ=0, 当 λ=0 时 ..."""
    for term in (*walk(left), *walk(right)):
        known = scope.known(term, link.at) if is_term(term) else None
        if known is None or components(known) is not None:
            continue
        low = next(one.at for one in scope.definitions[term] if not one.assumed)
        if low >= 0 and _WHEN.search(prose.text, low, link.chain.start):
            return True
    return False


def _range(scope: Scope, left: Expression, right: Expression) -> bool:
    """Whether an inequality may say where a variable is, ``V' > 0`` and ``x < 1``, after a value that it once takes."""
    lone = [name for name in (left, right) if isinstance(name, Symbol)]
    return len(lone) == 1 and not scope.one_claim and not scope.given(lone[0])


def _sign_dropped(left: Expression, right: Expression, a: Expression, b: Expression) -> bool:
    """Whether only the sign is wrong in the cosine of an angle between vectors.

    Such angles are taken up to their supplement, and many write the quotient without the bars of its absolute value.
    """
    if not any(
        isinstance(node, Call) and node.head in ("dot", "angle") for side in (left, right) for node in walk(side)
    ):
        return False
    try:
        return holds(Call("abs", (scalar(a),)), "=", Call("abs", (scalar(b),))) == "yes"
    except NotScalar:
        return False


def _example(a: Expression, b: Expression) -> str | None:
    """Values of the names for which the sides differ."""
    try:
        a, b = scalar(a), scalar(b)
    except NotScalar:
        return "the coordinates of the two sides differ"
    for start in (2, 3, 5):
        values = {name: number(start + 4 * place) for place, name in enumerate(sorted(free((a, b))))}
        x, y = substituted(a, values), substituted(b, values)
        if holds(x, "=", y) == "no":
            told = ", ".join(f"{name} = {normal_form(value)}" for name, value in values.items())
            return f"with {told} the left side is {_value(x)}, the right {_value(y)}"
    return None


def _used(scope: Scope, left: Expression, right: Expression, at: int) -> str:
    names = sorted(free((left, right)))[:6]
    known = [(name, scope.known(Symbol(name), at)) for name in names]
    return (
        ", ".join(f"{name} = {normal_form(value)}" for name, value in known if value is not None)
        or "what is stated before"
    )


def _vector_value(parts: tuple[Expression, ...]) -> str:
    return f"({', '.join(_value(part) for part in parts)})"


def _value(tree: Expression) -> str:
    """A number to seven digits; what has several units as it is written."""
    if len({node.scale for node in walk(tree) if isinstance(node, Quantity)}) > 1:
        return normal_form(tree)
    try:
        digits = approximation(tree, 20)
    except (Undecided, ArithmeticError):
        return normal_form(tree)
    return f"{float(digits):.7g}"
