"""The meaning of names: values that a text or the givens state, coordinates of points, and the conditions on unknowns.

A name has a value only where every statement of it, anywhere in the text and the givens, agrees: an ``r`` that is 3 in
one place and 5 in another is not known at all.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from srt.claims.arithmetic.comparison import holds
from srt.claims.syntax.expression import (
    PI,
    TRIGONOMETRIC,
    Call,
    Expression,
    Number,
    Quantity,
    Symbol,
    number,
    rebuilt,
    symbols,
    walk,
)

_MOST_STATED = 24
"""A name that is stated more often is not followed further."""


@dataclass(frozen=True)
class Statement:
    """One relation of the text or of a given. ``at``: its place, negative for givens. ``assumed``: said under an if."""

    left: Expression
    relation: str
    right: Expression
    at: int
    end: int
    assumed: bool = False
    chosen: bool = False
    """Said as a choice: let x = 1, 令 x = 1."""

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in it."""
        return symbols(self.left) | symbols(self.right)

    @property
    def sides(self) -> tuple[Expression, Expression]:
        """Both sides."""
        return self.left, self.right


@dataclass(frozen=True)
class Definition:
    """A name and the value that a statement gives it."""

    value: Expression
    at: int
    assumed: bool


@dataclass(frozen=True)
class Unknowns:
    """The components that a vector was set to, and where."""

    parts: tuple[Expression, ...]
    at: int


@dataclass
class Scope:
    """The definitions, by what they define: a name, or a term on names such as ``cos(theta)``."""

    definitions: dict[Expression, list[Definition]] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    one_claim: bool = False
    """The text is a step that claims one thing: the givens are what it cites for it, not the start of a long story."""
    patience: int = 120
    """How many more verdicts are examined for what they leave open; those that come after are left open."""
    _unique: dict[Expression, bool] = field(default_factory=dict)

    def define(self, term: Expression, value: Expression, at: int, assumed: bool = False) -> None:
        """State that ``term`` is ``value``."""
        stated = self.definitions.setdefault(term, [])
        if len(stated) < _MOST_STATED:
            stated.append(Definition(value, at, assumed))
            self._unique.pop(term, None)

    def before(self, at: int, most: int) -> list[Statement]:
        """The last ``most`` statements before ``at``, in order."""
        end = bisect_left(self.statements, at, key=lambda statement: statement.at)
        return self.statements[max(0, end - most) : end]

    def known(self, term: Expression, before: int) -> Expression | None:
        """The closed value of ``term`` stated before ``before``, where all statements of it agree."""
        stated = self.definitions.get(term)
        if not stated:
            return None
        closed = [one for one in stated if not symbols(one.value)]
        if term not in self._unique:
            self._unique[term] = (
                bool(closed)
                and all(same_value(closed[0].value, one.value) for one in closed[1:12])
                and len(closed) < 13
            )
        if not self._unique[term]:
            return None
        return next((one.value for one in closed if one.at < before and not one.assumed), None)

    def given(self, term: Expression) -> bool:
        """Whether a given states a value of ``term``."""
        return any(one.at < 0 for one in self.definitions.get(term, ()))

    def contradicted(self, term: Expression, value: Expression, at: int) -> Definition | None:
        """The one earlier statement of ``term`` that ``value``, stated at ``at``, contradicts.

        ``None`` where other statements of it differ too, or where some are suppositions: then it has several values.
        """
        others = [one for one in self.definitions.get(term, ()) if one.at != at]
        if not others or len(others) > 12 or any(one.assumed or symbols(one.value) for one in others):
            return None
        first = min(others, key=lambda one: one.at)
        if first.at >= at or not all(same_value(first.value, one.value) for one in others):
            return None
        return first if holds(first.value, "=", value) == "no" else None

    def latest(self, term: Expression, since: int, before: int) -> Expression | None:
        """The closed value that was last stated for ``term`` between two places."""
        stated = [one for one in self.definitions.get(term, ()) if since <= one.at < before and not symbols(one.value)]
        return stated[-1].value if stated and len({one.value for one in stated}) == 1 else None

    def generic_at(self, term: Expression, before: int) -> Unknowns | None:
        """The latest vector with unknowns, ``n = (x, y, z)``, that ``term`` was set to before ``before``."""
        stated = [one for one in self.definitions.get(term, ()) if symbols(one.value) and one.at < before]
        if stated and isinstance(stated[-1].value, Call) and stated[-1].value.head == "vec":
            return Unknowns(stated[-1].value.parts, stated[-1].at)
        return None

    def generic(self, term: Expression, before: int) -> Expression | None:
        """:meth:`generic_at` as an expression."""
        found = self.generic_at(term, before)
        return None if found is None else Call("vec", found.parts)

    def filled(self, tree: Expression, before: int, generic: bool = False) -> Expression:
        """``tree`` with every known term replaced by its value, arrows between known points by their coordinates."""

        def fill(node: Expression) -> Expression | None:
            if not is_term(node):
                return None
            value = self.known(node, before)
            if value is None and isinstance(node, Symbol):
                value = (self.generic(node, before) if generic else None) or self.arrow(node, before)
            return value

        return _from_the_top(tree, fill)

    def arrow(self, node: Symbol, before: int) -> Expression | None:
        """The vector of ``→AB`` from the coordinates of A and B."""
        ends = _ends(node.name)
        if ends is None:
            return None
        first, last = (self._coordinates(name, before) for name in ends)
        if isinstance(first, Call) and isinstance(last, Call) and len(first.parts) == len(last.parts):
            return Call(
                "vec", tuple(Call("add", (b, Call("neg", (a,)))) for a, b in zip(first.parts, last.parts, strict=True))
            )
        return None

    def _coordinates(self, name: str, before: int) -> Expression | None:
        """The coordinates of a point, with unknowns in them or not, where all statements of them agree."""
        stated = self.definitions.get(Call("point", (Symbol(name),)), [])
        if not stated or len(stated) > 12 or stated[0].at >= before:
            return None
        return stated[0].value if all(same_value(stated[0].value, one.value) for one in stated) else None


