"""Sampled problems: one right answer each by brute force, solved, and every trace proved."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from srt.checking import check
from srt.io.records import Answer, Problem
from srt.worlds.routes.routes_world import RoutesWorld
from tests.srt.worlds.routes.brute_force import right_answers

WORLD = RoutesWorld()


@pytest.mark.parametrize("n", [500, pytest.param(10_000, marks=pytest.mark.long)])
def test_each_problem_has_one_right_answer_and_a_proved_trace(n: int) -> None:
    sampler = WORLD.sampler({"legs": [1, 7]})
    seen: Counter[tuple[str, str, bool]] = Counter()
    for index in range(n):
        problem = sampler(index)
        seen[problem.category or "", problem.lang, bool(problem.choices)] += 1
        (right,) = right_answers(problem)
        assert problem.answer == (
            Answer(kind="choice_set", value=[right]) if problem.choices else Answer(kind="number", value=int(right))
        )
        for plan in WORLD.plans:
            trace = WORLD.solve(problem, plan)
            assert trace.answer == right
            checked = check(problem, trace)
            assert checked.proved, (problem.question, checked)
            assert not checked.unread
        truth = WORLD.truth(problem)
        assert {truth(step.claim or "") for step in trace.steps} == {"true"}
    with_options = {(kind, lang, True) for kind in ("facing", "end", "steps", "line", "back") for lang in ("en", "zh")}
    assert seen.keys() == with_options | {(kind, lang, False) for kind in ("steps", "line") for lang in ("en", "zh")}
    assert min(seen.values()) > n / 40


def test_every_wrong_option_has_its_mistake() -> None:
    sampler = WORLD.sampler({"form": "options"})
    named: Counter[str] = Counter()
    for index in range(400):
        problem = sampler(index)
        mistakes = problem.meta["mistakes"]
        assert problem.answer is not None
        assert sorted([*mistakes, *problem.answer.value]) == ["A", "B", "C", "D"]
        assert len(set(problem.choices.values())) == 4
        named.update(mistakes.values())
    assert len(named) > 14
    assert {
        "left and right mixed up",
        "a turn made after its leg",
        "the way there",
        "all steps added up",
    } <= named.keys()


def test_the_mistake_of_an_option_leads_to_it() -> None:
    """Three mistakes made in the text itself, and walked by brute force."""
    turned = {"left": "right", "right": "left", "左": "右", "右": "左"}
    facing_back = {"north": "south", "south": "north", "east": "west", "west": "east"}
    facing_back |= {"北": "南", "南": "北", "东": "西", "西": "东"}
    tried = Counter[str]()
    sampler = WORLD.sampler({"kinds": ["facing", "end"]})
    for index in range(600):
        problem = sampler(index)
        lines = problem.question.split("\n")
        for letter, mistake in problem.meta["mistakes"].items():
            wrong = list(lines)
            if mistake == "left and right mixed up":
                wrong[1:-1] = [re.sub("left|right|左|右", lambda word: turned[word[0]], line) for line in lines[1:-1]]
            elif mistake == "the start the other way round":
                wrong[0] = re.sub("|".join(facing_back), lambda word: facing_back[word[0]], lines[0])
            else:
                continue
            tried[mistake] += 1
            assert right_answers(problem.model_copy(update={"question": "\n".join(wrong)})) == [letter]
    assert min(tried.values()) > 20
    assert len(tried) == 2


def test_the_smallest_problem_is_four_steps() -> None:
    sampler = WORLD.sampler({"lang": "en", "kinds": ["facing"], "legs": [1, 1], "longest": 0})
    for index in range(50):
        problem = sampler(index)
        assert len(problem.question.split("\n")) == 3
        assert [step.op for step in WORLD.solve(problem).steps] == ["CORRELATE", "CORRELATE", "CONSTRAIN", "INFER"]


def test_the_same_settings_and_index_give_the_same_problem() -> None:
    def drawn(**settings: object) -> list[Problem]:
        sampler = WORLD.sampler(settings)
        return [sampler(index) for index in range(30)]

    assert drawn() == drawn()
    assert len({problem.id for problem in (*drawn(), *drawn(grid=9), *drawn(split="test"))}) == 90
    # A seed made by a sum would give neighbours of two splits or settings the same walks.
    assert not {p.question for p in drawn(lang="en")} & {p.question for p in drawn(lang="en", grid=13)}
