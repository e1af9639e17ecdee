"""Answers to one problem put together where they are equal: what a majority vote counts."""

from __future__ import annotations

from collections.abc import Sequence

from eval.equality.equal import equal
from eval.equality.policy import Policy
from eval.equality.spelling import squeezed
from srt.answers import expected_kind
from srt.records import Answer, AnswerKind, Problem


def groups(texts: Sequence[str], problem: Problem, policy: Policy = "strict") -> list[list[int]]:
    """Indices of ``texts``, extracted answers to ``problem``, by answer: equal ones together, in order of appearance.

    An answer joins the first group whose first member it equals. Gold is not looked at, and math-verify is not asked.
    """
    kind = expected_kind(problem)
    found: list[list[int]] = []
    of_spelling: dict[str, int] = {}
    for index, text in enumerate(texts):
        spelling = squeezed(text)
        place = of_spelling.get(spelling)
        if place is None:
            place = next(
                (at for at, group in enumerate(found) if _same(texts[group[0]], text, kind, problem, policy)), -1
            )
            if place < 0:
                place = len(found)
                found.append([])
            of_spelling[spelling] = place
        found[place].append(index)
    return found


def _same(one: str, other: str, kind: AnswerKind, problem: Problem, policy: Policy) -> bool:
    if kind in ("choice_set", "boolean", "sequence"):
        return one == other
    if kind in ("number", "expression"):
        first = Answer(kind="expression", value=one)
    else:  # Parts too: a text with labels or separators is taken apart there.
        first = Answer(kind="text", value=one)
    return equal(first, other, question=problem.question, choices=problem.choices, policy=policy).equal
