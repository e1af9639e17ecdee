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

import numpy as np
import numpy.typing as npt

from srt.io.errors import UserError

_STEPS = 4096  # that are packed at a time


def pack_steps(
    steps: npt.NDArray[np.int64], lengths: npt.NDArray[np.int32], capacity: int, processes: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Pack the sequences of each optimizer step into rows of at most ``capacity`` tokens; all steps have as many rows.

    That number is the smallest multiple of ``processes`` with which all steps fit, so that accumulation is the same for
    the whole run. The sequences of a step are assigned longest first, each to the row with the fewest tokens so far
    (Graham, "Bounds on Multiprocessing Timing Anomalies", 1969: the fullest row is at most a third fuller than in the
    best packing). The fullest row of a step comes first, so that rows that are computed at the same time have similar
    lengths, and the processes wait little for one another.

    Args:
        steps: the indices of the sequences of each step, [steps, sequences].
        lengths: tokens of each sequence, by index.
        capacity: tokens that a row may have.
        processes: the number of processes that share the rows of a step.

    Returns:
        The indices of each step in the order of its rows, [steps, sequences], and how many each row has, [steps, rows].

    Raises:
        UserError: a sequence longer than ``capacity``, or more rows needed than a step has sequences.
    """
    count, sequences = steps.shape
    if not steps.size:
        return steps, np.zeros((count, processes), dtype=np.int64)
    longest = int(lengths[np.unique(steps)].max())
    if longest > capacity:
        raise UserError(f"pack: {capacity} tokens a row are too few for a sequence of {longest}")
    totals = lengths[steps].sum(axis=1, dtype=np.int64)
    # The fullest steps are tried first: with too few rows it is they that do not fit.
    hardest = np.argsort(-totals, kind="stable")
    # Fewer cannot hold the fullest step.
    rows = processes * -(-int(totals.max()) // (capacity * processes))
    while rows <= sequences:
        members, sizes = np.empty_like(steps), np.empty((count, rows), dtype=np.int64)
        for start in range(0, count, _STEPS):
            some = hardest[start : start + _STEPS]
            members[some], sizes[some], fullest = _assign(steps[some], lengths, rows)
            if fullest > capacity:
                break
        else:
            return members, sizes
        rows += processes
    raise UserError(
        f"pack: rows of {capacity} tokens on {processes} processes need {rows} rows a step, and a step has only "
        f"{sequences} sequences; raise pack or batch_size"
    )


def _assign(
    steps: npt.NDArray[np.int64], lengths: npt.NDArray[np.int32], rows: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
    """Assign the sequences of all ``steps`` at once, longest first, to ``rows`` rows each; the fullest row first.

    Returns indices and sizes as :func:`pack_steps`, and the tokens of the fullest row.
    """
    longest_first = np.argsort(-lengths[steps], axis=1, kind="stable")
    steps = np.take_along_axis(steps, longest_first, axis=1)
    # All steps at once, sequence by sequence: a step has some dozens of sequences, a run has up to a million steps.
    every = np.arange(len(steps))
    loads = np.zeros((len(steps), rows), dtype=np.int64)
    row_of = np.empty(steps.shape, dtype=np.int64)
    for at in range(steps.shape[1]):
        row_of[:, at] = emptiest = loads.argmin(axis=1)
        loads[every, emptiest] += lengths[steps[:, at]]
    fullest_first = np.argsort(-loads, axis=1, kind="stable")
    place = np.argsort(fullest_first, axis=1)  # of each row among the rows of its step
    place_of = np.take_along_axis(place, row_of, axis=1)
    sizes = np.bincount((every[:, None] * rows + place_of).ravel(), minlength=loads.size).reshape(loads.shape)
    by_row = np.argsort(place_of, axis=1, kind="stable")
    return np.take_along_axis(steps, by_row, axis=1), sizes, int(loads.max())
