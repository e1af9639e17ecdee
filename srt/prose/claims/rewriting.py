"""Whether an equation between expressions in free names can only be meant as a rewriting: true for all their values.

``S = x(3 - x) = 3x - x^2`` rewrites; ``2x + 1 = x + 5`` is a condition on x, and so is anything where an earlier
condition ties the names.
"""

from __future__ import annotations

from srt.maths.syntax.expression import Call, Expression, Number, Symbol, free, heads, number, substituted, walk
from srt.maths.values.identity import identical, never_equal
from srt.maths.values.vectors import NotScalar, components, scalar
from srt.prose.claims.links import Link
from srt.prose.claims.scope import Scope

_MOST_TRIED = 80


def rewrites(
    scope: Scope, link: Link, place: int, left: Expression, right: Expression, a: Expression, b: Expression
) -> bool:
    """Whether ``left = right``, the sides ``place`` and ``place + 1`` of the chain, must hold for all values.

    ``a`` and ``b``: the sides with what is known filled in, vectors with unknown coordinates too.
    """
    if link.context.assumed or link.context.chosen or link.chain.relations[place] != "=":
        return False
    if any(isinstance(side, Symbol | Number) for side in (left, right, a, b)):
        return False
    names = free((a, b))
    if not names or not free((b,)) or any(name[0] in "→∠△" for name in names):
        return False
    if "vec" in heads(a) and _has_length(scope, link, left):
        return False  # ``n · AB``: an arrow is lost, and AB is no number.
    if any(isinstance(node, Call) and _of_a_name(node) for side in (a, b) for node in walk(side)) or _up_to_sign(a, b):
        return False
    multiple = components(a) is not None and not (isinstance(left, Call) and left.head == "vec")
    if (multiple or _of_vectors(scope, left, link.at)) and not _vectors(scope, right, link.at):
        return free((b,)) <= free((a,))
    try:
        a, b = (scalar(_powers_filled(scope, link, side)) for side in (a, b))
    except NotScalar:
        return False
    return place > 0 and free((a,)) == free((b,)) and not tied(scope, link, free((a, b))) and never_equal(a, b)


def _powers_filled(scope: Scope, link: Link, side: Expression) -> Expression:
    """``side`` with the positive root of a name whose square is stated, ``s^2 = 6396``, instead of the name."""
    values: dict[str, Expression] = {}
    for statement in scope.before(link.at, _MOST_TRIED):
        match statement.left:
            case Call("pow", (Symbol(name), Number() as index)) if statement.names == {name}:
                values[name] = Call("root", (statement.right, index))
    return substituted(side, values)


def _of_a_name(node: Call) -> bool:
    """Lengths and angles of names without coordinates: ``|n|`` may be the length of a vector."""
    return node.head == "angle" or (node.head == "abs" and isinstance(node.parts[0], Symbol))


def _has_length(scope: Scope, link: Link, side: Expression) -> bool:
    """Whether a name of two points, ``PC``, stands in ``side`` without coordinates."""
    return any(
        name[:2].isupper() and components(scope.filled(Symbol(name), link.at, generic=True)) is None
        for name in free((side,))
        if len(name) > 1
    )


def _up_to_sign(a: Expression, b: Expression) -> bool:
    """Whether only the sign may be wrong, which a condition on the names can make right."""
    try:
        squares = [Call("pow", (scalar(side), number(2))) for side in (a, b)]
    except NotScalar:
        return False
    return identical(squares[0], squares[1]) == "yes"


def _of_vectors(scope: Scope, left: Expression, at: int) -> bool:
    """Whether ``left`` computes with vectors whose coordinates are all known or set to unknowns."""
    if not any(isinstance(node, Call) and node.head in ("dot", "angle", "abs", "add") for node in walk(left)):
        return False
    return len(_vectors(scope, left, at)) >= 2


def _vectors(scope: Scope, side: Expression, at: int) -> list[Expression]:
    """The names in ``side`` that are vectors with coordinates."""
    return [
        node for node in walk(side) if isinstance(node, Symbol) and components(scope.filled(node, at, generic=True))
    ]


def tied(scope: Scope, link: Link, names: frozenset[str]) -> bool:
    """Whether some other statement is a condition on these names alone, so that more than identities hold."""
    return any(one.names <= names and one.is_condition for one in scope.before(link.at, _MOST_TRIED))
