"""Wordings of published problems: both readers understand them alike, and the answer is right and proved."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from srt.checking import check
from srt.io.records import Lang, Problem
from srt.worlds.solids.solids_world import SolidsWorld
from tests.srt.worlds.solids.two_readers import changed, understood

ANSWERS: dict[Lang, dict[str, str]] = {
    "en": {
        "Find the volume of a cone with radius 6 cm and height 5 cm.": "60*pi cm^3",
        "What is the total surface area of a cylinder whose radius is 2 m and height is 5 m?": "28*pi m^2",
        "Calculate the area of a face of a cube that has edge 7.": "49",
        "Determine the volume of a right circular cone with a base radius of 3, and a height of 2.": "6*pi",
        "A cylinder has radius 2 and height 9; find its volume.": "36*pi",
        "If a cone has radius 5 and height 12, what is its lateral area?": "65*pi",
        "Given a ball with radius 6, compute the surface area of this ball.": "144*pi",
        "The radius of a cone is 30 mm and its height is 4 cm. What is the volume in cubic centimeters?": "12*pi cm^3",
        "The volume of a cube is 125. Find edge.": "5",
        "A cylinder: lateral area 60π, height 6. Find radius.": "5",
        "A tank is 0.5 m by 40 cm by 20 cm. How many liters does it hold?": "40 L",
        "The truncated right circular cone below has a large base radius of 4 cm and a small base radius of 1 cm. "
        "The height of the truncated cone is 6 cm. What is the volume of this solid?": "42*pi cm^3",
        "A cone with slant height 5 and radius of its base 4. Find its height.": "3",
        "A box measures 1 by 4 by 8. Find the diagonal.": "9",
        "The cone has base radius 3 and slant height 5. Determine the volume of this solid.": "12*pi",
        r"A cone has base radius $3 \mathrm{~cm}$ and height $4 \mathrm{~cm}$. Find its volume in terms of $\pi$"
        ".": "12*pi cm^3",
        r"What is the volume of a sphere of radius $\frac{3}{2}$? Leave your answer in terms of π.": "9/2*pi",
        r"A cylinder has radius \(2\sqrt{3} \text{ cm}\) and height $5\,\mathrm{cm}$. Find its lateral area in "
        r"$\mathrm{cm}^{2}$.": "20*sqrt(3)*pi cm^2",
        r"A cylinder has height $8 \mathrm{~m}$ and radius $\frac{6}{\pi} \mathrm{m}$. How much water can it "
        "hold?": "288/pi m^3",
        r"A cone has volume $\frac{8 \pi}{3}$ and radius $2$. Find its height.": "2",
        r"A cone has volume $\frac{8}{3} \pi$ and radius $2$. Find its height.": "2",
        "A tank measures 50 cm by 40 cm by 30 cm. How many litres of water can it hold?": "60 L",
        "A ball is inscribed in a cone with height 12 and base radius 5. Find the volume of the ball.": "4000/81*pi",
        "A cube is inscribed in a sphere with radius 3. What is the volume of the cube ?": "24*sqrt(3)",
        "A sphere is inscribed in a cylinder. The cylinder has radius 3. Find the volume of the cylinder.": "54*pi",
        "Find the total surface area of a cylinder having radius 2 and height 5.": "28*pi",
        "A cone is put on a cylinder so that their bases coincide. The cone has radius 3 and height 4. "
        "The cylinder has height 2. Find the volume of this solid.": "30*pi",
    },
    "zh": {
        "求底面半径为3、高为5的圆锥的体积。": "15*pi",
        "底面半径为3厘米、高为5厘米的圆锥的体积是多少立方厘米？": "15*pi cm^3",
        "棱长为3 cm的正方体的表面积为（　）cm²。": "54 cm^2",
        "若圆锥的底面半径为6，高为8，则该圆锥的侧面积为____。": "60*pi",
        "有一个圆柱，它的底面半径是2 cm，高是7 cm，这个圆柱的体积是多少立方厘米？": "28*pi cm^3",
        "已知底面直径为6，高为7的圆柱，求体积。": "63*pi",
        "长方体的长、宽、高分别是5cm、4cm、2cm，求这个长方体的表面积。": "76 cm^2",
        "某圆柱的底面半径和高分别为3和5。计算它的体积。": "45*pi",
        "侧面展开图是半径为9、圆心角120°的扇形，求圆锥底面半径。": "3",
        "已知圆锥的侧面展开图是一个半径为8的半圆，则圆锥的底面积等于多少？": "16*pi",
        "圆锥的底面圆的半径是3，高是4，求它的母线长。": "5",
        "正四棱锥的底面边长为6，侧棱为5，求它的斜高。": "4",
        "圆柱体积是12π，高是3，求它的底面积。": "4*pi",
        r"圆锥的底面半径为$3 \mathrm{~cm}$，高为$4 \mathrm{~cm}$，求它的体积（结果保留π）。": "12*pi cm^3",
        r"求底面半径为$3$、高为$\sqrt{5}$的圆锥的体积。结果保留π。": "3*sqrt(5)*pi",
        r"圆锥的侧面展开图是半径为$6$、圆心角$120^{\circ}$的扇形，求圆锥底面半径。": "2",
    },
}
CHANGES: dict[Lang, str] = {
    "en": (
        "Find|Calculate/find|determine/What is|Compute/the |this/this |the/. |, /, |; /, find|. Find/"
        " with | whose/with|that has/whose|with/and its|and/and its|, and its/ and |, and /"
        " and | and its / by | by 3 by /0.5 m|m/is|measures/tank|cylinder/A |If a /A |Given a / has |: /"
        ": | has /Find the|Find/liters|cm/solid|cone/.| of this solid./?| in cm³?/ of|of a/3|3 cm/"
        "radius|height"
    ),
    "zh": (
        "求|计算/计算|求出/求|则/则|那么/，|，则/，|，求/是多少|等于多少/是多少？|为____。/（　）|/"
        "（　）|( )/分别|/、|和/和|、/，|，它的/它的|这个/这个|该/该|/一个|某/一个|有一个/已知|如果/"
        "的圆|圆/的|/扇形|半圆/半圆|扇形/半径|直径/是|为/为|是/多少|多少cm/圆锥|圆锥体/圆柱|圆柱体/"
        "高|体积/侧面|圆锥的侧面/3|3 cm/。|（单位：cm）。/？|（单位：cm³）？"
    ),
}


def problem_of(question: str, lang: Lang) -> Problem:
    return Problem(id="p", source="solids", split="train", lang=lang, question=question)


@pytest.mark.parametrize(("lang", "question"), [(lang, text) for lang, texts in ANSWERS.items() for text in texts])
def test_both_readers_understand_it_and_the_right_answer_is_proved(lang: Lang, question: str) -> None:
    problem = problem_of(question, lang)
    solver, checker = understood(problem)
    assert solver is not None
    assert solver == checker
    trace = SolidsWorld().solve(problem)
    assert trace.answer == ANSWERS[lang][question]
    assert check(problem, trace).proved


@pytest.mark.parametrize("rounds", [2, pytest.param(100, marks=pytest.mark.slow)])
def test_they_read_what_is_changed_a_little_alike(rounds: int) -> None:
    rng, seen = random.Random("published"), Counter[bool]()
    for _ in range(rounds):
        for lang, texts in ANSWERS.items():
            for text in texts:
                for once in changed(text, lang, CHANGES[lang].split("/"), rng):
                    twice = rng.choice(list(changed(once, lang, CHANGES[lang].split("/"), rng)))
                    for question in (once, twice):
                        solver, checker = understood(problem_of(question, lang))
                        assert solver == checker, question
                        seen[solver is not None] += 1
    assert min(seen[True], seen[False]) > 100 * rounds


@pytest.mark.parametrize(
    ("lang", "question"),
    [
        # Which side is the height is not said.
        ("en", "A box is 3 by 4 by 12. Find its height."),
        ("en", "A box is 3 by 4 by 12. Find its base area."),
        ("en", "A box is 3 by 4 by 12. The height of the box is 5. Find its volume."),
        # Some with units, some without.
        ("en", "A box is 3 by 4 by 12 cm. Find its volume."),
        ("en", "A box is cm by 4 cm by 12 cm. Find its volume."),
        ("en", "A tank is 50 cm by 40 cm by 30 cm. How many cm does it hold?"),
        ("en", "Find the radius of a ball with height 3."),
        ("en", "Find the volume of a cone and a cylinder with radius 3 and height 4."),
        ("en", "Find the volume of a solid with surface area 3."),
        ("en", "The radius of a cone is 3 and its height is 4 and its slant height is 6. Find its volume."),
        ("en", "A cone is put on a cylinder so that their bases coincide; find its volume."),
        ("en", "Find its volume."),
        # A mixed number or a product; a thousand; a cube root; a dollar.
        ("en", r"A sphere has radius $2\frac{1}{2}$. Find its volume."),
        ("en", r"A sphere has radius 2$\frac{1}{2}$. Find its volume."),
        ("en", r"A sphere has radius $\frac{1}{2}3$. Find its volume."),
        ("en", r"A sphere has radius $\frac{1}{2}$3. Find its volume."),
        ("en", r"A sphere has radius $1,000$. Find its volume."),
        ("en", r"A sphere has radius $2\sqrt[3]{2}$. Find its volume."),
        ("en", r"A sphere has radius $\sqrt{2}3$. Find its volume."),
        ("en", r"A sphere has radius $\sqrt 23$. Find its volume."),
        ("en", r"A sphere has radius $\frac{8}{3} \pi \pi$. Find its volume."),
        ("en", r"A sphere has radius $3 cm$. Find its volume."),
        ("en", r"A sphere is inscribed in a a cylinder. The cylinder has radius 3. Find the volume of the cylinder."),
        ("en", r"A sphere has radius $3^{2}$. Find its volume."),
        ("en", r"A sphere has radius $3 \mathrm{~cm}^{4}$. Find its volume."),
        ("en", r"A sphere has radius $3 \mathrm{~kg}$. Find its volume."),
        ("en", "A sphere has radius $3. Find its volume."),
        ("en", r"A sphere has radius $\frac{1}{0}$. Find its volume."),
        # The radius of which?
        ("en", "A cylinder is inscribed in a sphere with radius 5. Find the height of the cylinder."),
        ("en", "A sphere is inscribed in a cube with edge 4. Find the volume of the solid."),
        ("en", "A cuboid is inscribed in a cylinder with radius 5. Find its volume."),
        ("en", "Find the volume of a cone of radius 3 and height 4 in terms of h."),
        ("en", "Find the volume of a cone of radius 3 and height 4. Round your answer to two decimal places."),
        ("en", "A tank is 3 by 4 by 5. How much milk does it hold?"),
        ("zh", "求底面半径为3、高为5的圆锥的体积（结果保留一位小数）。"),
        ("zh", "圆柱的底面半径和高分别为3、4、5。求它的体积。"),
        ("zh", "圆柱的底面半径和高分别为3。求它的体积。"),
        ("zh", "圆柱的侧面展开图是半径为6、圆心角120°的扇形，求圆柱的高。"),
        ("zh", "侧面展开图是半径为6 cm²、圆心角120°的扇形，求圆锥底面半径。"),
        ("zh", "侧面展开图是直径为6的半圆，求圆锥底面半径。"),
        ("zh", "求底面半径为3、高为5的圆锥和圆柱的体积。"),
        ("zh", "求圆锥的体积。"),
    ],
)
def test_what_neither_reads(lang: Lang, question: str) -> None:
    assert understood(problem_of(question, lang)) == (None, None)
