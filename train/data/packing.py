"""Packing: concatenate the sequences of an optimizer step into rows, so that no padding is computed.

    a step, padded: 4 x 5 positions     the same step in two rows of at most 8 tokens
    A A A A A                           A A A A A C C C
    B B B B .                           B B B B D D
    C C C . .
    D D . . .

A token attends to the tokens before it in its own sequence and to nothing else, and positions start again at 0 with
each sequence. What the first row attends to (a row of the drawing is a token, a column what it attends to):

              A A A A A C C C
    A   0     x
    A   1     x x
    A   2     x x x
    A   3     x x x x
    A   4     x x x x x
    C   0               x
    C   1               x x
    C   2               x x x

This block-diagonal mask is never built: the bounds of the sequences go with the row instead
(:mod:`train.models.packed_attention`).
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from srt.io.errors import UserError

Rows = list[list[int]]


def pack_steps(steps: Sequence[Sequence[int]], lengths: Sequence[int], capacity: int, processes: int) -> list[Rows]:
    """Pack the sequences of each optimizer step into rows of at most ``capacity`` tokens; all steps have as many rows.

    That number is the smallest multiple of ``processes`` with which all steps fit, so that accumulation is the same for
    the whole run. The sequences of a step are assigned longest first, each to the row with the fewest tokens so far
    (Graham, "Bounds on Multiprocessing Timing Anomalies", 1969: the fullest row is at most a third fuller than in the
    best packing). The fullest row of a step comes first, so that rows that are computed at the same time have similar
    lengths, and the processes wait little for one another.

    Args:
        steps: the indices of the sequences of each step.
        lengths: tokens of each sequence, by index.
        capacity: tokens that a row may have.
        processes: the number of processes that share the rows of a step.

    Raises:
        UserError: a sequence longer than ``capacity``, or more rows needed than a step has sequences.
    """
    if not steps:
        return []
    ordered = [sorted(step, key=lambda index: -lengths[index]) for step in steps]
    totals = [sum(lengths[index] for index in step) for step in steps]
    longest = max(lengths[step[0]] for step in ordered)
    if longest > capacity:
        raise UserError(f"pack: {capacity} tokens a row are too few for a sequence of {longest}")
    # The fullest steps are tried first: with too few rows it is they that do not fit.
    hardest = sorted(range(len(steps)), key=lambda step: (-totals[step], step))
    smallest = min(map(len, steps))
    rows = processes * -(-totals[hardest[0]] // (capacity * processes))
    while rows <= smallest:
        packed: list[Rows] = [[]] * len(steps)
        for step in hardest:
            packed[step] = _assign(ordered[step], lengths, rows)
            if sum(lengths[index] for index in packed[step][0]) > capacity:
                break
        else:
            return packed
        rows += processes
    raise UserError(
        f"pack: rows of {capacity} tokens on {processes} processes need {rows} rows a step, and a step has only "
        f"{smallest} sequences; raise pack or batch_size"
    )


def _assign(step: Sequence[int], lengths: Sequence[int], rows: int) -> Rows:
    """Assign the sequences of ``step``, longest first, to ``rows`` rows; the fullest row first."""
    assigned: Rows = [[] for _ in range(rows)]
    heap = [(0, row) for row in range(rows)]
    for index in step:
        tokens, row = heap[0]
        assigned[row].append(index)
        heapq.heapreplace(heap, (tokens + lengths[index], row))
    return [assigned[row] for _, row in sorted(heap, key=lambda entry: (-entry[0], entry[1]))]
