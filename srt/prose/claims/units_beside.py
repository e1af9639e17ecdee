"""Units in the words beside a calculation: ``V = 60, so it holds 60 cm``, ``the area is 12 cm³``, 体积是60平方厘米.

A value with a unit that stands in no equation is looked at where the words say what it is, or where it is the value of
a calculation before it. Only wrong units are reported: a unit that fits proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from srt.language.trace import ClaimCheck
from srt.maths.syntax.expression import PI, Call, Expression, Quantity, Symbol, normal_form, symbols
from srt.maths.syntax.lexing.token_writer import Token
from srt.maths.syntax.readings import readings_of
from srt.prose.claims.claim_context import context_of
from srt.prose.claims.find import Prose
from srt.prose.claims.links import Link
from srt.prose.claims.named_dimension import Named, of_name, of_words, stated_to_be
from srt.prose.claims.result_unit import not_in, unit_verdict
from srt.prose.claims.scope import Scope

_OF_VALUES = frozenset({"number", "name", "sqrt", "cbrt", "frac", "lbrace", "rbrace", "superscript", "edge"})
_MOST_TOKENS = 12
_MOST_LOOKED_AT = 200
_RESTATES = re.compile(
    r"(?:[\s,，.。:：;；=$()（）]|\b(?:so|thus|hence|therefore|that|i|e|namely|which|answer|the|its?|is|are|we|get|gives|in|total"
    r"|result|holds?|can|it|about|of|volume|area|capacity|surface|lateral|base|an?)\b"
    r"|所以|因此|即|故|答|[它其]的?|[为是共得约]|体积|容积|[表侧底]?面积|能?装水?)*",
    re.IGNORECASE,
)
"""Words that say no more than that a value is stated again."""
_GOES_ON = re.compile(
    r"[\s$)]*(?:[-×*·/+^²³深高长宽厚]|\\(?:times|cdot)|\b(?:by|x|times|per|cubes?|squares?|high|deep|long|wide|tall|thick|in"
    r"|more|less|greater|longer|shorter|higher|apart|away)\b|[多少以之]|的(?!水|[体面容]))",
    re.IGNORECASE,
)
"""What makes the value a part of something else: ``5 cm by 4 cm``, ``5 cm cubes``."""


@dataclass(frozen=True)
class _Mention:
    """A value with a unit, ``12π cm²``, at ``[start, end)``."""

    start: int
    end: int
    value: Expression
    quantity: Quantity


def units_beside(scope: Scope, links: Sequence[Link], prose: Prose) -> Iterator[ClaimCheck]:
    """The values of ``prose`` outside its ``links`` whose unit is wrong, as refuted claims."""
    inside = [(link.chain.start, link.chain.end) for link in links]
    for mention in _mentions(prose.tokens):
        if any(start < mention.end and mention.start < end for start, end in inside):
            continue
        if _GOES_ON.match(prose.text, mention.end):
            continue
        wrong = _not_of_the_words(mention, prose) or _not_of_the_calculation(mention, scope, links, prose)
        context = context_of(prose.text, mention.start, mention.end)
        if wrong and not (context.assumed or context.denied or context.chosen or context.alternative):
            said = normal_form(mention.quantity)
            place = mention.start, mention.end
            yield ClaimCheck(
                claim=said, start=place[0], end=place[1], support="refuted", reason=wrong, counterexample=wrong
            )


def _mentions(tokens: Sequence[Token]) -> Iterator[_Mention]:
    found = 0
    for at, token in enumerate(tokens):
        if token.unit is None or token.unit.power[0] != "length" or found >= _MOST_LOOKED_AT:
            continue
        low = at
        while low > 0 and at - low < _MOST_TOKENS and _is_of_value(tokens, low - 1):
            low -= 1
        while low < at and tokens[low].kind == "edge":
            low += 1
        tree = readings_of([tuple(tokens[low:at])]).only if low < at else None
        found += 1
        if tree is not None and not symbols(tree):
            unit = token.unit
            quantity = Quantity(tree, unit.name, unit.scale, unit.power)
            yield _Mention(tokens[low].start, token.end, tree, quantity)


def _is_of_value(tokens: Sequence[Token], at: int) -> bool:
    """Whether the token at ``at`` may be a part of a value such as ``2√3`` or ``\\frac{1}{2}π``."""
    token = tokens[at]
    return token.kind in _OF_VALUES and (token.kind != "name" or token.text == "pi")


def _not_of_the_words(mention: _Mention, prose: Prose) -> str | None:
    """Why the unit is none of what the words before ``mention`` say that it is."""
    named = stated_to_be(prose.text, mention.start)
    power = mention.quantity.dimension[1]
    if not named or power in {one.power for one in named}:
        return None
    return f"{named[0].word} cannot be in {mention.quantity.unit}"


def _not_of_the_calculation(mention: _Mention, scope: Scope, links: Sequence[Link], prose: Prose) -> str | None:
    """Why the unit is none of the value that a chain before ``mention`` computes and that it states again."""
    link = next((one for one in reversed(links) if one.chain.end <= mention.start), None)
    if link is None or not _RESTATES.fullmatch(prose.text, link.chain.end, mention.start):
        return None
    closed = [side.only for side in link.sides if side.only is not None and not symbols(side.only)]
    calculated = next((side for side in closed if isinstance(side, Call)), None)
    if calculated is None or normal_form(closed[-1]) != normal_form(mention.value):
        return None
    first = link.sides[0].first
    letter = isinstance(first, Symbol) and first != PI
    named: Named | None
    if letter and isinstance(first, Symbol):
        named = of_name(first.name, prose.text)
    else:
        named = of_words(prose.text, link.chain.start)
    said = stated_to_be(prose.text, mention.start)
    if said and named is not None and named.power not in {one.power for one in said}:
        return None  # The value of something else that happens to be the same number.
    named = named or next(iter(said), None)
    if named is not None and (wrong := not_in(named, calculated, mention.quantity)):
        return wrong
    verdict = unit_verdict(calculated, "=", mention.quantity, named, scope.quantities, mention.start, mention.end)
    return verdict.reason if verdict is not None and verdict.wrong else None
