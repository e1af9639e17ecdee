"""The calculations of a step, and the quantity that each is said to be: the V of ``V = 3 * 4 * 5 = 60``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from srt.io.records import Lang
from srt.language.trace import ClaimCheck
from srt.maths.syntax.expression import Call, Expression, Symbol, symbols
from srt.prose.checking.formulas.float_values import float_value, same
from srt.prose.checking.formulas.named_values import role_of_name, stated_values
from srt.prose.checking.formulas.quantity_words import (
    AREAS,
    QUANTITIES,
    label_before,
    quantities_of_letter,
    quantity_after,
    quantity_before,
)
from srt.prose.checking.numbers.claim_sides import ClaimSides, sides_of


@dataclass(frozen=True)
class Calculation:
    """One chain ``V = S*h = 3 * 4 = 12`` at ``[start, end)`` of a step.

    ``members``: its sides without names, ``computed``: those of claims that are shown to be right, ``calculates``:
    whether one of these is an operation.
    ``quantities``: what it may be, in words or by its letter, ``word``: that word; ``role``: what else the words or the
    letter say that its value is. ``follows``: whether the cited statements alone show that it is the named quantity.
    """

    start: int
    end: int
    members: tuple[Expression, ...]
    computed: tuple[Expression, ...]
    calculates: bool
    follows: bool
    quantities: frozenset[str]
    word: str
    role: str

    @property
    def value(self) -> float | None:
        """The value of its last member."""
        return _last(self.members)


_REACH = 200
"""So many characters after a calculation may say what it is of."""
_KINDS = {"area": AREAS - {"surface area"}, "base area": frozenset({"area", "base area"})}
"""What may be called so; any other quantity is just itself."""


def calculations(
    assertion: str, lang: Lang, claims: Sequence[ClaimCheck], context: str, asked: frozenset[str]
) -> Iterator[Calculation]:
    """The calculations of a step. ``context``: the texts of the problem; ``asked``: the quantities that it asks for."""
    for chain in _chains(sides_of(assertion, lang, claims)):
        pairs = [(one, one.sides) for one in chain if one.sides is not None]
        sides = dict.fromkeys(side for _, pair in pairs for side in pair)
        members = tuple(side for side in sides if not symbols(side))
        names = [side.name for side in sides if isinstance(side, Symbol)]
        shown = dict.fromkeys(side for one, pair in pairs if one.check.support == "computed" for side in pair)
        computed = tuple(side for side in shown if side in members)
        calculates = any(isinstance(side, Call) for side in computed)
        follows = any(
            one.check.support == "computed" and any(isinstance(side, Symbol) for side in pair) for one, pair in pairs
        )
        start, end = chain[0].check.start, max(one.check.end for one in chain)
        quantities, word, role = _named(assertion, start, end, names, _last(members), context, asked)
        yield Calculation(start, end, members, computed, calculates, follows, quantities, word, role)


def kinds_of(quantity: str) -> frozenset[str]:
    """The quantities that may be called ``quantity``."""
    return _KINDS.get(quantity, frozenset({quantity}))


def _last(members: Sequence[Expression]) -> float | None:
    values = [value for member in members if (value := float_value(member, {})) is not None]
    return values[-1] if values else None


def _restated(text: str, value: float | None) -> str | None:
    """The quantity as which ``text`` states ``value`` again: ``, so the volume is 60``."""
    said = stated_values(text) if value is not None else ()
    return next((one.role for one in said if one.role in QUANTITIES and same(one.value, value or 0.0)), None)


def _chains(claims: Sequence[ClaimSides]) -> Iterator[list[ClaimSides]]:
    """Claims whose ends overlap: ``V = 3 * 4`` and ``3 * 4 = 12``."""
    chain: list[ClaimSides] = []
    for claim in claims:
        if chain and not claim.check.start < chain[-1].check.end:
            yield chain
            chain = []
        chain.append(claim)
    if chain:
        yield chain


def _named(
    assertion: str,
    start: int,
    end: int,
    names: Sequence[str],
    value: float | None,
    context: str,
    asked: frozenset[str],
) -> tuple[frozenset[str], str, str]:
    """The quantities that the calculation at ``[start, end)`` may be, the word for them, and another role of it."""
    before = assertion[:start]
    label = label_before(before) or next(((name[0], name[1:]) for name in names if name[0].isupper()), None)
    if label and len(label[1]) == 1 and label[1].isupper():
        return frozenset(), "", "segment"
    if label:
        before = before[: before.rfind(label[0])] if label_before(before) else before
    said = quantity_before(before)
    if said in QUANTITIES:
        return kinds_of(said), said, said
    rest = assertion[end : end + _REACH]
    after = quantity_after(rest) or _restated(rest, value)
    if after in QUANTITIES:
        return kinds_of(after), after, after
    if label and (quantities := quantities_of_letter(*label, f"{context} {assertion}", asked)):
        return quantities, "".join(label), "area" if quantities >= AREAS else min(quantities)
    return frozenset(), "", said or next((role_of_name(name) for name in names), "")
