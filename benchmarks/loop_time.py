"""The processor time of training loops alone, without what comes before them (tokens, the model); tokens they took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from train.loop.trl_trainer import TraceTrainer


@contextmanager
def loop_seconds() -> Iterator[list[float]]:
    """Within it, each run of ``TraceTrainer.train`` adds its seconds of processor time to the list."""
    seconds: list[float] = []
    whole_loop = TraceTrainer.train

    def timed(self: TraceTrainer, *args: Any, **kwargs: Any) -> Any:
        start = time.process_time()
        result = whole_loop(self, *args, **kwargs)
        seconds.append(time.process_time() - start)
        return result

    TraceTrainer.train = timed  # type: ignore[method-assign]
    try:
        yield seconds
    finally:
        TraceTrainer.train = whole_loop  # type: ignore[method-assign]


class TakenTokens:
    """Counts the tokens of the batches that a loop of TRL really took."""

    def __init__(self) -> None:
        self.taken = 0

    def collate_with(self, collate: Any) -> Any:
        """``collate``, with the tokens of its rows counted."""

        def counted(rows: list[dict[str, Any]]) -> Any:
            self.taken += sum(len(row["input_ids"]) for row in rows)
            return collate(rows)

        return counted
