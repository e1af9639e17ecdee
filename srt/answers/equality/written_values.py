"""Two texts that state values: one or several of them, with labels, chains of equal sides, units and brackets."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from srt.answers.equality import algebra
from srt.answers.equality.equations import compare_equations, is_equation
from srt.answers.equality.forms.brackets import Brackets, as_point, bracketed, interval, is_infinite
from srt.answers.equality.forms.ratios import asks_ratio, fraction, ratio, same_ratio
from srt.answers.equality.magnitudes import compare_magnitudes
from srt.answers.equality.normal_form import top_level
from srt.answers.equality.outcome import MOST_ALTERNATIVES, Equality, Rules, all_equal, matched
from srt.answers.equality.parts import statements
from srt.answers.equality.policies import LENIENT
from srt.answers.equality.stated_values import (
    BOUNDS,
    StatedValue,
    is_of_another,
    name_in_front,
    said_value,
    stated_value,
)
from srt.answers.equality.understood import OR, alternatives, members_said, set_members
from srt.answers.equality.units import match_units, split_noun
from srt.maths.asked_letters import asked_letters
from srt.maths.units.unit import Unit
from srt.maths.units.unit_phrases import as_one_unit, split_unit

_LETTER = re.compile(r"(?<!\\)(?<![A-Za-z])[A-Za-z\u4e00-\u9fff]")
_SAID_AGAIN = re.compile(r",\s*(?:that is|i\.e\.|or|so)\s*,?\s*|即")
_LONGEST_VALUE = 600
"""Characters of a text that may state one value; one that is longer is only compared character by character."""


def compare_written(gold: str, given: str, unit: Unit | None, rules: Rules) -> Equality:
    """Two texts in plain spelling that state values; ``unit`` is gold's where the record has it apart."""
    if max(len(gold), len(given)) > _LONGEST_VALUE:
        return Equality("undecided", "undecided")
    members = set_members(gold)
    if members is not None:
        return compare_members(members, given, lambda one, other: compare_written(one, other, None, rules))
    if any(len(statements(text) or ()) > 1 for text in (gold, given)):
        return Equality("undecided", "parts")  # ``(1)(4)`` names two statements; it is not a product.
    if bracketed(gold) is not None:
        given = as_point(given, rules.question)
    either = top_level(gold, OR)
    said = alternatives(said_value(given)) if len(either) > 1 else top_level(given, OR)
    if len(either) > 1 or len(said) > 1:
        if len(either) != len(said) or len(said) > MOST_ALTERNATIVES:
            return Equality("undecided", "parts")
        return matched(either, said, lambda one, other: compare_written(one, other, unit, rules))
    if is_of_another(given, rules.question):
        return Equality("undecided", "undecided")
    name = name_in_front(gold)
    given = _without_asked_words(given, f"{rules.question}\n{name}")
    a, b = stated_value(gold[len(name) :]), stated_value(given)
    if is_equation(b) and (again := _SAID_AGAIN.split(given))[1:]:
        b = stated_value(again[-1])
    if ratio(a.sides[-1]) is not None:  # ``V_1:V_2 = 1:64``: names in a ratio are no values.
        b = StatedValue(b.label, [*(side for side in b.sides[:-1] if not _LETTER.search(side)), b.sides[-1]])
    if is_equation(a) or is_equation(b):
        return compare_equations(a, b, rules)
    return _compare_sides(a.sides, b.sides, unit, rules)


def compare_members(golds: Sequence[str], given: str, compared: Callable[[str, str], Equality]) -> Equality:
    """The members of a set, in any order, each as ``compared``."""
    said = members_said(said_value(given))
    if len(said) != len(golds) or len(said) > MOST_ALTERNATIVES:
        return Equality("undecided", "parts")
    return matched(golds, said, compared)


def _without_asked_words(given: str, question: str) -> str:
    """``given`` without the name of what the question asks for in front: ``surface area 12``, 表面积12.

    The same of "at least" where the question asks how many there are at least; else it states no value.
    """
    for bound in BOUNDS:
        if bound.search(question):
            given, question = bound.sub("", given), bound.sub("", question)
    name = name_in_front(given)
    return given[len(name) :].strip() if name and name.strip().casefold() in question.casefold() else given


