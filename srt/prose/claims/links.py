"""Chains with the readings of their sides, and what they add to the scope: definitions, conditions, coordinates."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from srt.maths.syntax.expression import Call, Expression, Symbol, symbols
from srt.maths.syntax.lexing.token_writer import Token
from srt.maths.syntax.parser import parse
from srt.maths.syntax.readings import Readings, readings_of
from srt.maths.syntax.token_cursor import Unreadable
from srt.prose.claims.claim_context import ClaimContext, context_of
from srt.prose.claims.find import Chain, Prose
from srt.prose.claims.scope import Scope, Statement, is_term

_MOST_CHAINS = 400
_MOST_PAIRS = 800


@dataclass(frozen=True)
class Link:
    """A chain; ``sides``: what each of its sides may say; ``at``: where it begins (negative for givens)."""

    chain: Chain
    sides: tuple[Readings, ...]
    context: ClaimContext
    at: int


def links_of(prose: Prose, place: int) -> list[Link]:
    """The chains of ``prose``, read; ``place`` is added to where each begins."""
    links: list[Link] = []
    pairs = 0
    for chain in prose.chains[:_MOST_CHAINS]:
        pairs += len(chain.relations)
        if pairs > _MOST_PAIRS:
            break
        context = context_of(prose.text, chain.start, chain.end)
        if (
            links
            and links[-1].context.assumed
            and prose.text[links[-1].chain.end : chain.start].strip(" $,，、and且") == ""
        ):
            context = replace(context, assumed=True)
        sides = tuple(readings_of(side.variants) for side in chain.sides)
        links.append(Link(chain, sides, context, place + chain.start))
    return links


def state(scope: Scope, link: Link, given: bool) -> None:
    """Tell ``scope`` what ``link`` says. What a given says under an if is taken as said."""
    assumed = link.context.assumed and not given
    firsts = [side.only for side in link.sides]  # What has two common readings states neither.
    glued = [side.glued for side in link.chain.sides]
    for group in _equal_groups(link, firsts):
        values = [tree for tree in group if _is_value(tree)]
        for tree in group:
            if is_term(tree) and values:
                scope.define(tree, next((value for value in values if not symbols(value)), values[0]), link.at, assumed)
    for place, (left, relation, right) in enumerate(zip(firsts, link.chain.relations, firsts[1:], strict=False)):
        if left is not None and right is not None and not any(glued[place : place + 2]):
            end = link.at + link.chain.end - link.chain.start
            context = link.context
            scope.statements.append(
                Statement(left, relation, right, link.at, end, assumed, context.chosen, context.alternative)
            )


def _is_value(tree: Expression) -> bool:
    """Whether ``tree`` is closed, or a vector (with or without unknowns)."""
    if isinstance(tree, Call) and tree.head in ("vec", "point", "pm"):
        return tree.head == "vec"
    return not symbols(tree)


def _equal_groups(link: Link, firsts: list[Expression | None]) -> Iterator[list[Expression]]:
    """The sides that the chain says are equal."""
    group: list[Expression] = []
    for place, tree in enumerate(firsts):
        if place and link.chain.relations[place - 1] not in ("=", "≈"):
            yield group
            group = []
        if link.chain.sides[place].glued:
            yield group
            group = []
        elif tree is not None:
            group.append(tree)
    yield group


def state_points(scope: Scope, prose: Prose, place: int) -> None:
    """Tell ``scope`` the coordinates that ``prose`` gives: ``A(0,1,0)``."""
    tokens = prose.tokens
    for at, (name, after) in enumerate(itertools.pairwise(tokens)):
        if name.kind == "name" and after.kind == "open" and after.text == "(" and name.text[:1].isupper():
            close = _closing(tokens, at + 1)
            if close is None:
                continue
            try:
                tree = parse(tokens[at : close + 1])
            except Unreadable:
                continue
            match tree:
                case Call("point", (Symbol() as point, vector)) if len(point.name.rstrip("'0123456789_")) == 1:
                    scope.define(Call("point", (point,)), vector, place + name.start)


def _closing(tokens: tuple[Token, ...], at: int) -> int | None:
    depth = 0
    for place in range(at, min(len(tokens), at + 80)):
        kind = tokens[place].kind
        if kind in ("word", "stop", "rel", "line"):
            return None
        depth += (kind == "open") - (kind == "close")
        if depth == 0:
            return place
    return None
