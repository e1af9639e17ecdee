"""Verdicts on steps of the views world, one by one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srt.checking import check
from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.text import parse
from srt.language.trace import StepCheck, Trace, TraceCheck
from srt.pipeline.check import check_with_truth

RULES = "A solid is built of equal cubes. Every cube stands on the table or exactly on another cube."
SIX = """CORRELATE question: ? = least
CORRELATE front top: front[1] = {a1, a2}
CONSTRAIN front #2: max{a1, a2} = 3
INFER top #3: least{a1, a2} = 4
CORRELATE front top: front[2] = {b2}
CONSTRAIN front #5: max{b2} = 2
INFER top #6: least{b2} = 2
INFER top #4 #7: least = 6
INFER #1 #8: ? = 6
ANSWER: 6"""


def problem(
    question: str = "Its front view and top view are shown.\nWhat is the least number of cubes that it can have?",
    figures: Any = None,
    **more: Any,
) -> Problem:
    shown = [
        {"type": "view", "name": "front", "rows": ["#.", "##", "##"]},
        {"type": "view", "name": "top", "rows": ["##", "#."]},
    ]
    fields = {
        "id": "p",
        "source": "views",
        "split": "train",
        "lang": "en",
        "question": f"{RULES}\n{question}",
        "meta": {"figures": shown if figures is None else figures},
    }
    return Problem.model_validate({**fields, **more})


def checked(text: str, one: Problem | None = None) -> TraceCheck:
    one = one or problem()
    return check(one, parse(text).trace("t", one.id))


def verdict(line: str, number: int) -> StepCheck:
    """On step ``number`` of the proved trace, replaced by ``line``."""
    lines = SIX.split("\n")
    lines[number - 1] = line
    return checked("\n".join(lines)).steps[number - 1]


def test_a_whole_trace_is_proved() -> None:
    result = checked(SIX)
    assert result.proved, result
    assert not result.refuted


@pytest.mark.parametrize(
    ("number", "line"),
    [
        (3, "CONSTRAIN front #2: max{a1, a2} = 2"),
        (2, "CORRELATE front top: front[1] = {a1, b2}"),
        (2, "CORRELATE front top: front[3] = {a1}"),
        (4, "INFER top #3: least{a1, a2} = 3"),
        (8, "INFER top #4 #7: least = 7"),
        (8, "INFER top #4 #7: count = 5"),
        (8, "INFER top #4 #7: most = 6"),
        (9, "INFER #1 #8: ? = 5"),
        (1, "CORRELATE question: ? = most"),
        (3, "CONSTRAIN front #2: c1 = 1"),
        (3, "CONSTRAIN front #2: a1 = 4"),
    ],
)
def test_what_is_false_of_all_solids_that_fit_is_refuted(number: int, line: str) -> None:
    assert verdict(line, number).support == "refuted"


@pytest.mark.parametrize(
    ("number", "line", "fault"),
    [
        (3, "CONSTRAIN front #2 top: max{a1, a2} = 3", Fault.IDLE_PREMISE),
        (4, "INFER top #2 #3: least{a1, a2} = 4", Fault.IDLE_PREMISE),
        (4, "INFER top #3 #3: least{a1, a2} = 4", Fault.IDLE_PREMISE),
        (4, "INFER front top: least{a1, a2} = 4", Fault.LEAP),
        (8, "INFER front top: least = 6", Fault.LEAP),
        (8, "INFER question: least = 6", Fault.LEAP),
        (4, "INFER #3: least{a1, a2} = 4", None),
        (3, "CONSTRAIN front #5: max{a1, a2} = 3", None),
        (3, "CONSTRAIN front #2: a1 = 3", None),
        (2, "CORRELATE front: front[1] = {a1, a2}", None),
        (2, "INFER front top: front[1] = {a1, a2}", None),
        (8, "INFER top #4 #6: least = 6", None),
        (3, "CONSTRAIN front #7: max{a1, a2} = 3", None),
        (3, "CONSTRAIN left #2: max{a1, a2} = 3", None),
        (3, "CONSTRAIN (1) #2: max{a1, a2} = 3", None),
        (3, "CONSTRAIN scene #2: max{a1, a2} = 3", None),
        (3, "CONSTRAIN A #2: max{a1, a2} = 3", None),
    ],
)
def test_what_does_not_follow_in_one_inference_is_consistent(number: int, line: str, fault: Fault | None) -> None:
    found = verdict(line, number)
    assert (found.support, found.fault) == ("consistent", fault), found


def test_a_bound_is_as_tight_as_its_line() -> None:
    loose = checked(SIX.replace("INFER top #3: least{a1, a2} = 4", "CONSTRAIN #3: a1 <= 4")).steps[3]
    assert (loose.support, loose.reason) == ("consistent", "its line gives a tighter bound, 3")
    assert checked(SIX.replace("INFER top #3: least{a1, a2} = 4", "CONSTRAIN #3: a1 <= 3")).steps[3].support == "proved"


def test_a_bound_that_is_tighter_than_its_line_is_not_refuted() -> None:
    """The line is of three cubes, but this stack may be of two."""
    found = checked(SIX.replace("INFER top #3: least{a1, a2} = 4", "CONSTRAIN #3: a2 <= 2")).steps[3]
    assert (found.support, found.reason) == ("consistent", "its line gives only the bound, 3")


@pytest.mark.parametrize("total", ["ways = 9", "least = 8"])
def test_columns_of_two_side_views_depend_on_each_other(total: str) -> None:
    """Without a top view, neither ways nor least numbers of the columns of a view make those of the whole.

    Of the columns, three ways each and at least three cubes each are true; of the whole, five ways and eight cubes.
    """
    figures = [
        {"type": "view", "name": "front", "rows": ["##", "##", "##"]},
        {"type": "view", "name": "left", "rows": [".#", "##", "##"]},
    ]
    two_sides = problem(
        "Its front view and left view are shown.\nWhat is the least number of cubes that it can have?", figures
    )
    part = total.partition(" ")[0]
    lines = [f"INFER question: {part}{{{column}}} = 3" for column in ("a1, a2", "b1, b2")]
    text = "\n".join(["CORRELATE question: ? = least", *lines, f"INFER front left #2 #3: {total}", "ANSWER: 6"])
    found = checked(text, two_sides).steps
    assert found[0].support == "proved"
    assert found[3].support == "consistent"


@pytest.mark.parametrize("claim", ["A.up(3) = 1", "A.corner(1 4) = 3", "A.opposite(1) = 6", "A.layer[1] = {a1}"])
def test_a_solid_that_is_an_option_is_no_net(claim: str) -> None:
    """Its claims name faces where others name the side of a view."""
    solid = {"type": "solid", "layers": [["##", "#."]]}
    figures = [
        {"type": "view", "name": "top", "rows": ["##", "#."]},
        *({**solid, "name": letter} for letter in "ABCD"),
    ]
    asked = "The options show such solids from the front right and above, and the question shows the top view.\n"
    one = problem(
        f"{asked}Which of the solids has the top view shown?", figures, choices=dict.fromkeys("ABCD", "a picture")
    )
    found = checked(f"CORRELATE question: ? fits top\nINFER A: {claim}\nANSWER: A", one)
    assert found.steps[1].support != "proved"


@pytest.mark.parametrize("claim", ["opposite(1) = 6", "up(3) = 1", "corner(1 4) = 3", "seen(1 4) = 3", "A.up(3) = 1"])
def test_claims_about_nets_say_nothing_of_a_solid(claim: str) -> None:
    """They are not proved, and neither the checker nor the truth column ends in an exception."""
    one = problem(choices={"A": "5", "B": "6", "C": "7", "D": "8"})
    trace = parse(f"CORRELATE question: ? = least\nINFER #1: {claim}\nANSWER: B").trace("t", one.id)
    found = check_with_truth(one, trace).steps[1]
    assert found.support != "proved"
    assert found.truth != "true"


def test_a_conclusion_from_a_false_claim_is_not_proved() -> None:
    """The line is of three cubes; what follows from another height is false, though it follows."""
    text = SIX.replace("max{a1, a2} = 3", "max{a1, a2} = 2").replace("least{a1, a2} = 4", "least{a1, a2} = 3")
    text = text.replace("least = 6", "least = 5").replace("? = 6", "? = 5").replace("ANSWER: 6", "ANSWER: 5")
    result = checked(text)
    assert [step.support for step in result.steps].count("refuted") == 4
    assert result.answer.support == "refuted"


def test_the_answer_must_be_said_and_right() -> None:
    assert checked(SIX.replace("ANSWER: 6", "ANSWER: 7")).answer.support == "refuted"
    silent = checked(SIX.replace("INFER #1 #8: ? = 6\n", ""))
    assert (silent.answer.support, silent.unused) == ("consistent", (1, 8))


@pytest.mark.parametrize(
    ("answer", "support"),
    [
        *((right, "proved") for right in ("6.", "6 units", "six", "6 cubes", "６", "六")),
        *((wrong, "refuted") for wrong in ("7", "7 units", "6.5", "-6", "five")),
        *((unread, "unchecked") for unread in ("A", "6 or 7", "many", "#9")),
    ],
)
def test_an_answer_is_read_before_it_is_compared(answer: str, support: str) -> None:
    found = checked(SIX.replace("ANSWER: 6", f"ANSWER: {answer}"))
    assert (found.answer.support, found.proved) == (support, support == "proved")
    assert found.answer.fault is (Fault.MALFORMED if support == "unchecked" else None)


def test_a_claim_that_a_step_has_proved_is_not_proved_again() -> None:
    again = SIX.replace("INFER #1 #8: ? = 6", "INFER top #4 #7: least = 6\nINFER #1 #9: ? = 6")
    found = checked(again)
    assert (found.steps[8].support, found.steps[8].fault, found.proved) == ("consistent", Fault.REPEATED, False)


@pytest.mark.parametrize("claim", ["max{a2, a1} = 3", "max{a1} == 3", "front[9] = 1", "b1 is 3", "? = {a1", "top = 3"])
def test_what_is_no_claim_is_unchecked(claim: str) -> None:
    assert verdict(f"INFER #2: {claim}", 3).support == "unchecked"


@pytest.mark.parametrize(
    "question",
    [
        "Its front view and top view are shown.\nWhat is the least number of balls that it can have?",
        "Its front view and left view are shown.\nWhat is the least number of cubes that it can have?",
        "Its front view and top view are shown.\nOne is added.\nWhat is the least number of cubes that it can have?",
        "What is the least number of cubes that it can have?",
    ],
)
def test_a_text_with_an_unknown_sentence_is_not_read(question: str) -> None:
    result = checked(SIX, problem(question))
    assert {step.support for step in result.steps} == {"unchecked"}
    assert result.unread == ("question",)


@pytest.mark.parametrize(
    "figures",
    [
        [],
        ["front"],
        [{"type": "view", "name": "front", "rows": ["##"]}] * 2,
        [{"type": "view", "name": "front", "rows": ["##", "#"]}, {"type": "view", "name": "top", "rows": ["##"]}],
        [{"type": "view", "name": "front", "rows": ["#x"]}, {"type": "view", "name": "top", "rows": ["##"]}],
        [{"type": "view", "name": "front", "rows": ["###"]}, {"type": "view", "name": "top", "rows": ["##"]}],
        [{"type": "net", "name": "front"}, {"type": "view", "name": "top", "rows": ["##"]}],
        [{"type": "plan", "name": "front", "heights": [[1, "2"]]}, {"type": "view", "name": "top", "rows": ["##"]}],
        [
            {"type": "solid", "name": "front", "layers": [["#."], [".#"]]},
            {"type": "view", "name": "top", "rows": ["##"]},
        ],
    ],
)
def test_figures_that_cannot_be_read_leave_all_steps_unchecked(figures: Any) -> None:
    result = checked(SIX, problem(figures=figures))
    assert {step.support for step in result.steps} == {"unchecked"}


def test_nothing_follows_from_figures_that_contradict_each_other() -> None:
    figures = [
        {"type": "view", "name": "front", "rows": ["#.", "##", "##"]},
        {"type": "view", "name": "top", "rows": [".#", ".#"]},
    ]
    supports = {step.support for step in checked(SIX, problem(figures=figures)).steps}
    assert "proved" not in supports


CELLS = st.sampled_from(["a1", "a2", "b1", "b2", "c1"])
SETS = st.sets(CELLS, min_size=1, max_size=3).map(lambda cells: "{" + ", ".join(sorted(cells)) + "}")
NUMBERS = st.integers(0, 9).map(str)
CLAIMS = st.one_of(
    st.tuples(st.sampled_from(["max", "sum", "least", "most", "ways"]), SETS, st.just(" = "), NUMBERS).map("".join),
    st.tuples(CELLS, st.sampled_from([" = ", " <= "]), NUMBERS).map("".join),
    st.tuples(st.sampled_from(["front[1] = ", "left[2] = ", "top = ", "? = "]), SETS | NUMBERS).map("".join),
    st.tuples(st.sampled_from(["count", "least", "most", "ways", "surface", "?"]), st.just(" = "), NUMBERS).map(
        "".join
    ),
    st.sampled_from(
        ["not A", "options = {A}", "? = count", "? fits front", "need(3) = 1", "faces(left) = 2", "A.a1 = 2"]
    ),
)
ARGS = st.lists(
    st.sampled_from(["front", "top", "left", "question", "scene", "A", "#1", "#2", "#3", "#9", "(1)"]), max_size=4
)


@settings(max_examples=300)
@given(st.lists(st.tuples(st.sampled_from(["CORRELATE", "CONSTRAIN", "INFER"]), ARGS, CLAIMS), min_size=1, max_size=5))
def test_what_is_proved_holds_in_every_solid_that_fits(lines: list[tuple[str, list[str], str]]) -> None:
    """Random steps: nothing raises, and what is proved is true of all the solids with these two views."""
    text = "\n".join(" ".join([op, *args]) + f": {claim}" for op, args, claim in lines)
    trace: Trace = parse(f"{text}\nANSWER: 6").trace("t", "p")
    result = check(problem(), trace)
    for step, found in zip(trace.steps, result.steps, strict=True):
        if found.support == "proved":
            assert _always(step.claim or ""), step


def _always(claim: str) -> bool:
    """Whether ``claim`` holds in the five solids: a1 and a2 of at most 3 cubes, one of them of 3, and b2 of 2."""
    left, _, right = claim.partition(" = ")
    known = {
        "front[1]": "{a1, a2}",
        "front[2]": "{b2}",
        "left[1]": "{a2, b2}",
        "left[2]": "{a1}",
        "top": "{a1, a2, b2}",
        "max{a1, a2}": "3",
        "max{b2}": "2",
        "least{a1, a2}": "4",
        "most{a1, a2}": "6",
        "ways{a1, a2}": "5",
        "least{b2}": "2",
        "most{b2}": "2",
        "ways{b2}": "1",
        "b2": "2",
        "sum{b2}": "2",
        "least": "6",
        "most": "8",
        "ways": "5",
        "?": "6",
    }
    if " <= " in claim:
        return claim in {"a1 <= 3", "a2 <= 3", "b2 <= 2"}
    return claim == "? = least" or known.get(left) == right


def test_steps_of_other_kinds_of_problems_do_no_harm() -> None:
    """Claims about views, directions and solids that this problem does not have; none is proved, nothing raises."""
    lines = [
        "INFER #2 #3 top: top = {a1, a2, b2}",
        "INFER #3 #2 top: top = {a1, a2, b2}",
        "INFER #1 #2: not A",
        "INFER view #1: not A",
        "INFER front top: need(2) = 1",
        "INFER top #2: faces(back) = 3",
        "CORRELATE question: ? sees view",
        "CORRELATE A: A.front[1] = {a1}",
    ]
    supports = [verdict(line, 4).support for line in lines]
    assert "proved" not in supports
