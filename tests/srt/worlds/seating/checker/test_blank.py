"""Who fills the blank, nobody among them, and which options are right."""

from __future__ import annotations

import pytest

from srt.language.faults import Fault
from tests.srt.worlds.seating.checker.hand_written_booth import (
    BOOTH,
    BOOTH_CHOICES,
    BOOTH_TRACE,
    booth,
    replaced,
    run,
    step_of,
)


def test_none_of_the_above() -> None:
    found = booth(
        BOOTH_TRACE.replace("INFER A B C D #8: options = {B}", "INFER A B C D #8: options = {D}").replace(
            "ANSWER: B", "ANSWER: D"
        )
    )
    assert found.steps[-1].support == "refuted"
    choices = {"A": "Bob", "B": "Dan", "C": "None of the above"}
    text = BOOTH_TRACE.replace("A B C D #8: options = {B}", "A B C #8: options = {C}").replace("ANSWER: B", "ANSWER: C")
    assert run(BOOTH, choices, text).proved


def test_nobody_fills_the_blank() -> None:
    question = BOOTH.replace("() faces the right neighbour of Ann", "() is left of Ann")
    found = run(
        question,
        BOOTH_CHOICES,
        """CORRELATE (1): right(Ann) = Bob
CORRELATE question: ? = left(Ann)
CONSTRAIN wlog #1: Ann@S1
INFER scene #2 #3: ? = none
INFER A B C D #4: options = {D}
ANSWER: D""",
    )
    assert found.proved


@pytest.mark.parametrize(
    ("step", "support"),
    [
        ("INFER scene #2 #4: Ann@S1 & ? = none", "proved"),
        ("INFER scene #2 #4: Bob@S2 & Ann@S1 & ? = none", "proved"),
        ("INFER scene #2 #4: Ann@S2 & ? = none", "refuted"),
        ("INFER scene #2 #4: Ann@S1 & Bob@N1 & ? = none", "refuted"),
        ("INFER scene #2 #3: Ann@S1 & Bob@S2 & ? = none", "consistent"),  # #3 does not say where Bob sits.
        ("INFER scene #2: Ann@S1 & ? = none", "consistent"),
        ("CONSTRAIN scene #2 #4: Ann@S1 & ? = none", "consistent"),
        # Nobody sits on two seats or is where the bench ends; that alone must not prove a seat.
        ("INFER scene #2 #4: Ann@N1 & ?@N1", "refuted"),
        ("INFER scene #2 #4: Ann@N2 & ?@S2", "refuted"),
        ("INFER scene #2 #4: Bob@N1 & ? = left(Ann)", "refuted"),
        ("INFER scene #2 #4: Ann@S2 & ?@S1 | Ann@S2 & ?@S2", "refuted"),
        # And a relation of others: nobody fills the blank with a wrong one, either.
        ("INFER #1 #2: right(Ann) = Bob & ? = left(Ann)", "proved"),
        ("INFER #2: right(Ann) = Bob & ? = left(Ann)", "consistent"),
        ("INFER scene #2 #3: right(Ann) = Dan & ? = left(Ann)", "refuted"),
        ("INFER scene #2 #4: ? = left(Ann) & Bob notin beside(Ann)", "refuted"),
        ("INFER scene #2 #4: Bob@N1 & ? = left(Ann) | Ann@S2 & ? = left(Ann)", "refuted"),
    ],
)
def test_nobody_behind_what_is_said_of_others(step: str, support: str) -> None:
    """It is checked, too: nobody fills the blank with a wrong seat, either."""
    head = """CORRELATE (1): right(Ann) = Bob
CORRELATE question: ? = left(Ann)
CONSTRAIN wlog: Ann@S1
CONSTRAIN scene #1 #3: Ann@S1 & Bob@S2
"""
    question = BOOTH.replace("() faces the right neighbour of Ann", "() is left of Ann")
    assert step_of(head + step, question).support == support


