"""The checker of solids: it proves what follows, and nothing that is guessed, skipped, padded or not cited."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import pytest

from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.text import parse
from srt.language.trace import TraceCheck
from srt.worlds.solids.checker.check_solid import check_solid
from srt.worlds.solids.checker.field import PI_RESIDUE, PRIME, NoExactValue, of
from srt.worlds.solids.checker.terms import normal_number, postfix
from srt.worlds.solids.solids_world import SolidsWorld
from tests.srt.worlds.solids.guesses import GUESSES, LEAPS
from tests.srt.worlds.solids.long_runs import guessed

WORLD = SolidsWorld()
CONE = Problem(
    id="p",
    source="solids",
    split="train",
    lang="en",
    question="A cone has base radius 3 cm and slant height 5 cm. Find its volume.",
    choices={"A": "15π cm³", "B": "12π cm³", "C": "36π cm³", "D": "48π cm³"},
)
TRACE = """\
CORRELATE question: ? = V(cone)
CORRELATE (1): r(cone) = 3 cm
CORRELATE (1): l(cone) = 5 cm
CONSTRAIN #2 #3: h(cone) = sqrt(l^2 - r^2) = 4 cm
CONSTRAIN #2 #4: V(cone) = 1/3*pi*r^2*h = 12*pi cm^3
INFER A B C D #1 #5: options = {B}
ANSWER: B"""
TANK = Problem(
    id="p",
    source="solids",
    split="train",
    lang="en",
    question="A box has length 50 cm, width 40 cm and height 30 cm. Find the volume of the box in litres.",
)
LITRES = """\
CORRELATE question: ? = V(cuboid) in L
CORRELATE (1): a(cuboid) = 50 cm
CORRELATE (1): b(cuboid) = 40 cm
CORRELATE (1): h(cuboid) = 30 cm
CONSTRAIN #2 #3 #4: V(cuboid) = a*b*h = 60000 cm^3
INFER #5: V(cuboid) = 60 L
INFER #1 #6: answer = 60 L
ANSWER: 60 L"""


def checked(problem: Problem, text: str) -> TraceCheck:
    found = check_solid(problem, parse(text).trace("t", problem.id))
    assert found is not None
    return found


def test_small_traces_are_proved() -> None:
    assert checked(CONE, TRACE).proved
    assert checked(TANK, LITRES).proved


def test_a_formula_may_be_written_in_any_way_that_says_the_same() -> None:
    for formula in ("pi*h*r^2/3", "pi*r*r*h/3", "1/3*(pi*r^2)*h", "h*pi*r(cone)^2/3"):
        assert checked(CONE, TRACE.replace("1/3*pi*r^2*h", formula)).proved, formula
    for formula in ("sqrt((l - r)*(l + r))", "sqrt(-r^2 + l^2)", "sqrt(-(r^2 - l^2))"):
        assert checked(CONE, TRACE.replace("sqrt(l^2 - r^2)", formula)).proved, formula
    for formula in ("-sqrt(l^2 - r^2)", "sqrt(l^2 + -r^2)", "sqrt(--l^2 - r^2)"):
        assert not checked(CONE, TRACE.replace("sqrt(l^2 - r^2)", formula)).proved, formula


@pytest.mark.parametrize(
    ("old", "new", "step", "support", "fault"),
    [
        ("r(cone) = 3 cm", "r(cone) = 6 cm", 2, "refuted", Fault.MISREAD),
        ("r(cone) = 3 cm", "r(cone) = 30 mm", 2, "consistent", Fault.LEAP),
        ("r(cone) = 3 cm", "d(cone) = 3 cm", 2, "refuted", Fault.MISQUOTED_CLUE),
        ("(1): r(cone)", "(2): r(cone)", 2, "consistent", Fault.DANGLING_REFERENCE),
        ("? = V(cone)", "? = S(cone)", 1, "refuted", Fault.MISREAD),
        ("sqrt(l^2 - r^2) = 4", "sqrt(l^2 + r^2) = sqrt(34)", 4, "refuted", Fault.FALSE_CLAIM),
        ("sqrt(l^2 - r^2) = 4", "sqrt(l^2 - r^2) = 3", 4, "refuted", Fault.FALSE_CLAIM),
        ("h(cone) = sqrt(l^2 - r^2) = 4", "h(cone) = 4", 4, "consistent", Fault.LEAP),
        ("#2 #3: h(cone) = sqrt(l^2 - r^2) = 4 cm", "#3: B(cone) = 9/100*pi cm", 4, "refuted", Fault.DOES_NOT_FOLLOW),
        ("1/3*pi*r^2*h = 12*pi", "pi*r^2*h = 36*pi", 5, "refuted", Fault.FALSE_CLAIM),
        ("1/3*pi*r^2*h = 12*pi", "1/2*pi*r^2*h = 12*pi", 5, "refuted", Fault.FALSE_CLAIM),
        ("= 12*pi cm^3", "= 12*pi cm^2", 5, "refuted", Fault.FALSE_CLAIM),
        ("= 12*pi cm^3", "= 12*pi m^3", 5, "refuted", Fault.FALSE_CLAIM),
        ("= 12*pi cm^3", "= 12*pi mL", 5, "consistent", Fault.LEAP),
        ("= 12*pi cm^3", "= 12*pi L", 5, "refuted", Fault.FALSE_CLAIM),
        ("h(cone) = sqrt(l^2 - r^2) = 4 cm", "l(cone) = sqrt(l^2 - r^2 + r^2) = 5", 4, "refuted", Fault.LEAP),
        ("= 12*pi cm^3", "= 24/2*pi cm^3", 5, "unchecked", Fault.MALFORMED),
        ("= 12*pi cm^3", "= 37.7 cm^3", 5, "unchecked", Fault.MALFORMED),
        ("CONSTRAIN #2 #4", "CONSTRAIN #2 #4 #3", 5, "consistent", Fault.IDLE_PREMISE),
        ("CONSTRAIN #2 #4", "CONSTRAIN #2 #4 scene", 5, "consistent", Fault.IDLE_PREMISE),
        ("CONSTRAIN #2 #4", "CONSTRAIN #2", 5, "consistent", Fault.DOES_NOT_FOLLOW),
        ("CONSTRAIN #2 #4", "INFER #2 #4", 5, "consistent", Fault.MISLABELLED),
        ("#2 #4: V(cone) = 1/3*pi*r^2*h", "#2 #3: V(cone) = 1/3*pi*r^2*sqrt(l^2 - r^2)", 5, "consistent", Fault.LEAP),
        ("A B C D #1 #5", "A B C #1 #5", 6, "consistent", Fault.DOES_NOT_FOLLOW),
        ("A B C D #1 #5", "A B C D", 6, "consistent", Fault.GUESSED),
        ("A B C D #1 #5", "A B C D #1 #4", 6, "consistent", Fault.LEAP),
        ("options = {B}", "options = {A}", 6, "refuted", Fault.WRONG_CONCLUSION),
    ],
)
def test_what_keeps_a_step_from_being_proved(old: str, new: str, step: int, support: str, fault: Fault) -> None:
    assert TRACE.count(old) == 1
    verdict = checked(CONE, TRACE.replace(old, new))
    assert (verdict.steps[step - 1].support, verdict.steps[step - 1].fault) == (support, fault)
    assert not verdict.proved


def test_a_refutation_says_what_holds() -> None:
    wrong = checked(CONE, TRACE.replace("1/3*pi*r^2*h = 12*pi", "1/3*pi*r^2*h = 36*pi"))
    assert (wrong.steps[4].counterexample or "").startswith("V(cone) = 37.69")
    assert wrong.steps[5].counterexample == "options = {C}", "what a step cites is taken as true"


def test_a_unit_is_converted_in_a_step_of_its_own() -> None:
    assert not checked(TANK, LITRES.replace("V(cuboid) = 60 L", "V(cuboid) = 6 L")).proved
    assert not checked(TANK, LITRES.replace("= a*b*h = 60000 cm^3", "= a*b*h = 60 L")).proved
    assert not checked(TANK, LITRES.replace("INFER #1 #6", "INFER #1 #5")).proved
    twice = LITRES.replace("INFER #5: V(cuboid) = 60 L", "INFER #5: V(cuboid) = 60 dm^3\nINFER #6: V(cuboid) = 60 L")
    assert checked(TANK, twice.replace("#1 #6", "#1 #7")).steps[6].fault is Fault.LEAP


@pytest.mark.parametrize(
    ("answer", "support"),
    [("60", "unchecked"), ("60 litres", "proved"), ("6 L", "refuted"), ("60 L", "proved"), ("some", "unchecked")],
)
def test_an_answer_is_read_before_it_is_compared(answer: str, support: str) -> None:
    found = checked(TANK, LITRES.replace("ANSWER: 60 L", f"ANSWER: {answer}"))
    assert found.answer.support in (support, "proved" if answer == "60" else support)
    assert found.proved == (found.answer.support == "proved")


def test_a_sentence_that_is_not_understood_is_no_problem_of_this_world() -> None:
    for sentence in (
        "A cone has no base radius.",
        "A cone has about base radius 3 cm.",
        "A cone has base radius 3 apples.",
    ):
        problem = CONE.model_copy(update={"question": f"{sentence} Find its volume."})
        assert check_solid(problem, parse(TRACE).trace("t", "p")) is None
        assert not WORLD.recognises(problem)


@pytest.mark.parametrize(
    "question",
    [
        "A cuboid and a small cuboid are similar. The cuboid has lateral area 800 dm². The lateral surface area of the "
        "small cuboid is 128 dm². The cuboid has volume 8000 dm³. What is the volume of the small cuboid?",
        "A regular square pyramid and a small regular square pyramid are similar. The surface area of the regular "
        "square pyramid is 2400 mm². The small regular square pyramid has a total surface area of 864 mm². The height "
        "of the regular square pyramid is 20 mm. Find the height of the small regular square pyramid.",
    ],
)
def test_a_solid_that_is_hard_to_find_is_found(question: str) -> None:
    problem = CONE.model_copy(update={"question": question, "choices": {}})
    assert check_solid(problem, WORLD.solve(problem)).proved  # type: ignore[union-attr]


def test_a_radius_that_is_one_of_two_is_not_proved() -> None:
    text = "A frustum has radius of the upper base 4, height 4 and slant height 5. Find the radius of the lower base."
    for formula, value in (("r - sqrt(l^2 - h^2)", 1), ("r + sqrt(l^2 - h^2)", 7)):
        trace = (
            "CORRELATE question: ? = R(frustum)\nCORRELATE (1): r(frustum) = 4\nCORRELATE (1): h(frustum) = 4\n"
            f"CORRELATE (1): l(frustum) = 5\nCONSTRAIN #2 #3 #4: R(frustum) = {formula} = {value}\n"
            f"INFER #1 #5: answer = {value}\nANSWER: {value}"
        )
        verdict = checked(CONE.model_copy(update={"question": text, "choices": {}}), trace)
        assert [step.support for step in verdict.steps[:4]] == ["proved"] * 4
        assert verdict.steps[4].support == "consistent"


def test_the_arithmetic_of_the_field() -> None:
    assert pow(7, PRIME - 1, PRIME) == 1
    assert all(pow(base, (PRIME - 1) // 2, PRIME) in (1, PRIME - 1) for base in (401, 409, 10007, 2**61 - 1))
    for n in (2, 3, 6, 12, 397, 401, 409, 761, 401**2, 401 * 409, 99991, 10**9 + 7):
        assert of(n).square_root().to(2).is_same(of(n))
    assert (of(2).square_root() * of(3).square_root()).is_same(of(6).square_root())
    roots = [of(prime).square_root() for prime in (401, 409, 419, 421, 431, 433)]
    for one, other in itertools.combinations(roots, 2):
        assert (one * other).is_same((one.to(2) * other.to(2)).square_root())
        assert not one.is_same(other)
    assert (
        (PI_RESIDUE.to(2) * of(Fraction(8, 9)))
        .square_root()
        .is_same(PI_RESIDUE * of(2).square_root() * of(Fraction(2, 3)))
    )
    for nothing in (PI_RESIDUE, of(2).square_root(), of(0) - of(4), of(3) + of(8).square_root()):
        with pytest.raises(NoExactValue):
            nothing.square_root()
    assert of(Fraction(27, 8)).third_root().is_same(of(Fraction(3, 2)))
    with pytest.raises(NoExactValue):
        of(2).third_root()
    assert postfix("sqrt(l^2 - r^2)") == ("l", "2", "^", "r", "2", "^", "-", "sqrt")
    assert all(postfix(text) is None for text in ("l +", "(l", "l r", "sqrt l", "2^^2", ")", "", "l^7", "__import__"))
    assert all(normal_number(text) is not None for text in ("12*pi", "9/2*pi", "8*sqrt(3) + 60", "4/pi", "sqrt(2)*pi"))
    assert all(
        normal_number(text) is None for text in ("0", "2/4", "sqrt(8)", "1*pi", "pi + pi", "60 + 60", "3*4", "-2")
    )


def test_an_answer_in_the_spelling_of_claims_and_a_power_too_many_are_read() -> None:
    question = "A cone has volume 125 m³ and base radius 4 m. Find its height."
    text = (
        "CORRELATE question: ? = h(cone)\nCORRELATE (1): V(cone) = 125 m^3\nCORRELATE (1): r(cone) = 4 m\n"
        "CONSTRAIN #2 #3: h(cone) = 3*V/(pi*r^2) = 375/16/pi m\nINFER #1 #4: answer = 375/16/pi m\n"
        "ANSWER: 375/16/pi m"
    )
    problem = CONE.model_copy(update={"question": question, "choices": {}})
    assert checked(problem, text).proved
    assert checked(problem, text.replace("ANSWER: 375", "ANSWER: 383")).answer.support == "refuted"
    power = checked(problem, text.replace("r^2) = 375/16/pi", "r^4) = 375/256/pi"))
    assert (power.steps[3].support, power.steps[3].fault) == ("refuted", Fault.FALSE_CLAIM)


@pytest.mark.parametrize("n", [12, pytest.param(400, marks=pytest.mark.slow)])
def test_no_guess_no_leap_and_no_idle_premise_is_proved(n: int) -> None:
    """Every one of them has the right answer; each of ``n`` problems has up to 28."""
    made = Counter[str]()
    for index in range(n):
        found = guessed(index)
        assert found.faults == []
        made += found.counts
    assert set(made) == {guess.__name__ for guess in (*GUESSES, *LEAPS)}
    assert made.total() > 20 * n


@pytest.mark.parametrize(
    ("answer", "support"),
    [
        ("24/9*pi cm^3", "refuted"),
        ("(5 + 6)*pi cm^3", "refuted"),
        ("24/2*pi m^3", "refuted"),
        ("24/2*pi cm^3", "proved"),
        ("1/0 cm^3", "unchecked"),
        ("V cm^3", "unchecked"),
    ],
)
def test_an_answer_in_no_normal_form_is_refuted_by_its_value(answer: str, support: str) -> None:
    problem = CONE.model_copy(update={"choices": {}})
    trace = WORLD.solve(problem)
    assert trace.answer == "12*pi cm^3"
    found = check_solid(problem, trace.model_copy(update={"answer": answer}))
    assert found is not None
    assert found.answer.support == support


@pytest.mark.parametrize("claim", ["V(sphere) = 20 cm", "r(sphere) = 20 cm", "C(sphere) = 20 cm^2"])
def test_another_measure_in_a_conversion_is_refuted(claim: str) -> None:
    question = "A sphere has diameter 200 mm. Find its radius in cm."
    problem = CONE.model_copy(update={"question": question, "choices": {}})
    readings = "CORRELATE question: ? = r(sphere) in cm\nCORRELATE (1): d(sphere) = 200 mm"
    text = f"{readings}\nINFER #2: {claim}\nANSWER: 20 cm"
    found = check_solid(problem, parse(text).trace("t", problem.id))
    assert found is not None
    assert [step.support for step in found.steps] == ["proved", "proved", "refuted"]
