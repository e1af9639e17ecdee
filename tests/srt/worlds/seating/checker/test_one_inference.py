"""A step is one inference and cites nothing that it does not need; a right guess in the right form is not proved."""

from __future__ import annotations

import pytest

from srt.checking import check
from srt.io.records import Lang, Problem
from srt.language.faults import Fault
from srt.language.text import parse
from srt.language.trace import StepCheck, Trace, TraceCheck

BOOTH = """Booth: Robert, James, Jason, Mary.
(1) Mary is right of Robert;
(2) Jason is right of James.
() faces the right neighbour of Robert."""
OPTIONS = {"A": "Jason", "B": "Mary", "C": "James", "D": "None of the above"}
READINGS = """CORRELATE (1): right(Robert) = Mary
CORRELATE (2): right(James) = Jason
CORRELATE question: ? = across(right(Robert))
"""
SEATS = """CONSTRAIN wlog #1: Robert@S1 & Mary@S2
CONSTRAIN scene #2 #4: James@N1 & Jason@N2
"""
REST = """INFER #1 #3: ? = across(Mary)
INFER scene #4 #6: ?@N1
INFER #5 #7: ? = James
INFER A B C D #8: options = {C}
"""
LISTS = """CONSTRAIN scene #1: Robert@S1 & Mary@S2 | Robert@N1 & Mary@N2
CONSTRAIN scene #2: James@S1 & Jason@S2 | James@N1 & Jason@N2
"""
QUESTION = READINGS.replace("? = across(right(Robert))", "across(?) = right(Robert)")
ONE_BY_ONE = """CONSTRAIN wlog #1: Robert@S1 & Mary@S2
CONSTRAIN scene #2 #4: James@N1
CONSTRAIN scene #2 #5: Jason@N2
INFER #1 #3: ? = across(Mary)
INFER scene #4 #7: ?@N1
INFER #5 #8: James@N1 & ? = James
"""
ACROSS = "CONSTRAIN scene #4 #5: across(Mary) = James\n"
NAMED = REST[: REST.index("INFER A")]
BLANK = """INFER #1 #3: ? = across(Mary)
INFER scene #4 #6: Mary@S2 & ?@N1
INFER #4 #5 #7: ? = James
"""


def run(steps: str, answer: str = "C", lang: Lang = "en", question: str = BOOTH) -> TraceCheck:
    parsed = parse(f"{steps.strip()}\nANSWER: {answer}" if lang == "en" else f"{steps.strip()}\n答案: {answer}")
    problem = Problem(id="p", source="made", split="test", lang=lang, question=question, choices=OPTIONS)
    return check(problem, Trace(id="t", problem_id="p", kind="world", lang=lang, steps=parsed.steps, answer=answer))


def last(steps: str) -> StepCheck:
    return run(steps).steps[-1]


def test_the_whole_derivation_is_proved() -> None:
    assert run(READINGS + SEATS + REST).proved


