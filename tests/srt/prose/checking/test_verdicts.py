"""Verdicts on the steps and the answer of traces in prose."""

from __future__ import annotations

from typing import Any

import pytest

from srt.checking import check
from srt.language.faults import Fault
from srt.language.trace import Trace
from srt.prose.checking.operations import wrong_operation

CONE = "A cone has base radius 3 and slant height 5; its volume?"
BOX = "A box is 3 wide, 4 deep and 5 high. What is its volume?"


def supports(problem: Any, trace: Trace) -> list[str]:
    return [step.support for step in check(problem, trace).steps]


def test_the_cone_of_the_language_page(problem: Any, trace: Any) -> None:
    found = trace(
        "CORRELATE front top | the triangle's base in the front view is the circle's diameter in the top view",
        "CONSTRAIN #1 scene | radius, height and slant height form a right triangle: 3^2 + h^2 = 5^2",
        "INFER #2 | h = 4",
        "INFER #3 | V = 1/3 * pi * 3^2 * 4 = 12 pi",
        answer="12\\pi",
    )
    checked = check(problem(CONE), found)
    assert [step.support for step in checked.steps] == ["unchecked", "consistent", "computed", "computed"]
    assert checked.answer.support == "computed"
    assert checked.unused == ()


def test_a_refuted_claim_refutes_its_step(problem: Any, trace: Any) -> None:
    checked = check(problem(BOX), trace("INFER question | 3 * 4 = 12 and 12 * 5 = 50", answer="50"))
    (step,) = checked.steps
    assert step.support == "refuted"
    assert step.counterexample
    assert [claim.support for claim in step.claims] == ["computed", "refuted"]
    assertion = "3 * 4 = 12 and 12 * 5 = 50"
    assert assertion[step.claims[1].start : step.claims[1].end] == "12 * 5 = 50"


@pytest.mark.parametrize(
    ("prose", "support"),
    [
        ("the base is 3 * 4 = 12", "computed"),
        ("with depth 4 and width 3 the base is 3 * 4 = 12", "computed"),
        ("with height 7 the base is 3 * 4 = 12", "consistent"),
        ("the seven bases are 3 * 4 = 12", "consistent"),
        ("the three bases are 3 * 4 = 12", "computed"),
        ("by step 1, the base is 3 * 4 = 12", "computed"),
        ("the base is flat", "unchecked"),
        ("B = 3 * 4 = 12", "computed"),
        ("B = 3 * 4 = 13", "refuted"),
    ],
)
def test_proved_covers_every_number_that_the_step_speaks_of(problem: Any, trace: Any, prose: str, support: str) -> None:
    assert supports(problem(BOX), trace(f"INFER question | {prose}")) == [support]


def test_only_what_is_cited_counts(problem: Any, trace: Any) -> None:
    steps = ("CORRELATE question | a = 3", "CORRELATE question | b = 4", "INFER {} | a + b = 7")
    cited = trace(*steps[:2], steps[2].format("#1 #2"))
    assert supports(problem("Two sticks are laid end to end."), cited)[2] == "computed"
    uncited = trace(*steps[:2], steps[2].format("#1"))
    assert supports(problem("Two sticks are laid end to end."), uncited)[2] != "computed"


def test_the_claim_beside_the_assertion_is_checked_too(problem: Any, trace: Any) -> None:
    found = trace("INFER question | the base")
    for claim, support in (("3 * 4 = 12", "computed"), ("3 * 4 = 13", "refuted")):
        step = found.steps[0].model_copy(update={"claim": claim})
        checked = check(problem(BOX), found.model_copy(update={"steps": (step,)}))
        assert checked.steps[0].support == support
        assert (checked.steps[0].claims[0].start, checked.steps[0].claims[0].end) == (8, 8)
    said = trace("INFER question | the base is 3 * 4 = 12").steps[0].model_copy(update={"claim": "3*4 = 12"})
    assert len(check(problem(BOX), found.model_copy(update={"steps": (said,)})).steps[0].claims) == 1


