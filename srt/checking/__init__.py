"""The checker: whether each step of a trace follows from what it cites. It never loads the solver of a world.

Only support is decided here; ``truth`` stays ``unknown`` and is filled in where a solver is available.
"""

from __future__ import annotations

from srt.checking.size_limits import oversize
from srt.io.errors import UserError
from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import StepCheck, Trace, TraceCheck
from srt.prose.checking.check_free import check_free
from srt.worlds.world_registry import checkers


def check(problem: Problem, trace: Trace) -> TraceCheck:
    """The verdicts on every step of ``trace`` and on its answer.

    The steps of a world trace are ``unchecked`` if no checker can read its problem. A free or a cot trace is checked by
    the claims found in its prose, whatever its problem. Nothing of a trace that is too large is checked: every step has
    the fault ``too_large``, and the reason names the limit (:mod:`srt.checking.size_limits`).

    Raises:
        UserError: ``trace`` is a trace of another problem.
    """
    if trace.problem_id != problem.id:
        raise UserError(f"trace {trace.id}: problem_id is {trace.problem_id}, but the problem given is {problem.id}")
    if reason := oversize(problem, trace):
        return _unchecked(trace, StepCheck(support="unchecked", fault=Fault.TOO_LARGE, reason=reason))
    if trace.kind != "world":
        return check_free(problem, trace)
    for checker in checkers():
        if (checked := checker(problem, trace)) is not None:
            return checked
    return _unchecked(trace, StepCheck(support="unchecked", reason="no checker knows this problem"))


def _unchecked(trace: Trace, verdict: StepCheck) -> TraceCheck:
    return TraceCheck(steps=(verdict,) * len(trace.steps), answer=verdict)