def test_a_question_that_says_something_of_others() -> None:
    """Its reading says what it says, right or wrong."""
    question = """Booth, benches on the north and south sides: Ann, Bob, Cal, Dan.
(1) Ann looks south;
(2) Bob is right of Ann;
(3) Dan is left of Cal.
Ann is sitting facing north, next to () on the left-hand side."""
    reading = "CORRELATE question: left(?) = Ann & faces(Ann) = N"
    plain = question.partition("Ann is sitting")[0] + "() is right of Ann."
    assert step_of("CORRELATE question: right(Ann) = ? & Ann = Ann", plain).fault is Fault.REPEATED
    assert step_of("CORRELATE question: right(Ann) = ? & Bob != Cal", plain).support == "consistent"
    assert step_of("CORRELATE question: right(Ann) = ? & right(Bob) = Cal", plain).support != "proved"
    assert step_of(reading, question).support == "proved"
    assert step_of("CORRELATE question: faces(Ann) = N & Ann = left(?)", question).support == "proved"
    assert step_of(reading + " & Bob != Cal", question).support != "proved"
    assert step_of("CORRELATE question: left(?) = Ann", question).support != "proved"
    head = f"CORRELATE (1): faces(Ann) = S\n{reading}\n"
    assert step_of(head + "INFER #1 #2: ? = none", question).support == "proved"
    assert step_of(head + "INFER #1 #2: faces(Ann) = N & ? = left(Ann)", question).support == "refuted"
    assert step_of(head + "INFER #1 #2: faces(Ann) = S & ? = none", question).support == "unchecked"


def test_who_says_that_nobody_fills_the_blank_need_not_be_seated_again() -> None:
    question = BOOTH.replace("() faces the right neighbour of Ann", "() is left of Ann")
    head = """CORRELATE question: ? = left(Ann)
CONSTRAIN wlog: Ann@S1
INFER scene #1 #2: Ann@S1 & ? = none
"""
    assert step_of(head + "INFER A B C D #3: options = {D}", question).support == "proved"
    assert step_of(head + "INFER A B C D #2 #3: options = {D}", question).fault == Fault.IDLE_PREMISE


def test_a_seat_does_not_hide_that_somebody_fills_the_blank() -> None:
    assert replaced("INFER scene #4 #6: ?@N1", "INFER scene #4 #6: Bob@S2 & ? = none").steps[6].support == "refuted"


def test_who_is_meant_must_be_whom_the_question_means() -> None:
    found = replaced("INFER #5 #7: ? = Cal", "INFER #5 #7: ? = Dan").steps[7]
    assert found.support == "refuted"
    assert found.reason == "as the clues place them, the blank is Cal"


def test_two_who_fill_the_blank() -> None:
    question = BOOTH.replace("() faces the right neighbour of Ann", "() does not face Bob")
    text = """CORRELATE question: ? != across(Bob)
CORRELATE question: across(Bob) != ?
ANSWER: B"""
    found = run(question, BOOTH_CHOICES, text)
    # Two who do not face Bob, and never Bob himself: only the sentence about Bob directly leaves him out.
    assert [step.support for step in found.steps] == ["proved", "proved"]
    head = "CORRELATE question: across(Bob) != ?\nCORRELATE (1): right(Ann) = Bob\nCORRELATE (2): left(Dan) = Cal\n"
    both = step_of(head + "INFER scene #1 #2 #3: ? = Ann | ? = Dan", question)
    assert (both.support, both.fault) == ("consistent", Fault.LEAP)
    seated = "CONSTRAIN wlog #2: Ann@S1 & Bob@S2\nCONSTRAIN scene #3 #4: Dan@N2 & Cal@N1\n"
    assert step_of(f"{head}{seated}INFER scene #1 #4: ?@S1 | ?@N2", question).support == "proved"
    assert step_of(head + "INFER scene #1 #2 #3: ? = Ann", question).support == "refuted"
