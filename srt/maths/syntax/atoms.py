"""The smallest parts of an expression: numbers, names, brackets, roots, fractions and functions."""

from __future__ import annotations

from abc import ABC, abstractmethod

from srt.maths.syntax.expression import PI, Call, Expression, Number, Symbol, heads, number, walk
from srt.maths.syntax.lexing.token_writer import Token
from srt.maths.syntax.spellings import CALLED, LOGARITHMS
from srt.maths.syntax.token_cursor import TokenCursor, Unreadable
from srt.maths.words import word_set

EULER = Call("exp", (number(1),))
DEEPEST = 40
"""How deep an expression may be nested."""
_OPAQUE = word_set("f g F G")
"""Letters that stand for functions: ``f(x + 1)`` is no product; nor is any name with one number or name, ``V(2)``."""


class AtomParser(TokenCursor, ABC):
    """Parses an atom; sums and powers within it are parsed by what is built on this."""

    @abstractmethod
    def sum(self) -> Expression:
        """A sum of terms."""

    @abstractmethod
    def power(self) -> Expression:
        """An atom with what is raised or written after it."""

    @abstractmethod
    def divisor(self) -> Expression:
        """What stands after a sign of division."""

    def atom(self) -> Expression:
        """An atom of any form."""
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

    def named(self) -> Expression:
        """A name, alone or with what stands in brackets after it."""
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
        """A sum in braces."""
        self.take("lbrace")
        tree = self.sum()
        self.take("rbrace")
        return tree

    def group(self) -> Expression:
        """A sum in brackets, or a vector."""
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
        """A sum between bars."""
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
        """A root; its degree is ``index`` if none is written."""
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
        """A function with its argument."""
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

    def exponent(self) -> Expression:
        """What stands above; a tower is computed from the right, unless the reading says otherwise."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise Unreadable
        negative = self.kind() == "op" and self.text() == "-"
        self.at += negative
        tree = self.braced() if self.kind() == "lbrace" else self.atom()
        if self.kind() == "op" and self.text() == "^" and not self.takes("tower"):
            self.at += 1
            tree = Call("pow", (tree, self.exponent()))
        self.depth -= 1
        return Call("neg", (tree,)) if negative else tree
