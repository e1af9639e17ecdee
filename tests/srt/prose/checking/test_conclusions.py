"""Whether the last step states the answer: what it denies, doubts, supposes or only mentions is not stated."""

from __future__ import annotations

from typing import Any

import pytest

from srt.checking import check
from srt.prose.checking.conclusion.conclusions import conclude

VIEWS = {"A": "a cone", "B": "a ball", "C": "a cube", "D": "none of the above"}


def support(problem: Any, trace: Any, text: str, answer: str, question: str = "Which solid?", **fields: Any) -> str:
    lang = "en" if text.isascii() else "zh"
    made = problem(question, lang=lang, **fields)
    return conclude(made, trace(f"INFER question | {text}", answer=answer, lang=lang), [text]).verdict.support


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("all views are circles, so it is not a cone", "cone"),
        ("so it can't be a cone", "cone"),
        ("the cone is ruled out", "cone"),
        ("it is anything rather than a cone", "cone"),
        ("it might be a cone", "cone"),
        ("if it is a cone, it has an apex", "cone"),
        ("is it a cone?", "cone"),
        ("it looks like a cone, yet it has two bases", "cone"),
        ("a student said that it is a cone", "cone"),
        ("the cone is smaller than the ball", "the cone"),
        ("the volume is not 60", "60"),
        ("V != 60", "60"),
        ("V < 60", "60"),
        ("x = -3, which is rejected", "-3"),
        ("the angle is the supplement of 120", "120"),
        ("the base edge is 8, the other edge is still unknown", "8"),
        ("it is 60, not sure", "60"),
        ("它不是圆锥", "圆锥"),
        ("并非圆锥", "圆锥"),
        ("可以排除圆锥", "圆锥"),
        ("也许是45，但无法确定", "45"),
        ("常见的错误答案是36", "36"),
        ("它有12条棱，而不是18条", "18"),
        ("甲的体积小于乙球", "乙球"),
    ],
)
def test_what_is_not_stated(problem: Any, trace: Any, text: str, answer: str) -> None:
    assert support(problem, trace, text, answer) != "computed"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("it is not a cone but a ball", "ball"),
        ("so it is a cone rather than a ball", "cone"),
        ("it is a cone, because no other solid has an apex", "cone"),
        ("x = -3 is rejected, so x = 5", "5"),
        ("the volume is therefore not 96 but 64", "64"),
        ("a student wrote 6, but the radius is 3", "3"),
        ("they may be skew, so the answer is no", "no"),
        ("therefore it cannot be determined", "it cannot be determined"),
        ("因此它是圆锥，而不是圆柱", "圆锥"),
        ("放不下41个，所以最多放40个", "40"),
        ("直线与平面平行", "平行"),
        ("所以体积为27.(8分)", "27"),
        ("表面积之比是1:9，所以体积之比是1:27", "1:27"),
    ],
)
def test_what_is_stated(problem: Any, trace: Any, text: str, answer: str) -> None:
    assert support(problem, trace, text, answer) == "computed"


@pytest.mark.parametrize(
    ("text", "answer", "expected"),
    [
        ("therefore option A is wrong", "A", "consistent"),
        ("A and C are excluded", "A", "consistent"),
        ("every option except B is possible", "B", "consistent"),
        ("the answer is B rather than A", "A", "refuted"),
        ("the answer is B rather than A", "B", "computed"),
        ("A is excluded, so choose B", "B", "computed"),
        ("I doubt that the answer is A", "A", "consistent"),
        ("故排除A", "A", "consistent"),
        ("排除A和C，故选：B", "B", "computed"),
        ("选项A不正确", "A", "consistent"),
    ],
)
def test_options(problem: Any, trace: Any, text: str, answer: str, expected: str) -> None:
    assert support(problem, trace, text, answer, choices=VIEWS) == expected


