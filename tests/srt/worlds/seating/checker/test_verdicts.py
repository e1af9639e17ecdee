"""Each verdict and each premise rule, on traces written by hand."""

from __future__ import annotations

import re

import pytest

from srt.language.trace import TraceCheck
from tests.srt.worlds.seating.checker.hand_written_booth import BOOTH, BOOTH_TRACE, booth, replaced, run, step_of


def test_a_misreading_is_refuted_with_a_counterexample() -> None:
    found = replaced("CORRELATE (1): right(Ann) = Bob", "CORRELATE (1): left(Ann) = Bob").steps[0]
    assert found.support == "refuted"
    assert found.counterexample is not None
    assert "Ann" in found.counterexample


def test_a_weaker_claim_is_no_reading() -> None:
    found = step_of("CORRELATE (1): Bob in beside(Ann)")
    assert found.support == "consistent"
    assert "not what (1) says" in (found.reason or "")


def test_the_same_thing_said_the_other_way_round_is_a_reading() -> None:
    assert step_of("CORRELATE (1): left(Bob) = Ann").support == "proved"
    assert step_of("CORRELATE (1): Bob = right(Ann)").support == "proved"


def after(*readings: str) -> TraceCheck:
    """The verdict on the booth's trace with ``readings`` before it."""
    shifted = re.sub(r"#(\d+)", lambda number: f"#{int(number[1]) + len(readings)}", BOOTH_TRACE)
    return booth("\n".join([*readings, shifted]))


RING = """Ring of six facing out: Ann, Bob, Cal, Dan, Eve, Fay.
(1) Bob is one clockwise of Ann;
(2) Dan is one clockwise of Cal;
(3) Cal is one clockwise of Bob;
(4) Fay is opposite Cal.
() is one clockwise of Dan."""
RING_OPTIONS = {"A": "Eve", "B": "Fay", "C": "Ann", "D": "Bob"}
"""Clue 2 is about the people that clue 3 seats first."""


def around(*readings: tuple[int, str]) -> TraceCheck:
    """The verdict on a proved trace of the ring, with ``readings`` right before its steps of those numbers."""
    trace = [
        "CONSTRAIN wlog: Ann@P1",
        "CORRELATE (1): cw(Ann) = Bob",
        "CONSTRAIN scene #1 #2: Ann@P1 & Bob@P2",
        "CORRELATE (3): cw(Bob) = Cal",
        "CONSTRAIN scene #3 #4: Ann@P1 & Bob@P2 & Cal@P3",
        "CORRELATE (2): cw(Cal) = Dan",
        "CONSTRAIN scene #5 #6: Ann@P1 & Bob@P2 & Cal@P3 & Dan@P4",
        "CORRELATE (4): across(Cal) = Fay",
        "CONSTRAIN scene #7 #8: Ann@P1 & Bob@P2 & Cal@P3 & Dan@P4 & Fay@P6",
        "CONSTRAIN #9: Ann@P1 & Bob@P2 & Cal@P3 & Dan@P4 & Fay@P6 & Eve@P5",
        "CORRELATE question: ? = cw(Dan)",
        "INFER scene #10 #11: ?@P5",
        "INFER #10 #12: ? = Eve",
        "INFER A B C D #13: options = {A}",
    ]

    def moved(number: re.Match[str]) -> str:
        return f"#{int(number[1]) + sum(before <= int(number[1]) for before, _ in readings)}"

    lines = [re.sub(r"#(\d+)", moved, line) for line in trace]
    for before, reading in reversed(readings):
        lines.insert(before - 1, f"CORRELATE {reading}")
    return run(RING, RING_OPTIONS, "\n".join([*lines, "ANSWER: A"]))


def test_a_clue_is_read_again_right_before_it_is_used() -> None:
    """Here the question is, but its answer is looked up only once all are seated."""
    steps = [
        "CORRELATE question: ? = right(Dan)",
        "CORRELATE question: ? = cw(Dan)",
        "CONSTRAIN wlog: Dan@P1",
        "CORRELATE (2): ccw(Dan) = Cal",
        "CONSTRAIN scene #3 #4: Dan@P1 & Cal@P6",
        "CORRELATE (4): across(Cal) = Fay",
        "CONSTRAIN scene #5 #6: Dan@P1 & Cal@P6 & Fay@P3",
        "CORRELATE (3): ccw(Cal) = Bob",
        "CONSTRAIN scene #7 #8: Dan@P1 & Cal@P6 & Fay@P3 & Bob@P5",
        "CORRELATE (1): ccw(Bob) = Ann",
        "CONSTRAIN scene #9 #10: Dan@P1 & Cal@P6 & Fay@P3 & Bob@P5 & Ann@P4",
        "CONSTRAIN #11: Dan@P1 & Cal@P6 & Fay@P3 & Bob@P5 & Ann@P4 & Eve@P2",
        "INFER scene #2 #12: ?@P2",
        "INFER #12 #13: ? = Eve",
        "INFER A B C D #14: options = {A}",
        "ANSWER: A",
    ]
    found = run(RING, RING_OPTIONS, "\n".join(steps))
    assert {step.support for step in found.steps} == {"proved"}
    assert found.unused == (1,)


