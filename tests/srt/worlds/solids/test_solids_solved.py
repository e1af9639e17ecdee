"""Sampled problems: one right answer each by coordinates and integration, solved, and every trace proved."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from srt.io.records import Problem
from srt.worlds.solids.reading.read_solid import read_solid
from srt.worlds.solids.solids_world import SolidsWorld
from srt.worlds.solids.table import KINDS, STRUCTURES, rules_of_kind, structure_of
from tests.srt.worlds.solids.coordinate_measures import FREE, measures
from tests.srt.worlds.solids.long_runs import one_problem

WORLD = SolidsWorld()


@pytest.mark.parametrize("n", [120, pytest.param(10_000, marks=pytest.mark.slow)])
def test_each_problem_has_one_right_answer_and_a_proved_trace(n: int) -> None:
    seen: Counter[str] = Counter()
    for index in range(n):
        found = one_problem(index)
        assert found.faults == []
        seen += found.counts
    assert seen.pop("problems") == n
    assert len(seen) == 20
    assert min(seen.values()) > n / 200


@pytest.mark.parametrize("kind", KINDS)
def test_every_formula_of_the_table_holds_by_coordinates(kind: str) -> None:
    size = {letter: 1.0 + 0.37 * n for n, letter in enumerate(FREE[kind][::-1])}
    found = measures(kind, size)
    from srt.worlds.solids.checker.terms import postfix, rounded
    from srt.worlds.solids.formulas import formula_text

    for rule in rules_of_kind(kind):
        formula = postfix(formula_text(rule.formula))
        assert formula is not None
        assert math.isclose(rounded(formula)(found), found[rule.target[0]], rel_tol=1e-7), rule


def test_every_wrong_option_has_its_mistake() -> None:
    sampler = WORLD.sampler({"form": "options"})
    named: Counter[str] = Counter()
    for index in range(120):
        problem = sampler(index)
        mistakes = problem.meta["mistakes"]
        assert problem.answer is not None
        assert sorted([*mistakes, *problem.answer.value]) == ["A", "B", "C", "D"]
        assert len(set(problem.choices.values())) == 4
        named.update(mistakes.values())
    assert len(named) > 10
    assert {"a factor dropped", "the diameter for the radius", "a part forgotten"} <= named.keys()


def test_all_kinds_of_solids_and_structures_are_drawn() -> None:
    sampler = WORLD.sampler({})
    seen = {kind for index in range(700) for kind in (problem_kind(sampler(index)),)}
    assert seen == {*KINDS, *STRUCTURES}


def problem_kind(problem: Problem) -> str:
    statement = read_solid(problem).statement
    return next((made for f in statement.facts if (made := structure_of(f.name))), statement.solids[0])


def test_the_same_settings_and_index_give_the_same_problem() -> None:
    drawn = [WORLD.sampler(settings)(3) for settings in ({}, {}, {"largest": 30}, {"split": "test"})]
    assert drawn[0] == drawn[1]
    assert len({problem.id for problem in drawn}) == 3
