"""Tokens of one side of a claim to an expression, or a refusal: nothing is guessed, nothing is left over."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from srt.claims.syntax.expression import PI, Call, Expression, Number, Quantity, Symbol, number
from srt.claims.syntax.lexer import Token
from srt.claims.syntax.words import word_set

_DEEPEST = 40
_LONGEST = 400
_STARTS = word_set("number name frac sqrt cbrt binom open lbrace func bar")
_OPAQUE = word_set("f g F G")
"""Letters that stand for functions: ``f(x + 1)`` is no product; nor is any name with one number or name, ``V(2)``."""


class Unreadable(Exception):
    """The tokens are no expression that is understood."""


@dataclass(frozen=True)
class Reading:
    """How forms that people write in two senses are taken.

    ``tight``: in ``1/2r`` (and ``6 ÷ 2π``) the slash divides by all of ``2r``; else ``r`` stands beside the fraction.
    ``mixed``: ``1\\frac{1}{2}`` is one and a half; else it is a product.
    ``whole``: in ``24 ÷ 2/3`` the fraction is one number.
    ``loose``: the root of ``√36 + 64``, its bar lost, covers the sum; the per cent of ``50 + 10%`` are of 50.
    """

    tight: bool = False
    mixed: bool = True
    whole: bool = False
    loose: bool = False


READINGS = (Reading(), Reading(tight=True), Reading(mixed=False))
"""How forms are commonly written."""
RARE_READINGS = (Reading(whole=True), Reading(loose=True))
"""How they are written too: what holds so is no error."""


def parse(tokens: Sequence[Token], reading: Reading = READINGS[0]) -> Expression:
    """The expression that ``tokens`` are, all of them. Raises :class:`Unreadable`."""
    tokens = [token for token in tokens if token.kind not in ("edge", "line")]
    if not tokens or len(tokens) > _LONGEST:
        raise Unreadable
    parser = _Parser(tokens, reading)
    tree = parser.side()
    if parser.at != len(tokens):
        raise Unreadable
    return tree


def ambiguous(tokens: Sequence[Token]) -> bool:
    """Whether the readings of ``tokens`` may differ."""
    for here, after in itertools.pairwise(tokens):
        if here.kind == "number" and (after.kind == "frac" or after.kind == "number"):
            return True
        if here.kind == "op" and here.text in "/÷":
            return True
        if here.text == "√" or after.kind == "percent":
            return True
    return False


class _Parser:
    def __init__(self, tokens: Sequence[Token], reading: Reading) -> None:
        self.tokens, self.reading = tokens, reading
        self.at = self.depth = 0
        self.bars = 0

    def kind(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.tokens[place].kind if place < len(self.tokens) else ""

    def text(self, ahead: int = 0) -> str:
        place = self.at + ahead
        return self.tokens[place].text if place < len(self.tokens) else ""

    def take(self, kind: str) -> Token:
        if self.kind() != kind:
            raise Unreadable
        self.at += 1
        return self.tokens[self.at - 1]

    def side(self) -> Expression:
        tree = self.sum()
        if self.kind() == "ratio":
            self.at += 1
            tree = Call("div", (tree, self.sum()))
        if self.kind() == "open" and self.kind(1) == "unit" and self.kind(2) == "close":
            tree = self.quantity(tree, self.tokens[self.at + 1])
            self.at += 3
        return tree

    def sum(self) -> Expression:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Unreadable
        parts = [self.signed()]
        if self.reading.loose and self.kind(-1) == "percent":
            raise Unreadable
        while self.kind() in ("op", "pm") and self.text() in "+-±":
            sign = self.text()
            self.at += 1
            term = self.term()
            if sign == "±":
                if len(parts) != 1:
                    raise Unreadable
                parts = [Call("pm", (parts[0], term))]
            else:
                if self.reading.loose and isinstance(term, Call) and term.head == "percent":
                    term = Call("mul", (Call("add", tuple(parts)), term))
                parts.append(Call("neg", (term,)) if sign == "-" else term)
        self.depth -= 1
        return parts[0] if len(parts) == 1 else Call("add", tuple(parts))

    def signed(self) -> Expression:
        if self.kind() in ("op", "pm") and self.text() in "+-±":
            sign = self.text()
            self.at += 1
            term = self.term()
            return term if sign == "+" else Call("neg" if sign == "-" else "pm", (term,))
        return self.term()

    def term(self) -> Expression:
        tree = self.implicit()
        while self.kind() == "op" and self.text() in "*×·/÷":
            sign = self.text()
            self.at += 1
            if self.kind() == "op" and self.text() == "-":
                self.at += 1
                right: Expression = Call("neg", (self.power(),))
            elif sign == "÷" and self.reading.whole and self.is_fraction():
                right = Call("div", (self.power(), self.divisor()))
            elif sign in "/÷" and not self.reading.tight:
                right = self.power()
            else:
                right = self.implicit()
            tree = Call({"/": "div", "÷": "div", "×": "cross", "·": "dot"}.get(sign, "mul"), (tree, right))
            while sign in "/÷" and not self.reading.tight and self.continues():
                tree = Call("mul", (tree, self.power()))
        return tree

    def is_fraction(self) -> bool:
        """``2/3`` of whole numbers, with no sign between."""
        return self.kind() == "number" and self.kind(1) == "op" and self.text(1) == "/" and self.kind(2) == "number"

    def divisor(self) -> Expression:
        self.at += 1
        return self.power()

    def implicit(self) -> Expression:
        tree = self.power()
        if (
            self.reading.mixed
            and isinstance(tree, Number)
            and tree.decimals is None
            and self.kind(-1) == "number"
            and self.kind() == "frac"
        ):
            fraction = self.power()
            if _proper(fraction):
                tree = Call("add", (tree, fraction))
            else:
                tree = Call("mul", (tree, fraction))
        elif (
            isinstance(tree, Number) and self.kind() == "number" and len(self.text()) == 1 and self.text() in "½⅓⅔¼¾⅕⅙⅛"
        ):
            tree = Call("add", (tree, self.power()))
        while self.continues():
            if isinstance(tree, Number) and tree.value == 0 and self.kind() in ("name", "func"):
                raise Unreadable  # ``= 0 AB = 5``: the sign that ends the formula is missing.
            if isinstance(tree, Call) and tree.head == "vec" and self.kind() == "name":
                raise Unreadable  # ``(1,0,0) AC = (0,1,0)``: so too; a factor stands before its vector.
            tree = Call("mul", (tree, self.power()))
        return tree

    def continues(self) -> bool:
        """Whether a factor stands next with no sign between."""
        kind = self.kind()
        if kind == "bar":
            return self.bars == 0 and self.kind(1) in _STARTS
        if kind == "open" and self.kind(1) == "unit":
            return False
        if kind == "number":
            raise Unreadable
        return kind in _STARTS

    def power(self) -> Expression:
        tree = self.atom()
        while True:
            if self.kind() == "superscript":
                tree = Call("pow", (tree, self.literal(self.take("superscript"))))
            elif self.kind() == "op" and self.text() == "^":
                self.at += 1
                tree = Call("pow", (tree, self.exponent()))
            elif self.kind() == "degree":
                self.at += 1
                if self.kind() == "number" and self.kind(1) == "stop" and self.text(1) == "'":
                    raise Unreadable
                tree = Call("deg", (tree,))
            elif self.kind() in ("percent", "factorial"):
                tree = Call(self.kind(), (tree,))
                self.at += 1
            elif self.kind() == "unit":
                tree = self.quantity(tree, self.take("unit"))
                if self.kind() == "unit":
                    raise Unreadable
            else:
                return tree

    def exponent(self) -> Expression:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Unreadable
        negative = self.kind() == "op" and self.text() == "-"
        self.at += negative
        tree = self.braced() if self.kind() == "lbrace" else self.atom()
        if self.kind() == "op" and self.text() == "^":
            self.at += 1
            tree = Call("pow", (tree, self.exponent()))
        self.depth -= 1
        return Call("neg", (tree,)) if negative else tree

    def atom(self) -> Expression:
        kind = self.kind()
        if kind == "number":
            return self.literal(self.take("number"))
        if kind == "name":
            return self.named()
        if kind == "lbrace":
            return self.braced()
        if kind == "open":
            return self.group()
        if kind == "bar":
            return self.absolute()
        if kind == "frac":
            self.at += 1
            return Call("div", (self.argument(), self.argument()))
        if kind in ("sqrt", "cbrt"):
            return self.root(3 if kind == "cbrt" else 2)
        if kind == "binom":
            self.at += 1
            return Call("binomial", (self.argument(), self.argument()))
        if kind == "func":
            return self.function()
        raise Unreadable

    def literal(self, token: Token) -> Number:
        if token.number is None:
            raise Unreadable
        return token.number

    def named(self) -> Expression:
        name = self.take("name").text
        if name[0] in "CA" and len(name) > 1 and self.kind() == "op" and self.text() == "^":
            chosen = self.choice(name)
            if chosen is not None:
                return chosen
        if self.kind() == "open" and self.kind(1) != "unit" and name != "pi":
            start = self.at
            group = self.group()
            if isinstance(group, Call) and group.head == "vec":
                if name[0].isascii() and name[0].isupper():
                    return Call("point", (Symbol(name), group))
                return Call("mul", (Symbol(name), group))
            if name in _OPAQUE or isinstance(group, Number | Symbol):
                raise Unreadable
            self.at = start
        return PI if name == "pi" else Symbol(name)

    def choice(self, name: str) -> Expression | None:
        """``C_6^2``, ``A_{4}^{2}``: combinations and arrangements."""
        below = name[1:].lstrip("_")
        if not below.isdigit():
            return None
        start = self.at
        self.at += 1
        above = self.exponent()
        if not isinstance(above, Number):
            self.at = start
            return None
        return Call("binomial" if name[0] == "C" else "permutation", (number(int(below[:6])), above))

    def braced(self) -> Expression:
        self.take("lbrace")
        tree = self.sum()
        self.take("rbrace")
        return tree

    def group(self) -> Expression:
        opened = self.take("open").text
        outer, self.bars = self.bars, 0
        parts = [self.sum()]
        while self.kind() == "comma" or (self.kind() == "stop" and self.text() in ";"):
            self.at += 1
            parts.append(self.sum())
        if self.kind() == "ratio":
            raise Unreadable
        self.take("close")
        if opened == "[" and len(parts) == 1 and isinstance(parts[0], Number) and parts[0].decimals:
            raise Unreadable  # The whole part of a number.
        self.bars = outer
        if len(parts) == 1:
            return parts[0]
        if opened != "(" or len(parts) > 3:
            raise Unreadable
        return Call("vec", tuple(parts))

    def absolute(self) -> Expression:
        self.take("bar")
        self.bars += 1
        tree = self.sum()
        self.take("bar")
        self.bars -= 1
        return Call("abs", (tree,))

    def argument(self) -> Expression:
        """What a command of LaTeX takes: a group in braces or one sign."""
        if self.kind() == "lbrace":
            outer, self.bars = self.bars, 0
            tree = self.braced()
            self.bars = outer
            return tree
        if self.kind() == "number":
            return self.literal(self.take("number"))
        if self.kind() in ("name", "sqrt", "frac"):
            return self.atom()
        raise Unreadable

    def root(self, index: int) -> Expression:
        self.at += 1
        degree: Expression = number(index)
        if self.kind() == "open" and self.text() == "[" and self.kind(1) == "number" and self.kind(2) == "close":
            self.at += 1
            degree = self.literal(self.take("number"))
            self.at += 1
        if self.reading.loose and self.text(-1) == "√":
            return Call("root", (self.sum(), degree))
        if self.kind() == "open":
            return Call("root", (self.group(), degree))
        return Call("root", (self.argument(), degree))

    def function(self) -> Expression:
        head = self.take("func").text
        exponent: Expression | None = None
        if self.kind() == "op" and self.text() == "^":
            self.at += 1
            exponent = self.exponent()
        elif self.kind() == "superscript":
            exponent = self.literal(self.take("superscript"))
        if head in ("log", "ln") or (exponent is not None and not isinstance(exponent, Number)):
            raise Unreadable
        argument: Expression
        if self.kind() == "langle":
            self.at += 1
            first = self.sum()
            self.take("comma")
            argument = Call("angle", (first, self.sum()))
            self.take("rangle")
        else:
            argument = self.power()
            while self.kind() in ("name", "frac") and self.kind(-1) != "close":
                argument = Call("mul", (argument, self.power()))
            if self.reading.tight and self.kind() == "op" and self.text() == "/":
                argument = Call("div", (argument, self.divisor()))
        tree: Expression = Call(head, (argument,))
        return tree if exponent is None else Call("pow", (tree, exponent))

    def quantity(self, value: Expression, token: Token) -> Expression:
        if token.unit is None or isinstance(value, Quantity):
            raise Unreadable
        return Quantity(value, token.unit.name, token.unit.scale, token.unit.dimension)


def _proper(tree: Expression) -> bool:
    """Whether ``tree`` is a fraction of two whole numbers below one: what follows the whole of a mixed number."""
    match tree:
        case Call("div", (Number(above, None), Number(below, None))):
            return 0 < above < below
    return False
