"""A number that comes out the same whatever the problem states gives no source to other numbers, and is no answer."""

from __future__ import annotations

from typing import Any

import pytest

from srt.checking import check
from srt.language.faults import Fault

BOX = "A box is 3 by 4 by 12. How far apart are two of its corners?"


def verdicts(problem: Any, trace: Any, *lines: str, answer: str, question: str = BOX, **fields: Any) -> Any:
    return check(problem(question, **fields), trace(*lines, answer=answer))


@pytest.mark.parametrize("one", ["3/3 = 1", "3 - 3 = 0, 4/4 = 1", "3^0 = 1", "(3 + 4)/(4 + 3) = 1", "3*4/(3*4) = 1"])
def test_nothing_is_counted_up_from_a_pure_number(problem: Any, trace: Any, one: str) -> None:
    up = f"{one}, 1 + 1 = 2, 2 + 2 = 4, 4 + 2 = 6, 6 + 1 = 7"
    found = verdicts(problem, trace, f"INFER question | {up}", answer="7")
    assert (found.steps[0].support, found.steps[0].fault) == ("consistent", Fault.UNSUPPORTED_NUMBER)
    assert not found.computed
    apart = [f"INFER question | {one}", "INFER #1 | 1 + 1 = 2", "INFER #1 #2 | 2 + 1 = 3", "INFER #1 #3 | 4 + 3 = 7"]
    assert not verdicts(problem, trace, *apart, answer="7").computed


@pytest.mark.parametrize("line", ["5/5 = 1, 5 + 1 = 6, 6 + 1 = 7", "(5 + 5)/5 = 2, 5 + 2 = 7"])
def test_a_pure_number_adds_nothing(problem: Any, trace: Any, line: str) -> None:
    question = "One stick is 5 long, another 10. How long is the third?"
    assert verdicts(problem, trace, f"INFER question | {line}", answer="7", question=question).computed is False


def test_a_number_that_is_added_up_to_itself_is_a_multiple(problem: Any, trace: Any) -> None:
    question = "One stick is 12 long, another 11. How long is the third?"
    up = "12 - 11 = 1, 1 + 1 = 2, 2 + 1 = 3, 3 + 1 = 4, 4 + 1 = 5, 5 + 1 = 6, 6 + 1 = 7"
    step = verdicts(problem, trace, f"INFER question | {up}", answer="7", question=question).steps[0]
    assert (step.support, step.fault) == ("consistent", Fault.UNSUPPORTED_NUMBER)
    layers = "Three layers have 5, 5 and 2 cubes. How many are there?"
    assert verdicts(problem, trace, "INFER question | 5 + 5 + 2 = 12", answer="12", question=layers).computed


def test_a_pure_number_may_be_a_factor(problem: Any, trace: Any) -> None:
    assert (
        verdicts(problem, trace, "INFER question | 4/4 = 1, 1 * 3 * 4 = 12", answer="12").steps[0].support == "computed"
    )


def test_a_ratio_may_be_pure(problem: Any, trace: Any) -> None:
    question = "A cone and a cylinder have the base area 9 and the height 4. What is the ratio of their volumes?"
    steps = ["INFER question | V1 = 9 * 4 = 36", "INFER question | V2 = 1/3 * 9 * 4 = 12", "INFER #1 #2 | 36 / 12 = 3"]
    assert verdicts(problem, trace, *steps, answer="3", question=question).answer.support == "computed"
    other = "A cone and a cylinder have the base area 9 and the height 4. What is the distance of their tops?"
    found = verdicts(problem, trace, *steps, answer="3", question=other).answer
    assert (found.support, found.reason) == ("consistent", "its value does not depend on what the problem states")


def test_what_the_premises_change_is_a_source(problem: Any, trace: Any) -> None:
    question = "A tetrahedron has the volume 4 and the surface 12. What is the radius of the ball in it?"
    steps = ["INFER question | r = 3 * 4 / 12 = 1", "INFER #1 question | 2 * 1 = 2"]
    found = verdicts(problem, trace, *steps, answer="1", question=question)
    assert [step.support for step in found.steps] == ["computed", "computed"]


def test_a_constant_of_a_formula_is_a_factor(problem: Any, trace: Any) -> None:
    question = "A cube has edge 5. How far apart are two of its corners?"
    step = verdicts(problem, trace, "INFER question | 5 + 6 = 11", answer="11", question=question).steps[0]
    assert (step.support, step.fault) == ("consistent", Fault.UNSUPPORTED_NUMBER)
    assert verdicts(problem, trace, "INFER question | 6 * 5 = 30", answer="30", question=question).steps[0].support == (
        "computed"
    )
