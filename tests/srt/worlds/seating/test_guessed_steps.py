"""Steps that are true and in the right form, but guessed: neither the checker nor the oracle proves them."""

from __future__ import annotations

import pytest

from srt.checking import check
from srt.io.records import Problem
from srt.language.text import parse
from srt.language.trace import StepCheck, Trace
from srt.worlds.seating.faults.oracle import Oracle

BOOTH = "Booth{side}: Ann, Ben, Cat, Dan.\n(1) Ben is right of Ann;\n(2) Dan is right of Cat.\n{question}."
CHOICES = {"A": "Dan", "B": "Ben", "C": "Cat", "D": "None of the above"}
READINGS = """\
CORRELATE (1): right(Ann) = Ben
CORRELATE (2): right(Cat) = Dan
CORRELATE question: {question}
"""
SEATS = """\
CONSTRAIN wlog #1: Ann@S1 & Ben@S2
CONSTRAIN scene #2 #4: Ann@S1 & Ben@S2 & Cat@N1 & Dan@N2
"""
LISTS = """\
CONSTRAIN scene #1: Ann@S1 & Ben@S2 | Ann@N1 & Ben@N2
CONSTRAIN scene #2: Cat@S1 & Dan@S2 | Cat@N1 & Dan@N2
"""
APART = """\
CONSTRAIN wlog #1: Ann@S1 & Ben@S2
CONSTRAIN scene #2 #4: Cat@N1 & Dan@N2
"""
NESTED = ("() faces the right neighbour of Ann", "? = across(right(Ann))")
SEVERAL = ("() does not face Ann", "across(Ann) != ?")
BOTH_SIDES = ("() faces the right neighbour of Ann", "across(?) = right(Ann)")
BENCH = ("() shares a bench with Dan", "? in beside(Dan)")
NOBODY = ("Ann faces the left neighbour of ()", "across(left(?)) = Ann")


def judged(question: tuple[str, str], steps: str, side: str = "") -> tuple[StepCheck, bool]:
    """The checker's verdict on the last of ``steps``, and whether the oracle finds it without fault."""
    asked, reading = question
    return last_judged(BOOTH.format(side=side, question=asked), READINGS.format(question=reading) + steps)


def last_judged(text: str, steps: str) -> tuple[StepCheck, bool]:
    """As :func:`judged`, of the problem ``text``."""
    problem = Problem(id="p", source="made", split="test", lang="en", question=text, choices=CHOICES)
    parsed = parse(f"{steps.strip()}\nANSWER: C")
    trace = Trace(id="t", problem_id="p", kind="world", lang="en", steps=parsed.steps, answer="C")
    last = f"step {len(trace.steps)} "
    faults = [fault for fault in Oracle(problem).judge(trace).faults if fault != f"{last}is not used"]
    return check(problem, trace).steps[-1], not any(fault.startswith(last) for fault in faults)


TAKEN_OFF = SEATS + "INFER scene #3 #5: Ann@S1 & Ben@S2 & ? = across(Ben)\n"
FOUND = TAKEN_OFF + "INFER scene #5 #6: Ben@S2 & ?@N1\n"
NAMED = FOUND + "INFER #5 #7: Cat@N1 & ? = Cat\n"
DECIDED = NAMED + "INFER A B C D #5 #8 Cat: options = {C}\n"


