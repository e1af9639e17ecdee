"""Estimates: the arithmetic against scipy, and a sample that the full run does not pay for again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from statistics import stdev

import pytest
from scipy import stats

from srt.teaching.cost_estimate import draw_sample, estimate_cost, estimate_rows, student_t


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 6, 9, 30, 200, 5000])
def test_quantiles(degrees: int) -> None:
    assert student_t(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=2e-4)


@pytest.fixture
def journal() -> Iterator[sqlite3.Connection]:
    """Ten problems have ended; problem ``n`` cost ``n`` for a teacher, and 10 for a reviewer where ``n`` is odd.

    Of a problem's cost, half of what the teacher got is not certain.
    """
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE cases (position, problem_id, state)")
    db.execute("CREATE TABLE requests (role, problem_id, input_tokens, output_tokens, cost)")
    db.execute("CREATE TABLE at_risk (role, problem_id, cost)")
    for n in range(10):
        db.execute("INSERT INTO cases VALUES (?, ?, ?)", (n, f"p{n}", "pending" if n == 9 else "accepted"))
        db.execute("INSERT INTO requests VALUES ('teacher', ?, 100, 10, ?)", (f"p{n}", n / 2))
        db.execute("INSERT INTO at_risk VALUES ('teacher', ?, ?)", (f"p{n}", n / 2))
        if n % 2:
            db.execute("INSERT INTO requests VALUES ('reviewer', ?, 50, 5, 10.0)", (f"p{n}",))
    yield db
    db.close()


def test_the_interval_is_that_of_a_mean_without_replacement(journal: sqlite3.Connection) -> None:
    guess = estimate_cost(journal.execute, [1, 2, 3, 4, 9], 40, "EUR")
    assert guess is not None
    costs = [11.0, 2.0, 13.0, 4.0]
    mean, error = sum(costs) / 4, stdev(costs) / 2 * (1 - 4 / 40) ** 0.5
    low, high = stats.t.interval(0.95, 3, loc=mean, scale=error)
    assert (guess.sample, guess.cost_a_problem, guess.total) == (4, mean, 40 * mean)
    assert guess.low == pytest.approx(max(0, 40 * low), rel=1e-3)
    assert guess.high == pytest.approx(40 * high, rel=1e-3)
    assert guess.drawn == 5
    assert "4 of 5 drawn" in estimate_rows(guess)["sample"]
    assert guess.by_role["reviewer"].requests == 0.5
    assert guess.by_role["teacher"].input_tokens == 100
    assert sum(role.cost for role in guess.by_role.values()) == pytest.approx(mean)


def test_all_problems_leave_no_doubt(journal: sqlite3.Connection) -> None:
    guess = estimate_cost(journal.execute, range(9), 9, "EUR")
    assert guess is not None
    assert guess.low == guess.total == guess.high == sum(range(9)) + 40
    assert "cheap" not in estimate_rows(guess)["sample"]


def test_one_problem_is_no_sample(journal: sqlite3.Connection) -> None:
    assert estimate_cost(journal.execute, [1, 9], 40, "EUR") is None


def test_samples_are_drawn_once_and_differ_by_seed() -> None:
    assert draw_sample(1000, 20, 0) == draw_sample(1000, 20, 0)
    assert draw_sample(1000, 20, 0) != draw_sample(1000, 20, 1)
    assert len(set(draw_sample(1000, 20, 0))) == 20
    assert draw_sample(5, 20, 0) == [0, 1, 2, 3, 4]


def test_of_a_hundred_estimates_about_95_hold() -> None:
    """Costs as a loop has them: most problems cost one draft and one review, some many rounds."""
    costs = [1.0 + (n % 10 == 0) * 4.0 + (n % 7 == 0) * 1.5 for n in range(500)]
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE cases (position INTEGER, problem_id, state)")
    db.execute("CREATE TABLE requests (role, problem_id, input_tokens, output_tokens, cost)")
    db.execute("CREATE TABLE at_risk (role, problem_id, cost)")
    db.executemany("INSERT INTO cases VALUES (?, ?, 'accepted')", [(n, f"p{n}") for n in range(500)])
    db.executemany("INSERT INTO requests VALUES ('teacher', ?, 1, 1, ?)", [(f"p{n}", c) for n, c in enumerate(costs)])
    held = 0
    for seed in range(200):
        guess = estimate_cost(db.execute, draw_sample(500, 50, seed), 500, "EUR")
        assert guess is not None
        held += guess.low <= sum(costs) <= guess.high
    db.close()
    assert 0.90 <= held / 200 <= 0.99
