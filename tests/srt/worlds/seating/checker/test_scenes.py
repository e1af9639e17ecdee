"""Each scene, on traces written by hand."""

from __future__ import annotations

from tests.srt.worlds.seating.checker.hand_written_booth import BOOTH, BOOTH_CHOICES, BOOTH_TRACE, booth, run, step_of


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
    # Step 11 places somebody that nothing else mentions.
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
CONSTRAIN #1 #7 #8 #9: Oak@1E & Elm@2W | Oak@2W & Elm@1E
CONSTRAIN scene #5 #10: Oak@1E
INFER scene #6 #9: ?@1E
INFER #11 #12: ? = Oak
INFER A B C D #13: options = {A}
ANSWER: A"""


def test_a_shelf() -> None:
    found = run(SHELF, SHELF_CHOICES, SHELF_TRACE)
    assert [step.support for step in found.steps] == ["proved"] * 14
    assert found.proved


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


def test_an_entity_called_options() -> None:
    choices = {letter: text.replace("Dan", "options") for letter, text in BOOTH_CHOICES.items()}
    assert run(BOOTH.replace("Dan", "options"), choices, BOOTH_TRACE.replace("Dan", "options")).proved


def test_an_entity_called_none_leaves_all_unchecked() -> None:
    """``? = none`` would name it, or say that nobody fills the blank."""
    found = run(BOOTH.replace("Dan", "none"), BOOTH_CHOICES, BOOTH_TRACE.replace("Dan", "none"))
    assert {step.support for step in (*found.steps, found.answer)} == {"unchecked"}
    assert all("'none' cannot be a name" in (step.reason or "") for step in found.steps)
