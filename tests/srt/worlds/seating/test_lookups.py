"""Traces with their lookups written out say the same, are proved, and write each lookup's key beside it."""

from __future__ import annotations

import pytest

from srt.io.errors import UserError
from srt.io.records import Problem
from srt.language.text import linearize, parse
from srt.language.trace import Trace
from srt.pipeline.check import check_with_truth
from srt.pipeline.solve import solve_one
from srt.worlds.seating.derivation.lookups import (
    ANCHORED,
    LETTERED,
    RESTATED,
    SCANNED,
    Cut,
    spell_out_lookups,
)
from srt.worlds.seating.reading.problem_reader import read_problem
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import sample
from srt.worlds.seating.writing.derivation_prose import explain
from srt.worlds.world import NEEDED

BOOTH = Problem(
    id="booth",
    source="test",
    split="test",
    lang="en",
    question="Booth: Ann, Bob, Cal, Dee.\n(1) Dee is right of Ann;\n(2) Cal is right of Bob.\n"
    "() faces the right neighbour of Ann.",
    choices={"A": "Cal", "B": "Dee", "C": "Bob", "D": "None of the above"},
)
RESTATED_BOOTH = """\
CORRELATE (1): right(Ann) = Dee
CORRELATE (2): right(Bob) = Cal
CORRELATE question: ? = across(right(Ann))
CONSTRAIN wlog #1: Ann@S1 & Dee@S2
CONSTRAIN scene #2 #4: Bob@N1 & Cal@N2
INFER #1 #3: ? = across(Dee)
INFER scene #4 #6: Dee@S2 & ?@N1
INFER #4 #5 #7: ?@N1 & ? = Bob
INFER A B C D #5 #8 Bob: options = {C}
ANSWER: C"""


RUNNING = """\
CORRELATE (1): right(Ann) = Dee
CORRELATE (2): right(Bob) = Cal
CORRELATE question: ? = across(right(Ann))
CONSTRAIN wlog #1: Ann@S1 & Dee@S2
CONSTRAIN scene #2 #4: Ann@S1 & Dee@S2 & Bob@N1 & Cal@N2
INFER scene #3 #5: Ann@S1 & Dee@S2 & ? = across(Dee)
INFER scene #5 #6: Dee@S2 & ?@N1
INFER #5 #7: Bob@N1 & ? = Bob
INFER A B C D #5 #8 Bob: options = {C}
ANSWER: C"""


def cut(trace: Trace, how: Cut, problem: Problem = BOOTH) -> Trace:
    return spell_out_lookups(trace, how, read_problem(problem).options)


def solved(problem: Problem, plan: str = NEEDED) -> Trace:
    made = solve_one(problem, plan)
    assert isinstance(made, Trace)
    return made


def test_the_cut() -> None:
    assert linearize(cut(solved(BOOTH), RESTATED)) == RESTATED_BOOTH


def test_the_finest_cut_of_a_running_plan() -> None:
    trace = cut(solved(BOOTH, "running"), ANCHORED)
    assert linearize(trace) == RUNNING
    assert check_with_truth(BOOTH, trace).proved


def test_a_lookup_begins_with_whom_the_question_names() -> None:
    """Cal is found, who is diagonal to Dee: the seat of Cal first would give away who that is."""
    question = BOOTH.question.replace(
        "() faces the right neighbour of Ann.", "the right neighbour of () is diagonal to Dee."
    )
    trace = cut(solved(BOOTH.model_copy(update={"question": question}), "running"), ANCHORED)
    assert "INFER scene #3 #5: Dee@S2 & Cal@N2 & right(?) = Cal" in linearize(trace)


def test_a_lookup_that_finds_nobody_begins_like_one_that_finds_somebody() -> None:
    problem = BOOTH.model_copy(update={"question": BOOTH.question.replace("neighbour of Ann.", "neighbour of Dee.")})
    trace = cut(solved(problem, "running"), ANCHORED)
    assert "INFER scene #3 #5: Dee@S2 & ? = none" in linearize(trace)
    assert check_with_truth(problem, trace).proved


def test_alternatives_and_the_order_of_words_are_kept() -> None:
    """A step of somebody else's trace, which the exact teacher would not write."""
    trace = solved(BOOTH, "running")
    lookup = "INFER scene Ann Dee #3 #5: ? = across(Dee) | ? = left(Dee)"
    other = parse(linearize(trace).replace("INFER scene #3 #5: ? = across(Dee)", lookup))
    anchored = cut(trace.model_copy(update={"steps": other.steps}), ANCHORED)
    seats = "Ann@S1 & Dee@S2"
    assert f"INFER scene Ann Dee #3 #5: {seats} & ? = across(Dee) | {seats} & ? = left(Dee)" in linearize(anchored)


