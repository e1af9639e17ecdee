"""The checker: whether each step of a trace follows from what it cites. It never uses the solvers of :mod:`srt.worlds`.

Only support is judged here; the column ``truth`` stays ``unknown`` and is filled in by whoever has a solver.
"""

from __future__ import annotations

from collections.abc import Callable

from srt.checking.free.verdicts import check_free
from srt.checking.seating.verdicts import check_seating
from srt.errors import UserError
from srt.language.trace import StepCheck, Trace, TraceCheck
from srt.records import Problem

CHECKERS: tuple[Callable[[Problem, Trace], TraceCheck | None], ...] = (check_seating,)
"""One for each exact world; each gives ``None`` for a problem that is none of its world's."""


def check(problem: Problem, trace: Trace) -> TraceCheck:
    """The verdicts on every step of ``trace`` and on its answer.

    The steps of a world trace are ``unchecked`` where no checker knows its problem. A free or a cot trace is judged by
    the claims that a machine finds in its prose, whatever its problem.

    Raises:
        UserError: ``trace`` is a trace of another problem.
    """
    if trace.problem_id != problem.id:
        raise UserError(f"trace {trace.id}: problem_id is {trace.problem_id}, but the problem given is {problem.id}")
    if trace.kind != "world":
        return check_free(problem, trace)
    found = (checker(problem, trace) for checker in CHECKERS)
    return next((verdict for verdict in found if verdict is not None), None) or _unchecked(
        trace, "no checker knows this problem"
    )


def _unchecked(trace: Trace, reason: str) -> TraceCheck:
    verdict = StepCheck(support="unchecked", reason=reason)
    return TraceCheck(steps=(verdict,) * len(trace.steps), answer=verdict)
