"""What ``(k)`` can mean, and references that lead nowhere."""

from __future__ import annotations

from typing import Any

import pytest

from srt.language.faults import Fault
from srt.prose.checking.citations import citation_faults, taken_as_true
from srt.prose.checking.givens import givens_of

CONE = "A cone has base radius 3. Its slant height is 5; find its volume."
PICTURE = [{"path": "a.png", "sha256": "0" * 64}]


@pytest.mark.parametrize(
    ("question", "count", "numbered"),
    [
        (CONE, 3, 0),
        ("Three cubes are stacked. (1) The red one is on top. (2) The blue one is below it. Which is lowest?", 2, 2),
        ("有三个方块。①红色的在最上面；②蓝色的在它下面。最下面的是哪个？", 2, 2),
        ("A cube of edge 2 has corners A and B. (1) Find AB. (2) Find its volume.", 4, 0),
        ("正方体棱长为2。(1)求表面积；(2)求体积。", 3, 0),
        ("Let f(1) and g(2) be heights 3 and 4.", 4, 0),
        ("1. Ann is left of Bob.\n2. Bob is left of Cal.\nWho is in the middle?", 2, 2),
    ],
)
def test_givens(problem: Any, question: str, count: int, numbered: int) -> None:
    givens = givens_of(problem(question))
    assert (givens.count, len(givens.numbered)) == (count, numbered)


def test_the_text_of_a_numbered_clue_is_that_clue_alone(problem: Any) -> None:
    givens = givens_of(problem("The edge is 2. (1) a = 3. (2) b = 4."))
    assert givens.text_of(2) == ("The edge is 2.", "b = 4.")
    assert givens.text_of(3) == ()


def test_without_numbers_k_counts_sentences_clauses_or_quantities(problem: Any) -> None:
    box = givens_of(problem("The box is red. It is 3 wide, 4 deep and 5 high. Find its volume."))
    assert box.text_of(1) == ("The box is red", "It is 3 wide")
    assert box.text_of(2) == ("It is 3 wide, 4 deep and 5 high", "It is 3 wide", "4 deep")
    assert box.text_of(5) == ("Find its volume",)
    assert box.text_of(6) == ()


def test_a_picture_that_nothing_describes_may_give_anything(problem: Any, trace: Any) -> None:
    drawn = problem("Find the volume.", images=PICTURE)
    assert givens_of(drawn).count is None
    found = trace("CORRELATE (9) | the edge is 2", "INFER #1 | it is 8")
    assert citation_faults(drawn, found, givens_of(drawn)) == ()
    described = problem("Find the volume.", images=PICTURE, diagram_description="A cube with edge 2.")
    assert [fault.fault for fault in citation_faults(described, found, givens_of(described))] == [
        Fault.DANGLING_REFERENCE
    ]


def test_references_that_lead_nowhere(problem: Any, trace: Any) -> None:
    cone = problem(CONE)
    bad = trace(
        "CORRELATE (1) | radius 3",
        "CONSTRAIN #3 | slant height 5",
        "INFER #2 #3 | itself",
        "INFER #9 | nothing",
        "INFER (4) | no such given",
        "INFER | rests on nothing",
        "INFER #1 B | no such option",
        answer="1",
    )
    faults = citation_faults(cone, bad, givens_of(cone))
    assert [(fault.step, fault.fault) for fault in faults] == [
        (2, Fault.ORDER_BROKEN),
        (3, Fault.ORDER_BROKEN),
        (4, Fault.DANGLING_REFERENCE),
        (5, Fault.DANGLING_REFERENCE),
        (6, Fault.PREMISE_LEFT_OUT),
        (7, Fault.DANGLING_REFERENCE),
    ]
    assert faults[2].message == "cites #9, but there are 7 steps"


def test_a_step_that_cites_nothing_is_at_fault_also_where_none_does(problem: Any, trace: Any) -> None:
    cone = problem(CONE)
    faults = citation_faults(cone, trace("CORRELATE | r is 3", "INFER | V is 12"), givens_of(cone))
    assert [(fault.step, fault.fault) for fault in faults] == [(n, Fault.PREMISE_LEFT_OUT) for n in (1, 2)]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('INFER "the moon" | h = 4, the height', Fault.DANGLING_REFERENCE),
        ("INFER 定理3 | h = 4", Fault.DANGLING_REFERENCE),
        ('INFER "base radius" | h = 4', None),
        ("INFER front | the front view is a triangle", None),
        ("INFER (1) | by step 3, h = 4", Fault.DANGLING_REFERENCE),
        ("INFER (1) | 由第9步得 h = 4", Fault.DANGLING_REFERENCE),
        ("INFER (1) | by #2, h = 4", Fault.ORDER_BROKEN),
        ("INFER (1) | the first of the steps, h = 4", None),
    ],
)
def test_references_that_nothing_speaks_of(problem: Any, trace: Any, line: str, fault: Fault | None) -> None:
    cone = problem(CONE)
    faults = citation_faults(cone, trace(line, "INFER #1 | V = 12"), givens_of(cone))
    assert [bad.fault for bad in faults if bad.step == 1] == ([fault] if fault else [])


def test_a_capital_is_an_option_or_a_point_of_the_problem(problem: Any, trace: Any) -> None:
    found = trace("CORRELATE B P | they agree")
    solid = problem("In the pyramid P-ABC, AB is 2.")
    assert citation_faults(solid, found, givens_of(solid)) == ()
    chosen = problem("Which net folds into a cube?", choices={"A": "first", "B": "second", "P": "none"})
    assert citation_faults(chosen, found, givens_of(chosen)) == ()


def test_a_step_rests_on_what_it_cites_and_on_nothing_else(problem: Any, trace: Any) -> None:
    cone = problem(CONE)
    steps = trace("CORRELATE (1) | r = 3", "CORRELATE (2) | s = 5", "INFER #2 | h = 4", "INFER question #3 | V").steps
    givens = givens_of(cone)
    assert taken_as_true(cone, steps[2], steps[:2], givens) == ("s = 5",)
    assert taken_as_true(cone, steps[3], steps[:3], givens) == (CONE, "h = 4")
    assert taken_as_true(cone, steps[2], steps[:1], givens) == ()
