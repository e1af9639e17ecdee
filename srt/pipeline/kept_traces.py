"""Which traces are trained on: the one filter of ``srt build`` and ``srt experiment``.

It goes by verdicts that the checker gives here and now. Those that a file of traces holds come from outside.
"""

from __future__ import annotations

from typing import Literal, get_args

from srt.checking import check
from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError
from srt.io.records import Problem
from srt.language.trace import Trace, TraceCheck
from srt.pipeline.check import first_fault

Keep = Literal["auto", "proved", "not-refuted", "all"]
"""``auto``: ``proved`` for traces of exact worlds, ``not-refuted`` for those in prose, which are never proved."""
KEEP = get_args(Keep)
VerdictReason = Literal["refuted", "not_proved"]


def keep_named(name: str) -> Keep:
    """The setting of this name; raises a :class:`UserError` for an unknown one."""
    found: Keep | None = next((keep for keep in KEEP if keep == name), None)
    if found is None:
        raise UserError(f"keep: unknown {name!r}{did_you_mean(name, KEEP)}: it is one of {', '.join(KEEP)}")
    return found


def left_out(problem: Problem, trace: Trace, keep: Keep) -> tuple[VerdictReason, str] | None:
    """Check ``trace``, unless all are kept: why ``keep`` leaves it out, in a word and in one line, if it does."""
    return None if keep == "all" else left_out_by(trace, check(problem, trace), keep)


def left_out_by(trace: Trace, checked: TraceCheck, keep: Keep) -> tuple[VerdictReason, str] | None:
    """Why ``keep`` leaves out ``trace``, on which the checker has the verdicts ``checked``; ``None`` if it does not."""
    must_be_proved = keep == "proved" or (keep == "auto" and trace.kind == "world")
    if keep == "all" or checked.proved or not (checked.refuted or must_be_proved):
        return None
    detail = first_fault(trace, checked) or "prose is never proved"
    return ("refuted" if checked.refuted else "not_proved"), detail
