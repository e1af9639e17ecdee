"""Values with names, lists of words, equations and vectors: what is one value in any spelling, and what is another."""

from __future__ import annotations

import pytest

from srt.answers.equality import equal
from srt.io.records import Answer

WHERE, WHEN, WHO = "In which direction does it go?", "What time is it?", "Which of them touch the red one?"
SAME = [
    ("text", "northeast", "The boat goes north-east.", WHERE),
    ("text", "northeast", "NE", WHERE),
    ("text", "southwest", "它朝西南方向走", WHERE),
    ("text", "西", "west", WHERE),
    ("text", "N", "It goes due north", WHERE),
    ("text", "Wednesday", "two days after Monday, so it is Wed", "Which day is it?"),
    ("text", "周日", "从星期五往后数两天，是星期天", "是星期几？"),
    ("text", "3:05", "The clock shows 03:05", WHEN),
    ("text", "15:05", "3:05 p.m.", WHEN),
    ("text", "May 9", "It is on the 9th of May.", "On which date?"),
    ("text", "5月9日", "5月9号", "哪一天？"),
    ("text", "black, grey, pink", "They are pink, black and grey.", WHO),
    ("text", "黑色、红色", "红色和黑色", "哪些颜色？"),
    ("expression", "y = 3x + 1", "3x - y + 1 = 0", "Find the line."),
    ("expression", "y = 3x + 1", "y - 1 = 3x, that is, y = 1 + 3x", "Find the line."),
    ("expression", "x^2 + y^2 = 9", "2x^2 + 2y^2 - 18 = 0", "Find the circle."),
    ("text", "(1, -2, 5)", r"$\vec{v} = \begin{pmatrix}1\\-2\\5\end{pmatrix}$", "Find the vector."),
    ("text", "(1, -2)", r"\begin{bmatrix} 1 & -2 \end{bmatrix}", "Find the vector."),
]
OTHER = [
    ("text", "northeast", "It goes north-west.", WHERE),
    ("text", "northeast", "It does not go north-east.", WHERE),
    ("text", "northeast", "north-east or south-west", WHERE),
    ("text", "north", "30° north of east", WHERE),
    ("text", "N", "north", "Which point is nearest?"),
    ("text", "Wednesday", "Thursday", "Which day is it?"),
    ("text", "3:05", "3:50", WHEN),
    ("text", "3:05", "3:05 p.m.", WHEN),
    ("text", "May 9", "June 9", "On which date?"),
    ("text", "black, grey, pink", "pink, black and red", WHO),
    ("text", "black, grey, pink", "They are not pink, black and grey.", WHO),
    ("text", "black, grey, pink", "pink, black, grey", "In which order do they come?"),
    ("text", "红色、黑色", "黑色和红色", "它们的顺序是什么？"),
    ("text", "pink, black, grey", "black, grey, pink", WHO),  # gold has an order
    ("expression", "y = 3x + 1", "3x + y + 1 = 0", "Find the line."),
    ("expression", "y = 3x + 1", "x = 3y + 1", "Find the line."),
    ("expression", "y = 3x + 1", "x(y - 3x - 1) = 0", "Find the line."),
    ("text", "(1, -2, 5)", r"\begin{pmatrix}1\\-2\\-5\end{pmatrix}", "Find the vector."),
]


@pytest.mark.parametrize(("kind", "gold", "given", "question"), SAME)
def test_one_value(kind: str, gold: str, given: str, question: str) -> None:
    assert equal(Answer.model_validate({"kind": kind, "value": gold}), given, question=question).equal


@pytest.mark.parametrize(("kind", "gold", "given", "question"), OTHER)
def test_another_value(kind: str, gold: str, given: str, question: str) -> None:
    assert not equal(Answer.model_validate({"kind": kind, "value": gold}), given, question=question).equal
