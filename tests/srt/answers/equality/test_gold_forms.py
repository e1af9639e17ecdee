"""Forms of gold answers as school books print them: understood, met by another spelling, and not by a wrong answer."""

from __future__ import annotations

import pytest

from srt.answers.equality import equal, unreadable_gold
from srt.corpora.gold_answers import read_gold

# printed gold, another spelling, a wrong answer
FORMS = [
    ("解144", "144", "14"),
    ("【答案】12", "12", "21"),
    ("216.\\mathrm{cm}^2", "216 cm²", "216 cm³"),
    ("66\\,\\mathrm{km/h}", "66 km/h", "66 km"),
    ("$12{\\rm cm}^2$", "12 平方厘米", "12 cm"),
    ("$\\sqrt{2$", "\\sqrt{2}", "2"),
    ("\\frac{\\sqrt6}{3},1", "\\frac{\\sqrt{6}}{3} and 1", "1"),
    ("6cm和8cm", "6 cm, 8 cm", "8 cm, 6 cm"),
    ("hexagon; 6", "Hexagon, 6", "hexagon, 5"),
    ("(1) See the analysis; (2) $2\\sqrt{3}$", "2\\sqrt{3}", "3\\sqrt{2}"),
    ("(1)见解析 (2)$\\frac{1}{3}$", "(1) proof omitted (2) 1/3", "1/2"),
    ("$x=3, y=4$", "x = 3 and y = 4", "x = 4, y = 3"),
    ("$1:2:3$", "2:4:6", "1:2:4"),
    ("$\\sqrt{3}: 1$", "3:\\sqrt{3}", "1:\\sqrt{3}"),
    ("$V_1:V_2=1:8$", "1 to 8", "8"),
    ("$[2,+\\infty)$", "x \\ge 2", "x > 2"),
    ("$1<x<3$", "(1, 3)", "[1, 3]"),
    ("大于8", "x>8", "x≥8"),
    ("$6 \\mathrm{~cm} \\leqslant h \\leqslant 10 \\mathrm{~cm}$", "[6 cm, 10 cm]", "(6 cm, 10 cm)"),
    ("$A(1,2)$", "(1, 2)", "(2, 1)"),
    ("$36^{\\circ} 52^{\\prime}$", "36°52'", "36.52°"),
    ("1 m 20 cm", "1.2 m", "1.02 m"),
    ("3 hours 20 minutes", "200 minutes", "320 minutes"),
    ("$AB\\parallel CD$", "DC // BA", "AB \\perp CD"),
    ("$A B \\perp C D$", "AB⊥CD", "AC \\perp BD"),
    ("答：需要48平方分米的铁皮", "48平方分米", "48平方米"),
    ("surface area 52, volume 24", "52, 24", "24, 52"),
    ("The volume of the cube is 27 cubic centimeters.", "27 cm³", "27 cm²"),
    ("最多7个，最少5个", "最多7，最少5", "最多5，最少7"),
    ("选A种4张，C种2张", "A种4张，C种2张", "A种2张，C种4张"),
    ("$\\frac{1}{2}$(or 0.5)", "0.5", "0.2"),
    ("十二", "12", "10"),
    ("1／3", "\\frac{1}{3}", "3"),
    ("$y = x^3 (0<x<6)$", "y = x \\cdot x^2", "y = x^2"),
    ("百分之40", "0.4", "40"),
    ("约12.57", "4\\pi", "12.5"),
]


@pytest.mark.parametrize(("printed", "right", "wrong"), FORMS, ids=[form[0][:30] for form in FORMS])
def test_forms(printed: str, right: str, wrong: str) -> None:
    gold = read_gold(printed, {}, choice=False).answer
    assert gold is not None
    assert unreadable_gold(gold) is None
    assert equal(gold, printed).equal
    assert equal(gold, right).equal
    assert not equal(gold, wrong).equal


def test_one_number_or_two() -> None:
    several = read_gold("220,330", {}, choice=False, question="Give both weights.").answer
    assert several is not None
    assert [part.value for part in several.value] == [220, 330]
    one = read_gold("220,330", {}, choice=False, question="How many are there?").answer
    assert one is not None
    assert one.value == 220330
    assert read_gold("C}", {"B": "x", "C": "y"}, choice=True).answer == read_gold("C", {}, choice=True).answer


@pytest.mark.parametrize(
    ("gold", "given"),
    [
        ("1:64", "27:64"),
        ("1:64", "1:8:64"),
        ("1:64", "64"),
        ("2", "the square root of 2"),
        ("2", "1 to 2"),
        ("12 cm³", "half of 12 cm³"),
        ("27", "2 7"),
        ("60°", "60°C"),
        ("3.5", "3.5%"),
        ("3.5%", "3.5"),
        ("12", "V/2 = 12"),
        ("12", "twice the volume is 12"),
        ("12", "至少12"),
    ],
)
def test_other_statements_of_the_same_digits(gold: str, given: str) -> None:
    answer = read_gold(gold, {}, choice=False).answer
    assert answer is not None
    assert not equal(answer, given).equal


def test_lowest_terms_are_those_of_gold() -> None:
    gold = read_gold("1:64", {}, choice=False).answer
    assert gold is not None
    assert equal(gold, "2:128").equal
    assert not equal(gold, "2:128", question="Give the ratio in lowest terms.").equal
