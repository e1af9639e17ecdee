"""The checker: whether each step of a trace follows from what it cites. It never loads the solver of a world.

Only support is decided here; ``truth`` stays ``unknown`` and is filled in where a solver is available.
"""

from __future__ import annotations

import re

from srt.checking.size_limits import oversize
from srt.io.errors import UserError
from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import Step, StepCheck, Trace, TraceCheck
from srt.prose.checking.check_free import check_free
from srt.worlds.world_registry import checkers


def check(problem: Problem, trace: Trace) -> TraceCheck:
    """The verdicts on every step of ``trace`` and on its answer.

    The problem decides how it is judged. On a problem of an exact world only a trace of that world is: every step of
    prose has the fault ``another_form``, and every step of a trace in another language than its problem
    ``another_language``. On any other problem a free or a cot trace is checked by the claims found in its prose, and
    the steps of a world trace are ``unchecked``. Nothing of a trace that is too large is checked: every step has the
    fault ``too_large``, and the reason names the limit (:mod:`srt.checking.size_limits`).

    Raises:
        UserError: ``trace`` is a trace of another problem.
    """
    if trace.problem_id != problem.id:
        raise UserError(f"trace {trace.id}: problem_id is {trace.problem_id}, but the problem given is {problem.id}")
    if reason := oversize(problem, trace):
        return _unchecked(trace, StepCheck(support="unchecked", fault=Fault.TOO_LARGE, reason=reason))
    if trace.kind == "world" and trace.lang == problem.lang:
        found = _by_its_world(problem, trace) or _unchecked(trace, _UNKNOWN)
        twice = found.answer.support == "proved" and _names_twice(problem, trace.answer)
        return found.model_copy(update={"answer": _TWICE}) if twice else found
    if is_of_a_world(problem):
        return _unchecked(trace, _ANOTHER_FORM if trace.kind != "world" else _ANOTHER_LANGUAGE)
    return _unchecked(trace, _UNKNOWN) if trace.kind == "world" else check_free(problem, trace)


def is_of_a_world(problem: Problem) -> bool:
    """Whether the checker of some exact world knows ``problem``, so that only a trace of that world can be proved."""
    # A checker returns None for a problem of another world, whatever the trace is.
    smallest = Trace(
        id="smallest", problem_id=problem.id, kind="world", lang=problem.lang, steps=(Step(op="INFER", claim="?"),),
        answer="?",
    )  # fmt: skip
    return _by_its_world(problem, smallest) is not None


def _by_its_world(problem: Problem, trace: Trace) -> TraceCheck | None:
    """The verdicts of the first checker that knows ``problem``; ``None`` if none does."""
    return next((found for checker in checkers() if (found := checker(problem, trace)) is not None), None)


def _names_twice(problem: Problem, answer: str) -> bool:
    """Whether ``answer`` is letters of options, one of them repeated."""
    letters = re.findall(r"[^\W\d_]+", answer)
    return bool(problem.choices) and len({*letters}) < len(letters) and {*letters} <= problem.choices.keys()


_TWICE = StepCheck(support="unchecked", fault=Fault.MALFORMED, reason="the answer names an option twice")
_UNKNOWN = StepCheck(support="unchecked", reason="no checker knows this problem")
_ANOTHER_FORM = StepCheck(
    support="unchecked",
    fault=Fault.ANOTHER_FORM,
    reason="the problem is of an exact world, and this is no trace of that world",
)
_ANOTHER_LANGUAGE = StepCheck(
    support="unchecked",
    fault=Fault.ANOTHER_LANGUAGE,
    reason="the trace is in another language than its problem",
)


def _unchecked(trace: Trace, verdict: StepCheck) -> TraceCheck:
    return TraceCheck(steps=(verdict,) * len(trace.steps), answer=verdict)
