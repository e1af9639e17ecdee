"""Choosing among samples: the expected score of a choice among ``k`` of the samples that were drawn.

Everything is counted exactly over the subsets of the samples, nothing is drawn: no figure depends on chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import zip_longest
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.polynomial.polynomial import polyadd

from srt.statistics.crossed_variance import Floats


class Votes(NamedTuple):
    """Samples that gave the same answer: how many, and the score of that answer."""

    votes: int
    value: float


def pass_at_k(right: int, count: int) -> Floats:
    """The chance that at least one of ``k`` samples is right, for ``k`` from 0 to ``count``, if ``right`` of all are.

    ``1 - C(count - right, k) / C(count, k)``, unbiased (Chen et al., Evaluating Large Language Models Trained on
    Code, arXiv 2107.03374, 2021, eq. 1).
    """
    return np.array([1 - comb(count - right, k) / comb(count, k) for k in range(count + 1)])


def majority(answers: Sequence[Votes], silent: int) -> Floats:
    """The score of the most frequent answer of ``k`` samples, for ``k`` from 0 to all; ``silent`` samples gave none.

    Samples without an answer do not vote; if none votes, the score is 0. A tie scores the mean of the tied answers,
    which is the mean of "the first answer wins" over all orders of the samples.
    """
    total = silent + sum(answer.votes for answer in answers)
    score = np.zeros(total + 1)
    for index, answer in enumerate(answers):
        # A wrong answer scores nothing by winning, and counting its ways to win is the expensive part.
        if answer.value:
            others = tuple(sorted(other.votes for at, other in enumerate(answers) if at != index))
            score += answer.value * np.array(_wins(answer.votes, others, silent))
    return score


def preferred(chosen: Sequence[Votes], rest: Sequence[Votes], silent: int) -> Floats:
    """The same with a selection before the vote: only the ``chosen`` samples vote, and if none of the ``k`` is chosen,
    the ``rest`` vote."""
    picked, left = sum(answer.votes for answer in chosen), silent + sum(answer.votes for answer in rest)
    total = picked + left
    among, without = majority(chosen, 0), majority(rest, silent)
    score = np.zeros(total + 1)
    for k in range(total + 1):
        ways = comb(total, k)
        if k <= left:
            score[k] += comb(left, k) / ways * without[k]
        # The chance that j of the k are chosen ones (hypergeometric), and then the vote among these j.
        for j in range(1, min(k, picked) + 1):
            score[k] += comb(picked, j) * comb(left, k - j) / ways * among[j]
    return score


@lru_cache(maxsize=100_000)
def _wins(own: int, others: tuple[int, ...], silent: int) -> tuple[float, ...]:
    """The chance that an answer with ``own`` samples wins among ``k`` drawn, for ``k`` from 0 to all; a tie with ``t``
    others counts ``1 / (t + 1)``.

    For each number ``m`` of own samples drawn, a polynomial in x counts the ways to draw the others, each at most ``m``
    times, separately for each number ``t`` of answers that are drawn exactly ``m`` times.
    """
    total = own + sum(others) + silent
    # Floats: the binomial coefficients of a hundred samples do not fit in 64 bits.
    ways = np.zeros(total + 1)
    silence = np.array([float(comb(silent, i)) for i in range(silent + 1)])
    for m in range(1, own + 1):
        by_ties = [silence]
        for other in others:
            # Fewer times than the answer in question: no tie with it.
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
    pairs = zip_longest(first, second, fillvalue=np.zeros(1))
    return [np.asarray(polyadd(a, b), dtype=np.float64) for a, b in pairs]
