"""Judge outputs with a last resort against any that does not end, and many of them in several processes, in order."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Final

from srt.checking import check
from srt.io.records import FinishReason, Problem
from srt.io.worker_processes import TimeLimitExceeded, Workers, run_within
from srt.judging.judge import Checker, judge
from srt.judging.judgement import Judgement

_CHUNK: Final = 32
_FEW: Final = 256
"""So many outputs take about as long as processes take to start."""
LIMIT_S: Final = 10.0
"""In seconds of the clock. What is checked is bounded by counts of work (``too_large``) long before."""


def judge_many(pairs: Iterable[tuple[Problem, str]], workers: int = 1) -> Iterator[Judgement]:
    """Judge each output for its problem; ``workers`` processes share the work, and the order stays.

    An output that takes longer than :data:`LIMIT_S`, or that kills its process, is ``too_large``.
    """
    with Workers(workers, here=_FEW) as pool:
        yield from pool.map(_judge_pair, pairs, _CHUNK, killed=_killed)


def judge_within_limit(
    problem: Problem,
    text: str,
    finish_reason: FinishReason = "stop",
    *,
    thinking_open: bool = False,
    checker: Checker = check,
) -> Judgement:
    """As :func:`~srt.judging.judge.judge`, and ``too_large`` after :data:`LIMIT_S`.

    Only the main thread of a process can be interrupted: in others there is no such limit.
    """

    def work() -> Judgement:
        return judge(problem, text, finish_reason, thinking_open=thinking_open, checker=checker)

    if threading.current_thread() is not threading.main_thread():
        return work()
    try:
        return run_within(LIMIT_S, work)
    except TimeLimitExceeded:
        return Judgement(code="too_large", reason=f"it takes more than {LIMIT_S:g} seconds to judge")


def _judge_pair(pair: tuple[Problem, str]) -> Judgement:
    return judge_within_limit(*pair)


def _killed(pair: tuple[Problem, str]) -> Judgement:
    return Judgement(code="too_large", reason="judging it killed its process: memory ran out, or a library failed")
