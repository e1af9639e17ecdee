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