def test_a_reading_about_nobody_who_is_seated_yet_is_passed_by() -> None:
    assert around().proved
    assert around((4, "(2): Dan = cw(Cal)")).proved
    assert around((2, "(2): Dan = cw(Cal)"), (4, "(2): Dan = cw(Cal)")).proved


def test_a_clue_is_read_again_to_count_from_whom_is_seated() -> None:
    assert around((4, "(3): Cal = cw(Bob)")).proved
    assert around((4, "(3): ccw(Cal) = Bob")).proved
    assert around((4, "(3): Cal = left(Bob, 5)"), (4, "(3): Cal = cw(Bob)")).proved
    assert around((11, "question: ? = right(Dan)")).proved


def test_a_clue_is_not_read_again_in_words_that_are_no_nearer_to_a_turn() -> None:
    """A faithful reading can be said in ever new words; a trace of such steps would grow without end."""
    assert around((4, "(3): cw(Bob) = Cal")).unused == (4,)
    assert around((4, "(3): Cal = cw(Bob)"), (4, "(3): Cal = left(Bob, 5)")).unused == (4,)
    assert around((4, "(3): Cal = ccw(Bob, 5)"), (4, "(3): Cal = cw(Bob)")).unused == (4,)
    assert around((7, "(3): Cal = cw(Bob)")).unused == (7,)  # and what is read last must be used
    assert after("CORRELATE (1): Bob = right(Ann)").unused == (1,)


@pytest.mark.parametrize(
    ("readings", "unused"),
    [
        ([(1, "(2): Dan = cw(Cal)")], 1),  # before anybody is seated
        ([(6, "(4): Fay = across(Cal)")], 6),  # once one of the two is
        ([(2, "(2): Dan = cw(Cal)"), (2, "(4): Fay = across(Cal)"), (2, "(2): Dan = cw(Cal)")], 4),  # again for nothing
        ([(4, "(2): Dan = cw(Cal)"), (4, "question: ? = cw(Dan)")], 5),
        ([(5, "(2): Dan = cw(Cal)")], 5),  # on the way to nothing
    ],
)
def test_no_other_reading_is_passed_by(readings: list[tuple[int, str]], unused: int) -> None:
    assert around(*readings).unused == (unused,)


@pytest.mark.parametrize(
    "reading",
    [
        "CORRELATE (1): right(Ann) = Bob",  # the same words
        "CORRELATE (2): Cal = left(Dan)",  # another clue
        "CORRELATE (1): Bob in beside(Ann)",  # not what the clue says
        "CORRELATE (1): left(Ann) = Bob",
        "CONSTRAIN (1): Bob = right(Ann)",
    ],
)
def test_a_step_before_a_reading_is_not_used_by_it(reading: str) -> None:
    found = after(reading)
    assert found.unused == (1,)
    assert not found.proved


def test_a_reading_names_no_seat() -> None:
    question = BOOTH.replace("Booth:", "Booth, benches on the north and south sides:").replace(
        "(2) Dan's left neighbour is Cal", "(2) Dan looks south"
    )
    assert step_of("CORRELATE (2): faces(Dan) = S", question).support == "proved"
    found = step_of("CORRELATE (2): Dan@N1 | Dan@N2", question)
    assert found.support == "consistent"
    assert "names no seat" in (found.reason or "")


def test_a_wording_that_is_not_known_leaves_a_reading_unchecked() -> None:
    question = BOOTH.replace("Bob is right of Ann", "Bob sits near Ann")
    assert step_of("CORRELATE (1): right(Ann) = Bob", question).support == "unchecked"
    assert step_of("CONSTRAIN scene (1): right(Ann) = Bob", question).support == "unchecked"


