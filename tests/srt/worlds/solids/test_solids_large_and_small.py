"""Solids of any size are solved and proved, impossible ones are refused in any size, and no text makes a number without
end.
"""

from __future__ import annotations

import random

import pytest

from srt.checking import check
from srt.io.records import Problem
from srt.language.text import parse
from srt.worlds.solids.checker.relations import is_determined, relations_of, solved
from srt.worlds.solids.exact import ExactNumber, Inexact, whole
from srt.worlds.solids.solids_world import SolidsWorld
from srt.worlds.solids.table import KINDS
from srt.worlds.world import Refused

WORLD = SolidsWorld()


def problem_of(question: str, **fields: object) -> Problem:
    return Problem.model_validate({"id": "p", "source": "solids", "lang": "en", "question": question, **fields})


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("A cube has edge 0.4 mm. Find its volume.", "8/125 mm^3"),
        ("A cone has base radius 0.3 mm and height 0.4 mm. Find its volume.", "3/250*pi mm^3"),
        ("A cylinder has base radius 0.0001 mm and height 0.0001 mm. Find its volume.", "1/1000000000000*pi mm^3"),
        ("A cone has base radius 0.0003 mm and slant height 0.0005 mm. Find its height.", "1/2500 mm"),
        ("A cone has base radius 300000 m and height 400000 m. Find its volume.", "12000000000000000*pi m^3"),
        ("A cube has edge 99999999 m. Find its volume.", "999999970000000299999999 m^3"),
        ("A cylinder has base radius 20000 m and height 0.1 m. Find its lateral area.", "4000*pi m^2"),
    ],
)
def test_a_solid_of_any_size_is_solved_and_proved(question: str, answer: str) -> None:
    problem = problem_of(question)
    trace = WORLD.solve(problem)
    assert trace.answer == answer
    assert check(problem, trace).proved


@pytest.mark.parametrize("unit", ["0.0001", "1", "1000000"])
@pytest.mark.parametrize(
    "sizes",
    [
        "base radius {3} and slant height {3}",
        "base radius {3}, height {4} and slant height {6}",
        "height {5} and slant height {3}",
    ],
)
def test_an_impossible_solid_of_any_size_is_refused_and_nothing_of_it_is_proved(unit: str, sizes: str) -> None:
    values = {str(n): f"{n}{unit[1:]}" if unit[0] == "1" else f"{unit[:-1]}{n}" for n in range(3, 7)}
    for old, new in values.items():
        sizes = sizes.replace(f"{{{old}}}", f"{new} mm")
    problem = problem_of(f"A cone has {sizes}. Find its volume.")
    with pytest.raises(Refused) as refused:
        WORLD.solve(problem)
    assert refused.value.reason == "no_such_solid"
    trace = parse("CORRELATE (1): r(cone) = 3\nINFER #1: answer = 3\nANSWER: 3").trace("t", "p")
    verdict = check(problem, trace)
    assert all("no solid has" in (step.reason or "") for step in verdict.steps)


def test_a_power_of_a_large_number_is_no_exact_number() -> None:
    assert whole(10**9).power(9) == whole(10**81)
    for large in (whole(10**101), ExactNumber(((101**60, 1, whole(1).terms[0][2]),))):
        with pytest.raises(Inexact):
            large.power(2)


def test_the_truth_of_a_claim_with_powers_of_powers_is_unknown() -> None:
    truth = WORLD.truth(problem_of("A cone has base radius 3 and height 4. Find its volume."))
    assert truth("V(cone) = 12*pi") == "true"
    number = "9"
    for _ in range(5):
        number = f"({number}^9)"
        assert truth(f"V(cone) = {number}") in ("unknown", "false")


def test_a_problem_is_kept_for_its_own_text_alone() -> None:
    """Traces of one problem are checked with what was worked out for the first; another problem is another."""
    question = "A cone has base radius 3 and height 4. Find its volume."
    right, wrong = {"A": "12π", "B": "36π"}, {"A": "36π", "B": "12π"}
    problem = problem_of(question, choices=right)
    trace = WORLD.solve(problem)
    assert check(problem, trace).proved
    assert not check(problem_of(question, choices=wrong), trace).proved
    assert not check(problem_of(question), trace).proved
    assert not check(problem_of(question.replace("3", "6"), choices=right), trace).proved
    assert not check(problem.model_copy(update={"source": "own"}), trace).proved
    assert check(problem, trace).proved


@pytest.mark.parametrize("size", [1e-30, 1e-9, 1e-3, 1.0, 1e6, 1e30])
def test_the_value_that_an_equation_leaves_is_found_to_the_last_digits(size: float) -> None:
    relation = next(r for r in relations_of("cone") if r.names == {"l(cone)", "r(cone)", "h(cone)"})
    assert solved(relation, "l(cone)", {"r(cone)": 3 * size, "h(cone)": 4 * size}) == pytest.approx(5 * size, rel=1e-14)
    assert solved(relation, "h(cone)", {"r(cone)": 3 * size, "l(cone)": 5 * size}) == pytest.approx(4 * size, rel=1e-14)
    assert solved(relation, "h(cone)", {"r(cone)": 5 * size, "l(cone)": 5 * size}) is None
    assert solved(relation, "h(cone)", {"r(cone)": 6 * size, "l(cone)": 5 * size}) is None


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_found_for_any_measure_of_any_equation_fits_it(kind: str) -> None:
    rng, found = random.Random(kind), 0
    for relation in relations_of(kind):
        for target in sorted(relation.names):
            for _ in range(25 if is_determined(relation, target) else 0):
                values = {name: 10 ** rng.uniform(-4, 4) for name in sorted(relation.names - {target})}
                value = solved(relation, target, values)
                if value is not None:
                    found += 1
                    assert abs(relation.gap({**values, target: value})) < 1e-14, (relation, target, values)
    assert found > 100
