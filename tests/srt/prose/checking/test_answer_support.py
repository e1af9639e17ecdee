"""An answer is computed only if it is the last value of the steps, of the quantity, solid and unit asked for."""

from __future__ import annotations

from typing import Any

import pytest

from srt.checking import check

SPHERE_IN_CUBE = "A sphere is inscribed in a cube of edge 4. Find the volume of the sphere."
TWO_SOLIDS = "A cylinder has radius 4 and height 7. A cone has radius 2 and height 9. Find the volume of the cone."
CUT = "A cone of radius 6 and height 9 is cut parallel to its base at a third of its height. Find the volume of "
TANK = "A tank is 50 cm by 40 cm by 20 cm. How many litres does it hold?"
PAINTED = "A cube of edge 5 is painted and cut into unit cubes. How many unit cubes have exactly one painted face?"
TURNED = "A rectangle of 5 by 2 is turned around its side of length 5. Find the volume of the solid."
TURNED_ZH = "矩形的长为5，宽为2，以宽所在直线为轴旋转一周，求所得几何体的体积。"
VIEWS = "The front view is a rectangle 4 wide and 6 high, the top view a circle. Find the volume of the solid."
CUBE = "In the cube ABCD-EFGH the edge is 3. Find the length of AG."
LAYERS = "A stack has 9 cubes in its first layer, 4 in its second and 2 in its third. How many cubes are there?"

WRONG = [
    ("A hemisphere has radius 2. Find its total surface area.", "S = 4 × π × 2^2 = 16π", "16π"),
    ("一个半球的半径为6，求它的体积。", "体积 V = 4/3 × π × 6^3 = 288π", "288π"),
    ("A cube has edge 5. Find the length of its space diagonal.", "d = √2 × 5 = 5√2", "5√2"),
    ("A cylinder has radius 2 and height 5. Find its lateral area.", "S = 2×π×2×5 + 2×π×2^2 = 28π", "28π"),
    ("正四棱锥的底面边长为4，高为6，求体积。", "体积 V = 1/2 × 4^2 × 6 = 48", "48"),
    ("A frustum has radii 3 and 6 and height 4. Find its volume.", "V = 1/3 × π × (6^2 - 3^2) × 4 = 36π", "36π"),
    (TWO_SOLIDS, "V = 1/3 × π × 4^2 × 9 = 48π", "48π"),
    (SPHERE_IN_CUBE, "V = 4^3 = 64", "64"),
    ("A cube has edge 3. Find its surface area.", "each face has area 3^2 = 9, S = 4 × 9 = 36", "36"),
    ("正六棱柱的底面边长为2，高为5，求侧面积。", "一个侧面的面积为 2 × 5 = 10，侧面积为 10 × 2 = 20", "20"),
    ("A regular square pyramid has base edge 6 and slant height 5. Find its lateral area.",
     "one side face has area 1/2 × 6 × 5 = 15, so the lateral area is 15", "15"),
    (LAYERS, "the number of cubes is 9 + 4 = 13", "13"),
    (TANK, "V = 50 × 40 × 20 = 40000", "40000"),
    ("A cube has edge 2 m. Find its volume in cubic centimetres.", "V = 2^3 = 8", "8"),
    ("A sphere has radius 3 cm. Find its surface area.", "S = 4 × π × 3^2 = 36π", "36π cm^3"),
    ("In triangle ABC, AB = 5 and AC = 12. The angle A is 120°. Find BC.", "BC = √(5^2 + 12^2) = 13", "13"),
    ("三角形的两边为5和8，夹角为30°，求面积。", "两边互相垂直，S = 1/2 × 5 × 8 = 20", "20"),
    ("A parallelogram has sides 7 and 4 and an angle of 30°. Find its area.", "S = 7 × 4 = 28", "28"),
    ("A rhombus has side 5 and one diagonal 8. Find its area.", "S = 1/2 × 5 × 8 = 20", "20"),
    ("A cylinder has radius 3 and height 5. Find its volume.", "3 × 5 = 15", "15"),
    ("A box is 2 by 3 by 6. Find the length of its diagonal.", "2 × 3 × 6 = 36", "36"),
    (PAINTED, "5 × 5 × 5 = 125", "125"),
    ("A cone has base radius 6 and slant height 10. Find the angle of its unrolled sector.", "6 × 10 = 60", "60°"),
    ("A pyramid has volume 60 and base area 15. Find its height.", "60 / 15 = 4", "4"),
    ("The edges of a box are in the ratio 2:3:4 and its volume is 192. Find its longest edge.", "192 / 4 = 48", "48"),
    ("A prism has base area 5 and height 12. Is its volume 60?", "V = 5 × 12 = 60, so the answer is yes", "yes"),
    (TURNED, "the radius is 5 and the height is 2 || V = π × 5^2 × 2 = 50π", "50π"),
    (TURNED_ZH, "底面半径为2，高为5 || 圆柱的体积 V = π × 2^2 × 5 = 20π", "20π"),
    (VIEWS, "it is a cylinder with radius 4 and height 6 || V = π × 4^2 × 6 = 96π", "96π"),
    (f"{CUT}the upper part.", "V = 1/3 × π × 6^2 × 9 = 108π, a third of it is V = 1/3 × 108π = 36π", "36π"),
    (CUBE, "AG = √(3^2 + 3^2) = 3√2", "3√2"),
    ("A cylinder has radius 2 and height 7. Find its volume.",
     "the radius is 7, the height 2 || V = π × 7^2 × 2 = 98π", "98π"),
]  # fmt: skip
RIGHT = [
    ("A hemisphere has radius 2. Find its total surface area.", "S = 2 × π × 2^2 + π × 2^2 = 12π", "12π"),
    ("A cube has edge 5. Find the length of its space diagonal.", "d = √3 × 5 = 5√3", "5√3"),
    ("A frustum has radii 3 and 6 and height 4. Find its volume.", "V = 1/3 × π × 4 × (6^2 + 6×3 + 3^2) = 84π", "84π"),
    (TWO_SOLIDS, "V = 1/3 × π × 2^2 × 9 = 12π", "12π"),
    (SPHERE_IN_CUBE, "r = 4/2 = 2 || V = 4/3 × π × 2^3 = 32π/3", "32π/3"),
    ("A regular square pyramid has base edge 6 and slant height 5. Find its lateral area.",
     "one side face has area 1/2 × 6 × 5 = 15, so the lateral area is 4 × 15 = 60", "60"),
    (LAYERS, "the number of cubes is 9 + 4 + 2 = 15", "15"),
    (TANK, "V = 50 × 40 × 20 = 40000 cm^3 = 40 L", "40"),
    ("A rhombus has diagonals 6 and 8. Find its area.", "S = 1/2 × 6 × 8 = 24", "24"),
    ("A parallelogram has base 7 and height 4. Find its area.", "S = 7 × 4 = 28", "28"),
    (PAINTED, "6 × (5 - 2)^2 = 54", "54"),
    ("A pyramid has volume 60 and base area 15. Find its height.", "h = 3 × 60 / 15 = 12", "12"),
    (TURNED, "the radius is 2 and the height is 5 || V = π × 2^2 × 5 = 20π, a cylinder", "20π"),
    (TURNED_ZH, "底面半径为5，高为2 || 圆柱的体积 V = π × 5^2 × 2 = 50π", "50π"),
    (CUBE, "AG = √(3^2 + 3^2 + 3^2) = 3√3", "3√3"),
    ("In triangle ABC, AB = 5 and AC = 12. The angle A is 90°. Find BC.", "BC = √(5^2 + 12^2) = 13", "13"),
]  # fmt: skip


