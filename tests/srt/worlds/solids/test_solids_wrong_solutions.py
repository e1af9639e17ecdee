"""Wrong solutions whose arithmetic holds, said as world traces: the formula, a factor, a face, a unit, a letter is
wrong, or the answer is assumed. None is proved; each right solution is."""

from __future__ import annotations

import pytest

from srt.checking import check
from srt.io.records import Problem
from srt.language.text import parse
from srt.worlds.solids.solids_world import SolidsWorld

CHOICES = {"A": "12π", "B": "15π", "C": "36π", "D": "48π"}
CONE = "A cone has base radius 3 and height 4. Find its volume."
R, H, L = "CORRELATE (1): r({0}) = 3", "CORRELATE (1): h({0}) = 4", "CORRELATE (1): l({0}) = 5"


def of(solid: str, asked: str, *lines: str) -> str:
    steps = [f"CORRELATE question: ? = {asked}({solid})", *(line.format(solid) for line in lines)]
    *_, value = steps[-1].split(" = ")
    return "\n".join([*steps, f"INFER #1 #{len(steps)}: answer = {value}", f"ANSWER: {value}"])


WRONG: dict[str, tuple[str, str, str]] = {
    "a factor of the formula": ("en", CONE, of("cone", "V", R, H, "CONSTRAIN #2 #3: V(cone) = pi*r^2*h = 36*pi")),
    "the formula of another surface": (
        "en", "A hemisphere has radius 3. Find its total surface area.",
        of("hemisphere", "S", R, "CONSTRAIN #2: S(hemisphere) = 4*pi*r^2 = 36*pi"),
    ),
    "a formula that no surface has": (
        "en", "A cone has base radius 3 and slant height 5. Find its lateral surface area.",
        of("cone", "L", R, L, "CONSTRAIN #2 #3: L(cone) = pi*r*(r + l) = 24*pi"),
    ),
    "the area of one face": (
        "en", "A regular tetrahedron has edge 2. Find its surface area.",
        of("tetrahedron", "S", "CORRELATE (1): a(tetrahedron) = 2",
           "CONSTRAIN #2: S(tetrahedron) = sqrt(3)/4*a^2 = sqrt(3)"),
    ),
    "the height for the slant height": (
        "zh", "一个圆锥的底面半径为3，高为4，求它的侧面积。",
        of("cone", "L", R, H, "CONSTRAIN #2 #3: L(cone) = pi*r*h = 12*pi"),
    ),
    "the diameter for the radius": (
        "en", "A cone has base diameter 6 and height 4. Find its volume.",
        of("cone", "V", "CORRELATE (1): d(cone) = 6", H, "CONSTRAIN #2 #3: V(cone) = 1/3*pi*d^2*h = 48*pi"),
    ),
    "the diameter read as the radius": (
        "en", "A cone has base diameter 6 and height 4. Find its volume.",
        of("cone", "V", "CORRELATE (1): r(cone) = 6", H, "CONSTRAIN #2 #3: V(cone) = 1/3*pi*r^2*h = 48*pi"),
    ),
    "the slant height for the height": (
        "en", "A cone has base radius 3 and slant height 5. Find its volume.",
        of("cone", "V", R, L, "CONSTRAIN #2 #3: V(cone) = 1/3*pi*r^2*l = 15*pi"),
    ),
    "the slant height read as the height": (
        "en", "A cone has base radius 3 and slant height 5. Find its volume.",
        of("cone", "V", R, "CORRELATE (1): h(cone) = 5", "CONSTRAIN #2 #3: V(cone) = 1/3*pi*r^2*h = 15*pi"),
    ),
    "one of four faces": (
        "en", "A regular square pyramid has base edge 6 and slant height 5. Find its lateral area.",
        of("pyramid", "L", "CORRELATE (1): a(pyramid) = 6", "CORRELATE (1): s(pyramid) = 5",
           "CONSTRAIN #2 #3: L(pyramid) = 1/2*a*s = 15"),
    ),
    "four of six faces": (
        "en", "A regular hexagonal prism has base edge 2 and height 5. Find its lateral area.",
        of("hexprism", "L", "CORRELATE (1): a(hexprism) = 2", "CORRELATE (1): h(hexprism) = 5",
           "CONSTRAIN #2 #3: L(hexprism) = 4*a*h = 40"),
    ),
    "a base forgotten": (
        "en", "A cylinder has radius 3 and height 4. Find its total surface area.",
        of("cylinder", "S", R, H, "CONSTRAIN #2: B(cylinder) = pi*r^2 = 9*pi",
           "CONSTRAIN #2 #3: L(cylinder) = 2*pi*r*h = 24*pi", "CONSTRAIN #4 #5: S(cylinder) = B + L = 33*pi"),
    ),
    "measures exchanged": (
        "en", CONE,
        of("cone", "V", "CORRELATE (1): r(cone) = 4", "CORRELATE (1): h(cone) = 3",
           "CONSTRAIN #2 #3: V(cone) = 1/3*pi*r^2*h = 16*pi"),
    ),
    "another measure of the solid": (
        "en", "A cube has edge 3 cm. Find its diagonal.".replace("its diagonal", "the space diagonal of the cube"),
        of("cube", "D", "CORRELATE (1): a(cube) = 3 cm", "CONSTRAIN #2: f(cube) = sqrt(2)*a = 3*sqrt(2) cm"),
    ),
    "units multiplied as they stand": (
        "en", "A cylinder has radius 3 cm and height 2 m. Find its volume in cubic centimetres.",
        of("cylinder", "V", "CORRELATE (1): r(cylinder) = 3 cm", "CORRELATE (1): h(cylinder) = 2 m",
           "CONSTRAIN #2 #3: V(cylinder) = pi*r^2*h = 18*pi cm^3").replace("V(cylinder)\n", "V(cylinder) in cm^3\n", 1),
    ),
    "a unit of area for a volume": (
        "en", "A cube has edge 4 cm. Find its volume.",
        of("cube", "V", "CORRELATE (1): a(cube) = 4 cm", "CONSTRAIN #2: V(cube) = a^3 = 64 cm^2"),
    ),
    "a factor of ten between areas": (
        "en", "A cube has edge 3 dm. Find its surface area in cm².",
        of("cube", "S", "CORRELATE (1): a(cube) = 3 dm", "CONSTRAIN #2: S(cube) = 6*a^2 = 54 dm^2",
           "INFER #3: S(cube) = 540 cm^2").replace("S(cube)\n", "S(cube) in cm^2\n", 1),
    ),
    "the answer assumed": (
        "en", "A cone has volume 12π and base radius 3. Find its height.",
        of("cone", "h", "CORRELATE (1): V(cone) = 12*pi", R, "CONSTRAIN #2 #3: h(cone) = 5"),
    ),
    "a product of whatever is there": (
        "en", CONE, of("cone", "V", R, H, "CONSTRAIN #2 #3: V(cone) = r*h = 12"),
    ),
    "the angle assumed to be right": (
        "en", "A cone has base radius 3 and slant height 5. Find its height.",
        of("cone", "h", R, L, "CONSTRAIN #2 #3: h(cone) = sqrt(r^2 + l^2) = sqrt(34)"),
    ),
}  # fmt: skip


