"""Choosing among samples: what is to be expected of a choice among ``k`` of the samples that were drawn.

All is counted exactly over the subsets of the samples that there are, never drawn: no figure depends on chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Heap(NamedTuple):
    """Samples that gave one and the same answer: how many, and the score of that answer."""

    votes: int
    value: float


def pass_at_k(right: int, count: int) -> Floats:
    """The chance that at least one of ``k`` samples is right, for ``k`` from 0 to ``count``, ``right`` of which are.

    ``1 - C(count - right, k) / C(count, k)``, without bias (Chen et al., Evaluating Large Language Models Trained on
    Code, arXiv 2107.03374, 2021, eq. 1).
    """
    return np.array([1 - comb(count - right, k) / comb(count, k) for k in range(count + 1)])


def majority(heaps: Sequence[Heap], silent: int) -> Floats:
    """The score of the answer that most of ``k`` samples gave, for ``k`` from 0 to all; ``silent`` ones gave none.

    Samples without an answer do not vote; where none votes, the score is 0. A tie is worth the mean score of the tied
    answers: what "the answer that came first wins" gives on the mean over all orders of the samples.
    """
    total = silent + sum(heap.votes for heap in heaps)
    score = np.zeros(total + 1)
    for index, heap in enumerate(heaps):
        if heap.value:
            others = tuple(sorted(other.votes for at, other in enumerate(heaps) if at != index))
            score += heap.value * np.array(_wins(heap.votes, others, silent))
    return score


def preferred(chosen: Sequence[Heap], rest: Sequence[Heap], silent: int) -> Floats:
    """The same, where someone who knows more picks samples first: those ``chosen`` vote alone, and only where none of
    the ``k`` is chosen do the ``rest`` vote."""
    picked, left = sum(heap.votes for heap in chosen), silent + sum(heap.votes for heap in rest)
    total = picked + left
    among, without = majority(chosen, 0), majority(rest, silent)
    score = np.zeros(total + 1)
    for k in range(total + 1):
        ways = comb(total, k)
        if k <= left:
            score[k] += comb(left, k) / ways * without[k]
        for j in range(1, min(k, picked) + 1):
            score[k] += comb(picked, j) * comb(left, k - j) / ways * among[j]
    return score


@lru_cache(maxsize=100_000)
def _wins(own: int, others: tuple[int, ...], silent: int) -> tuple[float, ...]:
    """The chance that ``own`` samples of one answer win among ``k`` drawn, for ``k`` from 0 to all; a tie of ``t`` with
    others counts ``1 / (t + 1)``.

    For each number ``m`` of own samples drawn, a polynomial in x counts the ways to draw the others, none more than
    ``m`` times, apart for each number ``t`` of them that are drawn ``m`` times.
    """
    total = own + sum(others) + silent
    ways = np.zeros(total + 1)
    silence = np.array([float(comb(silent, i)) for i in range(silent + 1)])
    for m in range(1, own + 1):
        by_ties = [silence]
        for other in others:
            fewer = np.array([float(comb(other, i)) for i in range(min(other, m - 1) + 1)])
            extended = [np.convolve(polynomial, fewer) for polynomial in by_ties]
            if other >= m:
                tied = np.zeros(m + 1)
                tied[m] = comb(other, m)
                extended = _added(extended, [np.zeros(1), *(np.convolve(each, tied) for each in by_ties)])
            by_ties = extended
        for ties, polynomial in enumerate(by_ties):
            ways[m : m + len(polynomial)] += float(comb(own, m)) * polynomial / (ties + 1)
    return tuple(float(ways[k]) / comb(total, k) for k in range(total + 1))


def _added(first: list[Floats], second: list[Floats]) -> list[Floats]:
    sums = []
    for at in range(max(len(first), len(second))):
        a = first[at] if at < len(first) else np.zeros(1)
        b = second[at] if at < len(second) else np.zeros(1)
        length = max(len(a), len(b))
        sums.append(np.pad(a, (0, length - len(a))) + np.pad(b, (0, length - len(b))))
    return sums
