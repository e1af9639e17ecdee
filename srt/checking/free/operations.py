"""Operations that a machine can say are the wrong word for what a step does; most it cannot judge."""

from __future__ import annotations

import re
from collections.abc import Sequence

from srt.checking.free.citations import premises_of
from srt.language.trace import ClaimCheck, Step
from srt.records import Problem

_CALCULATES = re.compile(r"[\d)}]\s*[-+*/^×÷·]\s*[\d({\\a-z]")
_FEWEST_LETTERS = 12


def wrong_operation(problem: Problem, step: Step, claims: Sequence[ClaimCheck]) -> str | None:
    """Why the operation of a free ``step`` is the wrong one, in one line; ``None`` where nobody could be sure.

    Two cases are sure. An INFER that repeats what the problem gives, word for word, derives nothing. A CORRELATE that
    cites earlier steps alone and calculates from them ties no two things together.
    """
    kinds = {premise.kind for premise in premises_of(step)}
    if step.op == "INFER" and kinds and kinds <= {"given", "question", "scene"} and _quotes(problem, step):
        return "repeats what the problem gives: that is CORRELATE or CONSTRAIN, not INFER"
    calculates = any(claim.support == "proved" and _CALCULATES.search(claim.claim) for claim in claims)
    if step.op == "CORRELATE" and kinds == {"step"} and calculates:
        return "calculates from earlier steps: that is CONSTRAIN or INFER, not CORRELATE"
    return None


def _quotes(problem: Problem, step: Step) -> bool:
    said = _bare(step.assertion or "")
    return len(said) >= _FEWEST_LETTERS and said in _bare(problem.question)


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
