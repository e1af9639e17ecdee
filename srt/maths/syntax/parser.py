"""Tokens of one side of a claim to its readings, or a refusal: nothing is guessed, nothing is left over."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from srt.maths.syntax.atoms import DEEPEST, AtomParser
from srt.maths.syntax.expression import Call, Expression, Number, Quantity
from srt.maths.syntax.lexing.token_writer import Token
from srt.maths.syntax.notations import repeating_decimal
from srt.maths.syntax.spellings import FRACTIONS
from srt.maths.syntax.token_cursor import Choice, Reading, Unreadable
from srt.maths.words import word_set
from srt.maths.work import spend

_LONGEST = 400
_STARTS = word_set("number name frac sqrt cbrt binom open lbrace func bar")


def parse(tokens: Sequence[Token], reading: Reading = frozenset()) -> Expression:
    """The expression that ``tokens`` are, all of them. Raises :class:`Unreadable`."""
    return parsed(tokens, reading)[0]


def parsed(tokens: Sequence[Token], reading: Reading) -> tuple[Expression, Reading]:
    """The expression, and the choices that there were."""
    tokens = [token for token in tokens if token.kind not in ("edge", "line")]
    if not tokens or len(tokens) > _LONGEST:
        raise Unreadable
    spend(10 * len(tokens))
    parser = _Parser(tokens, reading)
    tree = parser.side()
    if parser.at != len(tokens):
        raise Unreadable
    return tree, frozenset(parser.asked)


class _Parser(AtomParser):
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
        if self.depth > DEEPEST:
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

    def fractional(self, index: Expression) -> Expression:
        """``1/2`` of ``16^1/2``, where no blanks stand in it."""
        if not isinstance(index, Number) or self.kind(-1) != "number" or self.text() != "/" or self.kind(1) != "number":
            return index
        tight = not self.tokens[self.at].gap and not self.tokens[self.at + 1].gap
        return Call("div", (index, self.divisor())) if tight and self.takes("index") else index

    def quantity(self, value: Expression, token: Token) -> Quantity:
        if token.unit is None or isinstance(value, Quantity):
            raise Unreadable
        return Quantity(value, token.unit.name, token.unit.scale, token.unit.power)

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
