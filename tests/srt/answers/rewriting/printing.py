"""Trees as text, as people write them: LaTeX, unicode or plain characters; brackets where a person needs them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

from tests.srt.answers.rewriting import trees

Style = Literal["latex", "unicode", "plain"]
STYLES: tuple[Style, ...] = ("latex", "unicode", "plain")
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 4, 5


@dataclass(frozen=True)
class Printer:
    """Writes trees in one ``style``; ``signs``: a sign stands between factors wherever one may be left out."""

    style: Style
    signs: bool
    spaced: bool
    rng: random.Random

    def text(self, tree: trees.Tree, outer: int = 0) -> str:
        """``tree`` as it stands within an operation of the rank ``outer``."""
        rank, text = self._ranked(tree)
        return self.brackets(text) if rank < outer else text

    def brackets(self, text: str) -> str:
        """``text`` in brackets."""
        if self.style == "latex" and self.rng.random() < 0.5:
            return f"\\left({text}\\right)"
        return f"({text})"

    def _ranked(self, tree: trees.Tree) -> tuple[int, str]:
        match tree:
            case trees.Whole(number):
                return _ATOM, str(number)
            case trees.Digits(text):
                return _ATOM, text
            case trees.Pi():
                return _ATOM, {"latex": r"\pi", "unicode": "π", "plain": "pi"}[self.style]
            case trees.Root():
                return _ATOM, self._root(tree)
            case trees.Sum(terms):
                return _SUM, self._sum(terms)
            case trees.Negative(inside):
                return _SUM, f"-{self.text(inside, _PRODUCT)}"
            case trees.Product(factors):
                return _PRODUCT, self._product(factors)
            case trees.Quotient(above, below):
                if self.style == "latex":
                    name = self.rng.choice((r"\frac", r"\frac", r"\dfrac", r"\tfrac"))
                    return 3, f"{name}{{{self.text(above)}}}{{{self.text(below)}}}"
                return _PRODUCT, f"{self.text(above, _PRODUCT)}/{self.text(below, _POWER)}"
            case trees.Power(base, exponent):
                return _POWER, self.text(base, _ATOM) + self._exponent(exponent)
            case trees.Cosine(degrees, function):
                sign = {"latex": r"^\circ", "unicode": "°", "plain": "°"}[self.style]
                if self.style == "latex":
                    return 3, f"\\{function} {degrees}{sign}"
                return 3, f"{function}({degrees}{sign})" if self.style == "plain" else f"{function}{degrees}{sign}"
        raise AssertionError

    def _sum(self, terms: tuple[trees.Tree, ...]) -> str:
        text = self.text(terms[0], _SUM)
        gap = " " if self.spaced else ""
        for term in terms[1:]:
            if isinstance(term, trees.Negative):
                text += f"{gap}-{gap}{self.text(term.inside, _PRODUCT)}"
            else:
                text += f"{gap}+{gap}{self.text(term, _PRODUCT)}"
        return text

    def _root(self, tree: trees.Root) -> str:
        inside = self.text(tree.inside)
        if self.style == "latex":
            index = f"[{tree.index}]" if tree.index != 2 else ""
            return f"\\sqrt{index}{{{inside}}}"
        if tree.index == 3 and self.style == "unicode" and isinstance(tree.inside, trees.Whole):
            return f"∛{inside}"
        if tree.index != 2:
            return f"{self.text(tree.inside, _ATOM)}^(1/{tree.index})"
        if self.style == "unicode":
            return f"√{inside}" if isinstance(tree.inside, trees.Whole) else f"√({inside})"
        return f"sqrt({inside})"

    def _exponent(self, exponent: trees.Tree) -> str:
        text = self.text(exponent)
        if self.style == "latex":
            return f"^{text}" if isinstance(exponent, trees.Whole) and len(text) == 1 else f"^{{{text}}}"
        whole = isinstance(exponent, trees.Whole) or (
            isinstance(exponent, trees.Negative) and isinstance(exponent.inside, trees.Whole)
        )
        if self.style == "unicode" and whole:
            return text.translate(_RAISED)
        sign = "^" if self.style == "unicode" or self.rng.random() < 0.8 else "**"
        return f"{sign}{text}" if isinstance(exponent, trees.Whole) else f"{sign}({text})"

    def _product(self, factors: tuple[trees.Tree, ...]) -> str:
        text = self._factor(factors[0])
        last = factors[0]
        for factor in factors[1:]:
            written = self._factor(factor)
            # Beside one another: a number before a letter, a root or a bracket, and brackets.
            may_touch = not written[0].isdigit() and not written.startswith((r"\frac", r"\dfrac", r"\tfrac"))
            if self.style != "latex" and isinstance(last, trees.Quotient):
                may_touch = text.endswith(")") and may_touch
            if self.style == "plain" and not written.startswith("(") and not isinstance(last, trees.Whole):
                may_touch = False
            if may_touch and not self.signs:
                text += written
            elif written[0].isdigit() or self.signs or not may_touch:
                sign = {"latex": r" \cdot ", "unicode": "·", "plain": "*"}[self.style]
                if self.rng.random() < 0.5:
                    sign = {"latex": r" \times ", "unicode": "×", "plain": " * "}[self.style]
                text += sign + written
            last = factor
        return text

    def _factor(self, factor: trees.Tree) -> str:
        # ``1/2 pi`` may be read in two ways; in brackets it is one.
        if isinstance(factor, trees.Quotient) and self.style != "latex":
            return self.brackets(self.text(factor))
        return self.text(factor, _PRODUCT + 1)


def printed(tree: trees.Tree, rng: random.Random, style: Style | None = None) -> str:
    """``tree`` in ``style``, or in one at random."""
    return Printer(style or rng.choice(STYLES), rng.random() < 0.3, rng.random() < 0.5, rng).text(tree)
