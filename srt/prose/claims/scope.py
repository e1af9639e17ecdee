"""The meaning of names: values that a text or the givens state, coordinates of points, and the conditions on unknowns.

A name has a value only where every statement of it in its scene (the text and the givens, or one part of them) agrees:
an ``r`` that is 3 in one place and 5 in another is not known at all.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from srt.maths.syntax.expression import (
    PI,
    TRIGONOMETRIC,
    Call,
    Expression,
    Number,
    Quantity,
    Symbol,
    symbols,
    walk,
)
from srt.maths.values.comparison import holds
from srt.maths.values.identity import identical
from srt.maths.values.vectors import NotScalar, components, scalar
from srt.prose.claims.known_quantities import KnownQuantities
from srt.prose.claims.problem_parts import Scenes

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
    alternative: bool = False
    """One of several that an *or* joins."""

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in it."""
        return symbols(self.left) | symbols(self.right)

    @cached_property
    def is_condition(self) -> bool:
        """Whether it is an equation that does not hold for all values of its names, nor gives a value to one."""
        if self.relation != "=" or not self.names or any(isinstance(side, Symbol) for side in self.sides):
            return False
        try:
            return identical(*(scalar(side) for side in self.sides)) != "yes"
        except NotScalar:
            return False

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
    scenes: Scenes = field(default_factory=Scenes)
    quantities: KnownQuantities = field(default_factory=KnownQuantities)
    vectors: bool = False
    """The text or a given speaks of vectors, so a name may be one that lost its arrow."""
    values_of_pi: frozenset[Fraction] = frozenset()
    """What the text or a given takes for pi."""
    patience: int = 120
    """How many more verdicts are examined for what they leave open; those that come after are left open."""
    _closed: dict[tuple[Expression, int], list[Definition]] = field(default_factory=dict)

    def define(self, term: Expression, value: Expression, at: int, assumed: bool = False) -> None:
        """State that ``term`` is ``value``."""
        stated = self.definitions.setdefault(term, [])
        if len(stated) < _MOST_STATED:
            stated.append(Definition(value, at, assumed))

    def before(self, at: int, most: int) -> list[Statement]:
        """The last ``most`` statements before ``at``, in order."""
        end = bisect_left(self.statements, at, key=lambda statement: statement.at)
        return self.statements[max(0, end - most) : end]

    def known(self, term: Expression, before: int) -> Expression | None:
        """The closed value of ``term`` stated before ``before``, where all statements of it in one scene agree.

        The scene of ``before``, if a value is stated there, else all the text. What a vector was before it is set to
        unknowns again, it is not known to be.
        """
        stated = self.definitions.get(term)
        if not stated:
            return None
        key = (term, self.scenes.number(before))
        if key not in self._closed:
            closed = [one for one in stated if not symbols(one.value)]
            local = [one for one in closed if self.scenes.same(one.at, before)]
            closed = local or closed
            agreed = len(closed) < 13 and all(same_value(closed[0].value, one.value) for one in closed[1:])
            self._closed[key] = closed if agreed else []
        found = [one for one in self._closed[key] if one.at < before and not one.assumed]
        if not found or any(found[-1].at < one.at < before for one in stated if symbols(one.value)):
            return None
        return found[0].value

    def given(self, term: Expression) -> bool:
        """Whether a given states a value of ``term``."""
        return any(one.at < 0 for one in self.definitions.get(term, ()))

    def here(self, tree: Expression, at: int) -> bool:
        """Whether all that is known of the names in ``tree`` is stated in the scene of ``at``."""
        return all(self._here(term, at) for term in walk(tree) if is_term(term))

    def _here(self, term: Expression, at: int) -> bool:
        unknowns = self.generic_at(term, at)
        if self.known(term, at) is not None:
            places = [one.at for one in self.definitions[term] if one.at < at and not one.assumed]
        elif unknowns is not None:
            places = [unknowns.at]
        elif isinstance(term, Symbol) and self.arrow(term, at) is not None:
            return all(self._here(Call("point", (Symbol(end),)), at) for end in _ends(term.name) or ())
        else:
            places = [one.at for one in self.definitions.get(term, ())] if isinstance(term, Call) else []
        return not places or any(self.scenes.same(place, at) for place in places)

    def may_be_vectors(self, tree: Expression, at: int) -> bool:
        """Whether ``tree`` multiplies or adds names that may be vectors without their arrows: ``AB · AC``, ``AB + AD``.

        The length of a sum is not the sum of the lengths.
        """
        if not self.vectors:
            return False
        for node in walk(tree):
            if isinstance(node, Call) and node.head in ("dot", "add"):
                names = [name for part in node.parts for name in _added(part)]
                plain = [one for one in names if one.name[0].isalpha() and components(self.filled(one, at)) is None]
                if len(plain) > 1 and (node.head == "dot" or all(_names_side(one) for one in plain)):
                    return True
        return False

    def lost_arrow(self, tree: Expression, at: int, alone: bool) -> bool:
        """Whether ``tree`` multiplies a vector by a name of which a number is stated: ``OA · n`` after ``OA = 1``.

        The name is a vector without its arrow, and the number its length. In an equation of vectors (not ``alone``) a
        single letter is a factor: ``k · n``.
        """
        for node in walk(tree):
            if isinstance(node, Call) and node.head in ("dot", "cross"):
                filled = [self.filled(part, at) for part in node.parts]
                stated = [
                    part
                    for part, value in zip(node.parts, filled, strict=True)
                    if isinstance(part, Symbol) and not symbols(value) and components(value) is None and part != PI
                ]
                if any(components(value) is not None for value in filled) and any(
                    alone or _names_side(part) for part in stated
                ):
                    return True
        return False

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
        """The vector with unknowns, ``n = (x, y, z)``, that ``term`` was last set to and is not solved since."""
        stated = [one for one in self.definitions.get(term, ()) if one.at < before and not one.assumed]
        if stated and isinstance(vector := stated[-1].value, Call) and vector.head == "vec" and symbols(vector):
            return Unknowns(vector.parts, stated[-1].at)
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
                return value and _from_the_top(value, known)  # A known coordinate of it, too.
            return value

        def known(node: Expression) -> Expression | None:
            return self.known(node, before) if is_term(node) else None

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


def _added(tree: Expression) -> list[Symbol]:
    """The names in a sum, as they are or with a number before them."""
    match tree:
        case Symbol():
            return [] if tree == PI else [tree]
        case Call("add" | "neg", parts):
            return [name for part in parts for name in _added(part)]
        case Call("mul", (Number() | Call("div", (Number(), Number())), *rest)):
            return [name for part in rest for name in _added(part)]
    return []


def _names_side(name: Symbol) -> bool:
    return len(name.name) > 1 and name.name[:2].isupper()


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


def _from_the_top(tree: Expression, change: Callable[[Expression], Expression | None]) -> Expression:
    new = change(tree)
    if new is not None:
        return new
    match tree:
        case Call(head, parts):
            return Call(head, tuple(_from_the_top(part, change) for part in parts))
        case Quantity(value=value):
            return Quantity(_from_the_top(value, change), tree.unit, tree.scale, tree.dimension)
    return tree
