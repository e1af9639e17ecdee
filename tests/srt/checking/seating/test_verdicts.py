"""Each verdict, each premise rule and each scene, on traces written by hand."""

from __future__ import annotations

import pytest

from srt.checking import check
from srt.io.records import Lang, Problem
from srt.language.faults import Fault
from srt.language.text import parse
from srt.language.trace import StepCheck, Trace, TraceCheck

BOOTH = """Booth: Ann, Bob, Cal, Dan.
(1) Bob is right of Ann;
(2) Dan's left neighbour is Cal.
() faces the right neighbour of Ann."""
BOOTH_CHOICES = {"A": "Bob", "B": "Cal", "C": "Dan", "D": "None of the above"}
BOOTH_TRACE = """CORRELATE (1): right(Ann) = Bob
CORRELATE (2): left(Dan) = Cal
CORRELATE question: ? = across(right(Ann))
CONSTRAIN wlog #1: Ann@S1 & Bob@S2
CONSTRAIN scene #2 #4: Cal@N1 & Dan@N2
INFER #1 #3: ? = across(Bob)
INFER scene #4 #6: ?@N1
INFER #5 #7: ? = Cal
INFER A B C D #8: options = {B}
ANSWER: B"""


def run(question: str, choices: dict[str, str], text: str, lang: Lang = "en") -> TraceCheck:
    problem = Problem(id="p", source="made", split="test", lang=lang, question=question, choices=choices)
    parsed = parse(text)
    trace = Trace(id="t", problem_id="p", kind="world", lang=parsed.lang, steps=parsed.steps, answer=parsed.answer)
    return check(problem, trace)


def booth(text: str) -> TraceCheck:
    return run(BOOTH, BOOTH_CHOICES, text)


def step_of(text: str, question: str = BOOTH, choices: dict[str, str] | None = None) -> StepCheck:
    """The verdict on the last step of ``text``."""
    return run(question, choices or BOOTH_CHOICES, text.rstrip() + "\nANSWER: B").steps[-1]


def replaced(old: str, new: str) -> TraceCheck:
    assert old in BOOTH_TRACE
    return booth(BOOTH_TRACE.replace(old, new, 1))


def test_a_whole_booth_is_proved() -> None:
    found = booth(BOOTH_TRACE)
    assert found.proved
    assert not found.unused
    assert found.answer.support == "proved"


RING = """六人环坐，面朝内：梅一、兰二、竹三、菊四、荷五、桂六。
(1) 兰二在梅一右数第一位；
(2) 竹三在兰二对面；
(3) 菊四在竹三逆时针第二位；
(4) 荷五在梅一左手一侧。
()紧邻荷五。"""
RING_TRACE = """关联 (1): right(梅一) = 兰二
关联 (2): across(兰二) = 竹三
关联 (3): ccw(竹三, 2) = 菊四
关联 (4): 荷五 in left_side(梅一)
关联 题问: ? in beside(荷五)
约束 不妨设: 梅一@P1
约束 场景 #1 #6: 兰二@P6
约束 场景 #2 #7: 竹三@P3
约束 场景 #3 #6 #7 #8: 菊四@P1
答案: A"""


def test_a_ring_in_chinese_and_a_clue_that_cannot_be_met() -> None:
    # The second to the counterclockwise of P3 is P1, where 梅一 sits: the clues contradict each other.
    found = run(RING, {"A": "梅一", "B": "桂六"}, RING_TRACE, "zh")
    assert [step.support for step in found.steps[:5]] == ["proved"] * 5
    assert found.steps[5].support == "consistent"
    assert "contradict each other" in (found.steps[5].reason or "")


GOOD_RING = RING.replace("逆时针第二位", "顺时针第二位")
GOOD_RING_TRACE = """关联 (1): right(梅一) = 兰二
关联 (2): across(兰二) = 竹三
关联 (3): cw(竹三, 2) = 菊四
关联 (4): 荷五 in left_side(梅一)
关联 题问: ? in beside(荷五)
约束 不妨设: 梅一@P1
约束 场景 #1 #6: 兰二@P6
约束 场景 #2 #7: 竹三@P3
约束 场景 #3 #8: 菊四@P5
约束 场景 #4 #6 #8: 荷五@P2
约束 #6 #7 #8 #9 #10: 桂六@P4
推断 场景 #5 #10: ?@P1 | ?@P3
推断 #6 #8 #12: ? = 梅一 | ? = 竹三
推断 A B #13: options = {A}
答案: A"""


def test_a_ring_in_chinese() -> None:
    found = run(GOOD_RING, {"A": "梅一", "B": "桂六"}, GOOD_RING_TRACE, "zh")
    assert [step.support for step in found.steps] == ["proved"] * 14
    # Step 11 places somebody of whom nothing more is said.
    assert found.unused == (11,)
    assert not found.proved


COMPASS_RING = """Ring of six facing out, seats N NE SE S SW NW: Ann, Bob, Cal, Dan, Eve, Flo.
(1) Ann looks north;
(2) Bob is due south of Ann;
(3) Cal is northeast of Bob;
(4) Cal is not next to Ann;
(5) Dan is opposite the place two left of Bob;
(6) Eve is west of Flo.
() is next to Bob."""


