"""A named quantity of a computed step is calculated by a formula of it, at values of the right kind."""

from __future__ import annotations

from typing import Any

import pytest

from srt.checking import check
from srt.language.faults import Fault
from srt.maths.syntax.expression import symbols
from srt.prose.checking.formulas.formula_table import FORMULAS, SLOTS
from srt.prose.checking.formulas.named_values import stated_values
from srt.prose.checking.formulas.quantity_words import QUANTITIES

BOX = "A box is 3 by 4 by 5. Find its volume."
CYLINDER = "A cylinder has radius 3 and height 7. Find its surface area."
ZH_BOX = "长方体的长、宽、高为3、4、5。求体积和表面积。"


def last(problem: Any, trace: Any, question: str, *lines: str) -> Any:
    lang = "en" if question.isascii() else "zh"
    return check(problem(question, lang=lang), trace(*lines, lang=lang)).steps[-1]


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (BOX, "V = 3 + 4 + 5 = 12"),
        (BOX, "V = 3 * 4 = 12"),
        (BOX, "The volume is 3 + 4 + 5 = 12"),
        (BOX, "3 + 4 + 5 = 12 is the volume."),
        (BOX, "3 + 4 + 5 = 12, so the volume is 12."),
        (BOX, "V = 3 * 3 * 4 = 36"),
        (ZH_BOX, "体积为 3 + 4 + 5 = 12"),
        (ZH_BOX, "表面积为 3 * 4 + 4 * 5 + 3 * 5 = 47"),
        ("A cylinder has radius 3 and height 7. Find its volume.", "V = 2 * π * 3 * 7 = 42π"),
        ("A cylinder has diameter 6 and height 7. Find its volume.", "V = π * 6^2 * 7 = 252π"),
        (CYLINDER, "S = 2 * π * 3 * 7 = 42π"),
        (CYLINDER, "S = π * 3^2 + 2 * π * 3 * 7 = 51π"),
        ("A sphere of radius 6 stands beside a cone. Its volume?", "V = 1/3 * π * 6^3 = 72π"),
        ("圆锥的底面半径为3，母线长为5，高为4。求体积。", "V = 1/3 * π * 3^2 * 5 = 15π"),
        ("圆锥的底面积为9π，高为4。求体积。", "V = 9π * 4 = 36π"),
        ("A polyhedron has 8 vertices and 12 edges. How many faces has it?", "F = 8 + 12 + 2 = 22"),
        ("七棱柱有多少条棱？", "E = 2 * 7 = 14"),
        ("A cube has edge 5. The edge is doubled. Find the surface area.", "S = 6 * 5^2 * 2 = 300"),
        ("A cube of edge 2 and a cube of edge 3. Find the total volume.", "V = (2 + 3)^3 = 125"),
        ("A rectangle is 3 by 4. Find its perimeter.", "P = 3 * 4 = 12"),
        ("A box is 3 by 4 by 12. Find its space diagonal.", "The diagonal is 3 + 4 + 12 = 19"),
        ("三角形的底为6，高为4。求面积。", "S = 6 * 4 = 24"),
        ("The base ABC of a prism of height 4 has AB = 5 and AC = 6. Find the area of triangle ABC.",
         "S = 1/2 * 5 * 6 = 15"),
    ],
)  # fmt: skip
def test_what_is_no_formula_of_the_quantity(problem: Any, trace: Any, question: str, line: str) -> None:
    step = last(problem, trace, question, f"INFER question | {line}")
    assert (step.support, step.fault) == ("consistent", Fault.UNNAMED_FORMULA)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (BOX, "V = 4 * 5 * 3 = 20 * 3 = 60"),
        (BOX, "3 + 4 + 5 = 12"),
        (BOX, "S = 2 * (3 * 4 + 4 * 5 + 3 * 5) = 94"),
        (BOX, "AB = √(3^2 + 4^2) = 5"),
        (ZH_BOX, "表面积为 2 * (3 * 4 + 4 * 5 + 3 * 5) = 94"),
        (CYLINDER, "S = 2 * π * 3^2 + 2 * π * 3 * 7 = 60π"),
        (CYLINDER, "the lateral area is 2 * π * 3 * 7 = 42π"),
        ("A cylinder has base area 9π and height 4. Its volume?", "V = 9π * 4 = 36π"),
        ("A cone has base diameter 6 and height 4. Its volume?", "V = 1/3 * π * (6/2)^2 * 4 = 12π"),
        ("Take π as 3. A cylinder has radius 2 and height 5. Its volume?", "V = 3 * 2^2 * 5 = 60"),
        ("A polyhedron has 8 vertices and 12 edges. How many faces has it?", "F = 12 - 8 + 2 = 6"),
        ("梯形的上底为4，下底为6，高为5。求面积。", "S = (4 + 6) * 5 / 2 = 25"),
        ("扇形的圆心角为120°，半径为6。求面积。", "S = 120/360 * π * 6^2 = 12π"),
        ("The box is 3 m by 2 m by 50 cm. Find the volume.", "V = 3 * 2 * 0.5 = 3 m^3 and 0.5 m = 50 cm"),
    ],
)
def test_formulas_of_the_quantity(problem: Any, trace: Any, question: str, line: str) -> None:
    step = last(problem, trace, question, f"INFER question | {line}")
    assert (step.support, step.fault, step.reason) == ("computed", None, None)


