"""The syntax of what stands on one side of a claim: a frozen tree, its walk, and its normal form as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from srt.maths.words import word_set


@dataclass(frozen=True)
class Number:
    """A literal. ``decimals``: digits right of the point, ``None`` for a whole number or a fraction sign (½)."""

    value: Fraction
    decimals: int | None = None


@dataclass(frozen=True)
class Symbol:
    """A name: ``x``, ``AB``, ``S_ABC``, ``pi``; arrows, angles and triangles have their sign in front (``→AB``)."""

    name: str


@dataclass(frozen=True)
class Call:
    """An operation on parts: one of :data:`OPERATIONS`."""

    head: str
    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Quantity:
    """A value with a unit: ``scale`` in SI units, ``dimension`` the power of length (0 for other kinds)."""

    value: Expression
    unit: str
    scale: Fraction
    dimension: tuple[str, int]


Expression = Number | Symbol | Call | Quantity

OPERATIONS = word_set(
    "add neg mul dot cross div pow root abs vec deg percent factorial binomial permutation pm angle point sin "
    "cos tan cot sec csc arcsin arccos arctan log exp floor ceil max min gcd lcm"
)
TRIGONOMETRIC = word_set("sin cos tan cot sec csc")
ARCS = word_set("arcsin arccos arctan")
TRANSCENDENTAL = TRIGONOMETRIC | ARCS | {"exp", "log"}
STEPWISE = word_set("floor ceil max min gcd lcm")
"""Functions that compute with rounding, order and divisors."""
PI = Symbol("pi")


def number(value: int | Fraction) -> Number:
    """The literal of an exact value."""
    return Number(Fraction(value))


def walk(tree: Expression) -> Iterator[Expression]:
    """Every node of ``tree``, itself first."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        match node:
            case Call(_, parts):
                todo.extend(reversed(parts))
            case Quantity(value=value):
                todo.append(value)


def symbols(tree: Expression) -> frozenset[str]:
    """The names in ``tree``, pi left out."""
    return frozenset(node.name for node in walk(tree) if isinstance(node, Symbol) and node != PI)


def heads(tree: Expression) -> frozenset[str]:
    """The operations in ``tree``."""
    return frozenset(node.head for node in walk(tree) if isinstance(node, Call))


def rebuilt(tree: Expression, change: Callable[[Expression], Expression | None]) -> Expression:
    """``tree`` with every node for which ``change`` gives another replaced, from the leaves up."""
    match tree:
        case Call(head, parts):
            tree = Call(head, tuple(rebuilt(part, change) for part in parts))
        case Quantity(value=value):
            tree = Quantity(rebuilt(value, change), tree.unit, tree.scale, tree.dimension)
    new = change(tree)
    return tree if new is None else new


def substituted(tree: Expression, values: Mapping[str, Expression]) -> Expression:
    """``tree`` with names replaced."""
    return rebuilt(tree, lambda node: values.get(node.name) if isinstance(node, Symbol) else None)


def free(trees: Iterable[Expression]) -> frozenset[str]:
    """The names in all of ``trees``."""
    return frozenset().union(*map(symbols, trees))


_RANK = {"add": 1, "pm": 1, "neg": 2, "mul": 3, "dot": 3, "cross": 3, "div": 3, "pow": 5}


def normal_form(tree: Expression) -> str:
    """``tree`` as one line of plain text: ``1/3*9*pi*4``."""
    return _shown(tree, 0)


def _shown(tree: Expression, outer: int) -> str:
    match tree:
        case Number(value, decimals):
            text = _decimal(value, decimals) if decimals else str(value)
            return f"({text})" if outer > 3 and not text.isdigit() and not decimals else text
        case Symbol(name):
            return name
        case Quantity(value, unit):
            text = f"{_shown(value, 4)} {unit}"
            return f"({text})" if outer > 1 else text
        case Call(head, parts):
            rank = _RANK.get(head, 9)
            text = _call(head, parts, rank)
            return f"({text})" if rank < outer else text
    raise AssertionError


def _call(head: str, parts: tuple[Expression, ...], rank: int) -> str:
    match head:
        case "add":
            text = _shown(parts[0], rank)
            for part in parts[1:]:
                if isinstance(part, Call) and part.head == "neg":
                    text += f" - {_shown(part.parts[0], 3)}"
                else:
                    text += f" + {_shown(part, 2)}"
            return text
        case "neg":
            return f"-{_shown(parts[0], 3)}"
        case "mul" | "dot" | "cross":
            return _shown(parts[0], 3) + "".join("*" + _shown(part, 4) for part in parts[1:])
        case "div":
            return f"{_shown(parts[0], 3)}/{_shown(parts[1], 4)}"
        case "pow":
            return f"{_shown(parts[0], 6)}^{_shown(parts[1], 6)}"
        case "root":
            index = "" if parts[1] == number(2) else f", {_shown(parts[1], 0)}"
            return f"{'root' if index else 'sqrt'}({_shown(parts[0], 0)}{index})"
        case "abs":
            return f"|{_shown(parts[0], 0)}|"
        case "vec":
            return f"({', '.join(_shown(part, 0) for part in parts)})"
        case "deg":
            return f"{_shown(parts[0], 6)}°"
        case "percent":
            return f"{_shown(parts[0], 6)}%"
        case "factorial":
            return f"{_shown(parts[0], 6)}!"
        case "pm":
            return "±".join(_shown(part, 2) for part in parts) if len(parts) > 1 else f"±{_shown(parts[0], 3)}"
        case "point":
            return f"{_shown(parts[0], 0)}{_shown(parts[1], 0)}"
    return f"{head}({', '.join(_shown(part, 0) for part in parts)})"


def _decimal(value: Fraction, decimals: int) -> str:
    digits = str(abs(value.numerator) * 10**decimals // value.denominator).rjust(decimals + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-decimals]}.{digits[-decimals:]}"