def test_a_wrong_seat_is_refuted_by_clues_and_chosen_seats() -> None:
    found = replaced("Cal@N1 & Dan@N2", "Cal@N2 & Dan@N1").steps[4]
    assert found.support == "refuted"
    assert found.counterexample == "S1 Ann, S2 Bob, N1 Cal, N2 Dan"


def test_without_scene_places_and_relations_are_apart() -> None:
    found = replaced("CONSTRAIN scene #2 #4:", "CONSTRAIN #2 #4:").steps[4]
    assert found.support == "consistent"
    assert found.witness is not None
    assert "in relation as" in found.witness
    assert replaced("INFER scene #4 #6: ?@N1", "INFER #4 #6: ?@N1").steps[6].support == "consistent"


def test_places_follow_from_places_and_relations_from_relations() -> None:
    head = "CONSTRAIN scene: Ann@S1\nCONSTRAIN scene: Bob@S2\nCONSTRAIN scene: Cal@N1\n"
    assert step_of(head + "CONSTRAIN #1 #2 #3: Dan@N2").support == "proved"
    assert step_of("CORRELATE (1): right(Ann) = Bob\nCONSTRAIN #1: Bob in beside(Ann)").support == "proved"
    assert step_of(head + "CONSTRAIN #1 #2: right(Ann) = Bob").support == "consistent"


def test_a_premise_that_mixes_places_and_relations_counts_by_its_parts() -> None:
    question = """Booth, benches on the north and south sides: Ann, Bob, Cal, Dan.
(1) Ann is sitting facing north, next to Bob on the left-hand side.
() is right of Ann."""
    reading = "CORRELATE (1): left(Bob) = Ann & faces(Ann) = N\n"
    assert step_of(reading, question).support == "proved"
    assert step_of(reading + "CONSTRAIN #1: Ann@S1 | Ann@S2", question).support == "proved"
    assert step_of(reading + "CONSTRAIN #1: right(Ann) = Bob", question).support == "proved"
    assert step_of(reading + "CONSTRAIN #1: Ann@S1", question).support == "consistent"
    assert step_of(reading + "CONSTRAIN scene #1: Ann@S1", question).support == "proved"


@pytest.mark.parametrize(
    ("old", "new", "number", "word"),
    [
        ("CORRELATE (1)", "CONSTRAIN (1)", 0, "reading"),
        ("CORRELATE question", "INFER question", 2, "reading"),
        ("CONSTRAIN wlog", "INFER wlog", 3, "CONSTRAIN"),
        ("CONSTRAIN scene", "CORRELATE scene", 4, "CORRELATE"),
        ("INFER #1 #3", "CONSTRAIN #1 #3", 5, "INFER"),
        ("INFER A B C D", "CONSTRAIN A B C D", 8, "INFER"),
    ],
)
def test_a_mislabelled_step_is_not_proved(old: str, new: str, number: int, word: str) -> None:
    found = replaced(old, new).steps[number]
    assert found.support == "consistent"
    assert word in (found.reason or "")


@pytest.mark.parametrize(
    ("old", "new", "number", "word"),
    [
        ("#2 #4:", "#2 #40:", 4, "#40"),
        ("#2 #4:", "#2 #5:", 4, "#5"),
        ("#2 #4:", "#2 #4 (9):", 4, "(9)"),
        ("#2 #4:", "#2 #4 Zoe:", 4, "Zoe"),
        ("#2 #4:", "#2 #4 Q:", 4, "option Q"),
        ("A B C D #8", "A B D #8", 8, "option C"),
    ],
)
def test_a_citation_of_what_is_not_there_is_named(old: str, new: str, number: int, word: str) -> None:
    found = replaced(old, new).steps[number]
    assert found.support == "consistent"
    assert word in (found.reason or "")


def test_an_entity_may_be_cited() -> None:
    assert replaced("CONSTRAIN scene #2 #4:", "CONSTRAIN scene #2 #4 Cal:").proved


def test_a_left_out_premise_is_missed() -> None:
    assert replaced("INFER #5 #7", "INFER #7").steps[7].support == "consistent"
    assert replaced("INFER #1 #3", "INFER #1").steps[5].reason == "no cited premise says who fills the blank"


