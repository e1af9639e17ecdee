from __future__ import annotations

import pytest

from srt.answers.extraction import extract
from srt.io.records import Answer, Problem


def problem(**changes: object) -> Problem:
    fields: dict[str, object] = {
        "id": "p",
        "source": "made-up",
        "split": "test",
        "lang": "en",
        "question": "Who sits across from Omar?",
        "choices": {"A": "Nadia", "B": "Omar", "C": "Pia", "D": "Quin"},
        "answer": Answer(kind="choice_set", value=["C"]),
    }
    return Problem.model_validate(fields | changes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CORRELATE (1): right(Nadia) = Omar\nANSWER: C", "C"),
        ("ANSWER: A, C", "A, C"),
        ("ANSWER： B", "B"),
        ("答案：AC", "A, C"),
        ("答案: A、C", "A, C"),
        ("★答案：B★", "B"),
        ("★ Answer: B ★", "B"),
        ("Answer: ★ B ★", "B"),
        ("So the boat is south of it. Answer: ★ B ★", "B"),
        ("所以选乙。答案：★B★", "B"),
        ("First, ... Therefore ★ Answer：B ★", "B"),
        ("**Answer:** B", "B"),
        ("Answer:\nB", "B"),
        ("ANSWER: A\nWait, that is wrong.\nANSWER: B", "B"),
        ("<think>\nANSWER: A\n</think>\n\nANSWER: B", "B"),
        ("the answer is A\nANSWER: B", "B"),
        ("so \\boxed{B}", "B"),
        ("\\boxed{A}, no: \\boxed{\\text{B}}", "B"),
        ("A cube is higher, so the answer is B", "B"),
        ("A cube is higher, so the answer is B.\nThat is all", "B"),
        ("The correct answer is (B) because Pia moved", "B"),
        ("The correct options are A and C.", "A, C"),
        ("所以答案是B。", "B"),
        ("因此选B", "B"),
        ("故选：A、C", "A, C"),
        ("B", "B"),
        ("the answer is A. Or rather, the answer is B.", "B"),
        ("Pia", "C"),
        ("ANSWER: Pia", "C"),
    ],
)
def test_answers_that_are_there(text: str, expected: str) -> None:
    found = extract(text, problem())
    assert (found.status, found.text) == ("ok", expected)
    assert found.answer is not None


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", "no_answer"),
        ("A cube is higher", "no_answer"),
        ("I think that A is nearer.", "no_answer"),
        ("ANSWER: E", "no_answer"),
        ("ANSWER: A, E", "no_answer"),
        ("ANSWER:", "no_answer"),
        ("ANSWER: A\nANSWER: unknown", "no_answer"),
        ("the answer is not B", "no_answer"),
        ("不选B", "no_answer"),
        ("the answer is a cube", "no_answer"),
        ("ANSWER: A or B", "ambiguous"),
        ("the answer is A or B", "ambiguous"),
    ],
)
def test_answers_that_are_not(text: str, status: str) -> None:
    found = extract(text, problem())
    assert (found.status, found.answer) == (status, None)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("CORRELATE (1): right(Na", "truncated"),
        ("so the answer is B, since", "truncated"),
        ("ANSWER: A", "truncated"),  # it may have been about to write "A, C"
        ("ANSWER: A\nANSWER: A\n", "ok"),
    ],
)
def test_the_budget_ended(text: str, status: str) -> None:
    assert extract(text, problem(), "length").status == status


def test_a_failed_generation_is_an_error() -> None:
    assert extract("ANSWER: A", problem(), "error").status == "error"


def test_other_kinds_and_no_gold() -> None:
    text = problem(choices={}, answer=Answer(kind="text", value="相同"))
    assert extract("答案：相同", text).answer == text.answer
    assert extract("ANSWER: B", problem(answer=None)).text == "B"
