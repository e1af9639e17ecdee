"""The checker: whether each step of a trace follows from what it cites. It never uses the solvers of :mod:`srt.worlds`.

Only support is decided here; ``truth`` stays ``unknown`` and is filled in where a solver is available.
"""

from __future__ import annotations

from collections.abc import Callable

from srt.checking.free.check_free import check_free
from srt.checking.seating.check_seating import check_seating
from srt.io.errors import UserError
from srt.io.records import Problem
from srt.language.trace import StepCheck, Trace, TraceCheck

CHECKERS: tuple[Callable[[Problem, Trace], TraceCheck | None], ...] = (check_seating,)
"""One for each exact world; each returns ``None`` for a problem of another world."""


def check(problem: Problem, trace: Trace) -> TraceCheck:
    """The verdicts on every step of ``trace`` and on its answer.

    The steps of a world trace are ``unchecked`` if no checker can read its problem. A free or a cot trace is checked by
    the claims found in its prose, whatever its problem.

    Raises:
        UserError: ``trace`` is a trace of another problem.
    """
    if trace.problem_id != problem.id:
        raise UserError(f"trace {trace.id}: problem_id is {trace.problem_id}, but the problem given is {problem.id}")
    if trace.kind != "world":
        return check_free(problem, trace)
    for checker in CHECKERS:
        if (checked := checker(problem, trace)) is not None:
            return checked
    verdict = StepCheck(support="unchecked", reason="no checker knows this problem")
    return TraceCheck(steps=(verdict,) * len(trace.steps), answer=verdict)