def test_a_question_for_what_is_wrong(problem: Any, trace: Any) -> None:
    asked = "Which statement is NOT correct?"
    assert support(problem, trace, "so the incorrect statement is B", "B", asked, choices=VIEWS) == "computed"
    assert support(problem, trace, "so the incorrect statement is B", "B", choices=VIEWS) == "consistent"


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("What is the height?", "h^2 = 16", "16"),
        ("What is the height?", "2h = 10", "10"),
        ("What is the height?", "\\sqrt{h} = 3", "3"),
        ("What is the height?", "h + 2 = 7", "7"),
        ("Given that h^2 = 16, find h.", "h^2 = 16", "16"),
        ("What is the radius of the ball?", "twice the radius is 10", "10"),
        ("求棱长。", "棱长的平方是12", "12"),
        ("What is the sine of the angle?", "cos θ = 3/5", "3/5"),
        ("What is the angle between the lines?", "cos θ = 1/2", "1/2"),
        ("If sin θ = 3/5, what is cos θ?", "sin θ = 3/5", "3/5"),
        ("求二面角的余弦值。", "二面角的正弦值为\\frac{3}{5}", "\\frac{3}{5}"),
        ("Find V_P : V_Q.", "V_Q : V_P = 2 : 3", "2:3"),
        (
            "What is the ratio of the volume of P to that of Q?",
            "the ratio of the volume of Q to that of P is 2:3",
            "2:3",
        ),
        ("求甲与乙的体积之比。", "乙与甲的体积之比为2:3", "2:3"),
        ("What is the volume in cm³?", "V = 24 cm³, that is 0.024 L", "0.024"),
        ("Find the length of AC.", "AB = 5", "5"),
        ("What is the surface area?", "V = 24", "24"),
        ("Which solid is it?", "it is anything but a cube", "cube"),
        ("Is the line parallel to the plane?", "the line is not parallel to the plane", "yes"),
    ],
)
def test_another_quantity_than_the_one_asked_for(
    problem: Any, trace: Any, question: str, text: str, answer: str
) -> None:
    assert support(problem, trace, text, answer, question) == "consistent"


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("Find h^2.", "h^2 = 16", "16"),
        ("What is the square of the diagonal?", "d^2 = 50", "50"),
        ("Find a + b.", "a + b = 7", "7"),
        ("What is the sine of the angle?", "hence \\sin θ = \\frac{4}{5}", "4/5"),
        ("Find V_P : V_Q.", "V_P : V_Q = 2 : 3", "2:3"),
        ("圆锥与圆柱的体积比是多少？", "圆锥与圆柱的体积比是1:3", "1:3"),
        ("What is the ratio of AE to EB?", "AE/EB = 2", "2"),
        ("What is the volume in cm³?", "V = 24 cm³", "24"),
        ("Find the length of AC.", "AC = √(AB^2 + BC^2) = 5", "5"),
        ("求体积最大时的高h。", "h=2", "2"),
        ("How many minutes does it take?", "60 ÷ 4 = 15", "15"),
        ("Find its area.", "the area is 1/2 × 10 × 6 = 30", "30"),
        ("求二面角的大小。", "\\left\\{\\begin{matrix}x=0,\\\\ y=0\\end{matrix}\\right. 所以二面角的大小为30°", "30°"),
        ("Is the line parallel to the plane?", "so the line is parallel to the plane", "Yes"),
        ("Are the planes perpendicular?", "so the planes are not perpendicular", "no"),
        ("直线与平面是否平行？", "故直线与平面不平行", "否"),
    ],
)
def test_the_quantity_asked_for(problem: Any, trace: Any, question: str, text: str, answer: str) -> None:
    assert support(problem, trace, text, answer, question) == "computed"


def test_options_that_are_said_to_be_right(problem: Any, trace: Any) -> None:
    assert support(problem, trace, "因此 A 选项正确", "A", choices=VIEWS) == "computed"
    assert support(problem, trace, "so it is not flat: the answer is B", "B", choices=VIEWS) == "computed"
    assert support(problem, trace, "option A is correct", "A", "Which is wrong?", choices=VIEWS) == "consistent"


@pytest.mark.parametrize("answer", ["(1) 42\\pi; (2) 63\\pi", "（1）42π，（2）63π", "①$42\\pi$；②$63\\pi$", "42π; 63π"])
def test_each_part_is_stated_by_some_step(problem: Any, trace: Any, answer: str) -> None:
    made = problem("A cylinder has radius 3 and height 7. (1) Find its lateral area. (2) Find its volume.")
    steps = "CORRELATE question | r = 3, h = 7", "INFER #1 | the lateral area is 2 × π × 3 × 7 = 42π"
    whole = check(made, trace(*steps, "INFER #1 | the volume is π × 3² × 7 = 63π", answer=answer))
    assert (whole.unused, whole.answer.support) == ((), "computed")
    half = check(made, trace(*steps, "INFER #1 | so it is as was said", answer=answer))
    assert (half.unused, half.answer.reason) == ((), "no step was found to state part 2 of it")