GUESSES = [
    "INFER (1) (2) question scene A B C D: options = {C}",
    "INFER (1) (2) question wlog A B C D: options = {C}",
    READINGS + "INFER scene A B C D #1 #2 #3: options = {C}",
    READINGS + "INFER scene #1 #2 #3: ? = James\nINFER A B C D #4: options = {C}",
    READINGS + "INFER #1 #2 #3: ? = James\nINFER A B C D #4: options = {C}",
    READINGS + "INFER scene #1 #2 #3: ?@N1 & ? = James\nINFER A B C D #4: options = {C}",
    READINGS
    + "CONSTRAIN wlog #1 #2: Robert@S1 & Mary@S2 & James@N1 & Jason@N2\nINFER #1 #3: ? = across(Mary)\n"
    + "INFER scene #4 #5: ?@N1\nINFER #4 #6: ? = James\nINFER A B C D #7: options = {C}",
    READINGS
    + "CONSTRAIN #1 #2: right(Robert) = Mary & right(James) = Jason\n"
    + "INFER scene #3 #4: ? = James\nINFER A B C D #5: options = {C}",
    # The question with the guess in its blank: two relations and four people leave nothing else.
    READINGS
    + "CONSTRAIN #1 #2: across(right(Robert)) = James\nINFER #3 #4: ? = James\nINFER A B C D #5: options = {C}",
    READINGS + "INFER #2 #3: ? = left(Jason)\nINFER #2 #4: ? = James\nINFER A B C D #5: options = {C}",
    # The seat and what is looked up from it at once.
    READINGS
    + "CONSTRAIN wlog #1: Robert@S1 & Mary@S2\nCONSTRAIN scene #2 #4: across(right(Robert)) = James\n"
    + "INFER #3 #5: ? = James\nINFER A B C D #6: options = {C}",
    # Each clue as a list of seats, and then everything at once.
    READINGS + LISTS + "INFER #1 #3: ? = across(Mary)\nCONSTRAIN scene #4 #5: across(Mary) = James\n"
    "INFER #6 #7: ? = James\nINFER A B C D #8: options = {C}",
    READINGS
    + LISTS
    + "CONSTRAIN wlog #4 #5: Robert@S1 & Mary@S2 & James@N1 & Jason@N2\nINFER #1 #3: ? = across(Mary)\n"
    "INFER scene #6 #7: ?@N1\nINFER #6 #8: ? = James\nINFER A B C D #9: options = {C}",
    # The question on both sides of an equation, with the guess in it.
    QUESTION + SEATS + "CONSTRAIN scene #4 #5: across(James) = right(Robert)\nINFER #3 #6: ? = James\n"
    "INFER A B C D #7: options = {C}",
    QUESTION + SEATS + "INFER scene #3 #4: ?@N1\nINFER #5 #6: ? = James\nINFER A B C D #7: options = {C}",
    # Who fills the blank is left to the step of the options.
    READINGS + SEATS + "INFER #1 #3: ? = across(Mary)\nINFER scene #4 #6: ?@N1\n"
    "INFER #4 #7: ?@N1 & ? = James | ?@N1 & ? = Jason\nINFER A B C D #5 #8: options = {C}",
    # A relation between the seat and somebody else, named in a clue.
    READINGS + SEATS + "INFER #1 #3: ? = across(Mary)\nINFER scene #4 #6: ?@N1\nINFER scene #5 #7: ? = left(Jason)\n"
    "INFER #2 #8: ? = James\nINFER A B C D #9: options = {C}",
    "CONSTRAIN (1): right(Robert) = Mary\nCONSTRAIN (2): right(James) = Jason\n"
    + "INFER question: ? = across(right(Robert))\nINFER scene #1 #2 #3: ? = James\nINFER A B C D #4: options = {C}",
]


@pytest.mark.parametrize("steps", GUESSES)
def test_a_right_guess_is_not_proved(steps: str) -> None:
    assert not run(steps).proved