def _ends(name: str) -> tuple[str, str] | None:
    """The two points of ``→A1B``."""
    if not name.startswith("→"):
        return None
    points: list[str] = []
    for char in name[1:]:
        if char.isalpha() and char.isupper():
            points.append(char)
        elif points and (char.isdigit() or char == "'"):
            points[-1] += char
        else:
            return None
    return (points[0], points[1]) if len(points) == 2 else None


def is_term(node: Expression) -> bool:
    """Whether ``node`` is something that statements give values to: a name, or a short term on names."""
    match node:
        case Symbol():
            return node != PI
        case Call("abs", (Symbol(),)):
            return True
        case Call(head, (Symbol() | Call("angle", _),)) if head in TRIGONOMETRIC:
            return True
        case Call("div" | "dot", (Symbol(), Symbol())):
            return PI not in node.parts
        case Call("point", (Symbol(),)):
            return True
    return False


def same_value(a: Expression, b: Expression) -> bool:
    """Whether two closed values, numbers or vectors, agree (roundings and units allowed for)."""
    if a == b:
        return True
    if isinstance(a, Call) and isinstance(b, Call) and a.head == b.head == "vec":
        return len(a.parts) == len(b.parts) and all(map(same_value, a.parts, b.parts))
    if any(isinstance(tree, Call) and tree.head in ("vec", "point") for tree in (a, b)):
        return False
    return holds(a, "=", b) == "yes"


def scalar(tree: Expression) -> Expression:
    """``tree`` with products, lengths and angles of vectors written out in coordinates. Raises :class:`NotScalar`."""
    result = _expanded(tree)
    if isinstance(result, Call) and result.head == "vec":
        raise NotScalar
    if any(isinstance(node, Call) and node.head in ("vec", "angle", "point", "pm") for node in walk(result)):
        raise NotScalar
    return result


class NotScalar(Exception):
    """The expression is a vector, or mixes vectors and numbers in a way that is not understood."""


