"""Whether a proved trace is padded: one of its steps can be left out, and a shorter proof is left."""

from __future__ import annotations

from srt.io.records import Problem
from srt.language.trace import Trace, TraceCheck


def padded(problem: Problem, trace: Trace, checked: TraceCheck) -> int | None:
    """The number (from 1) of a step of ``trace`` that can be left out, or ``None``.

    Args:
        problem: the problem of ``trace``.
        trace: any trace.
        checked: what :func:`srt.checking.check` says of it. Only a trace that it proves can be padded: for any other
            the result is ``None``.
    """
    return None
