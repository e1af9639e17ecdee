from __future__ import annotations

import random
import time
from itertools import combinations

import pytest

from eval.scoring.vote import Votes, majority, pass_at_k, preferred


def voted(answers: list[str | None], values: dict[str, float]) -> float:
    """The vote of one set of samples; a tie is worth the mean of the tied."""
    given = [answer for answer in answers if answer is not None]
    if not given:
        return 0.0
    most = max(map(given.count, given))
    leading = sorted({answer for answer in given if given.count(answer) == most})
    return sum(values[answer] for answer in leading) / len(leading)


@pytest.mark.parametrize("seed", range(12))
def test_majority_is_the_mean_over_all_subsets(seed: int) -> None:
    drawn = random.Random(seed)
    answers = [drawn.choice(["A", "B", "C", "D", None]) for _ in range(8)]
    values = {"A": 1.0, "B": 0.0, "C": 0.5, "D": drawn.choice([0.0, 1.0])}
    heaps = [Votes(answers.count(letter), values[letter]) for letter in values if letter in answers]
    found = majority(heaps, answers.count(None))
    assert found[0] == 0
    for k in range(1, 9):
        every = [voted(list(subset), values) for subset in combinations(answers, k)]
        assert found[k] == pytest.approx(sum(every) / len(every)), k


@pytest.mark.parametrize("seed", range(6))
def test_preferred_is_the_mean_over_all_subsets(seed: int) -> None:
    drawn = random.Random(seed)
    samples = [(drawn.choice(["A", "B", "C", None]), drawn.random() < 0.3) for _ in range(7)]
    samples = [(answer, picked and answer is not None) for answer, picked in samples]
    values = {"A": 1.0, "B": 0.0, "C": 0.5}

    def heaps(picked: bool) -> list[Votes]:
        given = [answer for answer, chosen in samples if chosen == picked and answer is not None]
        return [Votes(given.count(answer), values[answer]) for answer in sorted(set(given))]

    found = preferred(heaps(True), heaps(False), sum(answer is None for answer, _ in samples))
    for k in range(1, 8):
        every = []
        for subset in combinations(samples, k):
            chosen = [answer for answer, picked in subset if picked]
            every.append(voted(chosen if chosen else [answer for answer, _ in subset], values))
        assert found[k] == pytest.approx(sum(every) / len(every)), k


def test_pass_at_k_is_the_share_of_subsets_with_a_right_one() -> None:
    for right in range(7):
        samples = [1] * right + [0] * (6 - right)
        found = pass_at_k(right, 6)
        for k in range(1, 7):
            every = [any(subset) for subset in combinations(samples, k)]
            assert found[k] == pytest.approx(sum(every) / len(every))


def test_ties_by_hand() -> None:
    assert majority([Votes(1, 1.0), Votes(1, 0.0)], 0).tolist() == [0, 0.5, 0.5]
    assert majority([Votes(1, 1.0)], 1).tolist() == [0, 0.5, 1.0]  # who gives no answer does not vote
    assert majority([], 3).tolist() == [0, 0, 0, 0]


def test_many_samples_are_counted_too() -> None:
    """256 samples with ten answers: sums of subsets by the 10^75, in little time, and still chances."""
    heaps = [Votes(60, 1.0), *(Votes(20 + n, 0.0) for n in range(9))]
    start = time.process_time()
    found = majority(heaps, 256 - sum(heap.votes for heap in heaps) if sum(h.votes for h in heaps) < 256 else 0)
    assert time.process_time() - start < 5
    assert found[1] == pytest.approx(60 / sum(heap.votes for heap in heaps))
    assert found[-1] == 1.0
    assert all(0 <= value <= 1 + 1e-9 for value in found)