def test_a_bad_reference_or_a_stranger_is_at_most_consistent(problem: Any, trace: Any) -> None:
    (dangling,) = check(problem(BOX), trace("INFER #7 | 3 * 4 = 12")).steps
    assert dangling.support == "consistent"
    assert dangling.reason == "cites #7, but there are 1 steps"
    pyramid = problem("In the pyramid P-ABC, AB = 3.")
    (strange,) = check(pyramid, trace("INFER question | PQ = 3 * 4 = 12")).steps
    assert strange.support == "consistent"
    assert strange.reason == "Q is a point that the problem does not have"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "INFER (1) | a box is 3 wide, 4 deep",
            "repeats what the problem gives: that is CORRELATE or CONSTRAIN, not INFER",
        ),
        ("CORRELATE (1) | a box is 3 wide, 4 deep", None),
        ("INFER (1) | the base is 3 by 4", None),
        ("INFER (1) | 4 deep", None),
        ("CORRELATE #1 | 3 * 4 = 12", "calculates from earlier steps: that is CONSTRAIN or INFER, not CORRELATE"),
        ("CORRELATE #1 (1) | 3 * 4 = 12", None),
        ("CORRELATE #1 | the width is 3", None),
    ],
)
def test_operations_that_are_plainly_wrong(problem: Any, trace: Any, line: str, told: str | None) -> None:
    found = trace("CORRELATE question | width 3, depth 4", line)
    checked = check(problem(BOX), found).steps[1]
    claims = checked.claims
    assert wrong_operation(problem(BOX), found.steps[1], claims) == told
    if told:
        assert (checked.support, checked.reason) in {("consistent", told), ("unchecked", told)}


def test_unused_steps(problem: Any, trace: Any) -> None:
    found = trace(
        "CORRELATE question | width 3, depth 4",
        "CORRELATE question | the box stands on a table",
        "INFER #1 | 3 * 4 = 12",
        "INFER #3 | 12 * 5 = 60",
        answer="60",
    )
    assert check(problem(BOX), found).unused == (2,)
    # Where the last step only repeats, the step that states the answer is used by it as well.
    assert check(problem(BOX), trace(*(["INFER question | 12 * 5 = 60"] * 2), answer="60")).unused == (1,)


def test_a_trace_that_cites_nothing_is_at_most_consistent(problem: Any, trace: Any) -> None:
    checked = check(problem(BOX), trace("INFER | 3 * 4 = 12", "INFER | 3 * 4 * 5 = 60", answer="60"))
    assert [step.support for step in checked.steps] == ["consistent", "consistent"]
    assert [step.fault for step in checked.steps] == [Fault.PREMISE_LEFT_OUT] * 2
    assert checked.unused == (1,)


CHOICES = {"A": "12", "B": "60", "C": "12\\pi", "D": "a sphere"}


@pytest.mark.parametrize(
    ("last", "answer", "support"),
    [
        ("3 * 4 * 5 = 60", "60", "computed"),
        ("V = 3 * 4 * 5 = 60, the volume is 60 cm^3", "60", "computed"),
        ("the volume is 60 cm^3", "60", "consistent"),
        ("V = 60", "V = 60", "consistent"),
        ("3 * 4 * 5 = 60", "61", "consistent"),
        ("3 * 4 * 5 = 60，体积为60", "60", "computed"),
        ("what is left is a red cube", "a red cube", "consistent"),
        ("3 * 4 * 5 = 60", "B", "computed"),
        ("3 * 4 * 5 = 60, so the answer is B", "B", "computed"),
        ("3 * 4 * 5 = 60，故选B", "B", "computed"),
        ("3 * 4 * 5 = 60，故选A", "B", "refuted"),
        ("3 * 4 * 5 = 60, so the answer is D", "D", "consistent"),
        ("3 * 4 * 5 = 60, so the answer is A", "A", "consistent"),
        ("so the answer is A.", "B", "refuted"),
        ("this rules out option A", "B", "consistent"),
        ("option B is left", "B", "consistent"),
        ("the solid is a sphere", "B", "consistent"),
        ("the correct options are A and C", "A, C", "consistent"),
    ],
)
def test_the_answer(problem: Any, trace: Any, last: str, answer: str, support: str) -> None:
    made = problem(BOX, choices=CHOICES if answer[0] in "ABCD" else {})
    assert check(made, trace(f"INFER question | {last}", answer=answer)).answer.support == support


def test_an_answer_in_parts_rests_on_several_steps(problem: Any, trace: Any) -> None:
    asked = problem("A box is 3 wide, 4 deep and 5 high. (1) Find its base area. (2) Find its volume.")
    found = trace("INFER question | S = 3 * 4 = 12", "INFER question | V = 3 * 4 * 5 = 60", answer="12; 60")
    checked = check(asked, found)
    assert checked.answer.support == "computed"
    assert checked.unused == ()


def test_prose(problem: Any) -> None:
    def cot(text: str, answer: str) -> Trace:
        return Trace(id="t", problem_id="p", kind="cot", lang="en", text=text, answer=answer)

    checked = check(problem(BOX), cot("The base is 3 * 4 = 12.\nSo it is 12 * 5 = 60.", "60"))
    assert checked.steps == ()
    assert [claim.support for claim in checked.prose] == ["computed", "computed"]
    assert checked.answer.support == "computed"
    wrong = check(problem(BOX), cot("The base is 3 * 4 = 13.\nSo it is 12 * 5 = 60.", "12"))
    assert wrong.refuted
    assert wrong.answer.support == "consistent"