@pytest.mark.parametrize(
    ("question", "steps"),
    [
        (NESTED, TAKEN_OFF),
        (NESTED, SEATS + "INFER scene #3 #5: Ann@S1 & Ben@S2 & across(?) = Ben"),
        (NESTED, FOUND),
        (NESTED, NAMED),
        (NESTED, DECIDED),
        (SEVERAL, SEATS + "INFER scene #3 #5: Ann@S1 & ?@S2 | Ann@S1 & ?@N1"),
        (SEVERAL, SEATS + "INFER scene #3 #5: Ann@S1 & ?@S2 | Ann@S1 & ?@N1\nINFER #5 #6: ?@S2 & ? = Ben | ? = Cat"),
        (NOBODY, SEATS + "INFER scene #3 #5: Ann@S1 & Dan@N2 & left(?) = Dan"),
        (NOBODY, SEATS + "INFER scene #3 #5: Ann@S1 & Dan@N2 & left(?) = Dan\nINFER scene #5 #6: Dan@N2 & ? = none"),
        (NOBODY, APART + "INFER scene #3 #4 #5: left(?) = Dan"),
        (NESTED, SEATS + "CONSTRAIN scene #5: across(Ben) = Cat"),
        (NESTED, "INFER #1 #3: ? = across(Ben)"),
        (NESTED, "CONSTRAIN #1: left(Ben) = Ann\nINFER #3 #4: ? = across(Ben)"),
        (NESTED, SEATS + "CONSTRAIN scene #5: across(Ben) = Cat\nINFER #1 #3: ? = across(Ben)\nINFER #6 #7: ? = Cat"),
        (NESTED, LISTS + "CONSTRAIN #4 #5: Ann@S1 & Cat@N1 | Ann@N1 & Cat@S1"),
    ],
)
def test_one_lookup_after_the_other_is_proved(question: tuple[str, str], steps: str) -> None:
    found, faultless = judged(question, steps)
    assert found.support == "proved", found
    assert faultless


