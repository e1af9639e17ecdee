"""The checker of routes: it proves what follows, and nothing that is guessed, skipped, padded or not cited."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.text import parse
from srt.language.trace import Step, Trace, TraceCheck
from srt.worlds.routes.checker.check_route import check_route
from srt.worlds.routes.routes_world import RoutesWorld
from tests.srt.worlds.routes.guesses import GUESSES

WORLD = RoutesWorld()
ANN = Problem(
    id="p",
    source="routes",
    split="train",
    lang="en",
    question="(1) Ann faces east.\n(2) She turns left.\nWhich way does she face now?",
    choices={"A": "north", "B": "east", "C": "south", "D": "west"},
)
BEN = Problem(
    id="p",
    source="routes",
    split="train",
    lang="en",
    question="(1) Ben faces north.\n(2) He turns right and walks 3 steps.\n(3) He turns left and walks 4 steps.\n"
    "In a straight line, how many steps is he away from the start?",
)
TRACE = """\
CORRELATE (1): facing(1) = east
CORRELATE (2): turn(2) = left
CONSTRAIN #1 #2: facing(2) = north
INFER A B C D #3: options = {A}
ANSWER: A"""


def checked(problem: Problem, text: str) -> TraceCheck:
    found = check_route(problem, parse(text).trace("t", problem.id))
    assert found is not None
    return found


def test_a_small_trace_is_proved_and_a_false_claim_in_it_refuted() -> None:
    assert checked(ANN, TRACE).proved
    found = checked(ANN, TRACE.replace("facing(2) = north", "facing(2) = south"))
    assert [step.support for step in found.steps] == ["proved", "proved", "refuted", "refuted"]
    assert found.steps[2].counterexample == "facing(2) = north"
    assert found.steps[3].counterexample == "options = {C}", "what a step cites is taken as true"


@pytest.mark.parametrize(
    ("old", "new", "step", "support", "fault"),
    [
        ("(2): turn(2) = left", "(2): turn(2) = right", 2, "refuted", Fault.MISREAD),
        ("(2): turn(2) = left", "(1): turn(2) = left", 2, "consistent", Fault.MISQUOTED_CLUE),
        ("(2): turn(2) = left", "(7): turn(2) = left", 2, "consistent", Fault.DANGLING_REFERENCE),
        ("(2): turn(2) = left", "question: turn(2) = left", 2, "consistent", Fault.DOES_NOT_FOLLOW),
        ("CORRELATE (2)", "INFER (2)", 2, "consistent", Fault.MISLABELLED),
        ("CONSTRAIN #1 #2", "INFER #1 #2", 3, "consistent", Fault.MISLABELLED),
        ("CONSTRAIN #1 #2", "CONSTRAIN #2", 3, "consistent", Fault.DOES_NOT_FOLLOW),
        ("CONSTRAIN #1 #2", "CONSTRAIN #1 #2 scene", 3, "consistent", Fault.IDLE_PREMISE),
        ("CONSTRAIN #1 #2", "CONSTRAIN #1 #2 #2", 3, "consistent", Fault.IDLE_PREMISE),
        ("CONSTRAIN #1 #2", "CONSTRAIN #1 #4", 3, "consistent", Fault.ORDER_BROKEN),
        ("CONSTRAIN #1 #2", "CONSTRAIN #1 #9", 3, "consistent", Fault.DANGLING_REFERENCE),
        ("facing(2) = north", "she faces north", 3, "unchecked", Fault.MALFORMED),
        ("facing(2) = north", "facing(1) = east", 3, "consistent", Fault.REPEATED),
        ("A B C D #3", "A B C #3", 4, "consistent", Fault.DOES_NOT_FOLLOW),
        ("A B C D #3", "A B C D #3 #1", 4, "consistent", Fault.IDLE_PREMISE),
        ("A B C D #3", "A B C D #1 #2", 4, "consistent", Fault.LEAP),
        ("A B C D #3", "A B C D", 4, "consistent", Fault.GUESSED),
        ("options = {A}", "options = {A, B}", 4, "refuted", Fault.WRONG_CONCLUSION),
    ],
)
def test_what_keeps_a_step_from_being_proved(old: str, new: str, step: int, support: str, fault: Fault) -> None:
    assert TRACE.count(old) == 1
    verdict = checked(ANN, TRACE.replace(old, new))
    assert (verdict.steps[step - 1].support, verdict.steps[step - 1].fault) == (support, fault)
    assert not verdict.proved


def test_a_step_without_use_and_an_answer_that_does_not_follow() -> None:
    longer = TRACE.replace("INFER A", "CORRELATE (2): walk(2) = 0\nINFER A")
    found = checked(ANN, longer)
    assert ({step.support for step in found.steps}, found.unused, found.proved) == ({"proved"}, (4,), False)
    found = checked(ANN, TRACE.replace("ANSWER: A", "ANSWER: B"))
    assert (found.answer.support, found.answer.counterexample, found.proved) == ("refuted", "A", False)
    alone = checked(ANN, "CORRELATE (1): facing(1) = east\nANSWER: A")
    assert (alone.answer.support, alone.proved) == ("consistent", False)


@pytest.mark.parametrize(
    ("answer", "support"),
    [
        *((right, "proved") for right in ("north", "A.", "(A)", "a", "option A", "Ａ")),
        *((wrong, "refuted") for wrong in ("B", "south", "A, B")),
        *((unread, "unchecked") for unread in ("up", "A or B", "E", "12", "\u0410")),
    ],
)
def test_an_answer_is_read_before_it_is_compared(answer: str, support: str) -> None:
    found = checked(ANN, TRACE.replace("ANSWER: A", f"ANSWER: {answer}"))
    assert (found.answer.support, found.proved) == (support, support == "proved")


@pytest.mark.parametrize(
    ("answer", "support"),
    [("5.", "proved"), ("5 steps", "proved"), ("five", "proved"), ("6", "refuted"), ("far", "unchecked")],
)
def test_a_number_is_read_too(answer: str, support: str) -> None:
    trace = WORLD.solve(BEN)
    found = check_route(BEN, trace.model_copy(update={"answer": answer}))
    assert found is not None
    assert (found.answer.support, found.proved) == (support, support == "proved")


def test_a_number_is_no_answer_to_options() -> None:
    assert not checked(ANN, TRACE.replace("options = {A}", "answer = 1").replace("ANSWER: A", "ANSWER: 1")).proved


@pytest.mark.parametrize("claim", ["options = {=}", "options = {}", "options = {A,B}", "answer = 07", "answer = -1"])
def test_what_is_no_conclusion_concludes_nothing(claim: str) -> None:
    found = checked(ANN, TRACE.replace("options = {A}", claim))
    assert (found.steps[3].support, found.answer.support) == ("unchecked", "consistent")


def test_two_inferences_in_one_step_are_a_leap() -> None:
    text = "CORRELATE (1): facing(1) = north\nCORRELATE (2): turn(2) = right\nCORRELATE (2): walk(2) = 3\n{}\nANSWER: 5"
    leap = checked(BEN, text.format("CONSTRAIN #1 #2 #3: leg(2) = 3 east"))
    assert (leap.steps[3].support, leap.steps[3].fault) == ("consistent", Fault.LEAP)
    wrong = checked(BEN, text.format("CONSTRAIN #1 #2 #3: leg(2) = 3 west"))
    assert (wrong.steps[3].support, wrong.steps[3].counterexample) == ("refuted", "leg(2) = 3 east")


def test_a_wording_that_the_checker_does_not_know_is_not_guessed() -> None:
    for sentence in ("She does not turn left.", "She turns left twice.", "She turns left or right.", "He turns left."):
        problem = ANN.model_copy(update={"question": ANN.question.replace("She turns left.", sentence)})
        verdict = checked(problem, TRACE)
        assert (verdict.steps[1].support, verdict.unread) == ("unchecked", ("(2)",)), sentence
        assert not WORLD.split_keys(problem), "neither does the reader of the solver"
    options = ANN.model_copy(update={"choices": {**ANN.choices, "D": "home"}})
    assert (checked(options, TRACE).steps[3].support, checked(options, TRACE).unread) == ("unchecked", ("D",))


@pytest.mark.parametrize("n", [800, pytest.param(5_000, marks=pytest.mark.long)])
def test_no_guess_and_no_leap_is_proved(n: int) -> None:
    """Every one of them has the right answer."""
    sampler, rng = WORLD.sampler({}), random.Random("guesses")
    made, proved = Counter[str](), Counter[str]()
    index = 0
    while made.total() < n:
        problem = sampler(index)
        trace = WORLD.solve(problem)
        for guess in GUESSES:
            steps = guess(problem, trace, rng)
            if steps is None or made.total() == n:
                continue
            verdict = check_route(problem, trace.model_copy(update={"steps": tuple(steps)}))
            assert verdict is not None
            made[guess.__name__] += 1
            proved[guess.__name__] += verdict.proved
        index += 1
    assert proved.total() == 0, proved
    assert min(made.values()) > n / 10
    assert len(made) == len(GUESSES)


def test_a_changed_number_or_direction_is_refuted() -> None:
    """What a step claims about a sentence has one value, so every other one is refuted."""
    sampler = WORLD.sampler({})
    other = {"north": "south", "south": "north", "east": "west", "west": "east", "left": "right", "right": "left"}
    for index in range(60):
        problem = sampler(index)
        trace = WORLD.solve(problem)
        for number, step in enumerate(trace.steps):
            subject, _, value = (step.claim or "").partition(" = ")
            words = [other.get(word, str(int(word) + 1) if word.isdigit() else word) for word in value.split(" ")]
            wrong = " ".join(words).replace("around", "none")
            if wrong == value or "," in value or subject == "options":
                continue
            changed = step.model_copy(update={"claim": f"{subject} = {wrong}"})
            steps = (*trace.steps[:number], changed, *trace.steps[number + 1 :])
            verdict = check_route(problem, trace.model_copy(update={"steps": steps}))
            assert verdict is not None
            assert verdict.steps[number].support == "refuted", (step.claim, wrong)
            assert WORLD.truth(problem)(changed.claim or "") == "false"


WORDS = st.sampled_from(["(1)", "(2)", "(9)", "#1", "#2", "#9", "scene", "question", "A", "D", "Ann", '"A b"'])
CLAIMS = st.sampled_from(
    ["facing(1) = east", "facing(2) = north", "turn(2) = left", "walk(2) = 0", "at(2) = start", "leg(2) = 0 north",
     "back(2) = none", "steps(2) = 0", "square(2) = 7", "line(2) = 3", "options = {A}", "answer = 0", "at(0) = start",
     "facing(999999999) = east", "line(2) = 99999999999", "x", "at(2) = 2 north, 3 east"]
)  # fmt: skip


@given(st.lists(st.builds(Step, op=st.sampled_from(["CORRELATE", "CONSTRAIN", "INFER"]),
                          args=st.lists(WORDS, max_size=4), claim=CLAIMS), min_size=1, max_size=6))  # fmt: skip
def test_it_never_raises(steps: list[Step]) -> None:
    for problem in (ANN, BEN):
        trace = Trace(id="t", problem_id="p", kind="world", lang="en", steps=tuple(steps), answer="A")
        found = check_route(problem, trace)
        assert found is not None
        assert len(found.steps) == len(steps)


@pytest.mark.parametrize(
    "question",
    ["", "(1)", "(1) ", "\n", "(1) She faces east.\nWhich way does she face now?", "(1) Ann sits left of Ben.\nWho?"],
)
def test_a_problem_of_another_world_is_left_to_it(question: str) -> None:
    problem = ANN.model_copy(update={"question": question})
    assert check_route(problem, parse(TRACE).trace("t", "p")) is None
    assert not WORLD.recognises(problem)
