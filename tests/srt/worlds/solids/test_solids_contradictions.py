"""Problems with one given more than they need: a true one changes nothing, with a false one nothing is proved.

The traces are made although the solver refuses the problem, each by one of the ways that its givens allow.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import least_squares

from srt.checking import check
from srt.io.records import Problem
from srt.language.trace import Trace
from srt.worlds.solids.derivation.derive import NotDetermined, everything, steps_of
from srt.worlds.solids.derivation.solve_solid import asked_steps
from srt.worlds.solids.exact import whole
from srt.worlds.solids.reading.quantity_words import quantities
from srt.worlds.solids.reading.read_solid import read_solid
from srt.worlds.solids.solids_world import SolidsWorld
from srt.worlds.solids.statement import GivenFact, Measure, SolidStatement
from srt.worlds.solids.writing.problem_text import question_text
from srt.worlds.world import Refused
from tests.srt.worlds.solids.by_coordinates import asked_value

WORLD = SolidsWorld()
FACTORS = (Fraction(2), Fraction(3, 2), Fraction(4, 5), Fraction(101, 100), Fraction(10_001, 10_000))


def problem_of(statement: SolidStatement, rng: random.Random) -> Problem:
    return Problem(id="p", source="solids", lang="en", question=question_text(statement, "en", rng))


def trace_anyway(problem: Problem) -> Trace:
    """A trace of the world, whether or not the givens hold together; raises :class:`NotDetermined`."""
    steps = asked_steps(read_solid(problem), problem)
    answer = steps["!"].claim.removeprefix("answer = ")
    return Trace(
        id="t", problem_id="p", kind="world", lang=problem.lang, steps=tuple(steps_of(steps)), answer=answer
    )  # fmt: skip


def is_proved(problem: Problem) -> bool:
    return check(problem, trace_anyway(problem)).proved


def is_refused(problem: Problem) -> bool:
    try:
        WORLD.solve(problem)
    except Refused as refused:
        return refused.reason == "no_such_solid"
    return False


def with_one_more(statement: SolidStatement, name: str, measure: Measure) -> SolidStatement:
    last = max(fact.sentence for fact in statement.facts)
    return statement._replace(facts=(*statement.facts, GivenFact(last + 1, name, measure)))


@pytest.mark.parametrize("n", [25, pytest.param(300, marks=pytest.mark.slow)])
def test_one_more_given_of_a_sampled_problem(n: int) -> None:
    sampler, rng, done = WORLD.sampler({"form": "number"}), random.Random("one more"), 0
    for index in range(n):
        statement = read_solid(sampler(index)).statement
        known = everything(statement)
        given = {fact.name for fact in statement.facts}
        more = [
            (name, step.measure)
            for name, step in known.items()
            if step.measure is not None and name not in {*given, statement.asked} and name[0] not in "kAQ"
            and name[0] in quantities(name[2:-1], "en") and len(str(step.measure.number)) < 9
        ]  # fmt: skip
        if not more:
            continue
        name, measure = rng.choice(more)
        truth = asked_value(statement._replace(asked=name, unit=""))
        true = problem_of(with_one_more(statement, name, measure), rng)
        assert is_proved(true), true.question
        wrong = measure._replace(number=measure.number.scaled(rng.choice(FACTORS)))
        assert not math.isclose(float(wrong.number) / float(measure.number) * truth, truth, rel_tol=1e-9)
        false = problem_of(with_one_more(statement, name, wrong), rng)
        with suppress(NotDetermined):  # then there is no value that could be proved
            assert not is_proved(false), false.question
        assert is_refused(false), false.question
        done += 1
    assert done > n / 2


def box(a: float, b: float, h: float) -> dict[str, float]:
    base, lateral = a * b, 2 * (a + b) * h
    return {
        "a": a, "b": b, "h": h, "B": base, "L": lateral, "S": 2 * base + lateral, "V": base * h, "U": base + lateral,
        "D": math.hypot(a, b, h), "E": 4 * (a + b + h), "g": math.hypot(a, b), "X": math.hypot(a, b) * h,
    }  # fmt: skip


def cone(r: float, h: float) -> dict[str, float]:
    l = math.hypot(r, h)  # noqa: E741
    return {
        "r": r, "h": h, "l": l, "L": math.pi * r * l, "V": math.pi * r * r * h / 3, "S": math.pi * r * (r + l),
        "X": r * h,
    }  # fmt: skip


def frustum(big: float, r: float, h: float) -> dict[str, float]:
    l = math.hypot(big - r, h)  # noqa: E741
    return {
        "R": big, "r": r, "h": h, "l": l, "L": math.pi * (big + r) * l, "T": math.pi * r * r, "X": (big + r) * h,
        "V": math.pi * h * (big * big + big * r + r * r) / 3,
    }  # fmt: skip


def pyramid(a: float, h: float) -> dict[str, float]:
    s = math.hypot(a / 2, h)
    return {
        "a": a, "h": h, "s": s, "e": math.hypot(a / 2, s), "L": 2 * a * s, "S": a * a + 2 * a * s, "V": a * a * h / 3,
        "X": a * h / math.sqrt(2),
    }  # fmt: skip


SOLIDS = {"cuboid": (box, "abh"), "cone": (cone, "rh"), "frustum": (frustum, "Rrh"), "pyramid": (pyramid, "ah")}


def can_be(kind: str, given: dict[str, float]) -> bool:
    """Whether sizes were found by least squares that give these measures."""
    formulas, letters = SOLIDS[kind]
    rng = np.random.default_rng(0)

    def apart(place: np.ndarray) -> list[float]:
        found = formulas(*np.exp(np.clip(place, -20, 20)).tolist())
        return [math.log(found[letter] / value) for letter, value in given.items()]

    found = (
        least_squares(apart, rng.normal(1, 1, len(letters)), xtol=1e-15, ftol=1e-15, gtol=1e-15) for _ in range(12)
    )
    # With two equal radii it would be a cylinder.
    return any(one.cost < 1e-22 and (kind != "frustum" or abs(one.x[0] - one.x[1]) > 1e-6) for one in found)


@pytest.mark.parametrize("kind", SOLIDS)
@pytest.mark.parametrize("n", [12, pytest.param(75, marks=pytest.mark.slow)])
def test_givens_that_only_together_contradict(kind: str, n: int) -> None:
    """Of measures from which the sizes need not follow one by one, one is changed: edges, surface and diagonal."""
    rng, seen = random.Random(f"{kind} {n}"), Counter[str]()
    while seen["impossible"] < n:
        letters = SOLIDS[kind][1]
        sizes = rng.sample(range(2, 13), len(letters))
        sizes.sort(reverse=kind == "frustum")
        facts = [GivenFact(1, f"{x}({kind})", Measure(whole(v), "")) for x, v in zip(letters, sizes, strict=True)]
        known = everything(SolidStatement((kind,), tuple(facts), facts[0].name))
        every = {x: known[f"{x}({kind})"].measure for x in SOLIDS[kind][0](1, 1, *[1] * (len(letters) - 2))
                 if f"{x}({kind})" in known}  # fmt: skip
        given = {x: m for x in rng.sample(sorted(every), len(letters) + rng.choice((0, 1, 1, 2))) if (m := every[x])}
        changed = rng.choice(sorted(given))
        given[changed] = given[changed]._replace(number=given[changed].number.scaled(rng.choice(FACTORS[:3])))
        wanted = rng.choice([x for x in every if x not in given])
        said = tuple(GivenFact(1, f"{x}({kind})", m) for x, m in given.items())
        problem = problem_of(SolidStatement((kind,), said, f"{wanted}({kind})"), rng)
        try:
            proved = is_proved(problem)
        except NotDetermined:
            continue
        possible = can_be(kind, {x: float(m.number) for x, m in given.items()})
        seen["possible" if possible else "impossible"] += 1
        assert possible or not proved, problem.question
        assert possible != is_refused(problem), problem.question
    assert seen["possible"], seen


@pytest.mark.parametrize(
    "text",
    [
        "A cuboid has total length of the edges 48, surface area 88, space diagonal 7 and height 4. Find its {0}.",
        "A cone has height 4, slant height 6 and base radius 3. Find its {0}.",
        "A cube has edge 3 and total length of the edges 36.0000000001. Find its {0}.",
        "A cone has base radius 3, height 4 and slant height 5.0000000001. Find its {0}.",
        "A cuboid has volume 24, base area 6 and total length of the edges 20. Find its height.",
    ],
)
def test_contradictions_that_were_once_proved(text: str) -> None:
    problem = Problem(id="p", source="solids", lang="en", question=text.format("volume"))
    assert is_refused(problem)
    try:
        assert not is_proved(problem)
    except NotDetermined:
        return


def test_measures_that_just_touch_are_possible() -> None:
    """A cube has the least surface of all cuboids: one height fits, and is found."""
    text = "A cuboid has volume 27, surface area 54 and height 3. Find its base area."
    assert is_proved(Problem(id="p", source="solids", lang="en", question=text))


def test_a_small_difference_of_large_numbers_is_no_contradiction() -> None:
    """The water rises by 0.0008 cm, which is less than the digits of its diagonal show."""
    solid = "一个正四面体的棱长为2 cm。"
    water = "把它浸没在盛水的容器中，上升的水是一个圆柱，圆柱的底面半径是20 cm。圆柱的高是多少？"
    problem = Problem(id="p", source="solids", lang="zh", question=solid + water)
    trace = WORLD.solve(problem)
    assert trace.answer == "1/600*sqrt(2)/pi cm"
    assert check(problem, trace).proved
