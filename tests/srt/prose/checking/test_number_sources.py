"""Every number of a computed step has a source: a premise, a calculation in the step, or the constant of a formula."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from srt.checking import check
from srt.language.faults import Fault
from srt.prose.checking.formulas.formula_table import FORMULAS
from srt.prose.checking.formulas.spoken_formulas import SpokenFormulas
from srt.prose.checking.numbers.formula_constants import Constants
from srt.prose.checking.numbers.stated_numbers import values_in

BOX = "A box measures 2 by 3 by 4. Find its volume."
PICTURE = [{"path": "a.png", "sha256": "0" * 64}]


def last(problem: Any, trace: Any, question: str, *lines: str, lang: str = "en", **fields: Any) -> Any:
    return check(problem(question, lang=lang, **fields), trace(*lines, lang=lang)).steps[-1]


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (BOX, "V = 1000 * 1 = 1000"),
        (BOX, "5 * 7 = 35"),
        (BOX, "V = 1/3 * 2 * 3 * 4 = 8"),
        (BOX, "V = 2 * 3 * 4 * 1 / 3 = 8"),
        (BOX, "V = 2 * 3 * 4 * π = 24π"),
        (BOX, "24 = 5 * 7 - 11"),
        (BOX, "2 * 3 * 4 = 1000 - 976"),
        (BOX, "V = 2^5 = 32"),
        (BOX, "V = 0.5 * 2 * 3 * 4 = 12"),
        (BOX, "twelve of them hold 2 * 3 = 6"),
        (BOX, "V = 4 * 180 = 720"),
        (BOX, "a = \\sqrt[3]{64} = 4"),
        (BOX, "5! = 120"),
        (BOX, "C_{6}^{2} = 15"),
        ("There are 35 cubes. How are they stacked?", "35 = 5 * 7"),
        ("A pyramid has the base area 18 and the height 5. Its volume?", "V = 1/2 * 18 * 5 = 45"),
        ("A cube has edge 5. Its volume?", "V = 6 * 12 = 72"),
    ],
)
def test_a_number_that_stands_nowhere(problem: Any, trace: Any, question: str, line: str) -> None:
    step = last(problem, trace, question, f"INFER question | {line}")
    assert (step.support, step.fault) == ("consistent", Fault.UNSUPPORTED_NUMBER)


@pytest.mark.parametrize(
    ("question", "line", "lang"),
    [
        (BOX, "V = 2 * 3 * 4 = 24", "en"),
        (BOX, "V = 4 * 3 * 2 = 12 * 2 = 24", "en"),
        (BOX, "S = 2 * (2 * 3 + 3 * 4 + 2 * 4) = 2 * (6 + 12 + 8) = 2 * 26 = 52", "en"),
        (BOX, "d = √(2^2 + 3^2 + 4^2) = √(4 + 9 + 16) = √29", "en"),
        ("Three cubes of edge two are glued. The volume of all?", "3 * 2^3 = 3 * 8 = 24", "en"),
        ("The ratio is 1/2 and the edge 8.", "0.5 * 8 = 4", "en"),
        ("Half of the edge 8 is cut off.", "1/2 * 8 = 4 and 8 / 2 = 4", "en"),
        ("The edge 8 grows by 20%.", "8 * (1 + 0.2) = 9.6", "en"),
        ("The pole is 3 m long, its shadow 50 cm.", "3 m = 300 cm, 300 / 50 = 6", "en"),
        ("A cone has base radius 3 and height 4.", "V = 1/3 * π * 3^2 * 4 = 12π", "en"),
        ("The base area is 9π, the height 4.", "9π * 4 = 36π", "en"),
        ("The volume of a cube is 64.", "a = \\sqrt[3]{64} = 4", "en"),
        ("A ball of radius 3.", "V = 4/3 * π * 3^3 = 36π", "en"),
        ("A triangle has the angles 50° and 60°.", "180 - 50 - 60 = 70", "en"),
        ("An equilateral triangle has side 4.", "S = √3/4 * 4^2 = 4√3", "en"),
        ("A square has side 4.", "its perimeter is 4 * 4 = 16", "en"),
        ("三个棱长为二的正方体粘在一起。", "体积为 3 × 2^3 = 24", "zh"),
        ("长方体的长是8，宽是长的一半，高是宽的三分之一。", "宽为 1/2 × 8 = 4，高为 4 × 1/3 = 4/3", "zh"),
        ("圆锥的底面半径为3，高为4。", "V = 1/3 × π × 3^2 × 4 = 12π", "zh"),
    ],
)
def test_numbers_with_a_source(problem: Any, trace: Any, question: str, line: str, lang: str) -> None:
    step = last(problem, trace, question, f"INFER question | {line}", lang=lang)
    assert (step.support, step.reason) == ("computed", None)


def test_a_number_of_a_step_or_given_that_is_not_cited(problem: Any, trace: Any) -> None:
    clues = "A prism. (1) Its base area is 12. (2) Its height is 5."
    assert last(problem, trace, clues, "INFER (1) | V = 12 * 5 = 60").fault is Fault.UNSUPPORTED_NUMBER
    assert last(problem, trace, clues, "INFER (1) (2) | V = 12 * 5 = 60").support == "computed"
    steps = ("CONSTRAIN (1) | S = 12", "CONSTRAIN (2) | h = 5")
    assert last(problem, trace, clues, *steps, "INFER #1 | V = 12 * 5 = 60").fault is Fault.UNSUPPORTED_NUMBER
    assert last(problem, trace, clues, *steps, "INFER #1 #2 | V = 12 * 5 = 60").support == "computed"


def test_a_number_that_a_cited_step_made_up_is_no_source(problem: Any, trace: Any) -> None:
    made_up = ("CORRELATE question | the box is 17 wide", "INFER #1 question | 17 * 2 = 34")
    first, second = check(problem(BOX), trace(*made_up)).steps
    assert (first.support, first.fault) == ("unchecked", Fault.UNSUPPORTED_NUMBER)
    assert first.reason is not None
    assert first.reason.startswith("17 stands in none of its premises")
    assert (second.support, second.fault) == ("consistent", Fault.UNSUPPORTED_NUMBER)


def test_what_a_cited_step_rests_on_is_cited_with_it(problem: Any, trace: Any) -> None:
    steps = ("CONSTRAIN question | the base is 2 by 3", "INFER #1 | the base area is 2 * 3 = 6")
    assert last(problem, trace, BOX, *steps, "INFER #2 | two such bases have 2 * 6 = 12").support == "computed"


def test_a_number_that_only_a_picture_can_show(problem: Any, trace: Any) -> None:
    line = "INFER scene | S = 5 * 7 = 35"
    drawn = last(problem, trace, "Find the volume.", line, images=PICTURE)
    assert (drawn.support, drawn.fault) == ("consistent", None)
    assert drawn.reason == "5 is in none of its premises in words; it may stand in the picture"
    described = {"images": PICTURE, "diagram_description": "A box, 5 wide and 7 deep."}
    assert last(problem, trace, "Find the area.", line, **described).support == "computed"
    derived = last(problem, trace, "Find it.", "CORRELATE scene | 5 and 7", "INFER #1 | 5 * 7 = 35", images=PICTURE)
    assert derived.support == "computed"


def test_a_given_in_another_unit_that_is_used_is_the_same_number(problem: Any, trace: Any) -> None:
    sheet = "A sheet is 60 cm long and 2 m wide."
    assert last(problem, trace, sheet, "INFER question | 60 * 200 = 12000 cm^2").support == "computed"
    assert last(problem, trace, sheet, "INFER question | 60 * 20 = 1200 cm^2").fault is Fault.UNSUPPORTED_NUMBER


def test_a_claim_that_may_not_come_out_is_not_blamed_on_its_result(problem: Any, trace: Any) -> None:
    step = last(problem, trace, "A sheet is 60 cm long and 2 m wide.", "INFER question | 60 * 2 = 120")
    assert (step.support, step.fault) == ("consistent", None)


def test_a_wrong_equation_is_refuted_whatever_its_numbers(problem: Any, trace: Any) -> None:
    assert last(problem, trace, BOX, "INFER question | 5 * 7 = 36").support == "refuted"


@pytest.mark.parametrize(
    ("text", "lang", "values"),
    [
        ("1/2, \\frac{3}{4} and 0.25", "en", "1 2 1/2 3 4 3/4 1/4"),
        ("twenty-four, a dozen, twice", "en", "24 12 2"),
        ("20% of 1,500", "en", "20 1/5 1500"),
        ("r^2, a^{3}, x², A_1, 2D", "en", ""),
        ("by step 3 and (2), figure 4", "en", ""),
        ("二十四个，三分之一，半，百分之二十", "zh", "24 1/3 1 3 1/2 2 1/5 20 100"),
        ("两个三角形，千米，两两垂直，三视图", "zh", "2"),
        ("the three views of a three-dimensional body", "en", ""),
    ],
)
def test_numbers_in_texts(text: str, lang: Any, values: str) -> None:
    assert values_in(text, lang) == {Fraction(value) for value in values.split()}


def test_every_formula_is_found_by_its_words_and_by_no_others() -> None:
    for entry in FORMULAS:
        assert not any(re.search(words, "What is drawn here? Find x.", re.IGNORECASE) for words in entry.needs)
    constants = Constants(SpokenFormulas())
    constants.hear("A cone stands on the floor.")
    assert Fraction(1, 3) in constants.numbers
    assert Fraction(4, 3) not in constants.numbers
    constants.hear("beside it lies a ball, 3 m away, 20 cm wide")
    assert {Fraction(4, 3), Fraction(100)} <= constants.numbers


def test_the_page_shows_rows_of_the_table() -> None:
    page = (Path(__file__).parents[4] / "docs" / "prose.md").read_text(encoding="utf-8")
    table = page.partition("| quantity | of | formula | constants |\n|---|---|---|---|\n")[2].partition("\n\n")[0]
    rows = {
        f"| {entry.quantity} | {entry.of} | {entry.templates and f'`{entry.templates}`'} | {', '.join(entry.values)} |"
        for entry in FORMULAS
    }
    assert len(table.split("\n")) == 3
    assert rows.issuperset(table.split("\n"))