def test_wlog_serves_once_and_only_for_what_symmetry_gives() -> None:
    assert replaced("Ann@S1 & Bob@S2", "Ann@N1 & Bob@N2").steps[3].support == "proved"
    assert replaced("wlog #1: Ann@S1 & Bob@S2", "wlog: Ann@S1 & Bob@S2").steps[3].support == "consistent"
    assert replaced("wlog #1: Ann@S1 & Bob@S2", "wlog #1: Ann@S2").steps[3].support == "refuted"
    again = replaced("CONSTRAIN scene #2 #4", "CONSTRAIN wlog #2 #4").steps[4]
    assert again.support == "consistent"
    assert "used the symmetry up" in (again.reason or "")


@pytest.mark.parametrize("unproved", ["Ann@S2", "Ann@S1 & Bob@S2 & Cal@N1", "Zoe@S1", "right(Ann) = Bob"])
def test_wlog_uses_the_symmetry_up_unproved_too(unproved: str) -> None:
    head = f"CORRELATE (1): right(Ann) = Bob\nCONSTRAIN wlog #1: {unproved}\n"
    assert step_of(head).support != "proved"
    again = step_of(head + "CONSTRAIN wlog #1: Ann@S1 & Bob@S2")
    assert again.support == "consistent"
    assert "used the symmetry up" in (again.reason or "")


def test_scene_alone_does_not_choose() -> None:
    found = replaced("CONSTRAIN wlog #1", "CONSTRAIN scene #1").steps[3]
    assert found.support == "consistent"
    assert found.witness == "S1 Cal, S2 Dan, N1 Ann, N2 Bob"


def test_a_premise_that_contradicts_the_problem_proves_nothing() -> None:
    head = "CONSTRAIN scene: right(Ann) = Cal\n"
    found = step_of(head + "CONSTRAIN #1: right(Ann) = Cal | left(Bob) = Ann")
    assert found.support == "consistent"
    assert found.reason == "the cited premises contradict the problem"
    both = head + "CONSTRAIN scene: left(Ann) = Cal\nCONSTRAIN #1 #2: left(Bob) = Ann"
    assert step_of(both).reason == "the cited premises cannot hold together"


def test_a_proved_step_that_rests_on_an_unproved_one_is_weighed_with_the_problem() -> None:
    """Each of steps 3 and 5 follows from a guess, and both together rule out what the problem says."""
    guesses = """CORRELATE (2): left(Dan) = Cal
CONSTRAIN scene: Ann@S1
CONSTRAIN #2: Ann@S1 | Cal@S2
CONSTRAIN scene: Ann@N1
CONSTRAIN #4: Ann@N1 | Cal@S2
CONSTRAIN #3 #5: Cal@S2
ANSWER: B"""
    found = [step.support for step in booth(guesses).steps]
    assert found == ["proved", "consistent", "proved", "consistent", "proved", "refuted"]


@pytest.mark.parametrize(
    "claim",
    [
        "Ann @ S1",
        "Ann@E1",
        "Zoe@S1",
        "right(Ann)",
        "right(Ann, 2) = Bob",
        "right(Ann = Bob",
        "up(Ann) = Bob",
        "Ann in left(Bob)",
        "? = none & ? = Ann",
        "? = none & Ann@S1",
        "Ann@S1 & ? = none | Ann@S2 & ? = none",
        "right(Ann) = Bob & ? = none",
        "?@S1 & ? = none",
        "Ann@E1 & ? = none",
        "options = {B} | ? = Ann",
        "options = {b}",
        "faces(Ann) = N",
        "tier(Ann) = 1",
        "(Ann@S1)",
        "Ann@S1 &  Bob@S2 | ",
        "\ue000@S1",
        "across(" * 5000 + "Ann" + ")" * 5000 + " = Bob",
    ],
)
def test_what_is_no_claim_of_the_scene_is_unchecked(claim: str) -> None:
    assert step_of(f"CONSTRAIN scene: {claim}").support == "unchecked"


def test_a_step_that_nothing_uses_is_named() -> None:
    found = replaced("INFER #5 #7: ? = Cal", "INFER #5 #7: ? = Cal\nCONSTRAIN #5: Dan@N2")
    assert found.unused == (9,)
    assert not found.proved


def test_a_wrong_answer_is_refuted() -> None:
    assert booth(BOOTH_TRACE.replace("ANSWER: B", "ANSWER: C")).answer.support == "refuted"
    assert booth(BOOTH_TRACE.replace("ANSWER: B", "ANSWER: A, B")).answer.support == "refuted"


def test_an_answer_that_no_step_says_does_not_follow() -> None:
    lines = BOOTH_TRACE.split("\n")
    found = booth("\n".join(lines[:8] + lines[9:]))
    assert found.answer.support == "consistent"
    assert found.unused == (8,)
