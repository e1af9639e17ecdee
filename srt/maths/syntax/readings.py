"""What one side of a claim may say: its common readings, each to be held to, and rare ones, which only excuse it."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from srt.maths.syntax.expression import Expression
from srt.maths.syntax.lexing.token_writer import Token
from srt.maths.syntax.parser import parsed
from srt.maths.syntax.token_cursor import Choice, Reading, Unreadable

_COMMON: frozenset[Choice] = frozenset({"divisor", "fraction", "percent", "logarithm", "product", "tower"})
"""Both senses are common; of the other choices, the second sense is rare."""
_MOST_READINGS = 24


@dataclass(frozen=True)
class Readings:
    """What one side may say.

    ``common``: its readings as people commonly write, the likeliest first; ``rare``: others, which may save it from
    being an error. ``choices``: the common choices that it leaves.
    """

    common: tuple[tuple[Reading, Expression], ...] = ()
    rare: tuple[Expression, ...] = ()
    choices: Reading = frozenset()

    @property
    def first(self) -> Expression | None:
        """The likeliest reading, ``None`` where it cannot be read."""
        return self.common[0][1] if self.common else None

    @property
    def only(self) -> Expression | None:
        """The common reading, where there is one."""
        return self.common[0][1] if len(self.common) == 1 else None

    @property
    def trees(self) -> tuple[Expression, ...]:
        """All readings, the common first."""
        return (*(tree for _, tree in self.common), *self.rare)

    def within(self, reading: Reading) -> Expression:
        """The tree under the choices of ``reading`` that it leaves."""
        wanted = reading & self.choices
        return next((tree for one, tree in self.common if one == wanted), self.common[0][1])

    def changed(self, change: Callable[[Expression], Expression]) -> Readings:
        """The same readings of something changed."""
        return Readings(
            tuple((reading, change(tree)) for reading, tree in self.common), tuple(map(change, self.rare)), self.choices
        )


def readings_of(variants: Sequence[Sequence[Token]]) -> Readings:
    """What tokens may say; of several ``variants`` the first that can be read is the common one."""
    found = Readings()
    for tokens in variants:
        here = _readings(tokens)
        found = Readings(found.common, (*found.rare, *here.trees), found.choices) if found.common else here
    return found


def _readings(tokens: Sequence[Token]) -> Readings:
    common: dict[Reading, Expression] = {}
    rare: list[Expression] = []
    seen: set[Reading] = {frozenset()}
    todo: deque[Reading] = deque(seen)
    choices: set[Choice] = set()
    while todo and len(seen) <= _MOST_READINGS:
        reading = todo.popleft()
        try:
            tree, asked = parsed(tokens, reading)
        except Unreadable:
            continue
        choices |= asked & _COMMON
        if reading <= _COMMON:
            common[reading] = tree
        elif tree not in rare:
            rare.append(tree)
        more = {reading | {choice} for choice in asked if choice in _COMMON or reading <= _COMMON} - seen
        seen |= more
        todo.extend(sorted(more, key=sorted))
    if len(set(common.values())) == 1:
        common, choices = dict(itertools.islice(common.items(), 1)), set()
    kept = tuple(tree for tree in rare if tree not in common.values())
    return Readings(tuple(common.items()), kept, frozenset(choices))