def components(tree: Expression) -> tuple[Expression, ...] | None:
    """The coordinates of a vector expression, ``None`` where it is none."""
    try:
        result = _expanded(tree)
    except NotScalar:
        return None
    return result.parts if isinstance(result, Call) and result.head == "vec" else None


def _expanded(tree: Expression) -> Expression:
    """``tree`` as a scalar or one ``vec`` of scalars."""
    match tree:
        case Number() | Symbol():
            return tree
        case Quantity(value=value):
            inner = _expanded(value)
            return Quantity(inner, tree.unit, tree.scale, tree.dimension)
        case Call("vec", parts):
            return Call("vec", tuple(map(_scalar_part, parts)))
        case Call("angle" | "point", _):
            raise NotScalar
        case Call(head, (Call("angle", (a, b)),)) if head == "cos":
            u, v = _vector(a), _vector(b)
            lengths = Call("mul", (_length(u), _length(v)))
            return Call("div", (_dot(u, v), lengths))
        case Call(head, parts):
            return _expanded_call(head, tuple(_expanded(part) for part in parts))
    raise AssertionError


def _expanded_call(head: str, parts: tuple[Expression, ...]) -> Expression:
    vectors = [part.parts for part in parts if isinstance(part, Call) and part.head == "vec"]
    if not vectors:
        return Call(head, parts)
    size = len(vectors[0])
    if any(len(vector) != size for vector in vectors):
        raise NotScalar
    match head:
        case "add" if len(vectors) == len(parts):
            return Call("vec", tuple(Call("add", tuple(column)) for column in zip(*vectors, strict=True)))
        case "neg":
            return Call("vec", tuple(Call("neg", (part,)) for part in vectors[0]))
        case "abs":
            return _length(vectors[0])
        case "dot" | "mul" if len(vectors) == 2 == len(parts):
            return _dot(vectors[0], vectors[1])
        case "mul" | "dot" | "cross" if len(vectors) == 1:
            scalars = tuple(part for part in parts if not (isinstance(part, Call) and part.head == "vec"))
            return Call("vec", tuple(Call("mul", (*scalars, part)) for part in vectors[0]))
        case "div" if len(vectors) == 1 and isinstance(parts[0], Call) and parts[0].head == "vec":
            return Call("vec", tuple(Call("div", (part, parts[1])) for part in vectors[0]))
        case "pow" if parts[1] == number(2):
            return _dot(vectors[0], vectors[0])
    raise NotScalar


def _scalar_part(part: Expression) -> Expression:
    inner = _expanded(part)
    if isinstance(inner, Call) and inner.head == "vec":
        raise NotScalar
    return inner


def _vector(tree: Expression) -> tuple[Expression, ...]:
    inner = _expanded(tree)
    if isinstance(inner, Call) and inner.head == "vec":
        return inner.parts
    raise NotScalar


def _dot(u: tuple[Expression, ...], v: tuple[Expression, ...]) -> Expression:
    if len(u) != len(v):
        raise NotScalar
    return Call("add", tuple(Call("mul", pair) for pair in zip(u, v, strict=True)))


def _length(u: tuple[Expression, ...]) -> Expression:
    return Call("root", (_dot(u, u), number(2)))


def _from_the_top(tree: Expression, change: object) -> Expression:
    new = change(tree)  # type: ignore[operator]
    if new is not None:
        return new  # type: ignore[no-any-return]
    match tree:
        case Call(head, parts):
            return Call(head, tuple(_from_the_top(part, change) for part in parts))
        case Quantity(value=value):
            return Quantity(_from_the_top(value, change), tree.unit, tree.scale, tree.dimension)
    return tree


def substituted(tree: Expression, values: Mapping[str, Expression]) -> Expression:
    """``tree`` with names replaced."""
    return rebuilt(tree, lambda node: values.get(node.name) if isinstance(node, Symbol) else None)


def free(trees: Iterable[Expression]) -> frozenset[str]:
    """The names in all of ``trees``."""
    return frozenset().union(*map(symbols, trees))
