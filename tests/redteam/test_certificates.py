"""No text is certified whose last plan does not fit the problem, by a brute force; what a certificate cannot tell."""

from __future__ import annotations

import pytest

from srt.judging.judge import judge
from tests.redteam import certificates as red_team
from tests.redteam.certificates import WORLDS, fits, loosened, search
from tests.redteam.test_tricks import TRICKS, proof

A_WORLD = pytest.mark.parametrize("world", WORLDS)


@A_WORLD
@pytest.mark.parametrize(("texts", "problems"), [(200, 10), pytest.param(4_000, 60, marks=pytest.mark.slow)])
def test_no_certificate_for_a_wrong_answer_or_a_plan_that_does_not_fit(world: str, texts: int, problems: int) -> None:
    found = search(world, texts, problems)
    assert found.wrong > texts // 10
    assert found.certified > texts // 10, "texts that are still right are found, too"
    assert found.wrong_answer == []
    assert found.unfit == []


@A_WORLD
def test_a_judge_that_certifies_everything_is_found_out(world: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def certifies(problem: object, text: str) -> object:
        return judge(problem, text).model_copy(update={"certified": True})  # type: ignore[arg-type]

    monkeypatch.setattr(red_team, "judge", certifies)
    found = search(world, 40, 4)
    assert found.wrong_answer
    assert len(found.unfit) > 5


def test_a_trick_is_certified_only_if_its_last_plan_fits() -> None:
    problem, lines = proof("seating")
    assert problem.answer is not None
    known = 0
    for name, trick in TRICKS.items():
        text = "\n".join(trick(list(lines)))
        judged = judge(problem, text)
        if judged.certified:
            known += 1
            assert judged.right, name
            assert fits("seating", problem, text, judged.answer or ""), name
    assert known


def test_where_the_clues_leave_several_plans_a_certified_answer_may_be_wrong_in_another() -> None:
    """What a certificate is not: ``docs/language.md`` says so."""
    texts = list(loosened(12))
    assert all(judge(problem, text).certified for problem, text, _ in texts)
    assert not all(sure for *_, sure in texts)
