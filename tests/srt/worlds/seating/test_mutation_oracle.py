"""The naive oracle: hand-worked verdicts, and agreement with the checker, which shares nothing with it."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from srt.checking import check
from srt.io.records import Problem
from srt.language.faults import Fault, FaultClass
from srt.language.text import linearize, parse
from srt.language.trace import Trace
from srt.pipeline.solve import solve_one
from srt.worlds.kit.mutated_steps import renumbered
from srt.worlds.seating.faults.fault_classes import SeatingFault
from srt.worlds.seating.faults.mutation_subject import MUTATIONS
from srt.worlds.seating.faults.oracle import Oracle
from srt.worlds.seating.faults.valid_trace import ValidTrace
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import sample

BOOTH = Problem(
    id="booth",
    source="test",
    split="train",
    lang="en",
    question="Booth: Ann, Ben, Cat, Dan.\n(1) Ben is right of Ann;\n(2) Dan is right of Cat.\n"
    "() faces the right neighbour of Ann.",
    choices={"A": "Dan", "B": "Ben", "C": "Cat", "D": "None of the above"},
)
TEXT = """\
CORRELATE (1): right(Ann) = Ben
CORRELATE (2): right(Cat) = Dan
CORRELATE question: ? = across(right(Ann))
CONSTRAIN wlog #1: Ann@S1 & Ben@S2
CONSTRAIN scene #2 #4: Cat@N1 & Dan@N2
INFER #1 #3: ? = across(Ben)
INFER scene #4 #6: ?@N1
INFER #5 #7: ? = Cat
INFER A B C D #8: options = {C}
ANSWER: C"""


def booth(changes: dict[int, str]) -> Trace:
    parsed = parse("\n".join(changes.get(number, line) for number, line in enumerate(TEXT.splitlines(), 1)))
    return Trace(id="t", problem_id="booth", kind="world", lang="en", steps=parsed.steps, answer=parsed.answer)


@pytest.mark.parametrize(
    ("changes", "proved", "false"),
    [
        ({}, True, ()),
        # Accidents: the same said otherwise.
        ({1: "CORRELATE (1): left(Ben) = Ann"}, True, ()),
        ({4: "CONSTRAIN wlog #1: Ben@S2 & Ann@S1"}, True, ()),
        # True, but not shown, or said already.
        ({8: "INFER #5 #7: ? = Cat | ? = Cat"}, False, ()),
        ({9: "INFER A B C D #8: options = {C}\nINFER #9: options = {C}"}, False, ()),
        ({5: "CONSTRAIN scene #2 #4: Cat@N1 & Dan@N2 & Cat != Dan"}, False, ()),
        ({4: "CONSTRAIN wlog (1) #1: Ben@S2 & Ann@S1"}, False, ()),
        ({5: "CONSTRAIN scene (2) #2 #4: Cat@N1 & Dan@N2"}, False, ()),
        ({5: "CONSTRAIN scene #1 #2 #4: Cat@N1 & Dan@N2"}, False, ()),
        ({5: "CONSTRAIN #2 #4: Cat@N1 & Dan@N2"}, False, ()),
        ({5: "CONSTRAIN scene #4: Cat@N1 & Dan@N2"}, False, ()),
        ({4: "CONSTRAIN wlog: Ann@S1 & Ben@S2"}, False, ()),
        ({4: "CONSTRAIN scene #1: Ann@S1 & Ben@S2"}, False, ()),
        ({5: "CONSTRAIN wlog #2 #4: Cat@N1 & Dan@N2"}, False, ()),
        ({6: "INFER #3: ? = across(Ben)"}, False, ()),
        ({9: "INFER A B C #8: options = {C}"}, False, ()),
        ({1: "CORRELATE (1): Ben in beside(Ann)"}, False, ()),
        ({2: "CORRELATE (1): right(Cat) = Dan"}, False, ()),
        ({4: "INFER wlog #1: Ann@S1 & Ben@S2"}, False, ()),
        ({7: "CONSTRAIN scene #4 #6: ?@N1"}, False, ()),
        ({8: "INFER #5 #8: ? = Cat"}, False, ()),
        ({8: "INFER #5 #12: ? = Cat"}, False, ()),
        ({7: "INFER scene #4 #3: ?@N1"}, False, ()),  # Step 6 is then used by nothing.
        ({2: "CORRELATE (2): gibberish"}, False, ()),
        ({2: "CORRELATE (2): right(Zoe) = Dan"}, False, ()),
        # False: in the solution, or once the seats are chosen otherwise.
        ({1: "CORRELATE (1): right(Ann) != Ben"}, False, (1,)),
        ({2: "CORRELATE (2): left(Cat) = Dan"}, False, (2,)),
        ({3: "CORRELATE question: ? = across(left(Ann))"}, False, (3,)),
        ({4: "CONSTRAIN wlog #1: Ann@N1 & Ben@N2"}, False, (5, 7)),
        ({4: "CONSTRAIN wlog #1: Ann@S1 & Cat@S2"}, False, (4,)),
        ({7: "INFER scene #4 #6: ?@N2"}, False, (7,)),
        ({8: "INFER #5 #7: ? = none"}, False, (8,)),
        ({9: "INFER A B C D #8: options = {A, C}"}, False, (9,)),
        ({9: "INFER A B C D #8: options = {C} & ? = Dan"}, False, ()),
        ({8: "INFER #5 #7: right(Ann) = Cat & ? = none"}, False, ()),
        ({6: "INFER #1 #3: right(Ann) = Cat & ? = across(Ben)"}, False, (6,)),
        ({10: "ANSWER: D"}, False, (0,)),
        ({9: "INFER A B C D #8: options = {D}", 10: "ANSWER: D"}, False, (9, 0)),
        # Neither right nor wrong, and right in other words.
        ({10: "ANSWER: perhaps C"}, False, ()),
        ({10: "ANSWER: Cat"}, True, ()),
    ],
)
def test_hand_worked(changes: dict[int, str], proved: bool, false: tuple[int, ...]) -> None:
    trace = booth(changes)
    verdict = Oracle(BOOTH).judge(trace)
    assert verdict.proved == proved, verdict.faults
    assert verdict.false == false
    checked = check(BOOTH, trace)
    assert checked.proved == proved
    assert checked.refuted == bool(false)


def test_a_trace_without_its_last_step_has_no_answer() -> None:
    trace = booth({})
    verdict = Oracle(BOOTH).judge(trace.model_copy(update={"steps": trace.steps[:-1]}))
    assert verdict.faults == ("step 8 is not used", "the answer does not follow")


SPECS = tuple(SampleSpec(lang=lang, style=style) for lang in ("en", "zh") for style in ("short", "long"))


@cache
def sampled(which: int, index: int, plan: str) -> tuple[Problem, Oracle, ValidTrace]:
    """A problem of every scene, with its exact trace; both judges find it valid."""
    problem = sample(SPECS[which], index)
    trace = solve_one(problem, plan)
    assert isinstance(trace, Trace)
    oracle = Oracle(problem)
    placement = oracle.placement(trace)
    assert placement is not None
    assert oracle.judge(trace).proved
    assert check(problem, trace).proved
    return problem, oracle, ValidTrace(oracle.puzzle, trace, placement)


@pytest.mark.long
@settings(max_examples=400)
@given(
    which=st.integers(0, len(SPECS) - 1),
    index=st.integers(0, 24),
    plan=st.sampled_from(("needed", "read-as-turns")),
    faults=st.lists(st.sampled_from(list(MUTATIONS)), min_size=1, max_size=2),
    seed=st.integers(0, 10_000),
)
@example(which=0, index=23, plan="needed", faults=[SeatingFault.CASE_LEFT_OUT, SeatingFault.VACUOUS_STEP], seed=4638)
@example(which=0, index=24, plan="needed", faults=[Fault.UNUSED_STEP], seed=2239)
@example(which=2, index=4, plan="needed", faults=[SeatingFault.ANOTHER_SEAT, Fault.ORDER_BROKEN], seed=2983)
def test_oracle_and_checker_agree(which: int, index: int, plan: str, faults: list[FaultClass], seed: int) -> None:
    """On one fault or two at once: proved or not; and what is false is refuted."""
    problem, oracle, valid = sampled(which, index, plan)
    rng = random.Random(seed)
    for fault in faults:
        mutant = MUTATIONS[fault](valid, rng)
        if mutant is not None:
            valid = ValidTrace(valid.puzzle, mutant.trace, valid.placement)
    verdict, checked = oracle.judge(valid.trace), check(problem, valid.trace)
    assert verdict.proved == checked.proved, (linearize(valid.trace), verdict, checked)
    if verdict.false:
        assert checked.refuted, (linearize(valid.trace), verdict, checked)


@pytest.mark.long
@settings(max_examples=300)
@given(
    which=st.integers(0, len(SPECS) - 1),
    index=st.integers(0, 24),
    plan=st.sampled_from(("needed", "read-as-turns")),
    again=st.lists(st.tuples(st.floats(0, 0.99), st.floats(0, 0.99)), min_size=1, max_size=3),
)
def test_they_agree_where_clues_are_read_again(
    which: int, index: int, plan: str, again: list[tuple[float, float]]
) -> None:
    """Readings of a valid trace are said again somewhere: next to each other, before or after people are seated."""
    problem, oracle, valid = sampled(which, index, plan)
    steps = list(valid.trace.steps)
    for reading, place in again:
        readings = [step for step in steps if step.op == "CORRELATE"]
        at = int(place * len(steps))
        steps = renumbered(steps, {number: number + (number > at) for number in range(1, len(steps) + 1)})
        steps.insert(at, readings[int(reading * len(readings))])
    trace = valid.trace.model_copy(update={"steps": tuple(steps)})
    verdict, checked = oracle.judge(trace), check(problem, trace)
    assert verdict.proved == checked.proved, (linearize(trace), verdict, checked)


def test_a_question_that_supposes_what_is_not_so_is_read_as_it_stands() -> None:
    question = """Booth, benches on the north and south sides: Ann, Bob, Cal, Dan.
(1) Ann looks south;
(2) Bob is right of Ann;
(3) Dan is left of Cal.
Ann is sitting facing north, next to () on the left-hand side."""
    choices = {"A": "Bob", "B": "Cal", "C": "Dan", "D": "None of the above"}
    problem = Problem(id="p", source="test", split="train", lang="en", question=question, choices=choices)
    trace = solve_one(problem)
    assert isinstance(trace, Trace)
    assert check(problem, trace).proved
    assert Oracle(problem).judge(trace).faults == ()
