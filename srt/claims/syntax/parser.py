"""Tokens of one side of a claim to its readings, or a refusal: nothing is guessed, nothing is left over."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from srt.claims.syntax.expression import PI, Call, Expression, Number, Quantity, Symbol, heads, number, walk
from srt.claims.syntax.lexer import Token
from srt.claims.syntax.notations import repeating_decimal
from srt.claims.syntax.spellings import CALLED, FRACTIONS, LOGARITHMS
from srt.claims.syntax.words import word_set

EULER = Call("exp", (number(1),))
_DEEPEST = 40
_LONGEST = 400
_STARTS = word_set("number name frac sqrt cbrt binom open lbrace func bar")
_OPAQUE = word_set("f g F G")
"""Letters that stand for functions: ``f(x + 1)`` is no product; nor is any name with one number or name, ``V(2)``."""


class Unreadable(Exception):
    """The tokens are no expression that is understood."""


Choice = Literal[
    "divisor", "fraction", "percent", "logarithm", "tower", "product", "coefficient", "bar", "period", "index"
]
"""A form that is written in two senses, taken in the second:

``divisor``: ``12 ÷ 2π`` and ``6/2(1 + 2)`` divide by all of what stands side by side; else by the first factor.
``fraction``: in ``24 ÷ 2/3`` the fraction is one number; else it is divided by 2, then by 3.
``percent``: the per cent of ``50 + 10%`` are of 50; else of 1.
``logarithm``: ``log`` without a base is the natural one; else to base 10.
``tower``: ``2^2^3`` is computed from the left; else from the right.
``coefficient``: ``1/3 πr`` divides by all of ``3πr``; else one third, a fraction in lowest terms, is a factor. A lone
``1/2π`` is left to ``divisor``.
``product``: ``1\\frac{1}{2}`` is a product; else one and a half.
``bar``: the root of ``√36 + 64``, its bar lost, covers the sum; else the 36.
``period``: ``0.1(6)`` repeats the 6; else it is a product.
``index``: ``16^1/2`` is the root; else half of 16.
"""
Reading = frozenset[Choice]
"""The choices that are taken in their second sense."""


def parse(tokens: Sequence[Token], reading: Reading = frozenset()) -> Expression:
    """The expression that ``tokens`` are, all of them. Raises :class:`Unreadable`."""
    return parsed(tokens, reading)[0]


def parsed(tokens: Sequence[Token], reading: Reading) -> tuple[Expression, Reading]:
    """The expression, and the choices that there were."""
    tokens = [token for token in tokens if token.kind not in ("edge", "line")]
    if not tokens or len(tokens) > _LONGEST:
        raise Unreadable
    parser = _Parser(tokens, reading)
    tree = parser.side()
    if parser.at != len(tokens):
        raise Unreadable
    return tree, frozenset(parser.asked)


class _Parser:
    def __init__(self, tokens: Sequence[Token], reading: Reading) -> None:
        self.tokens, self.reading = tokens, reading
        self.at = self.depth = 0
        self.bars = 0
        self.asked: set[Choice] = set()

    def takes(self, choice: Choice) -> bool:
        """Whether a form that stands here is taken in its second sense."""
        self.asked.add(choice)
        return choice in self.reading

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
        while self.kind() in ("op", "pm") and self.text() in "+-±":
            sign = self.text()
            self.at += 1
            term = self.term()
            if sign == "±":
                if len(parts) != 1:
                    raise Unreadable
                parts = [Call("pm", (parts[0], term))]
            else:
                if isinstance(term, Call) and term.head == "percent" and self.takes("percent"):
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
            elif sign == "÷" and self.is_fraction() and self.takes("fraction"):
                right = Call("div", (self.power(), self.divisor()))
            else:
                right = self.factor()
                if sign not in "/÷" or (self.continues() and self.takes(self.whole_product(tree, right, sign))):
                    right = self.beside(right)
            tree = Call({"/": "div", "÷": "div", "×": "cross", "·": "dot"}.get(sign, "mul"), (tree, right))
            while sign in "/÷" and self.continues():
                tree = Call("mul", (tree, self.power()))
        return tree

    def whole_product(self, above: Expression, below: Expression, sign: str) -> Choice:
        """The choice that ``above / below r`` leaves: ``1/3 πr`` begins with a coefficient; ``1/2π`` alone may not."""
        alone = self.kind() == "name" and self.text() == "pi" and self.kind(1) in ("", "close", "rbrace", "unit")
        alone = alone or (self.kind(1) == "op" and self.text() == "pi" and self.text(1) in "+-")
        match above, below:
            case Number(Fraction() as a, None), Number(Fraction() as b, None) if sign == "/" and not alone:
                coefficient = a.denominator == b.denominator == 1 and math.gcd(a.numerator, b.numerator) == 1 < b
                return "coefficient" if coefficient else "divisor"
        return "divisor"

    def is_fraction(self) -> bool:
        """``2/3`` of whole numbers, with no sign between."""
        return self.kind() == "number" and self.kind(1) == "op" and self.text(1) == "/" and self.kind(2) == "number"

    def divisor(self) -> Expression:
        self.at += 1
        return self.power()

    def implicit(self) -> Expression:
        return self.beside(self.factor())

    def factor(self) -> Expression:
        """A power, or a mixed number."""
        tree = self.power()
        if not isinstance(tree, Number) or tree.decimals is not None or self.kind(-1) != "number":
            return self.repeating(tree)
        if self.kind() == "frac":
            fraction = self.power()
            together = "add" if _proper(fraction) and not self.takes("product") else "mul"
            return Call(together, (tree, fraction))
        if self.kind() == "number" and self.text() in FRACTIONS:
            return Call("add", (tree, self.power()))
        return tree

    def repeating(self, tree: Expression) -> Expression:
        """``0.1(6)``."""
        if not isinstance(tree, Number) or not tree.decimals or self.kind() != "open" or self.kind(2) != "close":
            return tree
        digits = self.text(1)
        if not digits.isdigit() or self.tokens[self.at].gap or not self.takes("period"):
            return tree
        self.at += 3
        return repeating_decimal(tree, digits)

    def beside(self, tree: Expression) -> Expression:
        """``tree`` times the factors that stand next with no sign between."""
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
                tree = Call("pow", (tree, self.fractional(self.exponent())))
            elif self.kind() == "degree":
                self.at += 1
                if self.kind() == "number" and self.kind(1) == "stop" and self.text(1) == "'":
                    raise Unreadable
                tree = Call("deg", (tree,))
            elif self.kind() in ("percent", "factorial"):
                tree = Call(self.kind(), (tree,))
                self.at += 1
            elif self.kind() == "unit":
                tree = self.compound(self.quantity(tree, self.take("unit")))
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
        if self.kind() == "op" and self.text() == "^" and not self.takes("tower"):
            self.at += 1
            tree = Call("pow", (tree, self.exponent()))
        self.depth -= 1
        return Call("neg", (tree,)) if negative else tree

    def fractional(self, index: Expression) -> Expression:
        """``1/2`` of ``16^1/2``, where no blanks stand in it."""
        if not isinstance(index, Number) or self.kind(-1) != "number" or self.text() != "/" or self.kind(1) != "number":
            return index
        tight = not self.tokens[self.at].gap and not self.tokens[self.at + 1].gap
        return Call("div", (index, self.divisor())) if tight and self.takes("index") else index

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
        braced = self.kind() == "lbrace" and self.fills_brackets()
        self.at += braced
        parts = [self.sum()]
        while self.kind() == "comma" or (self.kind() == "stop" and self.text() in ";"):
            self.at += 1
            parts.append(self.sum())
        if self.kind() == "ratio":
            raise Unreadable
        if braced:
            self.take("rbrace")
        self.take("close")
        if opened == "[" and len(parts) == 1 and isinstance(parts[0], Number) and parts[0].decimals:
            raise Unreadable  # The whole part of a number.
        self.bars = outer
        if len(parts) == 1:
            return parts[0]
        if opened != "(" or len(parts) > 3:
            raise Unreadable
        return Call("vec", tuple(parts))

    def fills_brackets(self) -> bool:
        """Whether the brace here holds all that stands in its brackets: ``({1,0,1})``."""
        depth = 0
        for place in range(self.at, len(self.tokens)):
            kind = self.tokens[place].kind
            depth += (kind == "lbrace") - (kind == "rbrace")
            if depth == 0:
                return place + 1 < len(self.tokens) and self.tokens[place + 1].kind == "close"
        return False

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
        indexed = self.text(-1) == r"\sqrt" and self.kind() == "open" and self.text() == "["
        if indexed and self.kind(1) == "number" and self.kind(2) == "close":
            self.at += 1
            degree = self.literal(self.take("number"))
            self.at += 1
        if self.text(-1) == "√" and self.takes("bar"):
            return Call("root", (self.sum(), degree))
        if self.kind() == "open":
            return Call("root", (self.group(), degree))
        return Call("root", (self.argument(), degree))

    def function(self) -> Expression:
        token = self.take("func")
        head = token.text
        if head in CALLED:
            return self.called(head)
        exponent: Expression | None = None
        if self.kind() == "op" and self.text() == "^":
            self.at += 1
            exponent = self.exponent()
        elif self.kind() == "superscript":
            exponent = self.literal(self.take("superscript"))
        if exponent is not None and not isinstance(exponent, Number):
            raise Unreadable  # The inverse, or the reciprocal.
        base = self.base(token) if head in LOGARITHMS else None
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
            if self.kind() == "op" and self.text() == "/" and self.kind(-1) != "close" and self.divided(argument):
                argument = Call("div", (argument, self.divisor()))
        tree = Call(head, (argument,)) if base is None else Call("log", (argument, base))
        return tree if exponent is None else Call("pow", (tree, exponent))

    def divided(self, argument: Expression) -> bool:
        """Whether the function is of the quotient, as in ``sin π/6``, not itself divided, as in ``sin 60°/2``."""
        if "deg" in heads(argument):
            return self.takes("coefficient")
        return any(node == PI for node in walk(argument)) or self.takes("divisor")

    def base(self, token: Token) -> Expression:
        """The base of a logarithm: written below it, or that which the name of the function implies."""
        if token.number is not None:
            return token.number
        if token.text == "ln":
            return EULER
        return EULER if token.text == "log" and self.takes("logarithm") else number(10)

    def called(self, head: str) -> Expression:
        """A function whose arguments stand in brackets."""
        if self.kind() != "open":
            raise Unreadable
        group = self.group()
        parts = group.parts if isinstance(group, Call) and group.head == "vec" else (group,)
        if (len(parts) > 1) != (head in ("max", "min", "gcd", "lcm")):
            raise Unreadable
        return Call(head, parts)

    def quantity(self, value: Expression, token: Token) -> Quantity:
        if token.unit is None or isinstance(value, Quantity):
            raise Unreadable
        return Quantity(value, token.unit.name, token.unit.scale, token.unit.dimension)

    def compound(self, first: Quantity) -> Expression:
        """``1 h 30 min``, ``3 m 50 cm``: a quantity in two units, the second the smaller."""
        if self.kind() != "number" or self.kind(1) != "unit":
            return first
        more = self.quantity(self.literal(self.take("number")), self.take("unit"))
        if more.dimension != first.dimension or more.scale >= first.scale:
            raise Unreadable
        return Call("add", (first, more))


def _proper(tree: Expression) -> bool:
    """Whether ``tree`` is a fraction of two whole numbers below one: what follows the whole of a mixed number."""
    match tree:
        case Call("div", (Number(above, None), Number(below, None))):
            return 0 < above < below
    return False
