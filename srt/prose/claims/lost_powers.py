"""Powers that lost their height: ``32`` for 3², ``4×103`` for 4 times 10³, ``3×10-2`` for 3 hundredths."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from srt.maths.syntax.expression import Call, Expression, Number, number, rebuilt, symbols, walk

_MOST_FLATTENED = 4
_RAISED = re.compile(r"\^(?!\s*+\{?\s*+\\?(?:circ|prime|degree))|[²³]|<sup>")
_POWER_OF_TEN = re.compile(r"10([1-9]\d?)")


def flattened(text: str, left: Expression, right: Expression) -> Iterator[tuple[Expression, Expression]]:
    """The closed sides with their powers restored, where ``text`` has no raised digit at all."""
    if _RAISED.search(text) or symbols(left) or symbols(right):
        return
    tens = rebuilt(left, _power_of_ten), rebuilt(right, _power_of_ten)
    if tens != (left, right):
        yield tens
    found = [node for side in (left, right) for node in walk(side) if _may_be_power(node)]
    places = range(min(len(found), _MOST_FLATTENED))
    for count in places:
        for chosen in itertools.combinations(places, count + 1):
            numbers = [found[place] for place in chosen]
            yield _raised(left, numbers), _raised(right, numbers)


def _may_be_power(node: Expression) -> bool:
    return isinstance(node, Number) and node.decimals is None and node.value > 11 and node.value % 10 in (2, 3)


def _raised(side: Expression, numbers: list[Expression]) -> Expression:
    def change(node: Expression) -> Expression | None:
        if isinstance(node, Number) and node in numbers:
            base, index = divmod(node.value.numerator, 10)
            return Call("pow", (number(base), number(index)))
        return None

    return rebuilt(side, change)


def _power_of_ten(node: Expression) -> Expression | None:
    """A product with a power of ten, read as ``4×103`` or as the difference ``3×10-2``, with the power in its place."""
    match node:
        case Call("mul" | "cross" | "dot" as times, (first, Number(value, None))):
            index = _POWER_OF_TEN.fullmatch(str(value))
            return Call(times, (first, Call("pow", (number(10), number(int(index[1])))))) if index else None
        case Call("add", (Call("mul" | "cross" | "dot" as times, (first, Number(value, None))), Call("neg", (n,)))):
            if value == 10 and isinstance(n, Number):
                return Call(times, (first, Call("pow", (number(10), Call("neg", (n,))))))
    return None