@pytest.mark.parametrize(
    ("question", "steps", "reason"),
    [
        # Both functions are looked up at once; then the seat is described from somebody else.
        (NESTED, SEATS + "INFER scene #3 #5: Ann@S1 & Dan@N2 & ? = left(Dan)", "another relation"),
        (NESTED, SEATS + "INFER scene #3 #5: Ann@S1 & Ben@S2 & ? in beside(Dan)", "another relation"),
        (NESTED, SEATS + "INFER scene #3 #5: Ann@S1 & ?@N1 & ? = across(Ben)", "one function"),
        (NESTED, SEATS + "CONSTRAIN scene #5: across(right(Ann)) = Cat", "one function"),
        # Whatever nobody is, nobody fills the blank; but not Ben faces Ann.
        (NOBODY, SEATS + "INFER scene #3 #5: Ann@S1 & Ben@S2 & left(?) = Ben", "another relation"),
        (NOBODY, SEATS + "INFER scene #3 #5: Ann@S1 & ? = left(Ann)", "another relation"),
        (NOBODY, APART + "INFER scene #3 #4: left(?) = Ben", "another relation"),
        (NOBODY, APART + "INFER scene #3 #4: left(?) = Dan", "leave it open"),
        (NESTED, APART + "INFER scene #3 #4 #5: ? = across(Ben)", "#5"),
        (NESTED, APART + "INFER scene #3 #4 #5: ? = across(Ben) & Dan != Ben", "#5"),
        # The seat that the lookup starts from is not cited, or the person it leads to is left over.
        (
            NESTED,
            "CONSTRAIN wlog #2: Cat@N1 & Dan@N2\nCONSTRAIN scene #1 #4: Ben@S2\n"
            "INFER scene #3 #4 #5: Ben@S2 & ? = across(Ben)",
            "another relation",
        ),
        (
            SEVERAL,
            "CONSTRAIN wlog #1: Ann@S1 & Ben@S2\nCONSTRAIN scene #2 #4: Dan@N2\nCONSTRAIN scene #4 #5: left(Dan) = Cat",
            "left over",
        ),
        # Some alternatives name who fills the blank before anybody was found on a seat.
        (SEVERAL, SEATS + "INFER scene #3 #5: Ann@S1 & ?@S2 | Ann@S1 & ? = Cat", "find the seat"),
        # All are listed, and the right one is among them.
        (
            NESTED,
            FOUND + "INFER #5 #7: ?@N1 & ? = Ann | ?@N1 & ? = Ben | ?@N1 & ? = Cat | ?@N1 & ? = Dan",
            "holds for nobody",
        ),
        (NESTED, FOUND + "INFER #5 #7: ?@N1 & ? = Cat | ?@S1 & ? = Cat", "holds for nobody"),
        # A wrong seat stands in an alternative that adds nothing.
        (NESTED, TAKEN_OFF + "INFER scene #5 #6: Ben@S2 & ?@N1 | Ann@N2 & ?@S2", "no cited step says"),
        (NESTED, FOUND + "INFER #5 #7: Cat@N1 & ? = Cat | Dan@S1 & ? = Dan", "no cited step says"),
        # Two relations leave one person only: the question is said with the guess in its blank, or the name at once.
        (NESTED, "CONSTRAIN #1 #2: across(right(Ann)) = Cat", "without scene"),
        (NESTED, "CONSTRAIN #1 #2: across(Ben) = Cat", "without scene"),
        (BOTH_SIDES, SEATS + "CONSTRAIN scene #5: across(Cat) = right(Ann)", "one function"),
        (BOTH_SIDES, SEATS + "INFER scene #3 #5: Ann@S1 & ?@N1", "one function"),
        # ... or, on a seat that the guess was given, the seat of the blank.
        (BENCH, "INFER #1 #3: ? = Cat", "without scene"),
        (BENCH, "CONSTRAIN wlog: Cat@S1\nINFER #1 #3 #4: Cat@S1 & ?@S1", "no place follows"),
        (
            BENCH,
            "CONSTRAIN wlog: Cat@S1 | Cat@S2\nINFER #1 #3 #4: Cat@S1 & ?@S1 | Cat@S2 & ?@S2",
            "no place follows",
        ),
        # A clue cuts down a list of seats, and the blank is looked up in it.
        (
            NESTED,
            "CONSTRAIN #1: Ann@S1 & Ben@S2 & Cat@N1 | Ann@S1 & Ben@N2 & Cat@S2\n"
            "INFER #3: Ben@S2 & ?@N1\nINFER scene #1 #4 #5: ?@N1",
            "of named people",
        ),
        # Seats and what is looked up from them.
        (NESTED, SEATS + "CONSTRAIN scene #1 #5: across(Ben) = Cat", "two steps"),
        (NESTED, "CONSTRAIN wlog #1: Ann@S1 & right(Ann) = Ben", "two steps"),
        (NESTED, SEATS + "CONSTRAIN scene #5: across(Ben) = Cat & right(Cat) = Dan", "one function"),
        # What several lists of seats have in common, and what follows from it.
        (NESTED, LISTS + "CONSTRAIN scene #4 #5: across(Ben) = Cat", "lists"),
        (NESTED, LISTS + "CONSTRAIN wlog #4 #5: Ann@S1 & Ben@S2 & Cat@N1 & Dan@N2", "lists"),
        # A relation to somebody else, from the seat alone.
        (NESTED, FOUND + "INFER scene #5 #7: ? = left(Dan)", "another relation"),
        # Who may fill the blank is listed, and the options decide.
        (NESTED, FOUND + "INFER #4 #7: ?@N1 & ? = Cat | ?@N1 & ? = Dan\nINFER A B C D #5 #8: options = {C}", "who may"),
        # The question is read without its inner function, or with functions that the clues will fit.
        (NESTED, "CORRELATE question: ? = front_right(Ann)", "inside one another"),
        (NESTED, "CORRELATE question: ? = across(right(left(right(Ann))))", "inside one another"),
        (BENCH, "CORRELATE question: ? = diag(across(Dan))", "inside one another"),
        # Which options are right says nothing of who fills the blank.
        (NESTED, DECIDED + "INFER #3 #9: ? = Cat", "options"),
    ],
)
def test_a_guess_is_not_proved(question: tuple[str, str], steps: str, reason: str) -> None:
    found, faultless = judged(question, steps)
    assert found.support == "consistent", found
    assert reason in (found.reason or "")
    assert not faultless