def test_a_repeated_seat_that_no_cited_step_says_is_no_proof() -> None:
    """Nor is it where it is right: somebody who guesses a seat would have it proved by naming it here."""
    trace = cut(solved(BOOTH, "running"), ANCHORED)
    lookup = "INFER scene #3 #5: Ann@S1 & Dee@S2 & ? = across(Dee)"
    wrong = parse(linearize(trace).replace(lookup, lookup.replace("Ann@S1", "Ann@N1")))
    checked = check_with_truth(BOOTH, trace.model_copy(update={"steps": wrong.steps}))
    assert (checked.steps[5].support, checked.steps[5].truth) == ("refuted", "false")
    unsaid = parse(linearize(trace).replace(lookup, "INFER #1 #3: Ann@S1 & ? = across(Dee)"))
    assert check_with_truth(BOOTH, trace.model_copy(update={"steps": unsaid.steps})).steps[5].support == "consistent"


def test_nobody_is_found_behind_the_seat_of_whom_the_question_names() -> None:
    question = BOOTH.question.replace("faces the right neighbour of Ann", "is left of Ann")
    problem = BOOTH.model_copy(update={"question": question})
    trace = cut(solved(problem, "running"), RESTATED)
    assert "INFER scene #3 #5: Ann@S1 & ? = none" in linearize(trace)
    assert check_with_truth(problem, trace).proved
    wrong = parse(linearize(trace).replace("Ann@S1 & ? = none", "Ann@S2 & ? = none"))
    assert check_with_truth(problem, trace.model_copy(update={"steps": wrong.steps})).steps[5].truth == "false"


ONE_BY_ONE = Problem(
    id="one-by-one",
    source="test",
    split="test",
    lang="en",
    question="Booth: Ann, Bob, Cal, Dee.\n(1) Dee is right of Ann;\n(2) Cal is diagonal to Dee.\n"
    "() faces the right neighbour of Ann.",
    choices={"A": "Cal", "B": "Dee", "C": "Bob", "D": "None of the above"},
)


def test_a_step_that_seats_somebody_is_anchored() -> None:
    coarse, fine = (cut(solved(ONE_BY_ONE), how) for how in (RESTATED, ANCHORED))
    changed = [
        (str(before.claim), str(after.claim))
        for before, after in zip(coarse.steps, fine.steps, strict=True)
        if before != after
    ]
    assert changed == [("Cal@N2", "Dee@S2 & Cal@N2"), ("?@N1 & ? = Bob", "Bob@N1 & ? = Bob")]
    assert check_with_truth(ONE_BY_ONE, fine).proved


def test_the_text_comes_back() -> None:
    trace = cut(solved(BOOTH), RESTATED)
    assert parse(linearize(trace)).steps == trace.steps