@pytest.mark.parametrize(
    ("steps", "fault", "named"),
    [
        (READINGS + SEATS + "INFER scene #4 #3: ?@N1", Fault.LEAP, "one function"),
        (READINGS + SEATS + "INFER scene #1 #3 #4: ?@N1", Fault.LEAP, "2 relations"),
        (READINGS + SEATS + "INFER #1 #3: ? = across(Mary)\nINFER scene #4 #5 #6: ? = James", Fault.LEAP, "seat"),
        (READINGS + SEATS + "INFER A B C D #5 #3: options = {C}", None, ""),  # does not follow: no plan of the seats
        (READINGS + SEATS + REST.replace("INFER #5 #7", "INFER #4 #5 #7").partition("INFER A")[0], "idle", "#4"),
        (READINGS + SEATS + REST.replace("INFER A B C D #8", "INFER A B C D #7 #8"), "idle", "#7"),
        (READINGS + SEATS + REST.replace("INFER A B C D #8", "INFER A B C D #8 #8"), "idle", "#8"),
        (READINGS + SEATS + REST.replace("INFER A B C D #8", "INFER A B C D #8 Jason"), "idle", "Jason"),
        ("INFER (1) (2) question scene A B C D: options = {C}", Fault.LEAP, "(1)"),
        (READINGS + "INFER scene A B C D #1 #2 #3: options = {C}", Fault.LEAP, "fills the blank"),
        (READINGS + "INFER scene #1 #2 #3: ? = James", Fault.LEAP, "3 relations"),
        (READINGS + SEATS + "INFER A #1 #3: ? = across(Mary)", "idle", "A"),
        ("CONSTRAIN: Mary = Mary", "idle", "whatever"),
        ("CONSTRAIN: Mary@S1 | Mary@S2 | Mary@N1 | Mary@N2", "idle", "whatever"),
        ("CONSTRAIN wlog: Mary@S1 | Mary@S2 | Mary@N1 | Mary@N2", "idle", "wlog"),
        (READINGS + "CONSTRAIN #1: Mary = Mary", "idle", "#1"),
        (READINGS + SEATS + "CONSTRAIN wlog #1: Robert@S1", None, "symmetry"),
        (READINGS + "CONSTRAIN #1 #2: across(Mary) = James", Fault.LEAP, "without scene"),
        (READINGS + "CONSTRAIN wlog #1: Robert@S1 & right(Robert) = Mary", Fault.LEAP, "two steps"),
        (READINGS + SEATS + "CONSTRAIN scene #1 #5: across(Mary) = James", Fault.LEAP, "two steps"),
        (
            READINGS + SEATS + "CONSTRAIN scene #4 #5: across(Mary) = James & right(James) = Jason",
            Fault.LEAP,
            "function",
        ),
        (READINGS + "CONSTRAIN wlog scene #1: Robert@S1 & Mary@S2", "idle", "scene"),
        (READINGS + SEATS + "CONSTRAIN #4 James: James@N1 | James@N2", "idle", "James"),
        (READINGS + SEATS + NAMED + "INFER scene #7 #8: ? = James | ? = left(James)", Fault.LEAP, "nobody"),
        (READINGS + ONE_BY_ONE + "INFER scene #2 #6 #9: James@N1 & ?@N1", Fault.LEAP, "no cited"),
        (READINGS + LISTS + "CONSTRAIN scene #4 #5: Mary@S2 & James@N1 | Mary@N2 & James@S1", Fault.LEAP, "lists"),
        # The seat that #7 repeats is none that it says, whatever stands beside it.
        (READINGS + SEATS + BLANK + "CONSTRAIN #7 #8: Mary@S2", None, "open"),
        (READINGS + SEATS + BLANK + "INFER #7 #8: Mary@S2 & ?@N1", None, "open"),
    ],
)
def test_too_coarse_or_idle(steps: str, fault: Fault | str | None, named: str) -> None:
    found = last(steps)
    assert found.support == "consistent"
    assert found.fault is (Fault.IDLE_PREMISE if fault == "idle" else fault)
    assert named in (found.reason or "")


@pytest.mark.parametrize(
    ("head", "step"),
    [
        (READINGS + SEATS, "INFER #1 #3: ? = across(Mary)"),
        (READINGS + SEATS + ACROSS, "CONSTRAIN #1 #6: across(right(Robert)) = James"),
        (READINGS + SEATS + ACROSS + "INFER #1 #3: ? = across(Mary)\n", "INFER #6 #7: ? = James"),
        # In other words, of the same people.
        (READINGS + "CONSTRAIN #1: left(Mary) = Robert\n", "INFER #3 #4: ? = across(Mary)"),
        (READINGS, "CONSTRAIN #1: Mary in beside(Robert)"),
    ],
)
def test_one_relation_is_put_into_another(head: str, step: str) -> None:
    assert last(head + step).support == "proved"


def test_a_seat_that_is_repeated_is_not_idle() -> None:
    restated = """INFER #1 #3: ? = across(Mary)
INFER scene #4 #6: Mary@S2 & ?@N1
INFER #4 #5 #7: ?@N1 & ? = James
INFER A B C D #5 #8 James: options = {C}
"""
    assert run(READINGS + SEATS + restated).proved
    assert not run(READINGS + SEATS + restated.replace("D #5 #8", "D #4 #5 #8")).proved


