"""The checker's reading of formulas, numbers and claims: operator precedence over a stack, no tree is kept."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from srt.worlds.solids.checker.field import PI_RESIDUE, NoExactValue, Residue, of

_PIECE = re.compile(r" *(sqrt|cbrt|min|[A-Za-z]\([a-z]+\)|pi|[A-Za-z]|[0-9]+|[-+*/^(),])")
_LEVEL = {",": 0, "+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
_TERM = re.compile(
    r"(?:(?P<whole>[1-9][0-9]*)(?:/(?P<below>[1-9][0-9]*))?(?:\*sqrt\((?P<root>[0-9]+)\))?(?P<pi>\*pi(?:\^[2-9])?)?"
    r"|sqrt\((?P<bare>[0-9]+)\)(?P<rootpi>\*pi(?:\^[2-9])?)?|(?P<only>pi(?:\^[2-9])?))(?P<under>/pi(?:\^[2-9])?)?"
)
_UNIT = r"(?:mm|cm|dm|m)(?:\^[23])?|mL|L|deg"
_LETTER = "[A-Za-z]"
NAME = rf"{_LETTER}\([a-z]+\)"
VALUED = re.compile(rf"(?P<name>{NAME}) = (?:(?P<formula>[^=]+) = )?(?P<value>[^=]+?)(?: (?P<unit>{_UNIT}))?")
EQUATION = re.compile(rf"solid = [a-z]+ [+-] [a-z]+|pair = [a-z]+ ~ [a-z]+|{NAME} = (?:[1-9][0-9]{{0,3}}\*)?{NAME}")
ASKED = re.compile(rf"\? = (?P<name>{NAME})(?: in (?P<unit>{_UNIT}))?")

DIGITS = 120
"""Of :func:`precisely`."""
PRECISE_PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651328"
    "230664709384"
)

Postfix = tuple[str, ...]
Rounded = Callable[[Mapping[str, float]], float]


@lru_cache(maxsize=16_384)
def postfix(text: str) -> Postfix | None:
    """The formula in reverse Polish notation; ``None`` where it is none."""
    if len(text) > 120:
        return None
    out: list[str] = []
    stack: list[str] = []
    at, operand = 0, True
    while at < len(text):
        match = _PIECE.match(text, at)
        if match is None:
            return None
        word, at = match[1], match.end()
        if word in ("sqrt", "cbrt", "min", "("):
            if not operand or (word != "(" and text[at : at + 1] != "("):
                return None
            stack.append(word)
        elif word == ")":
            if operand:
                return None
            while stack and stack[-1] != "(":
                out.append(stack.pop())
            if not stack:
                return None
            stack.pop()
            if stack and stack[-1] in ("sqrt", "cbrt"):
                out.append(stack.pop())
            elif stack and stack[-1] == "min":
                stack.pop()  # Its commas have taken the smaller of two.
        elif word in _LEVEL:
            if operand:
                if word != "-" or (stack and stack[-1] not in ("(", ",")):
                    return None
                out.append("0")  # A sign: what follows is taken from zero.
            while stack and _LEVEL.get(stack[-1], -1) >= _LEVEL[word]:
                out.append(stack.pop())
            if word == "," and stack[-2:] != ["min", "("]:
                return None
            stack.append(word)
            operand = True
        else:
            if (
                not operand
                or (stack and stack[-1] == "^" and word not in ("2", "3", "4", "5", "6"))
                or (len(word) > 6 and word.isdigit())
            ):
                return None
            out.append(word)
            operand = False
    while stack:
        if stack[-1] in ("(", "sqrt", "cbrt", "min"):
            return None
        out.append(stack.pop())
    return None if operand else tuple(out)


def names_of(formula: Postfix) -> list[str]:
    """The quantities in it."""
    return [word for word in dict.fromkeys(formula) if re.fullmatch(rf"{NAME}|{_LETTER}", word)]


def exactly(formula: Postfix, values: Mapping[str, Residue]) -> Residue:
    """Its value; raises :class:`~srt.worlds.solids.checker.field.NoExactValue`."""
    found: Residue = _run(
        formula, values, lambda n: of(n), PI_RESIDUE, {"sqrt": Residue.square_root, "cbrt": Residue.third_root},
        lambda base, exponent: base.to(round(exponent.about)),
    )  # fmt: skip
    return found


@lru_cache(maxsize=4096)
def rounded(formula: Postfix) -> Rounded:
    """Its value as a float, as a function of its measures, which raises :class:`ValueError`, :class:`ArithmeticError`.

    A relation is tried for many values, so its words are looked at once.
    """
    stack: list[Rounded] = []
    for word in formula:
        if word in _ROUNDED_ROOTS:
            stack.append(_after(_ROUNDED_ROOTS[word], stack.pop()))
        elif word in _ROUNDED:
            right = stack.pop()
            stack.append(_of_both(_ROUNDED[word], stack.pop(), right))
        else:
            stack.append(_constant(word) if word.isdigit() or word == "pi" else operator.itemgetter(word))
    return stack[0]


_ROUNDED_ROOTS: Mapping[str, Callable[[float], float]] = {
    "sqrt": math.sqrt, "cbrt": lambda x: math.copysign(abs(x) ** (1 / 3), x)
}  # fmt: skip
_ROUNDED: Mapping[str, Callable[[float, float], float]] = {
    ",": min, "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow
}  # fmt: skip


def _constant(word: str) -> Rounded:
    value = math.pi if word == "pi" else float(word)
    return lambda _: value


def _after(function: Callable[[float], float], inside: Rounded) -> Rounded:
    return lambda values: function(inside(values))


def _of_both(function: Callable[[float, float], float], left: Rounded, right: Rounded) -> Rounded:
    return lambda values: function(left(values), right(values))


def precisely(formula: Postfix, values: Mapping[str, Decimal]) -> Decimal:
    """Its value with as many digits as the context has; for formulas without cube roots."""
    found: Decimal = _run(
        formula, values, Decimal, PRECISE_PI, {"sqrt": Decimal.sqrt}, lambda base, exponent: base ** int(exponent)
    )
    return found


def _run(
    formula: Postfix,
    values: Mapping[str, Any],
    number: Callable[[int], Any],
    pi: Any,
    roots: Mapping[str, Any],
    power: Any,
) -> Any:
    stack: list[Any] = []
    for word in formula:
        if word in roots:
            stack.append(roots[word](stack.pop()))
        elif word in _LEVEL:
            right, left = stack.pop(), stack.pop()
            match word:
                case ",":
                    stack.append(left if left < right else right)
                case "+":
                    stack.append(left + right)
                case "-":
                    stack.append(left - right)
                case "*":
                    stack.append(left * right)
                case "/":
                    stack.append(left / right)
                case _:
                    stack.append(power(left, right))
        else:
            stack.append(number(int(word)) if word.isdigit() else pi if word == "pi" else values[word])
    return stack[0]


class SaidMeasure(NamedTuple):
    """A claim about a measure. ``formula`` is empty where it gives the value alone."""

    name: str
    formula: str
    value: Residue
    text: str
    unit: str


@lru_cache(maxsize=16_384)
def said(claim: str) -> SaidMeasure | None:
    """The claim about a measure that ``claim`` is; ``None`` for any other, and for a number not in normal form."""
    match = VALUED.fullmatch(claim)
    if match is None or (value := normal_number(match["value"])) is None:
        return None
    if match["formula"] is not None and postfix(match["formula"]) is None:
        return None
    return SaidMeasure(match["name"], match["formula"] or "", value, match["value"], match["unit"] or "")


def normal_number(text: str) -> Residue | None:
    """A positive number in normal form: reduced fractions, roots without squares, higher powers of pi first."""
    if len(text) > 120:
        return None
    total, last = of(0), (99, 10**9)
    for n, word in enumerate(text.replace("- ", "-").replace("+ ", "+").split(" ")):
        sign = word[0] if word[:1] in ("+", "-") else ""
        match = _TERM.fullmatch(word[len(sign) :])
        if match is None or ((n > 0) != bool(sign) and not (n == 0 and sign == "-")):
            return None
        part = _term(match)
        if part is None or part[1] >= last:
            return None
        value, last = part
        total = total - value if sign == "-" else total + value
    return total if total.about > 1e-12 else None


def _term(match: re.Match[str]) -> tuple[Residue, tuple[int, int]] | None:
    over = next((match[group] for group in ("pi", "rootpi", "only") if match[group]), "")
    power = _power(over) - _power(match["under"] or "")
    root = int(match["root"] or match["bare"] or 1)
    factor = Fraction(int(match["whole"] or 1), int(match["below"] or 1))
    reduced = str(factor) == f"{match['whole'] or 1}" + (f"/{match['below']}" if match["below"] else "")
    if match["under"] and over:
        return None
    if not reduced or (match["whole"] == "1" and (match["root"] or match["pi"]) and not match["below"]):
        return None
    if (match["root"] or match["bare"]) and (
        root < 2 or root > 10**9 or any(root % (k * k) == 0 for k in range(2, math.isqrt(root) + 1))
    ):
        return None
    try:
        value = of(factor) * (of(root).square_root() if root > 1 else of(1))
    except NoExactValue:
        return None
    value = value * PI_RESIDUE.to(power) if power >= 0 else value / PI_RESIDUE.to(-power)
    return value, (power, root)


def _power(text: str) -> int:
    return 0 if not text else int(text[-1]) if "^" in text else 1