def _compare_sides(golds: Sequence[str], givens: Sequence[str], unit: Unit | None, rules: Rules) -> Equality:
    """One given side equals one of gold's, and no given side contradicts: ``36\\pi ≈ 113.1``.

    The last side must be gold at least loosely; others with names in them (``distance / time``) contradict nothing.
    """
    outcomes = [[_compare_values(gold, given, unit, rules) for gold in golds] for given in givens]
    met = [next((one for one in row if one.equal), row[-1]) for row in outcomes]
    equal_one = next((one for one in met if one.equal), None)
    if equal_one is None:
        return met[-1]
    loose = replace(rules, policy=LENIENT, same_formula=None)
    for given, one in zip(givens, met, strict=True):
        if one.equal or (given is not givens[-1] and (not re.search(r"\d|\\pi", given) or algebra.names(given))):
            continue
        if not any(_compare_values(gold, given, unit, loose).equal for gold in golds):
            return one
    return equal_one


def _compare_values(gold: str, given: str, unit: Unit | None, rules: Rules) -> Equality:
    """One value against another: brackets, a ratio, or a size with its unit."""
    a, b = interval(gold) or bracketed(gold), interval(given) or bracketed(given)
    if a is not None or b is not None:
        return _compare_brackets(a, b, rules)
    terms, others = ratio(gold), ratio(given)
    if terms is not None or others is not None:
        if terms is None and (unit is not None or split_unit(gold)[1] is not None or not asks_ratio(rules.question)):
            return Equality("undecided", "parts")  # ``1:2`` is no length of 1/2.
        return _compare_ratios(terms or fraction(gold), others or fraction(given), rules)
    return _compare_quantities(as_one_unit(gold), as_one_unit(given), unit, rules)


def _compare_quantities(gold: str, given: str, unit: Unit | None, rules: Rules) -> Equality:
    letters = asked_letters(rules.question)
    if unit is None:
        gold, unit = split_unit(gold, letters)
    gold = split_noun(gold, rules.question, any_noun=True)
    if unit is not None and unit.name == "°":
        gold, given = gold.replace("°", ""), given.replace("°", "", given.count("°") - 1)
    given, other = split_unit(given, algebra.names(gold) | letters if unit is None else frozenset())
    if other is not None and ratio(given) is not None:
        return Equality("undecided", "parts")
    if other is None:
        given = split_noun(given, rules.question, any_noun=rules.policy.loose_units)
    matches = match_units(unit, other, rules.question, rules.policy)
    if not matches:
        # Where units convert, these are of two dimensions. The same number may be a slip of the unit alone.
        another = rules.policy.loose_units and compare_magnitudes(gold, given, "1", rules).verdict == "differs"
        return Equality("differs" if another else "undecided", "unit")
    outcomes = []
    for match in matches:
        outcome = compare_magnitudes(gold, given, match.factor, rules)
        if outcome.equal and not match.as_is:
            outcome = Equality("equal", "math-verify" if outcome.how == "math-verify" else "unit")
        outcomes.append(outcome)
    return next((outcome for outcome in outcomes if outcome.equal), outcomes[0])


def _compare_brackets(a: Brackets | None, b: Brackets | None, rules: Rules) -> Equality:
    """Tuples and intervals keep their order, sets do not; brackets must be the same."""
    if a is None or b is None or a.opens != b.opens or a.closes != b.closes or len(a.elements) != len(b.elements):
        return Equality("undecided", "parts")
    if a.opens != "{":
        return all_equal([_compare_ends(x, y, rules) for x, y in zip(a.elements, b.elements, strict=True)])
    if len(a.elements) > MOST_ALTERNATIVES:
        return Equality("undecided", "undecided")
    return matched(a.elements, b.elements, lambda one, other: compare_written(one, other, None, rules))


def _compare_ends(gold: str, given: str, rules: Rules) -> Equality:
    """One element of brackets: a value, or an infinite end."""
    if is_infinite(gold) and is_infinite(given):
        return Equality("equal" if gold.startswith("-") == given.startswith("-") else "differs", "exact")
    return compare_written(gold, given, None, rules)


def _compare_ratios(a: list[str] | None, b: list[str] | None, rules: Rules) -> Equality:
    """Terms of two ratios, one of which may be a fraction; a number is none."""
    same = same_ratio(a, b, rules.question) if a is not None and b is not None else None
    if same is None:
        return Equality("undecided", "parts")
    return Equality("equal" if same else "differs", "algebra")