def test_who_is_left_over_is_a_step() -> None:
    question = BOOTH.replace("(2) Jason is right of James.", "(2) Jason faces Mary.")
    steps = """CORRELATE (1): right(Robert) = Mary
CORRELATE (2): across(Mary) = Jason
CORRELATE question: ? = across(right(Robert))
CONSTRAIN wlog #1: Robert@S1 & Mary@S2
CONSTRAIN scene #2 #4: {claim}
"""
    assert run(steps.format(claim="Jason@N1"), "A", question=question).steps[-1].support == "proved"
    found = run(steps.format(claim="James@N2"), "A", question=question).steps[-1]
    assert (found.support, found.fault) == ("consistent", Fault.LEAP)
    apart = steps.format(claim="Jason@N1") + "CONSTRAIN #4 #5: James@N2"
    assert run(apart, "A", question=question).steps[-1].support == "proved"


@pytest.mark.parametrize("claim", ["options = {C, A}", "options = {A, A}"])
def test_options_are_listed_once_and_in_order(claim: str) -> None:
    assert last(READINGS + SEATS + REST.replace("options = {C}", claim)).support == "unchecked"


@pytest.mark.parametrize(
    ("answer", "support"),
    [
        *((right, "proved") for right in ("James", "james", "C.", "(C)", "c", "option C", "Ｃ", "C\u200b")),
        *((other, "refuted") for other in ("A", "C, A", "A, C", "Jason", "AC", "None of the above")),
        # Not in the form of an answer, or of none of this problem; the last but one is Cyrillic.
        *((unread, "unchecked") for unread in ("perhaps C", "C or A", "E", "Anna", "answer = 3", "\u0421", "C, C")),
    ],
)
def test_an_answer_is_read_before_it_is_compared(answer: str, support: str) -> None:
    found = run(READINGS + SEATS + REST, answer)
    assert (found.answer.support, found.proved) == (support, support == "proved")
    assert found.answer.fault is (Fault.MALFORMED if support == "unchecked" else None)


def test_a_sentence_that_nobody_knows_makes_another_scene() -> None:
    whole = READINGS + SEATS + REST
    for added in ("Later all four change places.", "They then turn round."):
        question = BOOTH.replace("Mary.\n", f"Mary. {added}\n", 1)
        found = run(whole, question=question)
        assert {step.support for step in found.steps} == {"unchecked"}


def test_a_clue_that_cannot_be_read_is_reported() -> None:
    question = BOOTH.replace("(2) Jason is right of James.", "(2) Jason is right of James, and then all change places.")
    assert run(READINGS + SEATS + REST).unread == ()
    found = run(READINGS + SEATS + REST, question=question)
    assert found.unread == ("(2)",)
    assert not found.proved


def test_a_clue_that_is_not_understood_may_change_the_scene() -> None:
    """Also where no step reads it."""
    question = BOOTH.replace("\n()", "\n(3) James does not face Jason. Later all four turn round.\n()")
    found = run(READINGS + SEATS + REST, question=question)
    assert {step.support for step in found.steps} == {"unchecked"}
    assert found.unread == ("(3)",)
    assert run(READINGS + SEATS + REST, question=question.replace(" Later all four turn round.", "")).proved


def test_a_claim_that_is_too_long_is_refused_by_name() -> None:
    """And its choice of seats, which is not checked, uses nothing up."""
    long = "CONSTRAIN wlog #1: " + " & ".join(["Robert@S1"] * 250)
    found = run(READINGS + long + "\nCONSTRAIN wlog #1: Robert@S1 & Mary@S2")
    assert (found.steps[3].support, found.steps[3].fault) == ("unchecked", Fault.TOO_LARGE)
    assert "2,000" in (found.steps[3].reason or "")
    assert found.steps[4].support == "proved"


def test_two_lists_of_alternatives_are_joined_in_a_step() -> None:
    joined = "CONSTRAIN #4 #5: Robert@S1 & Mary@S2 & James@N1 & Jason@N2 | Robert@N1 & Mary@N2 & James@S1 & Jason@S2\n"
    steps = READINGS + LISTS + joined + "CONSTRAIN wlog #6: Robert@S1 & Mary@S2 & James@N1 & Jason@N2\n"
    rest = "INFER #1 #3: ? = across(Mary)\nINFER scene #7 #8: ?@N1\nINFER #7 #9: ? = James\n"
    assert run(steps + rest + "INFER A B C D #10: options = {C}").proved
