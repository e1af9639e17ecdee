"""What a comparison of two answers comes to, and the rules that it goes by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from srt.answers.equality.policies import Policy

Verdict = Literal["equal", "differs", "undecided"]
How = Literal["exact", "unreadable", "text", "parts", "number", "unit", "algebra", "math-verify", "undecided"]
"""What decided: the same characters; an answer that is not of gold's kind; words; the number of parts; digits; units;
exact algebra; math-verify; or nothing."""

SameFormula = Callable[[str, str], bool | None]
"""Asks math-verify about two formulas; ``None``: it cannot decide."""

MOST_ALTERNATIVES = 8
"""Values of an answer that are held against each other in any order."""
_TRUST = get_args(How)


@dataclass(frozen=True)
class Equality:
    """The ``verdict``, and ``how`` it was reached; of several parts the least trusted way counts."""

    verdict: Verdict
    how: How

    @property
    def equal(self) -> bool:
        """Whether the two are equal for certain."""
        return self.verdict == "equal"


@dataclass(frozen=True)
class Rules:
    """What a comparison goes by: the problem's ``question`` and options, the policy, and math-verify if it is asked."""

    question: str
    choices: Mapping[str, str]
    policy: Policy
    same_formula: SameFormula | None


def all_equal(outcomes: Sequence[Equality]) -> Equality:
    """All of them: the first that differs, else the first that is undecided, else equal in the least trusted way."""
    for verdict in ("differs", "undecided"):
        wrong = next((outcome for outcome in outcomes if outcome.verdict == verdict), None)
        if wrong is not None:
            return wrong
    return Equality("equal", max((outcome.how for outcome in outcomes), key=_TRUST.index))


def matched(golds: Sequence[str], givens: Sequence[str], compared: Callable[[str, str], Equality]) -> Equality:
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
    return all_equal(found)
