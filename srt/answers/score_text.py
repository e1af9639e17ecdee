"""The score of a text against the gold answer of its problem: what it answers, and whether that equals gold."""

from __future__ import annotations

from collections.abc import Callable

from srt.answers.equality import POLICIES, PolicyName, equal_to_gold
from srt.answers.equality.outcome import SameFormula
from srt.answers.extraction import extract
from srt.io.records import Answer, FinishReason, Problem, Score

Grade = Callable[[Problem, Answer], float]


def score_text(
    problem: Problem,
    text: str,
    finish_reason: FinishReason = "stop",
    *,
    policy: PolicyName = "strict",
    grade: Grade | None = None,
    same_formula: SameFormula | None = None,
) -> Score:
    """Compare what ``text`` answers with the gold answer of ``problem``, which must have one, under ``policy``.

    ``grade``, if the benchmark has one, gives the credit instead of equality. ``same_formula`` asks math-verify;
    without it, what exact algebra leaves open scores 0.

    Raises:
        ValueError: ``problem`` has no gold answer.
    """
    if problem.answer is None:
        raise ValueError(f"problem {problem.id} has no gold answer")
    found = extract(text, problem, finish_reason)
    compared, value, other = None, 0.0, None
    if found.answer is not None and grade is not None:
        value = grade(problem, found.answer)
    elif found.answer is not None and found.text is not None:
        compared = equal_to_gold(problem, found.text, POLICIES[policy], same_formula)
        value = float(compared.equal)
        # The lenient policy accepts all that the strict one does: only one of the two answers is still open.
        if compared.equal == (policy == "lenient"):
            changed: PolicyName = "strict" if policy == "lenient" else "lenient"
            again = float(equal_to_gold(problem, found.text, POLICIES[changed], same_formula).equal)
            other = None if again == value else again
    return Score(
        problem_id=problem.id,
        value=value,
        extracted=found.text,
        status=found.status,
        how=compared.how if compared else "credit" if found.answer is not None else None,
        policy=policy,
        other_value=other,
    )
