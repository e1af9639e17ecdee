"""A claim with one number or one sign changed, which a check must be able to distinguish from the claim itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal

from srt.maths.syntax.expression import Call, Expression, Number, Quantity
from srt.maths.syntax.readings import Readings

Kind = Literal["number", "exponent", "sign"]
_MOST: dict[Kind, int] = {"number": 4, "exponent": 2, "sign": 2}


def changed(left: Readings, right: Readings) -> Iterator[tuple[Kind, Readings, Readings]]:
    """The readings of both sides with one change, the same in every reading: a number one larger, or a sign turned.

    At most 8 of the changes that are possible, spread over the claim, and the kind of each.
    """
    kinds = [tuple(_kinds(side.common[0][1])) for side in (left, right)]
    both = (*kinds[0], *kinds[1])
    for place in _spread(both):
        if place < len(kinds[0]):
            yield both[place], left.changed(partial(_changed, place=place)), right
        else:
            yield both[place], left, right.changed(partial(_changed, place=place - len(kinds[0])))


def _spread(kinds: Sequence[Kind]) -> list[int]:
    """Some places of each kind."""
    chosen: list[int] = []
    for kind, most in _MOST.items():
        places = [place for place, one in enumerate(kinds) if one == kind]
        chosen += sorted({places[at * len(places) // most] for at in range(most)}) if places else []
    return chosen


def _kinds(tree: Expression) -> Iterator[Kind]:
    """The changes of ``tree`` that there are, in the order of :func:`_changed`."""
    match tree:
        case Number():
            yield "number"
        case Quantity(value=value):
            yield from _kinds(value)
        case Call("root", (inner, _)):
            yield from _kinds(inner)  # The index of a square root is not written.
        case Call("pow", (base, Number())):
            yield from _kinds(base)
            yield "exponent"
        case Call(head, parts):
            for _ in range(_signs(head, parts)):
                yield "sign"
            for part in parts:
                yield from _kinds(part)


def _signs(head: str, parts: tuple[Expression, ...]) -> int:
    return len(parts) - 1 if head == "add" else int(head == "neg")


def _changed(tree: Expression, place: int) -> Expression:
    """``tree`` with its change number ``place`` made; ``tree`` itself where it has fewer."""
    match tree:
        case Number(value, decimals):
            return Number(value + 1, decimals) if place == 0 else tree
        case Quantity(value=value):
            return Quantity(_changed(value, place), tree.unit, tree.scale, tree.dimension)
        case Call("root", (inner, index)):
            return Call("root", (_changed(inner, place), index))
        case Call(head, parts):
            signs = _signs(head, parts)
            if place < signs:
                if head == "neg":
                    return parts[0]
                return Call("add", (*parts[: place + 1], _turned(parts[place + 1]), *parts[place + 2 :]))
            place -= signs
            for at, part in enumerate(parts):
                here = sum(1 for _ in _kinds(part))
                if place < here:
                    return Call(head, (*parts[:at], _changed(part, place), *parts[at + 1 :]))
                place -= here
    return tree


def _turned(part: Expression) -> Expression:
    return part.parts[0] if isinstance(part, Call) and part.head == "neg" else Call("neg", (part,))
