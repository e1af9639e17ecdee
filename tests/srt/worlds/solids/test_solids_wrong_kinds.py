"""Kinds of wrong school solutions, each as two world traces that differ in the fault alone: the wrong one is not
proved, the right one is.

The kinds are numbered as in the list of 42 wrong free traces from which they were taken. Said here are 9, 10, 14, 26 to
29, 31, 38 and 42; ``test_solids_wrong_solutions.py`` has 1 to 8, 11 to 13, 15 to 17, 19, 20, 22 to 25, 30, 32, 34 to
36, 39 and 41. Those about plane figures (26 to 29) are said of the triangles and sections of a pyramid, 42 (a turned
rectangle) of the cylinder that it becomes.

Five cannot be said, for the world has no words for them:

- 18: the edges of a prism are counted; only measures are asked for, no counts.
- 21: the cubes of the last layer are forgotten; no solids of unit cubes.
- 33: a right angle between two edges of a tetrahedron is assumed; only regular tetrahedra, and no angle in space.
- 37: all unit cubes for those with one painted face; no counts, no paint.
- 40: a cylinder is named where the views show a cone; no views, and no kind of solid is asked for.
"""

from __future__ import annotations

import re

import pytest

from srt.checking import check
from srt.io.records import Problem
from srt.language.text import parse
from srt.language.trace import Trace

PYRAMID = "A regular square pyramid has base edge 6 and {}. Find its {}."
EDGE, LATERAL = "CORRELATE (1): a(pyramid) = 6", "CORRELATE (1): e(pyramid) = 5"
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "9: the face at the hypotenuse left out": (
        "A right prism with a right triangle as base has first leg of the base 3, second leg of the base 4 and height "
        "10. Find its surface area.",
        (
            "CORRELATE question: ? = S(wedge)",
            "CORRELATE (1): a(wedge) = 3",
            "CORRELATE (1): b(wedge) = 4",
            "CORRELATE (1): h(wedge) = 10",
            "CONSTRAIN #2 #3: c(wedge) = sqrt(a^2 + b^2) = 5",
            "CONSTRAIN #2 #3: B(wedge) = 1/2*a*b = 6",
            "CONSTRAIN #2 #3[| #5]: P(wedge) = [a + b = 7|a + b + c = 12]",
            "CONSTRAIN #4 #7: L(wedge) = P*h = [70|120]",
            "CONSTRAIN #6 #8: S(wedge) = 2*B + L = [82|132]",
        ),
    ),
    "10: a measure of the other solid": (
        "A cylinder has base radius 2 and height 9. It is melted down and recast into a cone with base radius 3. "
        "Find the height of the cone.",
        (
            "CORRELATE question: ? = h(cone)",
            "CORRELATE (1): r(cylinder) = 2",
            "CORRELATE (1): h(cylinder) = 9",
            "CORRELATE (2): V(cone) = V(cylinder)",
            "CORRELATE (2): r(cone) = 3",
            "CONSTRAIN #2 #3: V(cylinder) = pi*r^2*h = 36*pi",
            "CONSTRAIN #4 #6: V(cone) = V(cylinder) = 36*pi",
            "CONSTRAIN [#2|#5] #7: h(cone) = [3*V/(pi*r(cylinder)^2) = 27|3*V/(pi*r^2) = 12]",
        ),
    ),
    "14: faces that are glued together counted": (
        "A cone is put on a cylinder so that their bases coincide. The cylinder has base radius 3 and height 4. "
        "The cone has slant height 5. Find the surface area of the solid.",
        (
            "CORRELATE question: ? = S(solid)",
            "CORRELATE (1): solid = cylinder + cone",
            "CORRELATE (2): r(cylinder) = 3",
            "CORRELATE (2): h(cylinder) = 4",
            "CORRELATE (3): l(cone) = 5",
            "CONSTRAIN #2 #3: r(cone) = r(cylinder) = 3",
            "CONSTRAIN #3: B(cylinder) = pi*r^2 = 9*pi",
            "CONSTRAIN #3 #4: L(cylinder) = 2*pi*r*h = 24*pi",
            "CONSTRAIN #5 #6: L(cone) = pi*r*l = 15*pi",
            "CONSTRAIN #2 #7 #8 #9: S(solid) = L(cylinder) + [3*|]B(cylinder) + L(cone) = [66|48]*pi",
        ),
    ),
    "26: a right angle where there is none": (
        PYRAMID.format("lateral edge 5", "height"),
        (
            "CORRELATE question: ? = h(pyramid)", EDGE, LATERAL,
            "CONSTRAIN #2 #3: h(pyramid) = [sqrt(e^2 - (a/2)^2) = 4|sqrt(e^2 - a^2/2) = sqrt(7)]",
        ),
    ),
    "27: a side for the height on another": (
        PYRAMID.format("lateral edge 5", "lateral area"),
        (
            "CORRELATE question: ? = L(pyramid)", EDGE, LATERAL,
            "CONSTRAIN #2 #3: s(pyramid) = sqrt(e^2 - (a/2)^2) = 4",
            "CONSTRAIN #2 [#3|#4]: L(pyramid) = [2*a*e = 60|2*a*s = 48]",
        ),
    ),
    "28: a side for a diagonal": (
        PYRAMID.format("height 4", "area of the diagonal section"),
        (
            "CORRELATE question: ? = X(pyramid)", EDGE, "CORRELATE (1): h(pyramid) = 4",
            "CONSTRAIN #2: g(pyramid) = sqrt(2)*a = 6*sqrt(2)",
            "CONSTRAIN [#2|#4] #3: X(pyramid) = [1/2*a*h = 12|1/2*g*h = 12*sqrt(2)]",
        ),
    ),
    "29: half of a length for the whole": (
        "A regular square pyramid has slant height 5 and height 4. Find its base edge.",
        (
            "CORRELATE question: ? = a(pyramid)", "CORRELATE (1): s(pyramid) = 5", "CORRELATE (1): h(pyramid) = 4",
            "CONSTRAIN #2 #3: a(pyramid) = [|2*]sqrt(s^2 - h^2) = [3|6]",
        ),
    ),
    "38: a volume divided by a number of lengths": (
        "A cube has volume 27. Find its edge.",
        (
            "CORRELATE question: ? = a(cube)", "CORRELATE (1): V(cube) = 27",
            "CONSTRAIN #2: a(cube) = [V/3 = 9|cbrt(V) = 3]",
        ),
    ),
    "42: radius and height exchanged": (
        "A cylinder has base radius 4 and height 3. Find its volume.",
        (
            "CORRELATE question: ? = V(cylinder)",
            "CORRELATE (1): r(cylinder) = [3|4]",
            "CORRELATE (1): h(cylinder) = [4|3]",
            "CONSTRAIN #2 #3: V(cylinder) = pi*r^2*h = [36|48]*pi",
        ),
    ),
}  # fmt: skip
CONE = "A cone has base radius 3 and height 4. Find its volume."
CHOICES = {"A": "12π", "B": "15π", "C": "36π", "D": "48π"}


