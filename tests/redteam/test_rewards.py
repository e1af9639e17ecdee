"""No text is paid more than its bound, and the search finds out a reward that pays too much."""

from __future__ import annotations

import pytest

from srt.io.records import Problem
from srt.rewards import Reward
from tests.redteam import rewards as red_team
from tests.redteam.rewards import by_hand, by_search, free
from tests.redteam.search import WORLDS

A_WORLD = pytest.mark.parametrize("world", WORLDS)


@A_WORLD
@pytest.mark.parametrize(("candidates", "problems"), [(300, 8), pytest.param(20_000, 40, marks=pytest.mark.slow)])
def test_no_edited_trace_is_paid_more_than_its_bound(world: str, candidates: int, problems: int) -> None:
    table = by_search(world, candidates, problems)
    assert sum(paid.texts for paid in table.values()) > candidates
    assert {name: paid.above for name, paid in table.items() if paid.above} == {}
    assert table["no answer"].highest == 0
    assert table["a wrong answer"].highest <= 0.5
    assert table["the right answer, all steps follow"].highest == 1.5, "proofs are found, too"


@A_WORLD
def test_no_text_by_hand_is_paid_more_than_its_bound(world: str) -> None:
    table = by_hand(world, problems=1)
    assert {name: paid.above for name, paid in table.items() if paid.above} == {}
    assert table["no answer"].highest == 0
    assert table["the right answer"].highest <= 0.5
    assert table["the right answer"].texts > 50


def test_prose_is_paid_for_a_right_answer_alone() -> None:
    table = free()
    assert {name: paid.above for name, paid in table.items() if paid.above} == {}
    assert table["the right answer"].highest == 1


def test_a_reward_that_counts_proved_steps_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def by_count(problem: Problem, text: str) -> Reward:
        paid = honest(problem, text)
        return paid.model_copy(update={"value": min(1.0, text.count("\n") / 10)})

    honest = red_team.reward
    monkeypatch.setattr(red_team, "reward", by_count)
    table = by_hand("routes", problems=1)
    assert all(paid.above for paid in table.values())