def test_sums_and_multiples_of_what_cited_steps_calculated(problem: Any, trace: Any) -> None:
    cubes = "Two cubes of edge 3 are glued into a cuboid. Find its volume and its surface area."
    surface = ("INFER question | S = 6 * 3^2 = 54", "INFER question | T = 3^2 = 9")
    assert last(problem, trace, cubes, *surface, "INFER #1 #2 | S' = 2 * 54 - 2 * 9 = 90").support == "computed"
    doubled = last(problem, trace, cubes, surface[0], "INFER #1 question | S' = 2 * 54 = 108")
    assert doubled.fault is Fault.UNNAMED_FORMULA
    volume = "INFER question | V = 3^3 = 27"
    assert last(problem, trace, cubes, volume, "INFER #1 question | V' = 2 * 27 = 54").support == "computed"
    assert last(problem, trace, cubes, volume, "INFER #1 question | V' = 27 + 3 = 30").fault is Fault.UNNAMED_FORMULA


def test_what_a_cited_statement_entails_needs_no_formula(problem: Any, trace: Any) -> None:
    wedge = "For this wedge V = 2 * a * b + a. Its edges are a = 3 and b = 4."
    assert last(problem, trace, wedge, "INFER question | V = 2 * 3 * 4 + 3 = 27").support == "computed"


def test_the_reason_names_the_quantity(problem: Any, trace: Any) -> None:
    reason = last(problem, trace, BOX, "INFER question | V = 3 + 4 + 5 = 12").reason
    assert reason.startswith("what it calculates as the volume (V) is an instance of no formula of it")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a cone of radius 3, height 4 and slant height 5", "3 radius, 4 height, 5 slant"),
        ("上、下底面半径为1、4，高为2", "1 radius, 4 radius, 2 height"),
        ("a triangle with AB = 5", "5 segment, 3 sides"),
        ("8 vertices and 12 edges", "8 vertices, 12 edges"),
        ("a base area of 9 cm^2, two cubes, 60°", "9 base area, 2 count, 60 angle"),
        ("by step 3, x^2 in figure 4", ""),
        ("3 m by 50 cm", "3, 50, 300, 0.5"),
    ],
)
def test_what_a_number_is(text: str, said: str) -> None:
    assert ", ".join(f"{one.value:g} {one.role}".strip() for one in stated_values(text)) == said


def test_every_letter_of_a_template_is_explained() -> None:
    for formula in FORMULAS:
        assert formula.quantity in QUANTITIES | {""}
        assert bool(formula.trees) == bool(formula.quantity)
        for tree in formula.trees:
            assert {name[0] for name in symbols(tree)} <= SLOTS.keys(), formula
