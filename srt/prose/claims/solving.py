"""Solving steps: ``3^2 + h^2 = 5^2``, then ``h = 4``. Which earlier condition a value solves, and whether it does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from srt.maths.syntax.expression import Call, Expression, Number, Symbol, free, number, substituted, symbols, walk
from srt.maths.values.comparison import holds
from srt.maths.values.exact import compare
from srt.maths.values.expression_value import Undecided, approximation
from srt.maths.values.identity import degree
from srt.maths.values.printed_digits import Outcome, literal
from srt.maths.values.vectors import NotScalar, scalar
from srt.prose.claims.scope import Scope, Statement

_MOST_TRIED = 12
_MOST_LOOKED_AT = 120
_NEAR = 160
_FAR = 700


@dataclass(frozen=True)
class ScalarSolution:
    """``holds``: the value satisfies the condition; ``only``: no other value does (no other positive one, for a
    positive value); ``near``: the condition stands right before it, with no other value of the name between."""

    statement: Statement
    holds: Literal["yes", "no", "open"]
    only: bool
    near: bool


def solves(scope: Scope, name: str, value: Expression, at: int, several: bool, loosely: bool) -> ScalarSolution | None:
    """The nearest condition before ``at`` that has ``name`` as its only unknown, and what ``value`` does to it.

    ``open`` where that is one of several conditions that an *or* joins, and ``value`` solves another one.

    ``several``: the value is one of those that the text names, ``x = 1 or x = 3``: others may stand between, and what
    stands between for other names may belong to them.
    """
    tried = 0
    nearest: ScalarSolution | None = None
    for statement in reversed(scope.before(at, _MOST_LOOKED_AT)):
        if statement.relation not in ("=", "≈"):
            continue
        if name not in statement.names or _is_definition(statement, name):
            continue
        tried += 1
        if tried > _MOST_TRIED:
            break
        near = scope.one_claim or (0 <= at - statement.end <= _NEAR and statement.at >= 0)
        near = near and (several or not _defined_between(scope, name, statement.end, at))
        try:
            left, right = (
                _with_only(scope, side, name, at, statement.at if near and not several else at)
                for side in statement.sides
            )
        except NotScalar:
            continue
        if free((left, right)) != {name}:
            continue
        outcome = _satisfied(left, right, name, value, loosely)
        if nearest is not None and outcome == "yes":
            return replace(nearest, holds="open")  # ``cos θ = 1/2 or cos θ = -1``
        if nearest is None:
            nearest = ScalarSolution(statement, outcome, _only(left, right, name, value), near)
            if outcome != "no" or not statement.alternative:
                break
    return nearest


def _satisfied(left: Expression, right: Expression, name: str, value: Expression, loosely: bool) -> Outcome:
    """Whether ``left = right`` holds with ``value`` for ``name``, or with what rounds to a decimal ``value``."""
    outcome = holds(*_filled(left, right, name, value))
    found = literal(value)
    if outcome != "no" or found is None:
        return outcome
    middle, last = found
    decimals = any(isinstance(node, Number) and node.decimals for side in (left, right) for node in walk(side))
    if last == 1 and not loosely and not decimals:
        return "no"
    try:
        # Rounded to it, or the digits after it cut off.
        away = last if middle > 0 else -last
        near, far = (compare(*_filled(left, right, name, number(x))[::2]) for x in (middle - away / 2, middle + away))
    except Undecided:
        return "open"
    if near != far and far != 0:
        return "yes" if last < 1 else "open"
    return "no"


def _filled(left: Expression, right: Expression, name: str, value: Expression) -> tuple[Expression, str, Expression]:
    return substituted(left, {name: value}), "=", substituted(right, {name: value})


@dataclass(frozen=True)
class VectorSolution:
    """What a vector does to the conditions set for it: how many it meets, and one that it does not meet."""

    met: int
    failed: Statement | None


def solves_vector(scope: Scope, vector: Symbol, value: tuple[Expression, ...], at: int) -> VectorSolution:
    """Try ``vector = value`` on the conditions since it was last set to unknowns.

    For ``n``: ``n = (x, y, z)``, then ``n · →AB = 0``, ``2x - z = 0``.
    """
    unknowns = scope.generic_at(vector, at)
    if unknowns is None or len(unknowns.parts) != len(value) or not scope.scenes.same(unknowns.at, at):
        return VectorSolution(0, None)
    parts, low = unknowns.parts, unknowns.at
    high = _next_unknowns(scope, vector, free(parts), low, at)
    names = {part.name: one for part, one in zip(parts, value, strict=True) if isinstance(part, Symbol)}
    met = 0
    for statement in scope.before(at, _MOST_LOOKED_AT):
        if low > statement.at or statement.relation != "=" or at - statement.at > _FAR:
            continue
        used = statement.names
        if statement.at >= high and vector.name not in used:
            continue
        if not used & (names.keys() | {vector.name}) or any(_is_definition(statement, name) for name in used):
            continue
        replaced = {**names, vector.name: Call("vec", value)}
        try:
            left, right = (scalar(scope.filled(substituted(side, replaced), at)) for side in statement.sides)
        except NotScalar:
            continue
        if free((left, right)):
            continue
        outcome = holds(left, "=", right)
        if outcome == "no":
            return VectorSolution(met, statement)
        met += outcome == "yes"
    return VectorSolution(met, None)


def _next_unknowns(scope: Scope, vector: Symbol, names: frozenset[str], low: int, at: int) -> int:
    """Where, after ``low``, another vector is set to unknowns of the same names; ``at`` if nowhere."""
    places = [
        one.at
        for term, stated in scope.definitions.items()
        if term != vector
        for one in stated
        if low < one.at < at and free((one.value,)) & names
    ]
    return min(places, default=at)


def _with_only(scope: Scope, side: Expression, name: str, at: int, since: int) -> Expression:
    """``side`` with every known name but ``name`` filled in; names set between ``since`` and ``at`` have that value."""
    kept = Symbol(name)
    hidden = scope.definitions.pop(kept, None)
    try:
        local = {
            other: value
            for other in free((side,)) - {name}
            if (value := scope.latest(Symbol(other), since, at)) is not None
        }
        return scalar(scope.filled(substituted(side, local), at))
    finally:
        if hidden is not None:
            scope.definitions[kept] = hidden


def _is_definition(statement: Statement, name: str) -> bool:
    left, right = statement.sides
    alone = (isinstance(left, Symbol) and left.name == name) + (isinstance(right, Symbol) and right.name == name)
    return alone == 1 and statement.names == {name} and not (symbols(left) and symbols(right))


def _defined_between(scope: Scope, name: str, low: int, high: int) -> bool:
    return any(low < one.at < high for one in scope.definitions.get(Symbol(name), ()))


def _only(left: Expression, right: Expression, name: str, value: Expression) -> bool:
    """Whether ``value`` is the only solution, or the only positive one of a quadratic."""
    difference = Call("add", (left, Call("neg", (right,))))
    order = degree(difference, name)
    if order == 1:
        return True
    if order != 2:
        return False
    try:
        at = [approximation(substituted(difference, {name: number(Fraction(x))}), 40) for x in (0, 1, 2)]
        root = approximation(value, 40)
    except Undecided:
        return False
    square = (at[2] - 2 * at[1] + at[0]) / 2
    if abs(square) < 1e-25:
        return True
    other = -(at[1] - at[0] - square) / square - root
    return bool(root > 0 and (other <= 0 or abs(other - root) < 1e-25))