def version(lines: tuple[str, ...], which: int) -> Trace:
    """The wrong (0) or the right (1) trace of ``lines``, which have ``[wrong|right]`` where the two differ.

    It ends with the value of its last line.
    """
    steps = [re.sub(r"\[(.*?)\|(.*?)\]", lambda match: match[which + 1], line) for line in lines]
    if "ANSWER" not in steps[-1]:
        value = steps[-1].rpartition(" = ")[2]
        steps += [f"INFER #1 #{len(steps)}: answer = {value}", f"ANSWER: {value}"]
    return parse("\n".join(steps)).trace("t", "p")


@pytest.mark.parametrize("name", KINDS)
def test_a_wrong_kind_is_refuted_and_the_same_trace_without_it_proved(name: str) -> None:
    question, lines = KINDS[name]
    problem = Problem(id="p", source="solids", lang="en", question=question)
    wrong, right = (check(problem, version(lines, which)) for which in (0, 1))
    assert right.proved, right
    assert not wrong.proved
    assert any(step.support == "refuted" for step in wrong.steps), wrong


@pytest.mark.parametrize("letter", "ABCD")
def test_a_letter_that_only_its_own_option_supports_is_not_proved(letter: str) -> None:
    """Kind 31, also with the right letter: one option is not compared with the others."""
    problem = Problem(id="p", source="solids", lang="en", question=CONE, choices=CHOICES)
    lines = (
        "CORRELATE question: ? = V(cone)",
        "CORRELATE (1): r(cone) = 3",
        "CORRELATE (1): h(cone) = 4",
        "CONSTRAIN #2 #3: V(cone) = 1/3*pi*r^2*h = 12*pi",
        f"INFER [{letter}|A B C D] #1 #4: options = {{[{letter}|A]}}",
        f"ANSWER: [{letter}|A]",
    )
    wrong, right = (check(problem, version(lines, which)) for which in (0, 1))
    assert right.proved, right
    assert not wrong.proved
    assert wrong.steps[-1].support == ("consistent" if letter == "A" else "refuted"), wrong
