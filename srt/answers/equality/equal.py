"""Whether an answer equals gold, under a policy, and what decided it.

The order is that of trust: the same characters; numbers, with what rounding allows; units; exact algebra; and only
where none of them decides, math-verify, which is never asked about units, ordered pairs or parts: those are taken apart
here.

What is not equal either differs for certain (another number, another letter) or is undecided (other words, another
unit, an expression that cannot be read): then no machine can say that the two do not mean the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from srt.answers.equality.forms.orders import elements
from srt.answers.equality.normal_form import plain, squeezed
from srt.answers.equality.outcome import Equality, Rules, SameFormula, all_equal
from srt.answers.equality.parts import leaves, split_parts, without_proofs
from srt.answers.equality.policies import STRICT, Policy
from srt.answers.equality.stated_values import said_value
from srt.answers.equality.understood import set_members
from srt.answers.equality.worded_answers import compare_part, compare_words
from srt.answers.equality.written_values import compare_members, compare_written
from srt.answers.written_form import canonical_text, read_answer
from srt.io.records import Answer, AnswerKind, Problem
from srt.maths.units.unit_phrases import phrase_unit

_TURNS = {"l": "left", "左": "left", "r": "right", "右": "right", "u": "up", "上": "up", "d": "down", "下": "down"}
_EXACT = replace(STRICT, rounding="none")


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
        return _compare_answers(gold, given, Rules(question, choices or {}, policy, same_formula))
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


def _compare_answers(gold: Answer, given: str, rules: Rules) -> Equality:
    if gold.kind in ("choice_set", "boolean"):
        read = read_answer(given, gold.kind, rules.choices).answer
        if read is None:
            return Equality("differs", "unreadable")
        return Equality("equal" if read.value == gold.value else "differs", "exact")
    if gold.kind == "sequence":
        return _compare_sequences(gold.value, given, rules)
    if gold.kind == "parts":
        pieces = split_parts(given, len(gold.value)) or split_parts(said_value(plain(given)), len(gold.value))
        if pieces is None:
            return Equality("undecided", "parts")
        return all_equal([_compare_answers(*pair, rules) for pair in zip(gold.value, pieces, strict=True)])
    if squeezed(canonical_text(gold)) == squeezed(given) != "":
        return Equality("equal", "exact")
    pieces = leaves(plain(given))
    if len(pieces) > 1 and len(answered := without_proofs(pieces)) == 1:
        given = answered[0]  # ``(1) see the analysis (2) 5``, where gold is the one part with an answer
    if gold.kind == "text":
        return compare_words(gold.value, given, rules)
    unit = phrase_unit(plain(gold.unit)) if gold.unit else None
    behind = f" {gold.unit}" if gold.unit and unit is None else ""  # A counted noun: it stays with its number.
    # The digits of a float, without an exponent.
    value = format(Decimal(repr(gold.value)), "f") if isinstance(gold.value, float) else str(gold.value)
    body = plain(value + behind)
    members = set_members(body)
    if members is not None:
        return compare_members(members, plain(given), lambda one, other: compare_part(one, other, rules))
    return compare_written(body, plain(given), unit, rules)


def _compare_sequences(gold: Sequence[str], given: str, rules: Rules) -> Equality:
    """The same elements in the same order; where gold's are single letters, ``LRRL`` is four."""
    read = read_answer(given, "sequence", {}).answer
    said: list[str] = read.value if read is not None else []
    if len(said) == 1 < len(gold):
        letters = all(len(one) == 1 for one in gold)
        said = elements(plain(given)) or (list("".join(said[0].split())) if letters else said)
    if len(said) != len(gold):
        return Equality("undecided", "parts")
    return all_equal([_compare_elements(one, other, rules) for one, other in zip(gold, said, strict=True)])


def _compare_elements(gold: str, given: str, rules: Rules) -> Equality:
    """One element of a sequence: a turn in any of its spellings, or a value or words."""
    first, second = (squeezed(one).casefold() for one in (gold, given))
    if _TURNS.get(first, first) == _TURNS.get(second, second):
        return Equality("equal", "exact")
    return compare_part(gold, given, rules)
