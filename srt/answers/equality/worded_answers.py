"""Answers in words: a value within words, an order, a list, the parts of such, a description, yes or no."""

from __future__ import annotations

import re

from srt.answers.equality.forms.calendar_and_compass import concluded_value, named_value
from srt.answers.equality.forms.descriptions import concluded, description, listed_words, same_description, same_words
from srt.answers.equality.forms.geometric_relations import relation
from srt.answers.equality.forms.orders import order, same_order
from srt.answers.equality.magnitudes import ask_math_verify
from srt.answers.equality.normal_form import plain, squeezed
from srt.answers.equality.outcome import Equality, Rules, all_equal
from srt.answers.equality.parts import split_parts, statements
from srt.answers.equality.stated_values import said_value
from srt.answers.equality.understood import is_understood, listed, set_members
from srt.answers.equality.written_values import compare_members, compare_written
from srt.answers.written_form import read_answer
from srt.maths.asked_letters import asked_letters

_RELATED = re.compile(r"[<>]|\\(?:le|ge|ne|neq|lt|gt|in|cup|cap|infty)(?![A-Za-z])|[≤≥≠∈∪∩∞]")
_ASKS_ORDER = re.compile(
    r"(?i)order|sequence|rank|from\s.{1,40}\sto\s|left to right|clockwise|顺序|依次|排列|从.{1,20}到"
)


def compare_words(gold: str, given: str, rules: Rules) -> Equality:
    """Words, or a value within words, or the parts of such; else what the text concludes with."""
    whole = _compare_whole(gold, given, rules)
    if whole.equal:
        return whole
    return next((found for end in concluded(given) if (found := _compare_whole(gold, end, rules)).equal), whole)


def _compare_whole(gold: str, given: str, rules: Rules) -> Equality:
    """What :func:`compare_words` says of all of ``given``."""
    named, said = statements(gold), statements(given)
    if named is not None and said is not None:
        same_ones = sorted(named) == sorted(said) if named == sorted(named) else named == said
        return Equality("equal" if same_ones else "differs", "exact")
    body = plain(gold)
    wanted = order(body)
    if wanted is not None and wanted.rises is None and squeezed(given) == "".join(wanted.names):
        return Equality("equal", "text")
    if wanted is not None and (ordered := order(plain(given))) is not None:
        same = same_order(wanted, ordered, rules.question)
        return Equality("equal" if same else "undecided", "parts" if same is None else "text")
    words = listed_words(gold)
    if words is not None and (said_words := listed_words(given)) is not None and len(words) == len(said_words):
        anyhow = not _ASKS_ORDER.search(rules.question) and (words == sorted(words) or "哪些" in rules.question)
        same_ones = sorted(said_words) == sorted(words) if anyhow else said_words == words
        return Equality("equal" if same_ones else "undecided", "text")
    parts = listed(body)
    if len(parts) > 1:
        pieces = split_parts(given, len(parts)) or split_parts(said_value(plain(given)), len(parts))
        if pieces is None:
            return Equality("undecided", "parts")
        return all_equal([compare_part(part, piece, rules) for part, piece in zip(parts, pieces, strict=True)])
    return compare_part(body, given, rules)


def compare_part(gold: str, given: str, rules: Rules) -> Equality:
    """One part of an answer, of any form: a set, a relation, a named value, a value, words."""
    if squeezed(gold) == squeezed(given) != "":
        return Equality("equal", "exact")
    members = set_members(gold)
    if members is not None:
        return compare_members(members, plain(given), lambda one, other: compare_part(one, other, rules))
    related, other = relation(plain(gold)), relation(said_value(plain(given)))
    if related is not None and other is not None:
        return Equality("equal" if related == other else "differs", "text")
    named = named_value(plain(gold), rules.question)
    if named is not None and (called := concluded_value(plain(given), named.kind, rules.question)) is not None:
        return Equality("equal" if named == called else "differs", "text")
    of_letters = asked_letters(rules.question).issuperset(squeezed(gold))  # ``rh``, where hr is as good
    if of_letters or (is_understood(gold) and re.search(r"\d|\\", gold)):
        return compare_written(plain(gold), plain(given), None, rules)
    if same_words(gold, given):
        return Equality("equal", "text")
    described, said = description(plain(gold)), description(plain(given))
    if described is not None and said is not None and same_description(described, said):
        return Equality("equal", "text")
    if _RELATED.search(gold) and _RELATED.search(given):
        return ask_math_verify(plain(gold), plain(given), rules)
    truth = read_answer(gold, "boolean", {}).answer
    read = read_answer(given, "boolean", {}).answer if truth is not None else None
    if truth is not None and read is not None:
        return Equality("equal" if read.value == truth.value else "differs", "text")
    return Equality("undecided", "text")
