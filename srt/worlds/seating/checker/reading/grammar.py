"""Grammars of wordings: they generate sentences from literals, never the other way.

A rule is a literal with the sentences that say it. ``X`` and ``Y`` are the two entities; in braces are the
words of a group (``{side}``, ``{kth}``), which literal and sentences share; ``[a|b]`` are alternatives::

    rule("side", "{side}(Y) = X", "X is [|immediately ]to the {side} of Y")
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

SLOTS = "\x01\x02"
"""The person that a sentence names first, and second; a literal is written with the same marks."""

Word = dict[str, str]


class GrammarRule(NamedTuple):
    """``groups`` names the groups of words that vary, separated by spaces."""

    groups: str
    literal: str
    sentences: tuple[str, ...]


class Grammar(NamedTuple):
    """The rules of each family of scenes, and the groups of words that they use."""

    words: dict[str, Sequence[Word]]
    rules: dict[str, Sequence[GrammarRule]]

    def generate(self, family: str) -> Iterator[tuple[str, str]]:
        """Every sentence of a family, and the literal that it says; both have :data:`SLOTS` in the place of names."""
        for rule in self.rules[family]:
            for choice in product(*(self.words[group] for group in rule.groups.split())):
                values: Word = {}
                for word in choice:
                    values |= word
                literal = rule.literal.format(**values)
                for pattern in rule.sentences:
                    for sentence in _spellings(pattern.format(**values)):
                        slots = {who: SLOTS[n] for n, who in enumerate(dict.fromkeys(re.findall("[XY]", sentence)))}
                        yield _fill(sentence, slots), _fill(literal, slots)


def rule(groups: str, literal: str, *sentences: str) -> GrammarRule:
    """A rule, as the grammars write it."""
    return GrammarRule(groups, literal, sentences)


def _fill(text: str, slots: dict[str, str]) -> str:
    return re.sub("[XY]", lambda match: slots[match[0]], text)


def _spellings(pattern: str) -> Iterator[str]:
    pieces = [piece.split("|") for piece in re.split(r"\[([^\]]*)\]", pattern)]
    for choice in product(*pieces):
        yield "".join(choice)