FACING = """\
Booth: Ann, Ben, Cat, Dan.
(1) Ben faces Ann;
(2) Cat is front-left of Ann.
Dan faces ()."""
FACES = "CORRELATE (1): across(Ann) = Ben\nCORRELATE (2): front_left(Ann) = Cat\n"
APART_OR_NOT = (
    "Dan@S1 & Cat@S2 | Dan@S1 & Cat@N1 | Dan@S1 & Cat@N2 | Dan@S2 & Cat@S1 | Dan@S2 & Cat@N1 | Dan@S2 & Cat@N2"
)
CHOSEN = FACES + "CONSTRAIN wlog #1: Ann@S2 & Ben@N1\n"


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        # What is as true as the clue, because there are four seats, of others: alone, beside it, or as empty words.
        ("CORRELATE (1): across(Dan) = Cat", "no others"),
        ("CORRELATE (2): front_left(Ann) = Cat & diag(Dan) = Ben", "no others"),
        (
            "CORRELATE (1): across(Ann) = Ben & Dan in beside(Cat) | across(Ann) = Ben & Dan notin beside(Cat)",
            "no others",
        ),
        # Two who are left over: by wlog, and by a clue in a list that says little more than their names.
        (FACES + "CONSTRAIN wlog #1: Dan@S1 & Cat@N2 | Dan@S2 & Cat@N1", "left over"),
        (FACES + f"CONSTRAIN wlog: {APART_OR_NOT}", "left over"),
        (
            FACES + f"CONSTRAIN wlog: Dan@S1 | Dan@S2\nCONSTRAIN #3: {APART_OR_NOT}\n"
            "CONSTRAIN scene #1 #4: Dan@S1 & Cat@N2 | Dan@S2 & Cat@N1",
            "seats nobody",
        ),
    ],
)
def test_a_clue_seats_only_those_of_whom_it_speaks(steps: str, reason: str) -> None:
    found, faultless = last_judged(FACING, steps)
    assert found.support == "consistent", found
    assert reason in (found.reason or "")
    assert not faultless


@pytest.mark.parametrize(
    "steps",
    [
        "CORRELATE (1): across(Ben) = Ann",
        FACES + "CONSTRAIN wlog: Dan@S1 | Dan@S2",
        CHOSEN + "CONSTRAIN #3: Dan@S1 & Cat@N2 | Dan@N2 & Cat@S1",
        CHOSEN + "CONSTRAIN scene #2 #3: Cat@N2\nCONSTRAIN #3 #4: Dan@S1",
    ],
)
def test_one_person_is_chosen_and_whoever_is_left_over_is_found_alone(steps: str) -> None:
    found, faultless = last_judged(FACING, steps)
    assert found.support == "proved", found
    assert faultless


LOOKS_SOUTH = """\
Booth, benches on the north and south sides: Ann, Ben, Cat, Dan.
(1) Dan looks south;
(2) Cat is front-right of Ann;
(3) Ben is right of Ann.
Dan faces ()."""


def test_the_places_of_a_direction_are_a_list() -> None:
    steps = """\
CORRELATE (1): faces(Dan) = S
CORRELATE (2): front_right(Ann) = Cat
CORRELATE (3): right(Ann) = Ben
CORRELATE question: across(?) = Dan
CONSTRAIN scene #2: Ann@S1 & Cat@N1 | Ann@N1 & Cat@S1
CONSTRAIN scene #3 #5: Ann@S1 & Cat@N1 & Ben@S2 | Ann@N1 & Cat@S1 & Ben@N2
CONSTRAIN #6: Ann@S1 & Ben@S2 & Cat@N1 & Dan@N2 | Ann@N1 & Ben@N2 & Cat@S1 & Dan@S2
INFER scene #4 #7: Dan@N2 & ?@S1 | Dan@S2 & ?@N1
"""
    for step, proved in (("CONSTRAIN #1 #7: Dan@N2 & Ben@S2", True), ("INFER #1 #7 #8: ?@S1", False)):
        found, faultless = last_judged(LOOKS_SOUTH, steps + step)
        assert (found.support == "proved", faultless) == (proved, proved), found


def test_a_seat_that_is_said_nowhere_is_not_proved_where_it_is_open() -> None:
    side, question = ", benches on the north and south sides", ("() looks south", "faces(?) = S")
    step = "INFER #3: ?@N1 | ?@N2"
    assert judged(question, step, side)[0].support == "proved"
    found, faultless = judged(question, f"{step} | Ann@N1 & ?@N1", side)
    assert (found.support, faultless) == ("consistent", False)


def test_a_premise_with_a_wrong_seat_contradicts_the_problem() -> None:
    wrong = SEATS + "INFER scene #3 #5: Ann@S1 & Dan@N2 & left(?) = Dan\nINFER scene #5 #6: Dan@N1 & ? = none\n"
    found, _ = judged(NOBODY, wrong + "INFER A B C D #7: options = {D}")
    assert found.support == "consistent"
    assert "contradict" in (found.reason or "")
