"""Which traces are trained on: the one filter of ``srt build`` and ``srt experiment``.

It goes by verdicts that the checker gives here and now. Those that a file of traces holds come from outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final, Literal, get_args

from srt.checking.padding import padded
from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError
from srt.io.progress import progress
from srt.io.records import Problem
from srt.io.worker_processes import Workers
from srt.language.trace import Trace, TraceCheck
from srt.pipeline.check import check_claims, first_fault

Keep = Literal["auto", "proved", "not-refuted", "all"]
"""``auto``: ``proved`` for traces of exact worlds, ``not-refuted`` for those in prose, which are never proved.

A proof with a step that adds nothing is padded: where only proofs are kept, it is left out too.
"""
KEEP = get_args(Keep)
VerdictReason = Literal["refuted", "not_proved", "padded"]
NotKept = tuple[VerdictReason, str]
"""Why a trace is not kept, in a word and in one line."""
_CHUNK: Final = 16


def keep_named(name: str) -> Keep:
    """The setting of this name; raises a :class:`UserError` for an unknown one."""
    found: Keep | None = next((keep for keep in KEEP if keep == name), None)
    if found is None:
        raise UserError(f"keep: unknown {name!r}{did_you_mean(name, KEEP)}: it is one of {', '.join(KEEP)}")
    return found


def left_out(problem: Problem, trace: Trace, keep: Keep) -> NotKept | None:
    """Check ``trace``, unless all are kept: why ``keep`` leaves it out, ``None`` if it does not."""
    if keep == "all":
        return None
    checked = check_claims(problem, trace)
    if (why := left_out_by(checked, trace, keep)) is not None or keep == "not-refuted":
        return why
    idle = padded(problem, trace, checked)
    return None if idle is None else ("padded", f"step {idle} adds nothing: without it a shorter proof is left")


def left_out_by(checked: TraceCheck, trace: Trace, keep: Keep) -> NotKept | None:
    """Why ``keep`` leaves out ``trace``, on which the checker has the verdicts ``checked``; ``None`` if it does not."""
    must_be_proved = keep == "proved" or (keep == "auto" and trace.kind == "world")
    if checked.refuted and keep != "all":
        return "refuted", first_fault(trace, checked) or "it is refuted"
    if must_be_proved and not checked.proved:
        of_world = trace.kind == "world"
        return "not_proved", (of_world and first_fault(trace, checked)) or "a trace in prose is never proved"
    return None


def left_out_of(
    pairs: Iterable[tuple[Problem, Trace]], total: int, keep: Keep, what: str, workers: int
) -> Iterator[NotKept | None]:
    """:func:`left_out` of each of ``pairs``, in their order; ``workers`` processes share the work."""
    with Workers(workers, here=_CHUNK) as pool:
        yield from progress(pool.map(partial(_of_pair, keep), pairs, _CHUNK), total, what)


def _of_pair(keep: Keep, pair: tuple[Problem, Trace]) -> NotKept | None:
    return left_out(*pair, keep)
