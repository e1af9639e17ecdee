"""What the generator gives: a gold answer with forms that are equal to it and forms that are near and differ."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

MOST = 20
"""Forms of each sort for one gold."""
Named = tuple[str, str]
"""A class and a text."""


@dataclass(frozen=True)
class Case:
    """``gold`` as a data set prints it, of a ``kind``, and ``question``; ``equal`` and ``near`` by class and text."""

    kind: str
    gold: str
    question: str
    equal: tuple[Named, ...]
    near: tuple[Named, ...]


def case(
    kind: str, gold: str, question: str, equal: Iterable[Named], near: Iterable[Named], rng: random.Random
) -> Case:
    """At most :data:`MOST` forms of each sort, drawn by ``rng``; each text once, and none both equal and near."""
    right = _drawn(equal, rng, frozenset())
    return Case(kind, gold, question, right, _drawn(near, rng, frozenset(text for _, text in right)))


def full_width(text: str) -> str:
    """``text`` in the wide characters of Chinese typing."""
    return "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in text)


def _drawn(forms: Iterable[Named], rng: random.Random, taken: frozenset[str]) -> tuple[Named, ...]:
    by_text = {text: name for name, text in forms if text not in taken}
    found = [(name, text) for text, name in by_text.items()]
    rng.shuffle(found)
    # Of each class one first: a class with many texts does not push the others out.
    seen: dict[str, int] = {}
    ranked = []
    for name, text in found:
        seen[name] = seen.get(name, 0) + 1
        ranked.append((seen[name], name, text))
    ranked.sort(key=lambda one: one[0])
    return tuple((name, text) for _, name, text in ranked[:MOST])
