"""Whether an answer equals gold, under a policy, and what decided it.

The order is that of trust: the same characters; numbers, with what rounding allows; units; exact algebra; and only
where none of them decides, math-verify, which is never asked about units, ordered pairs or parts: those are taken apart
here.

What is not equal either differs for certain (another number, another letter) or is undecided (other words, another
unit, an expression that cannot be read): then no machine can say that the two do not mean the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal as Digits
from fractions import Fraction
from typing import Literal, get_args

from srt.answers.equality import algebra
from srt.answers.equality.forms.brackets import Brackets, as_point, bracketed, interval, is_infinite
from srt.answers.equality.forms.descriptions import concluded, description, listed_words, same_description, same_words
from srt.answers.equality.forms.geometric_relations import relation
from srt.answers.equality.forms.named_values import concluded_value, named_value
from srt.answers.equality.forms.orders import elements, order, same_order
from srt.answers.equality.forms.ratios import asks_ratio, fraction, ratio, same_ratio
from srt.answers.equality.normal_form import plain, squeezed, top_level
from srt.answers.equality.parts import leaves, split_parts, statements, without_proofs
from srt.answers.equality.policies import LENIENT, STRICT, Policy
from srt.answers.equality.rounded_decimals import Decimal, decimal, stands_for
from srt.answers.equality.stated_values import (
    BOUNDS,
    StatedValue,
    is_label,
    is_of_another,
    name_in_front,
    said_value,
    stated_value,
)
from srt.answers.equality.understood import OR, alternatives, is_understood, listed, members_said, set_members
from srt.answers.equality.units import match_units, split_noun
from srt.answers.written_form import canonical_text, read_answer
from srt.io.records import Answer, AnswerKind, Problem
from srt.maths.units.unit import Unit
from srt.maths.units.unit_phrases import as_one_unit, phrase_unit, split_unit

Verdict = Literal["equal", "differs", "undecided"]
How = Literal["exact", "unreadable", "text", "parts", "number", "unit", "algebra", "math-verify", "undecided"]
"""What decided: the same characters; an answer that is not of gold's kind; words; the number of parts; digits; units;
exact algebra; math-verify; or nothing."""

SameFormula = Callable[[str, str], bool | None]
"""Asks math-verify about two formulas; ``None``: it cannot decide."""

_TRUST = get_args(How)
_LETTER = re.compile(r"(?<!\\)(?<![A-Za-z])[A-Za-z\u4e00-\u9fff]")
_RELATED = re.compile(r"[<>]|\\(?:le|ge|ne|neq|lt|gt|in|cup|cap|infty)(?![A-Za-z])|[≤≥≠∈∪∩∞]")
_FORMULA = re.compile(
    r"(?:\\(?!q?quad)[A-Za-z]+|\\[{}]|[^A-Za-z\u4e00-\u9fff\\;、]|(?<![A-Za-z])[A-Za-z]{1,2}(?![A-Za-z]))+"
)
_SAID_AGAIN = re.compile(r",\s*(?:that is|i\.e\.|or|so)\s*,?\s*|即")
_ASKS_ORDER = re.compile(
    r"(?i)order|sequence|rank|from\s.{1,40}\sto\s|left to right|clockwise|顺序|依次|排列|从.{1,20}到"
)
_TURNS = {"l": "left", "左": "left", "r": "right", "右": "right", "u": "up", "上": "up", "d": "down", "下": "down"}
_MOST_ALTERNATIVES = 8
_EXACT = replace(STRICT, rounding="none")
_LONGEST_VALUE = 600
"""Characters of a text that may state one value; one that is longer is only compared character by character."""


@dataclass(frozen=True)
class Equality:
    """The ``verdict``, and ``how`` it was reached; of several parts the least trusted way counts."""

    verdict: Verdict
    how: How

    @property
    def equal(self) -> bool:
        """Whether the two are equal for certain."""
        return self.verdict == "equal"


def equal(
    gold: Answer,
    given: str,
    *,
    question: str = "",
    choices: Mapping[str, str] | None = None,
    policy: Policy = STRICT,
    same_formula: SameFormula | None = None,
) -> Equality:
    """Whether the text ``given`` states the answer ``gold``.

    Args:
        gold: the gold answer.
        given: the answer as it was written (LaTeX, units, labels and all).
        question: the problem's text, for the units that it states.
        choices: the problem's options, for letters.
        policy: what counts as equal.
        same_formula: asks math-verify; without it, what exact algebra leaves open is undecided.

    Never raises for any text; time and memory are bounded.
    """
    try:
        return _Comparison(question, choices or {}, policy, same_formula).answer(gold, given)
    except RecursionError:
        return Equality("undecided", "undecided")


def equal_to_gold(
    problem: Problem, given: str, policy: Policy = STRICT, same_formula: SameFormula | None = None
) -> Equality:
    """:func:`equal` with the gold answer of ``problem``, its question and its options.

    Raises:
        ValueError: ``problem`` has no gold answer.
    """
    if problem.answer is None:
        raise ValueError(f"problem {problem.id} has no gold answer")
    question, choices = problem.question, problem.choices
    return equal(problem.answer, given, question=question, choices=choices, policy=policy, same_formula=same_formula)


def is_conclusion(given: str, concluded: Answer, problem: Problem) -> bool | None:
    """Whether ``given``, the answer of a trace of ``problem``, is what its steps conclude.

    ``None`` where it cannot be read. As strict as scores are (a unit that the question does not ask for is another
    answer), and without any rounding: what steps conclude is exact.
    """
    if given == canonical_text(concluded):
        return True
    found = equal(concluded, given, question=problem.question, choices=problem.choices, policy=_EXACT)
    return None if found.verdict == "undecided" or found.how == "unreadable" else found.equal


def equal_texts(one: str, other: str, kind: AnswerKind, policy: Policy, question: str = "") -> Equality:
    """:func:`equal` for two answers of ``kind`` in writing, neither of which is a gold record."""
    # Parts too are compared as text: one with labels or separators is taken apart there.
    gold = Answer(kind="expression" if kind in ("number", "expression") else "text", value=one)
    return equal(gold, other, question=question, policy=policy)


@dataclass(frozen=True)
class _Comparison:
    question: str
    choices: Mapping[str, str]
    policy: Policy
    same_formula: SameFormula | None

    def answer(self, gold: Answer, given: str) -> Equality:
        if gold.kind in ("choice_set", "boolean"):
            read = read_answer(given, gold.kind, self.choices).answer
            if read is None:
                return Equality("differs", "unreadable")
            return Equality("equal" if read.value == gold.value else "differs", "exact")
        if gold.kind == "sequence":
            return self.sequence(gold.value, given)
        if gold.kind == "parts":
            pieces = split_parts(given, len(gold.value)) or split_parts(said_value(plain(given)), len(gold.value))
            if pieces is None:
                return Equality("undecided", "parts")
            return _all([self.answer(part, piece) for part, piece in zip(gold.value, pieces, strict=True)])
        if squeezed(canonical_text(gold)) == squeezed(given) != "":
            return Equality("equal", "exact")
        pieces = leaves(plain(given))
        if len(pieces) > 1 and len(answered := without_proofs(pieces)) == 1:
            given = answered[0]  # ``(1) see the analysis (2) 5``, where gold is the one part with an answer
        if gold.kind == "text":
            return self.text(gold.value, given)
        unit = phrase_unit(plain(gold.unit)) if gold.unit else None
        behind = f" {gold.unit}" if gold.unit and unit is None else ""  # A counted noun: it stays with its number.
        value = format(Digits(repr(gold.value)), "f") if isinstance(gold.value, float) else str(gold.value)
        return self.written(plain(value + behind), plain(given), unit)  # the digits of a float, without an exponent

    def text(self, gold: str, given: str) -> Equality:
        """Words, or a value within words, or the parts of such; else what the text concludes with."""
        whole = self.whole(gold, given)
        if whole.equal:
            return whole
        return next((found for end in concluded(given) if (found := self.whole(gold, end)).equal), whole)

    def whole(self, gold: str, given: str) -> Equality:
        """What :meth:`text` says of all of ``given``."""
        named, said = statements(gold), statements(given)
        if named is not None and said is not None:
            same_ones = sorted(named) == sorted(said) if named == sorted(named) else named == said
            return Equality("equal" if same_ones else "differs", "exact")
        body = plain(gold)
        wanted = order(body)
        if wanted is not None and wanted.rises is None and squeezed(given) == "".join(wanted.names):
            return Equality("equal", "text")
        if wanted is not None and (ordered := order(plain(given))) is not None:
            same = same_order(wanted, ordered, self.question)
            return Equality("equal" if same else "undecided", "parts" if same is None else "text")
        words = listed_words(gold)
        if words is not None and (said_words := listed_words(given)) is not None and len(words) == len(said_words):
            anyhow = not _ASKS_ORDER.search(self.question) and (words == sorted(words) or "哪些" in self.question)
            same_ones = sorted(said_words) == sorted(words) if anyhow else said_words == words
            return Equality("equal" if same_ones else "undecided", "text")
        parts = listed(body)
        if len(parts) > 1:
            pieces = split_parts(given, len(parts)) or split_parts(said_value(plain(given)), len(parts))
            if pieces is None:
                return Equality("undecided", "parts")
            return _all([self.part(part, piece) for part, piece in zip(parts, pieces, strict=True)])
        return self.part(body, given)

    def part(self, gold: str, given: str) -> Equality:
        if squeezed(gold) == squeezed(given) != "":
            return Equality("equal", "exact")
        members = set_members(gold)
        if members is not None:
            return self.members(members, given)
        related, other = relation(plain(gold)), relation(said_value(plain(given)))
        if related is not None and other is not None:
            return Equality("equal" if related == other else "differs", "text")
        named = named_value(plain(gold), self.question)
        if named is not None and (called := concluded_value(plain(given), named.kind, self.question)) is not None:
            return Equality("equal" if named == called else "differs", "text")
        if is_understood(gold) and re.search(r"\d|\\", gold):
            return self.written(plain(gold), plain(given), None)
        if same_words(gold, given):
            return Equality("equal", "text")
        described, said = description(plain(gold)), description(plain(given))
        if described is not None and said is not None and same_description(described, said):
            return Equality("equal", "text")
        if _RELATED.search(gold) and _RELATED.search(given):
            return self.verify(plain(gold), plain(given))
        truth = read_answer(gold, "boolean", {}).answer
        if truth is not None:
            read = read_answer(given, "boolean", {}).answer
            if read is not None:
                return Equality("equal" if read.value == truth.value else "differs", "text")
        return Equality("undecided", "text")

    def sequence(self, gold: Sequence[str], given: str) -> Equality:
        """The same elements in the same order; where gold's are single letters, ``LRRL`` is four."""
        read = read_answer(given, "sequence", {}).answer
        said: list[str] = read.value if read is not None else []
        if len(said) == 1 < len(gold):
            said = elements(plain(given)) or (
                list("".join(said[0].split())) if all(len(one) == 1 for one in gold) else said
            )
        if len(said) != len(gold):
            return Equality("undecided", "parts")
        return _all([self.element(one, other) for one, other in zip(gold, said, strict=True)])

    def members(self, golds: Sequence[str], given: str) -> Equality:
        """The members of a set, in any order."""
        said = members_said(said_value(plain(given)))
        if len(said) != len(golds) or len(said) > _MOST_ALTERNATIVES:
            return Equality("undecided", "parts")
        return self.matched(golds, said, self.part)

    def element(self, gold: str, given: str) -> Equality:
        """One element of a sequence: a turn in any of its spellings, or a value or words."""
        first, second = (squeezed(one).casefold() for one in (gold, given))
        if _TURNS.get(first, first) == _TURNS.get(second, second):
            return Equality("equal", "exact")
        return self.part(gold, given)

    def written(self, gold: str, given: str, unit: Unit | None) -> Equality:
        """Two texts in plain spelling that state values; ``unit`` is gold's where the record has it apart."""
        if max(len(gold), len(given)) > _LONGEST_VALUE:
            return Equality("undecided", "undecided")
        members = set_members(gold)
        if members is not None:
            return self.members(members, given)
        if any(len(statements(text) or ()) > 1 for text in (gold, given)):
            return Equality("undecided", "parts")  # ``(1)(4)`` names two statements; it is not a product.
        if bracketed(gold) is not None:
            given = as_point(given, self.question)
        either = top_level(gold, OR)
        said = alternatives(said_value(given)) if len(either) > 1 else top_level(given, OR)
        if len(either) > 1 or len(said) > 1:
            if len(either) != len(said) or len(said) > _MOST_ALTERNATIVES:
                return Equality("undecided", "parts")
            return self.matched(either, said, lambda one, other: self.written(one, other, unit))
        if is_of_another(given, self.question):
            return Equality("undecided", "undecided")
        name = name_in_front(gold)
        given = _without_asked_words(given, f"{self.question}\n{name}")
        a, b = stated_value(gold[len(name) :]), stated_value(given)
        if _is_equation(b) and (again := _SAID_AGAIN.split(given))[1:]:
            b = stated_value(again[-1])
        if ratio(a.sides[-1]) is not None:  # ``V_1:V_2 = 1:64``: names in a ratio are no values.
            b = StatedValue(b.label, [*(side for side in b.sides[:-1] if not _LETTER.search(side)), b.sides[-1]])
        if _is_equation(a) or _is_equation(b):
            return self.equations(a, b)
        return self.sides(a.sides, b.sides, unit)

    def matched(
        self, golds: Sequence[str], givens: Sequence[str], compared: Callable[[str, str], Equality]
    ) -> Equality:
        """Each of one side equals one of the other, as ``compared``."""
        left, found = list(givens), []
        for gold in golds:
            tried = [(compared(gold, given), given) for given in left]
            match = next(((outcome, given) for outcome, given in tried if outcome.equal), None)
            if match is None:
                outcomes = [outcome for outcome, _ in tried]
                return next((one for one in outcomes if one.verdict == "undecided"), outcomes[0])
            found.append(match[0])
            left.remove(match[1])
        return _all(found)

    def sides(self, golds: Sequence[str], givens: Sequence[str], unit: Unit | None) -> Equality:
        """One given side equals one of gold's, and no given side contradicts: ``36\\pi ≈ 113.1``.

        The last side must be gold at least loosely; others with names in them (``distance / time``) contradict nothing.
        """
        outcomes = [[self.value(gold, given, unit) for gold in golds] for given in givens]
        met = [next((one for one in row if one.equal), row[-1]) for row in outcomes]
        equal_one = next((one for one in met if one.equal), None)
        if equal_one is None:
            return met[-1]
        loose = _Comparison(self.question, self.choices, LENIENT, None)
        for given, one in zip(givens, met, strict=True):
            if one.equal or (given is not givens[-1] and (not re.search(r"\d|\\pi", given) or algebra.names(given))):
                continue
            if not any(loose.value(gold, given, unit).equal for gold in golds):
                return one
        return equal_one

    def equations(self, gold: StatedValue, given: StatedValue) -> Equality:
        """Equations: the same up to a factor, in any order of their terms, or what math-verify says."""
        a, b = (_as_equation(one) for one in (gold, given))
        if len(a) == len(b) == 2:
            for pair in (b, b[::-1]):
                if all(algebra.equal_exactly(x, y) for x, y in zip(a, pair, strict=True)):
                    return Equality("equal", "algebra")
            if algebra.same_equation((a[0], a[1]), (b[0], b[1])):
                return Equality("equal", "algebra")
            return self.verify("=".join(a), "=".join(b))
        return Equality("undecided", "undecided")

    def value(self, gold: str, given: str, unit: Unit | None) -> Equality:
        a, b = interval(gold) or bracketed(gold), interval(given) or bracketed(given)
        if a is not None or b is not None:
            return self.brackets(a, b)
        terms, others = ratio(gold), ratio(given)
        if terms is not None or others is not None:
            if terms is None and (unit is not None or split_unit(gold)[1] is not None or not asks_ratio(self.question)):
                return Equality("undecided", "parts")  # ``1:2`` is no length of 1/2.
            return self.ratios(terms or fraction(gold), others or fraction(given))
        gold, given = as_one_unit(gold), as_one_unit(given)
        if unit is None:
            gold, unit = split_unit(gold)
        gold = split_noun(gold, self.question, any_noun=True)
        if unit is not None and unit.name == "°":
            gold, given = gold.replace("°", ""), given.replace("°", "", given.count("°") - 1)
        given, other = split_unit(given, algebra.names(gold) if unit is None else frozenset())
        if other is not None and ratio(given) is not None:
            return Equality("undecided", "parts")
        if other is None:
            given = split_noun(given, self.question, any_noun=self.policy.loose_units)
        matches = match_units(unit, other, self.question, self.policy)
        if not matches:
            # Where units convert, these are of two dimensions. The same number may be a slip of the unit alone.
            another = self.policy.loose_units and self.magnitude(gold, given, "1").verdict == "differs"
            return Equality("differs" if another else "undecided", "unit")
        outcomes = []
        for match in matches:
            outcome = self.magnitude(gold, given, match.factor)
            if outcome.equal and not match.as_is:
                outcome = Equality("equal", "math-verify" if outcome.how == "math-verify" else "unit")
            outcomes.append(outcome)
        return next((outcome for outcome in outcomes if outcome.equal), outcomes[0])

    def brackets(self, a: Brackets | None, b: Brackets | None) -> Equality:
        """Tuples and intervals keep their order, sets do not; brackets must be the same."""
        if a is None or b is None or a[0] != b[0] or a[2] != b[2] or len(a[1]) != len(b[1]):
            return Equality("undecided", "parts")
        if a[0] == "{":
            if len(a[1]) > _MOST_ALTERNATIVES:
                return Equality("undecided", "undecided")
            return self.matched(a[1], b[1], lambda one, other: self.written(one, other, None))
        return _all([self.element_of(x, y) for x, y in zip(a[1], b[1], strict=True)])

    def element_of(self, gold: str, given: str) -> Equality:
        """One element of brackets: a value, or an infinite end."""
        if is_infinite(gold) and is_infinite(given):
            return Equality("equal" if gold.startswith("-") == given.startswith("-") else "differs", "exact")
        return self.written(gold, given, None)

    def ratios(self, a: list[str] | None, b: list[str] | None) -> Equality:
        """Terms of two ratios, one of which may be a fraction; a number is none."""
        same = same_ratio(a, b, self.question) if a is not None and b is not None else None
        if same is None:
            return Equality("undecided", "parts")
        return Equality("equal" if same else "differs", "algebra")

    def magnitude(self, gold: str, given: str, factor: str) -> Equality:
        """Two values without units; ``factor`` times ``given`` is in gold's."""
        if factor == "1" and squeezed(gold) == squeezed(given) != "":
            return Equality("equal", "exact")
        a, b = decimal(gold), decimal(given)
        times = Fraction(factor) if "\\" not in factor else None
        if a is not None and b is not None and times is not None:
            return Equality("equal" if stands_for(a, b, times, self.policy) else "differs", "number")
        scaled = given if factor == "1" else f"({given}) \\times {factor}"
        exactly = algebra.equal_exactly(gold, scaled)
        if exactly:
            return Equality("equal", "algebra")
        if self.by_digits(gold, a, b, scaled, times):
            return Equality("equal", "number")
        if exactly is False:
            return Equality("differs", "algebra")
        if {algebra.is_closed(gold), algebra.is_closed(scaled)} == {True, False}:
            return Equality("undecided", "algebra")  # A number and what has free names: math-verify is not asked.
        return self.verify(gold, scaled)

    def by_digits(self, gold: str, a: Decimal | None, b: Decimal | None, scaled: str, times: Fraction | None) -> bool:
        """A decimal on one side and an expression on the other that rounds to it."""
        school = self.policy.rounding == "either"
        if a is not None and b is None:
            values = algebra.numeric_values(scaled, pi_as_school=school)
            return any(stands_for(a, value, Fraction(1), self.policy) for value in values)
        if b is not None and a is None and times is not None:
            values = algebra.numeric_values(gold, pi_as_school=school)
            return any(stands_for(value, b, times, self.policy) for value in values)
        return False

    def verify(self, gold: str, given: str) -> Equality:
        """What math-verify says of two formulas, if it may be asked."""
        same = None
        if self.same_formula is not None and given and all(map(_FORMULA.fullmatch, (gold, given))):
            same = self.same_formula(gold, given)
        if same is None:
            return Equality("undecided", "undecided")
        return Equality("equal" if same else "differs", "math-verify")


