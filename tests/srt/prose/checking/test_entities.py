"""Points that the problem does not have, and numbers read out of nothing; above all, no false alarms."""

from __future__ import annotations

from typing import Any

import pytest

from srt.prose.checking.entities import unknown_entities

PYRAMID = "In the pyramid $P-ABC$, $PA \\perp$ plane $ABC$, $AB=2$, and D is the midpoint of $BC$. Find the volume."
PRISM = "如图，三棱柱ABC-A_{1}B_{1}C_{1}中，AB=2，点D在棱AC上。求体积。"
CUBE = "如图，正方体ABCD－A₁B₁C₁D₁中，异面直线A₁B与AD₁所成的角为"


def names(problem: Any, trace: Any) -> list[tuple[int, str]]:
    return [(unknown.step, unknown.name) for unknown in unknown_entities(problem, trace)]


@pytest.mark.parametrize(
    ("question", "prose", "strange"),
    [
        (PYRAMID, "the edge PQ equals 3", ["Q"]),
        (PYRAMID, "since $\\triangle PAK$ is right-angled", ["K"]),
        (PYRAMID, "the point M lies on AB", ["M"]),
        (PYRAMID, "triangle XYZ is equilateral", ["X", "Y", "Z"]),
        (PRISM, "棱BE与平面ABC垂直", ["E"]),
        (PRISM, "点G在平面ABC内", ["G"]),
        (PRISM, "$A_1F$ 与 $BC$ 平行", ["F"]),
        (CUBE, "棱 E₁A₁ 与 $A_1B_1$ 垂直", ["E1"]),
    ],
)
def test_points_that_the_problem_does_not_have(
    problem: Any, trace: Any, question: str, prose: str, strange: list[str]
) -> None:
    assert names(problem(question), trace(f"INFER question | {prose}")) == [(1, name) for name in strange]


def test_one_label_in_every_spelling(problem: Any, trace: Any) -> None:
    for prose in ("四边形 $ABC_1D_1$ 是平行四边形", "平面ABC₁D₁", "棱C1D1", "$A B C_{1} D_{1}$"):
        assert names(problem(CUBE, lang="zh"), trace(f"INFER question | {prose}")) == []


@pytest.mark.parametrize(
    "prose",
    [
        "PA is the height over $\\triangle ABC$, PB = PC",
        "let M be the midpoint of AB, so PM is a median",
        "take E on PC with DE parallel to PB",
        "the foot of the perpendicular is H",
        "连接PD交AC于点K",
        "取BC的中点G，连接PG",
        "作PH⊥平面ABC，垂足为H",
        "以A为原点建立空间直角坐标系",
        "the angle at A is right, R = 3, S = 12, V = 8",
        "by SAS the two triangles are congruent, QED",
        "OA = OB",
        "the AM-GM inequality, III and IV",
        "V_{P-ABC} = \\frac{1}{3} S_{\\triangle ABC} \\cdot PA",
        "3 CM and 4 KM, the USA, a TV",
        "A T-shaped solid, an L-shape, CO2",
        "$\\overrightarrow{AB}\\cdot\\overrightarrow{PC}=0$",
        "\\mathrm{Rt}\\triangle PAB has PB = 3",
        "THEN AB = 2 AND PA = 3",
    ],
)
def test_no_false_alarm(problem: Any, trace: Any, prose: str) -> None:
    assert names(problem(PYRAMID), trace(f"INFER question | {prose}")) == []


def test_primes_and_indices(problem: Any, trace: Any) -> None:
    solid = problem("In the cube ABCD-A'B'C'D', AB = 2.")
    assert names(solid, trace("INFER question | A_1C_1 = AC and B'D' = BD")) == []
    prism = problem(PRISM)
    assert names(prism, trace("INFER question | D_1C_1 is parallel to AC")) == []
    assert names(prism, trace("INFER question | A_2C_1 is parallel to AC")) == [(1, "A2")]


def test_what_an_earlier_step_or_the_solution_names_is_known(problem: Any, trace: Any) -> None:
    found = trace("CONSTRAIN question | let M be the midpoint of AB", "INFER #1 | PM = 3", "INFER #2 | PN = 3")
    assert names(problem(PYRAMID), found) == [(3, "N")]
    assert names(problem(PYRAMID, solution="Let N halve AB."), found) == []
    assert names(problem(PYRAMID, diagram_description="N halves AB"), found) == []


def test_a_stranger_is_told_once(problem: Any, trace: Any) -> None:
    assert names(problem(PYRAMID), trace("INFER question | PQ = 3", "INFER #1 | PQ = QA")) == [(1, "Q")]


def test_a_problem_that_names_no_points_is_not_judged(problem: Any, trace: Any) -> None:
    drawn = problem("Find the volume of the solid.", images=[{"path": "a.png", "sha256": "0" * 64}])
    assert names(drawn, trace("INFER question | the edge AB is 37 long")) == []


@pytest.mark.parametrize(
    ("prose", "strange"),
    [
        ("the box is 37 wide", ["37"]),
        ("the box is 25 wide", []),
        ("the box has 12 edges and right angles of 90 degrees", []),
        ("the box is 37 wide = a", []),
    ],
)
def test_numbers_read_out_of_nothing(problem: Any, trace: Any, prose: str, strange: list[str]) -> None:
    box = problem("A box is 25 wide and 40 high. Its volume?")
    assert names(box, trace(f"CORRELATE question | {prose}")) == [(1, name) for name in strange]
    assert names(box, trace(f"INFER question | {prose}")) == []


def test_hostile_text_is_read_in_time(problem: Any, trace: Any) -> None:
    long = "A" * 20000 + "_{" * 5000 + "\\text{" * 5000
    assert names(problem(PYRAMID), trace(f"INFER question | {long}")) is not None
