"""How the answer of a trace compares with the gold answer of its problem: the trace's answer is text, gold a record."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from srt.answers import canonical_text, read_answer, same
from srt.checking.free.values import same_value
from srt.records import Answer, Problem

AgainstGold = Literal["equal", "differs", "undecided", "unreadable", "no_gold"]
"""``undecided``: no machine can tell. ``unreadable``: it is no answer of the kind that gold is."""

_PARTS = re.compile(r"\s*[;；\n]\s*")
_UNIT = re.compile(
    r"(?!(?:pi|sqrt|or|and|to|times|sin|cos|tan)\b)(?:[A-Za-z]{2,}(?:\s+[A-Za-z]{2,})*|[mgLsh%°]|[\u4e00-\u9fff]+)"
    r"(?:\s*\^?\{?[23]\}?|[²³])?"
)
_HAS_WORDS = re.compile(r"(?<![\\A-Za-z])[A-Za-z]|[\u4e00-\u9fff]")
"""A word in the text of a value: it may be another unit than gold's, and then the numbers alone say nothing."""
_ELEMENTS = re.compile(r"\s*[,，、]\s*")


def against_gold(problem: Problem, answer: str) -> AgainstGold:
    """Compare ``answer``, the text of a trace's answer, with the gold answer of ``problem``.

    Letters are compared as sets; numbers and expressions by exact value, with their units where both have one; words
    are equal where they are the same words, and else undecided, unless both are values.
    """
    return "no_gold" if problem.answer is None else _compare(problem.answer, answer, problem)


def _compare(gold: Answer, text: str, problem: Problem) -> AgainstGold:
    words = str if gold.kind == "expression" else str.casefold  # R and r may be two radii
    if words(canonical_text(gold)).split() == words(text).split():
        return "equal"
    if gold.kind == "parts":
        return _all([(part, said) for part, said in _paired(gold.value, _PARTS.split(text.strip()))], problem)
    read = read_answer(text, gold.kind, problem.choices).answer
    if read is not None and same(gold, read):
        return "equal"
    if gold.kind in ("choice_set", "boolean"):
        return "unreadable" if read is None else "differs"
    if gold.kind == "sequence":
        parts = [Answer(kind="text", value=value) for value in gold.value]
        return _all(_paired(parts, _ELEMENTS.split(text.strip())), problem)
    return _by_value(gold, read, text)


def _by_value(gold: Answer, read: Answer | None, text: str) -> AgainstGold:
    """Numbers, expressions and words that are not the same characters."""
    if gold.kind == "number" and read is not None and _same_unit(gold.unit, read.unit):
        return "equal" if gold.value == read.value else "differs"
    equal = same_value(canonical_text(gold), text)
    if equal is None and gold.unit and not _HAS_WORDS.search(text):
        equal = same_value(str(gold.value), text)
    if equal is None:
        return "undecided"
    return "equal" if equal else "differs"


def _same_unit(gold: str | None, given: str | None) -> bool:
    """Whether the numbers before two units may be compared: the units are the same words, or one is not there.

    What stands after a number is no unit where it is a factor: ``12\\pi`` is not 12.
    """
    if given is not None and not _UNIT.fullmatch(given):
        return False
    return not gold or not given or gold.casefold().split() == given.casefold().split()


def _paired(golds: Sequence[Answer], texts: Sequence[str]) -> list[tuple[Answer, str]]:
    return list(zip(golds, texts, strict=True)) if len(golds) == len(texts) else []


def _all(pairs: Sequence[tuple[Answer, str]], problem: Problem) -> AgainstGold:
    """All equal, any different, or undecided; no pairs at all: the parts could not be told apart."""
    found = {_compare(gold, text, problem) for gold, text in pairs}
    for worst in ("differs", "unreadable", "undecided"):
        if worst in found:
            return worst
    return "equal" if found else "undecided"