def verdict(problem: Any, trace: Any, question: str, said: str, answer: str, **fields: Any) -> Any:
    lang = "en" if question.isascii() else "zh"
    *first, last = said.split(" || ")
    steps = [*(f"CORRELATE question | {one}" for one in first), f"INFER {'#1 ' if first else ''}question | {last}"]
    return check(problem(question, lang=lang, **fields), trace(*steps, answer=answer, lang=lang))


@pytest.mark.parametrize(("question", "said", "answer"), WRONG)
def test_a_wrong_answer_is_not_computed(problem: Any, trace: Any, question: str, said: str, answer: str) -> None:
    assert not verdict(problem, trace, question, said, answer).computed


@pytest.mark.parametrize(("question", "said", "answer"), RIGHT)
def test_a_right_answer_is_computed(problem: Any, trace: Any, question: str, said: str, answer: str) -> None:
    found = verdict(problem, trace, question, said, answer)
    assert (found.steps[-1].reason, found.answer.reason) == (None, None)
    assert found.computed


CHOICES = {"A": "12π", "B": "15π", "C": "36π", "D": "12π cm^3"}


@pytest.mark.parametrize(
    ("choices", "said", "letter", "support"),
    [
        ({"A": "12π", "B": "36π"}, "V = 1/3 × π × 3^2 × 4 = 12π, so option A", "A", "computed"),
        ({"A": "12π", "B": "36π"}, "V = 1/3 × π × 3^2 × 4 = 12π, so option B", "B", "consistent"),
        ({"A": "12π", "B": "36π"}, "V = 1/3 × π × 3^2 × 4 = 12π", "A", "computed"),
        (CHOICES, "V = 1/3 × π × 3^2 × 4 = 12π, so option A", "A", "consistent"),
        ({"A": "a cone", "B": "a ball"}, "V = 1/3 × π × 3^2 × 4 = 12π, so option A", "A", "consistent"),
        ({"A": "picture A", "B": "picture B"}, "3/3 = 1, so the answer is option B", "B", "consistent"),
        ({"A": "12π", "B": "36π"}, "so the answer is option A", "A", "consistent"),
    ],
)
def test_a_letter_is_that_of_the_last_value(
    problem: Any, trace: Any, choices: dict[str, str], said: str, letter: str, support: str
) -> None:
    cone = "A cone has base radius 3 and height 4. Find its volume."
    assert verdict(problem, trace, cone, said, letter, choices=choices).answer.support == support


def test_a_last_step_in_words_names_what_the_step_that_it_cites_computes(problem: Any, trace: Any) -> None:
    cone = problem("A cone has base radius 3 and height 4. Find its volume.", choices={"A": "12π", "B": "36π"})
    steps = "INFER question | V = 1/3 × π × 3^2 × 4 = 12π", "INFER #1 | so the answer is {}"
    for letter, support in (("A", "computed"), ("B", "consistent")):
        assert check(cone, trace(steps[0], steps[1].format(letter), answer=letter)).answer.support == support
    assert (
        check(cone, trace(steps[0], "INFER question | so the answer is A", answer="A")).answer.support == "consistent"
    )


def test_the_answer_of_prose_is_the_last_value_that_it_computes(problem: Any, trace: Any) -> None:
    cone = problem("A cone has base radius 3 and height 4. Find its volume.")
    made = trace("INFER question | x", answer="12π").model_copy(update={"kind": "cot", "steps": ()})
    for text, support in (("V = 1/3 × π × 3^2 × 4 = 12π", "computed"), ("2 + 2 = 4, so V = 12π", "consistent")):
        assert check(cone, made.model_copy(update={"text": text})).answer.support == support
