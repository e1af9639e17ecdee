from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.answers.written_form import canonical_text, read_answer
from srt.io.records import Answer, AnswerKind

NAMES = {"A": "Nadia", "B": "Omar", "C": "Pia", "D": "None of the above"}


def letters(text: str, choices: dict[str, str] | None = None) -> list[str] | str | None:
    reading = read_answer(text, "choice_set", NAMES if choices is None else choices)
    if reading.ambiguous:
        return "ambiguous"
    return reading.answer.value if reading.answer else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C", ["C"]),
        ("A, C", ["A", "C"]),
        ("C, A", ["A", "C"]),
        ("A、C", ["A", "C"]),
        ("Ａ，Ｃ", ["A", "C"]),
        ("A and C", ["A", "C"]),
        ("A, B, and C.", ["A", "B", "C"]),
        ("A和C。", ["A", "C"]),
        ("AC", ["A", "C"]),
        ("A C", ["A", "C"]),
        ("(B)", ["B"]),
        ("[A, C]", ["A", "C"]),
        ("**B**", ["B"]),
        ("★B★", ["B"]),
        ("\\boxed{B}", ["B"]),
        ("$\\text{B}$", ["B"]),
        ("B.", ["B"]),
        ("b", ["B"]),
        ("B. Omar", ["B"]),
        ("B) Omar", ["B"]),
        ("B (Omar)", ["B"]),
        ("A. Nadia, C. Pia", ["A", "C"]),
        ("D. None of the above", ["D"]),
        ("Omar", ["B"]),
        ("none of the above", ["D"]),
        ("选项B", ["B"]),
        ("Option B", ["B"]),
        ("B, because she faces him", ["B"]),
        ("A, A", ["A"]),
        ("A or B", "ambiguous"),
        ("A或B", "ambiguous"),
        ("A/B", "ambiguous"),
        ("A, Pia", "ambiguous"),
        ("B. But C would fit too", "ambiguous"),
        ("E", None),
        ("A, E", None),
        ("", None),
        ("A cube is higher", None),
        ("BAD", None),
        ("Cat", None),
        ("not B", None),
        ("I do not know", None),
        ("42", None),
    ],
)
def test_choice_sets(text: str, expected: list[str] | str | None) -> None:
    assert letters(text) == expected


def test_an_option_text_that_two_options_share_decides_nothing() -> None:
    assert letters("Omar", {"A": "Omar", "B": "Omar"}) is None


def test_without_options_any_letter_counts() -> None:
    assert letters("F", {}) == ["F"]


@given(st.sets(st.sampled_from("ABCD"), min_size=1))
def test_what_is_written_is_read(chosen: set[str]) -> None:
    answer = Answer(kind="choice_set", value=sorted(chosen))
    assert letters(canonical_text(answer)) == answer.value


@given(st.text())
def test_no_text_raises(text: str) -> None:
    for kind in get_args(AnswerKind):
        read_answer(text, kind, NAMES)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("number", "1,200", 1200),
        ("number", "-2.50", -2.5),
        ("number", "about 3", None),
        ("boolean", "正确。", True),
        ("boolean", "False", False),
        ("boolean", "perhaps", None),
        ("text", "相同", "相同"),
        ("sequence", "x, y、z", ["x", "y", "z"]),
        ("expression", "$12\\pi$", "12\\pi"),
        ("parts", "1; 2", None),
    ],
)
def test_other_kinds(kind: Any, text: str, value: object) -> None:
    reading = read_answer(text, kind, {})
    assert (reading.answer.value if reading.answer else None) == value