def _without_asked_words(given: str, question: str) -> str:
    """``given`` without the name of what the question asks for in front: ``surface area 12``, 表面积12.

    The same of "at least" where the question asks how many there are at least; else it states no value.
    """
    for bound in BOUNDS:
        if bound.search(question):
            given, question = bound.sub("", given), bound.sub("", question)
    name = name_in_front(given)
    return given[len(name) :].strip() if name and name.strip().casefold() in question.casefold() else given


def _as_equation(one: StatedValue) -> list[str]:
    """Its sides; ``y = 2x - 3`` is an equation beside another one, and y is no name of a value there."""
    if len(one.label.strip()) == 1 and len(one.sides) == 1 and algebra.names(one.sides[0]):
        return [one.label.strip(), *one.sides]
    return one.sides


def _is_equation(one: StatedValue) -> bool:
    """Whether its first side has unknowns and is not a name: ``x^2+y^2 = 1`` has two sides and no value."""
    return not one.label and len(one.sides) > 1 and bool(algebra.names(one.sides[0])) and not is_label(one.sides[0])


def _all(outcomes: Sequence[Equality]) -> Equality:
    """All of them: the first that differs, else the first that is undecided, else equal in the least trusted way."""
    for verdict in ("differs", "undecided"):
        wrong = next((outcome for outcome in outcomes if outcome.verdict == verdict), None)
        if wrong is not None:
            return wrong
    return Equality("equal", max((outcome.how for outcome in outcomes), key=_TRUST.index))