def steps(asked: str, *lines: str) -> str:
    """A trace about several solids: what is asked, its steps, and the value of the last one as the answer."""
    every = [f"CORRELATE question: ? = {asked}", *lines]
    *_, value = every[-1].split(" = ")
    return "\n".join([*every, f"INFER #1 #{len(every)}: answer = {value}", f"ANSWER: {value}"])


BOX = "A box has length 3, width 4 and height 12. "
SIDES = ("CORRELATE (1): a(cuboid) = 3", "CORRELATE (1): b(cuboid) = 4", "CORRELATE (1): h(cuboid) = 12")
CUT = "A plane parallel to the base cuts a small cone off a cone. The cone has base radius 4 and height 6. "
CUT_READ = (
    "CORRELATE (1): solid = cone - smallcone", "CORRELATE (2): r(cone) = 4", "CORRELATE (2): h(cone) = 6",
    "CORRELATE (3): h(smallcone) = 3",
)  # fmt: skip
PAIR = (
    "A cylinder and a small cylinder are similar. The ratio of similarity of the cylinder to the small cylinder is 3. "
)
PAIR_READ = ("CORRELATE (1): pair = cylinder ~ smallcylinder", "CORRELATE (2): k(smallcylinder) = 3")
WRONG |= {
    "the base area without a third": (
        "en", "A regular square pyramid has base edge 6 and height 4. Find its volume.",
        of("pyramid", "V", "CORRELATE (1): a(pyramid) = 6", "CORRELATE (1): h(pyramid) = 4",
           "CONSTRAIN #2 #3: V(pyramid) = a^2*h = 144"),
    ),
    "the diameter for the radius, in Chinese": (
        "zh", "一个圆柱的底面直径为6，高为5。求它的体积。",
        of("cylinder", "V", "CORRELATE (1): d(cylinder) = 6", "CORRELATE (1): h(cylinder) = 5",
           "CONSTRAIN #2 #3: V(cylinder) = pi*d^2*h = 180*pi"),
    ),
    "one base of a prism": (
        "en", "A right prism with a right triangle as base has first leg of the base 3, second leg of the base 4 and "
        "height 10. Find its surface area.",
        of("wedge", "S", "CORRELATE (1): a(wedge) = 3", "CORRELATE (1): b(wedge) = 4", "CORRELATE (1): h(wedge) = 10",
           "CONSTRAIN #2 #3: B(wedge) = 1/2*a*b = 6", "CONSTRAIN #2 #3: c(wedge) = sqrt(a^2 + b^2) = 5",
           "CONSTRAIN #2 #3 #6: P(wedge) = a + b + c = 12", "CONSTRAIN #4 #7: L(wedge) = P*h = 120",
           "CONSTRAIN #5 #8: S(wedge) = B + L = 126"),
    ),
    "a difference of squares for a frustum": (
        "en", "A frustum has lower base radius 4, upper base radius 2 and height 3. Find its volume.",
        of("frustum", "V", "CORRELATE (1): R(frustum) = 4", "CORRELATE (1): r(frustum) = 2",
           "CORRELATE (1): h(frustum) = 3", "CONSTRAIN #2 #3 #4: V(frustum) = 1/3*pi*(R^2 - r^2)*h = 12*pi"),
    ),
    "height and circumference exchanged": (
        "en", "A cylinder has base circumference 4 and height 6. Find its base area.",
        of("cylinder", "B", "CORRELATE (1): C(cylinder) = 6", "CONSTRAIN #2: r(cylinder) = C/(2*pi) = 3/pi",
           "CONSTRAIN #3: B(cylinder) = pi*r^2 = 9/pi"),
    ),
    "a sum for the diagonal": (
        "en", BOX + "Find its diagonal.",
        of("cuboid", "D", *SIDES, "CONSTRAIN #2 #3 #4: D(cuboid) = a + b + h = 19"),
    ),
    "the diagonal of a face for that of the cube": (
        "en", "A cube has edge 2. Find its space diagonal.",
        of("cube", "D", "CORRELATE (1): a(cube) = 2", "CONSTRAIN #2: D(cube) = sqrt(2)*a = 2*sqrt(2)"),
    ),
    "the height that a student names": (
        "en", "A box has volume 24, length 2 and width 3. Find its height.",
        of("cuboid", "h", "CORRELATE (1): V(cuboid) = 24", "CORRELATE (1): a(cuboid) = 2",
           "CORRELATE (1): b(cuboid) = 3", "CONSTRAIN #2 #3 #4: h(cuboid) = V/(a*b) = 5"),
    ),
    "the edge for the radius of a ball within": (
        "zh", "从一个正方体中挖去一个与各面都相切的球。正方体的棱长是3。求球的体积。",
        steps("V(sphere)", "CORRELATE (1): solid = cube - sphere", "CORRELATE (2): a(cube) = 3",
              "CONSTRAIN #2 #3: r(sphere) = a(cube) = 3", "CONSTRAIN #4: V(sphere) = 4/3*pi*r^3 = 36*pi"),
    ),
    "half of the height, half of the volume": (
        "en", CUT + "The small cone has height 3. Find the volume of the small cone.",
        steps("V(smallcone)", *CUT_READ, "CONSTRAIN #3 #4: V(cone) = 1/3*pi*r^2*h = 32*pi",
              "CONSTRAIN #2 #4 #5: k(smallcone) = h(cone)/h(smallcone) = 2",
              "CONSTRAIN #2 #6 #7: V(smallcone) = V(cone)/k = 16*pi"),
    ),
    "the section left out of the surface": (
        "en", CUT + "The small cone has height 3. Find the volume of the solid.",
        steps("V(solid)", *CUT_READ, "CONSTRAIN #3 #4: V(cone) = 1/3*pi*r^2*h = 32*pi",
              "CONSTRAIN #3 #5: V(smallcone) = 1/3*pi*r(cone)^2*h = 16*pi",
              "CONSTRAIN #2 #6 #7: V(solid) = V(cone) - V(smallcone) = 16*pi"),
    ),
    "areas as lengths": (
        "en", PAIR + "The surface area of the small cylinder is 5. Find the surface area of the cylinder.",
        steps("S(cylinder)", *PAIR_READ, "CORRELATE (3): S(smallcylinder) = 5",
              "CONSTRAIN #2 #3 #4: S(cylinder) = k(smallcylinder)*S(smallcylinder) = 15"),
    ),
    "volumes as areas": (
        "en", PAIR + "The volume of the cylinder is 54. Find the volume of the small cylinder.",
        steps("V(smallcylinder)", *PAIR_READ, "CORRELATE (3): V(cylinder) = 54",
              "CONSTRAIN #2 #3 #4: V(smallcylinder) = V(cylinder)/k^2 = 6"),
    ),
    "large and small exchanged": (
        "en", PAIR + "The height of the cylinder is 6. Find the height of the small cylinder.",
        steps("h(smallcylinder)", *PAIR_READ, "CORRELATE (3): h(cylinder) = 6",
              "CONSTRAIN #2 #3 #4: h(smallcylinder) = h(cylinder)*k = 18"),
    ),
    "the way through the box": (
        "en", BOX + "Find its shortest path over the surface between opposite corners.",
        of("cuboid", "p", *SIDES, "CONSTRAIN #2 #3 #4: p(cuboid) = sqrt(a^2 + b^2 + h^2) = 13"),
    ),
    "the shortest way not compared": (
        "en", "A box has length 3, width 4 and height 2. Find its shortest path over the surface between opposite "
        "corners.",
        of("cuboid", "p", "CORRELATE (1): a(cuboid) = 3", "CORRELATE (1): b(cuboid) = 4",
           "CORRELATE (1): h(cuboid) = 2",
           "CONSTRAIN #2 #3 #4: p(cuboid) = sqrt((a + b)^2 + h^2) = sqrt(53)"),
    ),
    "half of the radius for the ball in a cone": (
        "en", "A sphere that touches the base and the lateral surface is cut out of a cone. The cone has base radius 5 "
        "and height 12. Find the radius of the sphere.",
        steps("r(sphere)", "CORRELATE (1): solid = cone - sphere", "CORRELATE (2): r(cone) = 5",
              "CORRELATE (2): h(cone) = 12", "CONSTRAIN #3 #4: l(cone) = sqrt(r^2 + h^2) = 13",
              "CONSTRAIN #2 #3: r(sphere) = r(cone)/2 = 5/2"),
    ),
    "the edge for the diagonal within a ball": (
        "en", "A cube with all its corners on the surface is cut out of a sphere. The cube has edge 2. "
        "Find the diameter of the sphere.",
        steps("d(sphere)", "CORRELATE (1): solid = sphere - cube", "CORRELATE (2): a(cube) = 2",
              "CONSTRAIN #2 #3: d(sphere) = a(cube) = 2"),
    ),
    "the radius of the ball for that of the section": (
        "en", "A sphere has radius 5 and distance from the centre to the section 3. Find its area of the section.",
        of("sphere", "Z", "CORRELATE (1): r(sphere) = 5", "CORRELATE (1): x(sphere) = 3",
           "CONSTRAIN #2: Z(sphere) = pi*r^2 = 25*pi"),
    ),
    "a radius for the side of the axial section": (
        "zh", "一个圆柱的底面半径为3，高为4。求它的轴截面面积。",
        of("cylinder", "X", R, H, "CONSTRAIN #2 #3: X(cylinder) = r*h = 12"),
    ),
    "litres for cubic centimetres": (
        "en", "A box has length 50 cm, width 40 cm and height 30 cm. Find the volume of the box in litres.",
        of("cuboid", "V", "CORRELATE (1): a(cuboid) = 50 cm", "CORRELATE (1): b(cuboid) = 40 cm",
           "CORRELATE (1): h(cuboid) = 30 cm", "CONSTRAIN #2 #3 #4: V(cuboid) = a*b*h = 60000 L"
           ).replace("V(cuboid)\n", "V(cuboid) in L\n", 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_no_wrong_solution_is_proved_and_the_right_one_is(name: str) -> None:
    lang, question, text = WRONG[name]
    problem = Problem(id="p", source="solids", split="train", lang=lang, question=question)  # type: ignore[arg-type]
    trace = parse(text).trace("t", "p").model_copy(update={"lang": lang})
    checked = check(problem, trace)
    assert not checked.proved
    assert not any(step.fault == "malformed" for step in checked.steps), checked
    assert any(step.support == "refuted" for step in (*checked.steps, checked.answer)) or name.startswith("another"), (
        checked
    )
    assert check(problem, SolidsWorld().solve(problem)).proved


@pytest.mark.parametrize("letter", "BCD")
def test_a_wrong_letter_is_not_proved(letter: str) -> None:
    problem = Problem(id="p", source="solids", split="train", lang="en", question=CONE, choices=CHOICES)
    trace = SolidsWorld().solve(problem)
    assert trace.answer == "A"
    assert check(problem, trace).proved
    assert not check(problem, trace.model_copy(update={"answer": letter})).proved
    last = trace.steps[-1].model_copy(update={"claim": f"options = {{{letter}}}"})
    assert not check(problem, trace.model_copy(update={"answer": letter, "steps": (*trace.steps[:-1], last)})).proved
