"""Answers to one problem put together where they are equal: what a majority vote counts."""

from __future__ import annotations

from collections.abc import Sequence

from srt.answers.equality.equal import equal_texts
from srt.answers.equality.normal_form import squeezed
from srt.answers.equality.policies import STRICT, Policy
from srt.answers.written_form import expected_kind
from srt.io.records import Problem


def groups(texts: Sequence[str], problem: Problem, policy: Policy = STRICT) -> list[list[int]]:
    """Indices of ``texts``, extracted answers to ``problem``, by answer: equal ones together, in order of appearance.

    An answer joins the first group whose first member it equals. Gold is not looked at, and math-verify is not asked.
    """
    kind = expected_kind(problem)

    def same(one: str, other: str) -> bool:
        if kind in ("choice_set", "boolean", "sequence"):
            return one == other
        return equal_texts(one, other, kind, policy, problem.question).equal

    found: list[list[int]] = []
    of_spelling: dict[str, int] = {}
    for index, text in enumerate(texts):
        spelling = squeezed(text)
        place = of_spelling.get(spelling)
        if place is None:
            place = next((at for at, group in enumerate(found) if same(texts[group[0]], text)), len(found))
            if place == len(found):
                found.append([])
            of_spelling[spelling] = place
        found[place].append(index)
    return found
