"""Operations that are certainly wrong for what a step does; most cannot be checked by machine."""

from __future__ import annotations

import re
from collections.abc import Sequence

from srt.io.records import Problem
from srt.language.trace import ClaimCheck, Step
from srt.prose.checking.citations import premises_of

_CALCULATES = re.compile(r"[\d)}]\s*[-+*/^×÷·]\s*[\d({\\a-z]")
_FEWEST_LETTERS = 12


def wrong_operation(problem: Problem, step: Step, claims: Sequence[ClaimCheck]) -> str | None:
    """Why the operation of a free ``step`` is wrong, on one line; ``None`` if that is not certain.

    Two cases are certain. An INFER that repeats a given word for word derives nothing. A CORRELATE that cites only
    earlier steps and calculates from them relates no two things.
    """
    kinds = {premise.kind for premise in premises_of(step)}
    said = _bare(step.assertion or "")
    quotes = len(said) >= _FEWEST_LETTERS and said in _bare(problem.question)
    if step.op == "INFER" and kinds and kinds <= {"given", "question", "scene"} and quotes:
        return "repeats what the problem gives: that is CORRELATE or CONSTRAIN, not INFER"
    calculates = any(claim.support == "computed" and _CALCULATES.search(claim.claim) for claim in claims)
    if step.op == "CORRELATE" and kinds == {"step"} and calculates:
        return "calculates from earlier steps: that is CONSTRAIN or INFER, not CORRELATE"
    return None


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
