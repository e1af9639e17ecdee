"""Values with names, lists of words, equations and vectors: what is one value in any spelling, and what is another."""

from __future__ import annotations

import pytest

from srt.answers.equality import equal
from srt.io.records import Answer

WHERE, WHEN, WHO = "In which direction does it go?", "What time is it?", "Which of them touch the red one?"
VECTOR = r"$\vec{v} = \begin{pmatrix}1\\-2\\5\end{pmatrix}$"
# kind, gold, question, equal to gold, not equal to it
CASES: list[tuple[str, str, str, list[str], list[str]]] = [
    ("text", "northeast", WHERE, ["The boat goes north-east.", "NE"],
     ["It goes north-west.", "It does not go north-east.", "north-east or south-west"]),
    ("text", "southwest", WHERE, ["它朝西南方向走"], []),
    ("text", "西", WHERE, ["west"], []),
    ("text", "north", WHERE, [], ["30° north of east"]),
    ("text", "N", WHERE, ["It goes due north"], []),
    ("text", "N", "Which point is nearest?", [], ["north"]),
    ("text", "Wednesday", "Which day is it?", ["two days after Monday, so it is Wed"], ["Thursday"]),
    ("text", "周日", "是星期几？", ["从星期五往后数两天，是星期天"], []),
    ("text", "3:05", WHEN, ["The clock shows 03:05"], ["3:50", "3:05 p.m."]),
    ("text", "15:05", WHEN, ["3:05 p.m."], []),
    ("text", "May 9", "On which date?", ["It is on the 9th of May."], ["June 9"]),
    ("text", "5月9日", "哪一天？", ["5月9号"], []),
    ("text", "black, grey, pink", WHO, ["They are pink, black and grey."],
     ["pink, black and red", "They are not pink, black and grey."]),
    ("text", "black, grey, pink", "In which order do they come?", [], ["pink, black, grey"]),
    ("text", "pink, black, grey", WHO, [], ["black, grey, pink"]),  # gold has an order
    ("text", "黑色、红色", "哪些颜色？", ["红色和黑色"], []),
    ("text", "红色、黑色", "它们的顺序是什么？", [], ["黑色和红色"]),
    ("expression", "y = 3x + 1", "Find the line.", ["3x - y + 1 = 0", "y - 1 = 3x, that is, y = 1 + 3x"],
     ["3x + y + 1 = 0", "x = 3y + 1", "x(y - 3x - 1) = 0"]),
    ("expression", "x^2 + y^2 = 9", "Find the circle.", ["2x^2 + 2y^2 - 18 = 0"], []),
    ("text", "(1, -2, 5)", "Find the vector.", [VECTOR], [VECTOR.replace("5", "-5")]),
    ("text", "(1, -2)", "Find the vector.", [r"\begin{bmatrix} 1 & -2 \end{bmatrix}"], []),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "gold", "question", "same", "other"), CASES)
def test_values_with_names(kind: str, gold: str, question: str, same: list[str], other: list[str]) -> None:
    answer = Answer.model_validate({"kind": kind, "value": gold})
    assert [given for given in (*same, *other) if equal(answer, given, question=question).equal] == same
