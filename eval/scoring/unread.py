"""Outputs from which no answer was read. They count as wrong, whatever they say.

A model that was taught how to end a text is nearly always read; one that was not may state the right answer where
nobody finds it. Where two arms differ in how often that happens, a part of their difference may be due to how they
write. So every report has the share of each arm, and what the difference is if all of them count as right
(:mod:`eval.scoring.unread_differences`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from eval.records.run_records import Run, mean_values
from eval.records.run_rows import RowId, StoredScore
from srt.io.records import Status

UNREAD: Final[tuple[Status, ...]] = ("no_answer", "ambiguous", "truncated")
"""The statuses of such outputs: none was found, several were, or the token budget ended the text before one. An output
that was not generated (``error``) has nothing to read."""


def unread_share(scores: Iterable[StoredScore]) -> float:
    """The share of unread outputs, in [0, 1]: the mean over problems, as accuracy is, so that both can be added."""
    values = mean_values(replace(row, value=float(row.status in UNREAD)) for row in scores)
    return sum(values.values()) / len(values) if values else 0.0


def with_unread_as(run: Run, value: Callable[[RowId], float]) -> Run:
    """``run`` with the score ``value`` for each unread output; all else as it was scored."""
    changed = {key: replace(row, value=value(key)) for key, row in run.scores.items() if row.status in UNREAD}
    return replace(run, scores=run.scores | changed)
