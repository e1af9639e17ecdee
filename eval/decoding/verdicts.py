"""The verdicts of a guide, asked in other processes while the model goes on."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from types import TracebackType

from eval.decoding.guide import Guide, LineDraft, Verdict
from srt.io.worker_processes import (
    Outcomes,
    TimeLimitExceeded,
    cores_at_hand,
    in_own_process,
    on_each,
    run_within,
    start_pool,
)

LIMIT_S = 10.0
"""In seconds of the clock: a verdict that takes longer is a refusal."""
_MOST_WORKERS = 8

Pending = Future[Outcomes[Verdict]]


class Verdicts:
    """``with Verdicts(guide) as verdicts``: asks ``guide``, in as many processes as there are other cores.

    With one core there is none, and each verdict is given at once.
    """

    def __init__(self, guide: Guide) -> None:
        self._ask = partial(_verdict, guide)
        self._workers = min(_MOST_WORKERS, cores_at_hand() - 1)
        self._pool = start_pool(self._workers) if self._workers else None

    def ask(self, draft: LineDraft) -> Pending:
        """Ask for the verdict on ``draft``."""
        if self._pool is not None:
            try:
                return self._pool.submit(on_each, self._ask, [draft])
            except BrokenProcessPool:  # :meth:`of` asks once more
                pass
        asked: Pending = Future()
        if self._pool is None:
            asked.set_result(on_each(self._ask, [draft]))
        else:
            asked.set_exception(BrokenProcessPool())
        return asked

    def of(self, asked: Pending, draft: LineDraft) -> Verdict:
        """The verdict that was ``asked`` for ``draft``; a draft whose judgement kills its process is refused."""
        try:
            return asked.result().results[0]
        except BrokenProcessPool:
            # It does not say whose draft killed it: this one is judged where it harms no other.
            verdict = in_own_process(self._ask, draft, _killed)
            if self._pool is not None:
                self._pool.shutdown()
                self._pool = start_pool(self._workers)
            return verdict

    def wait(self, asked: Collection[Pending]) -> None:
        """Wait until one of ``asked`` is there."""
        wait(asked, return_when=FIRST_COMPLETED)

    def __enter__(self) -> Verdicts:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


def _verdict(guide: Guide, draft: LineDraft) -> Verdict:
    try:
        return run_within(LIMIT_S, lambda: guide.verdict(draft))
    except TimeLimitExceeded:
        return Verdict(kept=False, reason=f"it takes more than {LIMIT_S:g} seconds to judge")


def _killed(draft: LineDraft) -> Verdict:
    return Verdict(kept=False, reason="judging it killed its process: memory ran out, or a library failed")