@pytest.mark.parametrize("plan", ["needed", "running"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_restated_trace_is_proved_and_true(lang: str, plan: str) -> None:
    spec = SampleSpec.parse({"split": "train", "lang": lang})
    changed = 0
    for index in range(120):
        problem = sample(spec, index)
        trace = solved(problem, plan)
        again = cut(trace, RESTATED, problem)
        checked = check_with_truth(problem, again)
        assert checked.proved, (problem.question, linearize(again), checked)
        assert {step.truth for step in checked.steps} == {"true"}
        assert again.answer == trace.answer
        changed += again.steps != trace.steps
    assert changed > 60


@pytest.mark.long
@pytest.mark.parametrize("how", [ANCHORED, SCANNED, LETTERED])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_running_plan_is_proved_in_the_fine_cuts(lang: str, how: Cut) -> None:
    spec = SampleSpec.parse({"split": "test", "lang": lang})
    broken = []
    for index in range(150):
        problem = sample(spec, index)
        trace = cut(solved(problem, "running"), how, problem)
        if not check_with_truth(problem, trace).proved:
            broken.append(linearize(trace))
    assert not broken, broken[0]


SCAN = "INFER #5 #7: ?@N1 & Ann@S1 & Dee@S2 & Bob@N1 & ? = Bob"


def test_a_scan_goes_through_the_plan_up_to_the_seat() -> None:
    trace = cut(solved(BOOTH, "running"), SCANNED)
    assert linearize(trace) == RUNNING.replace("INFER #5 #7: Bob@N1 & ? = Bob", SCAN)
    assert check_with_truth(BOOTH, trace).proved


@pytest.mark.parametrize(
    ("wrong", "truth"),
    [
        (SCAN.replace("Ann@S1 & ", "Ann@N2 & "), "false"),  # a seat on the way
        (SCAN.replace("?@N1", "?@N2"), "false"),  # the seat that is looked for
        (SCAN.replace("? = Bob", "? = Dee"), "false"),  # somebody else than the one at its end
    ],
)
def test_a_wrong_scan_is_refuted(wrong: str, truth: str) -> None:
    trace = cut(solved(BOOTH, "running"), SCANNED)
    steps = parse(linearize(trace).replace(SCAN, wrong)).steps
    step = check_with_truth(BOOTH, trace.model_copy(update={"steps": steps})).steps[7]
    assert (step.support, step.truth) == ("refuted", truth)


def test_each_of_several_is_found_by_a_scan() -> None:
    question = BOOTH.question.replace(
        "() faces the right neighbour of Ann.", "Ann and () are not sitting side by side."
    )
    problem = BOOTH.model_copy(update={"question": question})
    trace = cut(solved(problem, "running"), SCANNED)
    ways = "?@N1 & Ann@S1 & Dee@S2 & Bob@N1 & ? = Bob | ?@N2 & Ann@S1 & Dee@S2 & Bob@N1 & Cal@N2 & ? = Cal"
    assert ways in linearize(trace)
    assert check_with_truth(problem, trace).proved


def test_a_step_scans_for_all_who_fill_the_blank_or_for_nobody() -> None:
    """Where a step does not say all of their seats, nothing is gone through, and so it is in its prose."""
    asked = "Ann and () are not sitting side by side."
    question = BOOTH.question.replace("() faces the right neighbour of Ann.", asked)
    problem = BOOTH.model_copy(update={"question": question})
    whole = solved(problem, "running")
    unsaid = parse(linearize(whole).replace(" & Bob@N1 & Cal@N2", " & Bob@N1")).steps
    trace = whole.model_copy(update={"steps": unsaid})
    assert ": ?@N1 & ? = Bob | ? = Cal" in linearize(cut(trace, SCANNED))
    for one, scans in ((whole, True), (trace, False)):
        assert ("Who is at" in explain(read_problem(problem), one, lettered=True)) == scans


def with_options(*names: str) -> Problem:
    """The booth, with another question: Ann and Dee fill the blank."""
    asked = "Cal and () are not sitting side by side."
    question = BOOTH.question.replace("() faces the right neighbour of Ann.", asked)
    choices = dict(zip("ABCD", names, strict=False))
    return BOOTH.model_copy(update={"question": question, "choices": choices})


@pytest.mark.parametrize(
    ("options", "walk", "prose"),
    [
        (
            ("Bob", "Ann", "Cal", "None of the above"),
            "A B Ann C D: options = {B}",
            "A no, B Ann yes, C no, D no. So the answer is B.",
        ),
        (
            ("Dee", "Cal", "Bob", "Ann"),
            "A Dee B C D Ann: options = {A, D}",
            "A Dee yes, B no, C no, D Ann yes. So the answers are A and D.",
        ),
        (
            ("Bob", "Cal", "None of the above"),
            "A B C: options = {C}",
            "A no, B no, C yes. So the answer is C.",
        ),
    ],
)
def test_the_options_are_gone_through_in_their_order(options: tuple[str, ...], walk: str, prose: str) -> None:
    problem = with_options(*options)
    solved_trace = solved(problem, "running")
    puzzle = read_problem(problem)
    trace = cut(solved_trace, LETTERED, problem)
    scanned = cut(solved_trace, SCANNED, problem)
    assert trace.steps[:-1] == scanned.steps[:-1]
    *cited, last = linearize(trace).splitlines()[-2].split(" ", 3)
    assert (cited, last) == (["INFER", "#5", "#7"], walk)
    assert check_with_truth(problem, trace).proved
    said = explain(puzzle, solved_trace, lettered=True)
    assert said.endswith(f"\nGoing through the options: {prose}")
    assert "Who is at" in said


def test_the_order_is_that_of_the_letters_whatever_the_trace_cites_first() -> None:
    problem = with_options("Bob", "Ann", "Cal", "None of the above")
    *before, last = solved(problem, "running").steps
    turned = last.model_copy(update={"args": ("#7", "D", "C", "B", "A")})
    trace = solved(problem, "running").model_copy(update={"steps": (*before, turned)})
    written = linearize(cut(trace, LETTERED, problem))
    assert "INFER #5 #7 A B Ann C D: options = {B}" in written


def test_a_claim_that_cannot_be_read_is_named() -> None:
    trace = solved(BOOTH)
    *before, last = trace.steps
    broken = trace.model_copy(update={"steps": (*before, last.model_copy(update={"claim": "options are C"}))})
    with pytest.raises(UserError, match=rf"steps\.{len(trace.steps)}: claim"):
        cut(broken, RESTATED)
