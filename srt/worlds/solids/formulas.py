"""Formulas as text and as trees: ``1/3*pi*r^2*h``, ``2*(a*b + a*h + b*h)``, ``sqrt(r^2 + h^2)``, ``V(cone)``."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple

from srt.worlds.solids.exact import PI, ExactNumber, Inexact, whole

Head = Literal["number", "pi", "name", "+", "-", "*", "/", "^", "sqrt", "cbrt", "min"]
_TOKEN = re.compile(r"\s*(sqrt|cbrt|min(?=\()|[A-Za-z]+\([a-z]+[0-9]?\)|pi|[A-Za-z]|[0-9]+|[-+*/^(),])")

_LONGEST, _MOST_BRACKETS = 300, 40
"""Characters and brackets of a formula: its tree is walked by recursion."""


ExactFormula = Callable[[Mapping[str, ExactNumber]], ExactNumber]
RoundedFormula = Callable[[Mapping[str, float]], float]


class FormulaTree(NamedTuple):
    """A node: ``name`` of a quantity, ``value`` of a number or exponent, and its parts."""

    head: Head
    parts: tuple[FormulaTree, ...] = ()
    name: str = ""
    value: Fraction = Fraction(0)


@lru_cache(maxsize=4096)
def parse_formula(text: str) -> FormulaTree:
    """The tree of ``text``; raises a :class:`ValueError` for anything else, and for more than a formula needs."""
    if len(text) > _LONGEST or text.count("(") > _MOST_BRACKETS:
        raise ValueError("no formula: it is too long")
    tokens, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"no formula: {text!r}")
        tokens.append(match[1])
        at = match.end()
    tree, rest = _sum(tokens)
    if rest:
        raise ValueError(f"no formula: {text!r}")
    return tree


def _sum(tokens: list[str]) -> tuple[FormulaTree, list[str]]:
    """A sum; one that begins with a minus sign is taken from zero."""
    left, tokens = (FormulaTree("number"), tokens) if tokens[:1] == ["-"] else _product(tokens)
    while tokens and tokens[0] in "+-":
        right, rest = _product(tokens[1:])
        left, tokens = FormulaTree("+" if tokens[0] == "+" else "-", (left, right)), rest
    return left, tokens


def _product(tokens: list[str]) -> tuple[FormulaTree, list[str]]:
    left, tokens = _power(tokens)
    while tokens and tokens[0] in "*/":
        right, rest = _power(tokens[1:])
        left, tokens = FormulaTree("*" if tokens[0] == "*" else "/", (left, right)), rest
    return left, tokens


def _power(tokens: list[str]) -> tuple[FormulaTree, list[str]]:
    base, tokens = _atom(tokens)
    if len(tokens) > 1 and tokens[0] == "^" and len(tokens[1]) == 1 and tokens[1].isdigit():
        return FormulaTree("^", (base,), value=Fraction(tokens[1])), tokens[2:]
    return base, tokens


def _atom(tokens: list[str]) -> tuple[FormulaTree, list[str]]:
    if not tokens:
        raise ValueError("no formula: it ends too early")
    word, rest = tokens[0], tokens[1:]
    if word == "min":
        part, rest = _sum(rest[1:])
        several = [part]
        while rest[:1] == [","]:
            part, rest = _sum(rest[1:])
            several.append(part)
        if rest[:1] != [")"]:
            raise ValueError("no formula: a bracket is not closed")
        return FormulaTree("min", tuple(several)), rest[1:]
    if word in ("sqrt", "cbrt", "("):
        inside, rest = _sum(rest[word != "(" :])
        if rest[:1] != [")"]:
            raise ValueError("no formula: a bracket is not closed")
        return (inside if word == "(" else FormulaTree("sqrt" if word == "sqrt" else "cbrt", (inside,))), rest[1:]
    if word.isdigit():
        return FormulaTree("number", value=Fraction(word)), rest
    if word == "pi":
        return FormulaTree("pi"), rest
    if not word[0].isalpha():
        raise ValueError(f"no formula: {word!r}")
    return FormulaTree("name", name=word), rest


def names_in(formula: FormulaTree) -> tuple[str, ...]:
    """The quantities in it, each once, in their order."""
    found = (formula.name,) if formula.head == "name" else tuple(n for part in formula.parts for n in names_in(part))
    return tuple(dict.fromkeys(found))


def value_of(formula: FormulaTree, values: Mapping[str, ExactNumber]) -> ExactNumber:
    """Its exact value; raises :class:`~srt.worlds.solids.exact.Inexact` where it has none of the form."""
    return exact_function(formula)(values)


def exact_function(formula: FormulaTree) -> ExactFormula:
    """The formula as a function of exact values, which raises :class:`~srt.worlds.solids.exact.Inexact`."""
    parts = [exact_function(part) for part in formula.parts]
    match formula.head:
        case "number" | "pi":
            constant = PI if formula.head == "pi" else whole(formula.value)
            return lambda _: constant
        case "name":
            return operator.itemgetter(formula.name)
        case "^":
            base, exponent = parts[0], int(formula.value)
            return lambda values: base(values).power(exponent)
        case "sqrt":
            (inside,) = parts
            return lambda values: inside(values).root()
        case "cbrt":
            (inside,) = parts
            return lambda values: inside(values).cube_root()
        case "min":
            return lambda values: min((part(values) for part in parts), key=float)
    combine, (left, right) = _EXACT[formula.head], parts
    return lambda values: combine(left(values), right(values))


_EXACT: Mapping[str, Callable[[ExactNumber, ExactNumber], ExactNumber]] = {
    "+": ExactNumber.plus, "-": ExactNumber.minus, "*": ExactNumber.times, "/": lambda x, y: x.times(y.inverse())
}  # fmt: skip


def positive_value(formula: FormulaTree, values: Mapping[str, ExactNumber]) -> ExactNumber | None:
    """Its value, where that is an exact number above zero."""
    return positive(exact_function(formula), values)


def positive(function: ExactFormula, values: Mapping[str, ExactNumber]) -> ExactNumber | None:
    """What a formula gives, where that is an exact number above zero."""
    try:
        found = function(values)
    except Inexact:
        return None
    return found if found.is_positive() else None


def about(formula: FormulaTree, values: Mapping[str, float]) -> float | None:
    """Its value, rounded; ``None`` where it has none: a root of what is not positive, a division by zero."""
    return rounded(rounded_function(formula), values)


def rounded(function: RoundedFormula, values: Mapping[str, float]) -> float | None:
    """What a formula gives; ``None`` where it has no value."""
    try:
        return function(values)
    except (ValueError, ArithmeticError):
        return None


def rounded_function(formula: FormulaTree) -> RoundedFormula:
    """The formula as a function of its values, which raises :class:`ValueError`, :class:`ArithmeticError`.

    Where a formula is tried for many values, its tree is walked once.
    """
    parts = [rounded_function(part) for part in formula.parts]
    match formula.head:
        case "number" | "pi":
            value = math.pi if formula.head == "pi" else float(formula.value)
            return lambda _: value
        case "name":
            return operator.itemgetter(formula.name)
        case "^":
            base, exponent = parts[0], int(formula.value)
            return lambda values: float(base(values) ** exponent)
        case "sqrt" | "cbrt":
            root, inside = _root if formula.head == "sqrt" else math.cbrt, parts[0]
            return lambda values: root(inside(values))
        case "min":
            return lambda values: min(part(values) for part in parts)
    combine, (left, right) = _ROUNDED[formula.head], parts
    return lambda values: combine(left(values), right(values))


def _root(number: float) -> float:
    if number <= 0:
        raise ValueError("a root of what is not positive")
    return math.sqrt(number)


_ROUNDED: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv
}  # fmt: skip


def rewritten(formula: FormulaTree, change: Callable[[FormulaTree], FormulaTree | None]) -> FormulaTree:
    """The tree with each node, from the leaves up, replaced by what ``change`` gives, if that is anything."""
    new = formula._replace(parts=tuple(rewritten(part, change) for part in formula.parts))
    return change(new) or new


_BINDING = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}


def formula_text(formula: FormulaTree) -> str:
    """The text of a tree, with the brackets that it needs."""
    match formula.head:
        case "number":
            return str(formula.value)
        case "pi":
            return "pi"
        case "name":
            return formula.name
        case "min":
            return f"min({', '.join(map(formula_text, formula.parts))})"
        case "sqrt" | "cbrt":
            return f"{formula.head}({formula_text(formula.parts[0])})"
        case "^":
            return f"{_bracketed(formula.parts[0], 4)}^{formula.value}"
    binding = _BINDING[formula.head]
    left = _bracketed(formula.parts[0], binding)
    right = _bracketed(formula.parts[1], binding + (formula.head in "-/"))
    space = " " if binding == 1 else ""
    return f"{left}{space}{formula.head}{space}{right}"


def _bracketed(formula: FormulaTree, least: int) -> str:
    text = formula_text(formula)
    return f"({text})" if _BINDING.get(formula.head, 4) < least else text
