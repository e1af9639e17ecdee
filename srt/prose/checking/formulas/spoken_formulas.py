"""Which formulas apply after what a problem and the steps so far have said."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import cache

from srt.maths.syntax.expression import Expression, Symbol, substituted, symbols
from srt.prose.checking.formulas.formula_table import FORMULAS, Formula


class SpokenFormulas:
    """The formulas whose words have been heard."""

    def __init__(self) -> None:
        self._silent = {word for formula in FORMULAS for word in (*formula.needs, formula.unless) if word}
        self._heard: set[str] = set()
        self._texts: list[str] = []

    def hear(self, text: str) -> None:
        """Add the formulas of what ``text`` speaks of. It is searched only when somebody asks for them."""
        self._texts.append(text)

    def applying(self) -> tuple[Formula, ...]:
        """The formulas that apply, in the order of the table."""
        for text in self._texts:
            new = {words for words in self._silent if _pattern(words).search(text)}
            self._heard |= new
            self._silent -= new
        self._texts.clear()
        return tuple(one for one in FORMULAS if self._heard.issuperset(one.needs) and one.unless not in self._heard)

    def templates_of(self, quantity: str) -> Iterator[tuple[Formula, Expression]]:
        """The templates that apply to ``quantity``; base areas and perimeters are written out in them as well."""
        applying = self.applying()
        for formula in applying:
            if formula.quantity == quantity:
                for tree in formula.trees:
                    yield from ((formula, one) for one in dict.fromkeys(_written_out(tree, applying)))


def _written_out(tree: Expression, applying: tuple[Formula, ...]) -> tuple[Expression, ...]:
    """``S*h``, and ``pi*r^2*h`` where there is a circle: a base area or a perimeter by its own formula."""
    names = symbols(tree)
    inner = [(slot, kind) for slot, kind in (("S", "area"), ("C", "perimeter")) if slot in names]
    if not inner or "T" in names:
        return (tree,)
    m = {"h": Symbol("m")}  # A height in the base is another one than that of the solid.
    of_base = [
        [
            substituted(base, m)
            for one in applying
            if one.quantity == kind
            for base in one.trees
            if symbols(base).isdisjoint("SCVL")
        ]
        for _, kind in inner
    ]
    slots = [slot for slot, _ in inner]
    chosen = itertools.product(*of_base)
    return (tree, *(substituted(tree, dict(zip(slots, bases, strict=True))) for bases in chosen))


@cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE)