def test_a_ring_with_a_compass() -> None:
    found = run(
        COMPASS_RING,
        {"A": "Cal", "B": "Dan"},
        """CORRELATE (1): faces(Ann) = N
CORRELATE (2): Bob in due_south(Ann)
CORRELATE (3): Cal in northeast(Bob)
CORRELATE (4): Cal notin beside(Ann)
CORRELATE (5): Dan = across(left(Bob, 2))
CORRELATE (6): Eve in west(Flo)
CORRELATE question: ? in beside(Bob)
CONSTRAIN #1: Ann@N
CONSTRAIN scene #2 #8: Bob@S
CONSTRAIN scene #3 #9: Cal@NE | Cal@SE
CONSTRAIN scene #4 #8 #10: Cal@SE
INFER scene #7 #9: ?@SE | ?@SW
CONSTRAIN scene #5 #9: Dan@SW
INFER #11 #12 #13: ? = Cal | ? = Dan
INFER A B #14: options = {A, B}
ANSWER: A, B""",
    )
    # left of the southern seat, facing out, is east; the second is the northeast, and southwest is opposite to it.
    assert [step.support for step in found.steps] == ["proved"] * 15
    assert found.unused == (6,)


def test_a_ring_with_a_compass_has_no_free_choice() -> None:
    found = step_of("CONSTRAIN wlog: Ann@N", COMPASS_RING, {"A": "Cal", "B": "Dan"})
    assert found.support == "consistent"
    assert "no symmetry" in (found.reason or "")


SHELF = """Shelf of three tiers, east on the left: Rose, Monthly Rose, Fern, Ivy, Oak, Elm.
(1) Rose is in the east of tier two;
(2) Monthly Rose is one tier up and right of Rose;
(3) Fern is somewhere straight above Rose;
(4) a place just left of Ivy is also straight below Rose;
(5) Oak is lower than Elm.
() is on the tier of Ivy."""
SHELF_CHOICES = {"A": "Oak", "B": "Elm", "C": "Fern", "D": "None of the above"}
SHELF_TRACE = """CORRELATE (1): Rose@2E
CORRELATE (2): Monthly Rose in upper_right(Rose, 1)
CORRELATE (3): Fern in over(Rose)
CORRELATE (4): meet(left(Ivy), under(Rose))
CORRELATE (5): Oak in below(Elm)
CORRELATE question: ? in beside(Ivy)
CONSTRAIN scene #1 #2: Monthly Rose@3W
CONSTRAIN scene #1 #3: Fern@3E
CONSTRAIN scene #1 #4: Ivy@1W
CONSTRAIN #1 #7 #8 #9: Oak@1E | Oak@2W
CONSTRAIN #1 #7 #8 #9: Elm@1E | Elm@2W
CONSTRAIN scene #5 #10 #11: Oak@1E
INFER scene #6 #9: ?@1E
INFER #12 #13: ? = Oak
INFER A B C D #14: options = {A}
ANSWER: A"""


def test_a_shelf() -> None:
    found = run(SHELF, SHELF_CHOICES, SHELF_TRACE)
    assert [step.support for step in found.steps] == ["proved"] * 15
    assert found.proved


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
    ],
)
def test_nobody_behind_a_seat(step: str, support: str) -> None:
    """The seats are checked, too: nobody fills the blank with a wrong one, either."""
    head = """CORRELATE (1): right(Ann) = Bob
CORRELATE question: ? = left(Ann)
CONSTRAIN wlog: Ann@S1
CONSTRAIN scene #1 #3: Ann@S1 & Bob@S2
"""
    question = BOOTH.replace("() faces the right neighbour of Ann", "() is left of Ann")
    assert step_of(head + step, question).support == support


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
    assert step_of("CONSTRAIN scene (1): right(Ann) = Bob", question).support == "consistent"


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
    assert step_of("CORRELATE (1): right(Ann) = Bob\nCONSTRAIN #1: left(Bob) = Ann").support == "proved"
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


def test_names_that_are_also_numbers_or_values_of_traits() -> None:
    ring = """Ring of six facing out, seats N NE SE S SW NW: N, NE, 2, 3, S, W.
(1) 3 is two right of 2;
(2) N looks north.
() looks north."""
    choices = {"A": "N", "B": "2", "C": "S", "D": "None of the above"}
    text = """CORRELATE (1): right(2, 2) = 3
CORRELATE (2): faces(N) = N
CORRELATE question: faces(?) = N"""
    assert [step.support for step in run(ring, choices, text + "\nANSWER: A").steps] == ["proved"] * 3
    shelf = """Shelf of three tiers, east on the left: E, W, 1, 2, 3, 4.
(1) 3 is on tier two;
(2) E is in the east column.
() is on tier two."""
    text = """CORRELATE (1): tier(3) = 2
CORRELATE (2): column(E) = E
CORRELATE question: tier(?) = 2
CORRELATE (2): column(E) = W"""
    found = run(shelf, choices, text + "\nANSWER: A").steps
    assert [step.support for step in found] == ["proved", "proved", "proved", "refuted"]


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
    text = BOOTH_TRACE.replace("INFER #5 #7: ? = Cal", "INFER #5 #7: ? = Cal\nCONSTRAIN #5: Dan@N2").replace(
        "A B C D #8", "A B C D #8"
    )
    found = booth(text.replace("INFER A B C D #8", "INFER A B C D #8"))
    assert found.unused == (9,)
    assert not found.proved


def test_a_wrong_answer_is_refuted() -> None:
    assert booth(BOOTH_TRACE.replace("ANSWER: B", "ANSWER: C")).answer.support == "refuted"
    assert booth(BOOTH_TRACE.replace("ANSWER: B", "ANSWER: Z")).answer.support == "refuted"
    assert booth(BOOTH_TRACE.replace("ANSWER: B", "ANSWER: the second")).answer.support == "refuted"


def test_an_answer_that_no_step_says_does_not_follow() -> None:
    lines = BOOTH_TRACE.split("\n")
    found = booth("\n".join(lines[:8] + lines[9:]))
    assert found.answer.support == "consistent"
    assert found.unused == (8,)


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
