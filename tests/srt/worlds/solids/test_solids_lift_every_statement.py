"""Of a free trace that is lifted, every statement was read: one wrong number, letter, word, unit or answer, and it is
not lifted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from srt.io.records import Problem, Refusal
from srt.language.text import parse
from srt.language.trace import Trace
from srt.pipeline.lift import lift_one
from srt.worlds.solids.derivation.lift import lift
from srt.worlds.world import Refused

RIGHT = {
    "a cone": (
        "en", "A cone has base radius 3 cm and slant height 5 cm. Find its volume.",
        "CORRELATE (1) - The cone has base radius 3 cm and slant height l = 5 cm.\n"
        "CONSTRAIN #1 - So the height is h = √(l² − r²) = √(5² − 3²) = √16 = 4 cm.\n"
        "INFER #1 #2 - The volume of the cone is V = 1/3 × π × 3² × 4 = 12π cm³; the answer is 12π cm³.\n"
        "ANSWER: 12π cm³",
    ),
    "a diameter": (
        "en", "A cylinder has base diameter 6 and height 5. Find its total surface area.",
        "CORRELATE (1) - d = 6 and h = 5\nCONSTRAIN #1 - r = 6/2 = 3\nCONSTRAIN #2 - the base area is πr² = 9π\n"
        "CONSTRAIN #1 #2 - the lateral area L = 2πrh = 2·π·3·5 = 30π\n"
        "INFER #3 #4 - S = 2B + L, hence S = 2·(9π) + 30π = 48π\nANSWER: 48π",
    ),
    "a letter for any area": (
        "en", "A cone has base radius 3 and slant height 5. Find its lateral area.",
        "CORRELATE (1) - r = 3, l = 5\nINFER #1 - S = π × 3 × 5 = 15π\nANSWER: 15π",
    ),
    "two units": (
        "en", "A cylinder has radius 30 cm and height 2 m. Find its volume in cubic centimetres.",
        "CORRELATE (1) - the radius is 30 cm, the height is 2 m\nCONSTRAIN #1 - h = 2 m = 200 cm\n"
        "INFER #1 #2 - V = π × 30² × 200 = 180000π cm³\nANSWER: 180000π cm³",
    ),
    "two solids": (
        "en", "A cone is put on a cylinder so that their bases coincide. The cone has radius 3 and height 4. "
        "The cylinder has height 2. Find the volume of the solid.",
        "CORRELATE (2) (3) - the cone has radius 3 and height 4; the height of the cylinder is 2\n"
        "CONSTRAIN #1 - the radius of the cylinder is r = 3\n"
        "CONSTRAIN #1 - the volume of the cone is V = 1/3 × π × 3² × 4 = 12π\n"
        "CONSTRAIN #1 - the volume of the cylinder is V = π × 3² × 2 = 18π\n"
        "INFER #2 #3 - the volume of the solid is 12π + 18π = 30π\nANSWER: 30π",
    ),
    "in Chinese": (
        "zh", "圆锥底面半径3，母线5，求体积。",
        "关联 (1) - 已知底面半径 r = 3，母线长 l = 5。\n约束 #1 - 圆锥的高 h = √(l² − r²) = √(25 − 9) = 4\n"
        "推断 #1 #2 - 所以体积 V = 1/3 × π × 3² × 4 = 12π。\n答案: 12π",
    ),
    "options": (
        "en", "A cone has base radius 3 and height 4. Find its volume.",
        "CORRELATE (1) - r is 3 and h is 4\nINFER #1 - V = 1/3πr²h = 1/3·π·9·4 = 12π, so the answer is B\nANSWER: B",
    ),
}  # fmt: skip
ADDED = (
    "r = 4", "V = 5", "the height is 7", "x = 3", "2 + 2 = 4", "3 = 4", "it is a cube",
    "the radius is half of the height",
    "half of it is 6π", "h is not 4", "the radius is the height", "12π > 100", "r ≈ 3.1", "suppose h = 9", "S = 4πr²",
    "the slant height is 5 cm²", "V = πr³h", "h = 4 = 5", "h = 4 = r", "3 4 = 3 4", "the diameter d = 3",
    "5", "r, h = 3, 4",
    "the volume", "a cone has twice the height", "V = 1/3·π·3²·4", "h 4", "r = 3 kg", "B = 12π", "r =", "= 3",
)  # fmt: skip


def problem_of(name: str) -> Problem:
    lang, question, _ = RIGHT[name]
    choices = {"A": "36π", "B": "12π", "C": "15π"} if name == "options" else {}
    return Problem.model_validate(
        {"id": "p", "source": "solids", "lang": lang, "question": question, "choices": choices}
    )


def is_lifted(name: str, text: str) -> bool:
    problem = problem_of(name)
    found = lift_one(problem, parse(text).trace("t", "p"))
    if isinstance(found, Refusal):
        assert found.reason == "not_lifted", found
        assert "\n" not in found.detail
    return isinstance(found, Trace)


def at(text: str, pattern: str, new: str) -> Iterator[str]:
    """The text with each place where the pattern is replaced, one after the other."""
    for match in re.finditer(pattern, text):
        yield text[: match.start()] + match.expand(new) + text[match.end() :]


def wrong(text: str) -> Iterator[tuple[str, str]]:
    """Wrong variants of a right trace, each with its kind."""
    number, letter = r"(?<![#(0-9])([0-9]+)(?![0-9]|\) )", r"(?<![A-Za-z])[rhldSLV](?![A-Za-z])"
    for match in re.finditer(number, text):
        for other in (int(match[1]) + 1, 2 * int(match[1])):
            yield "a number", f"{text[: match.start()]}{other}{text[match.end() :]}"
    for new in "rhldV":
        yield from (("a letter", one) for one in at(text, letter, new) if one != text)
    for factor in (
        "1/3 × ",
        "1/3·",
        "1/3",
        "π × ",
        "π·",
        "2·",
        "²",
        "√",
        " × 3",
        "·4",
        r"2(?=πr)",
        r"r²",
        r"h(?= = [0-9])",
    ):
        yield from (("a factor", one) for one in at(text, factor if "(" in factor else re.escape(factor), ""))
    for old, new in (
        ("cm³", "cm²"),
        ("cm³", "m³"),
        ("cm³", "litres"),
        ("cm(?!³)", "m"),
        (" m ", " cm "),
        ("π(?=\n)", "π cm"),
    ):
        yield from (("a unit", one) for one in at(text, old, new))
    for old, new in (
        (r"\bradius", "diameter"), (r"\bheight", "radius"), ("slant height", "height"), ("volume", "surface area"),
        (r"\bcone", "cylinder"), (r"\bcylinder", "cone"), ("高", "母线"), ("半径", "直径"), ("体积", "侧面积"),
        ("−", "+"), (r"\+", "−"), ("is", "is not"), ("answer is B", "answer is C"), ("= ", "≠ "), ("= ", "≈ "),
    ):  # fmt: skip
        yield from (("a word", one) for one in at(text, old, new))
    for first, second in ((r"3", "4"), ("3", "5"), ("6", "5"), ("30", "200")):
        swapped = re.sub(rf"\b(?:{first}|{second})\b", lambda m, a=first, b=second: b if m[0] == a else a, text)
        yield from [("values exchanged", swapped)] * (swapped != text)
    head, answer = text.rsplit(": ", 1)
    yield "the answer", f"{head}: {'C' if answer == 'B' else '2' + answer}"
    first, *rest = text.split("\n")
    for added in ADDED:
        yield "a statement more", "\n".join([f"{first.rstrip('.。')}; {added}", *rest])


@pytest.mark.parametrize("name", RIGHT)
def test_it_is_lifted_as_it_is_and_with_no_one_thing_changed(name: str) -> None:
    text, kinds = RIGHT[name][2], Counter[str]()
    assert is_lifted(name, text)
    for kind, changed in wrong(text):
        if changed != text:
            assert not is_lifted(name, changed), (kind, changed)
            kinds[kind] += 1
    assert len(kinds) >= 5
    assert sum(kinds.values()) > 60


def test_the_claim_beside_the_prose_is_read_too() -> None:
    trace = parse(RIGHT["options"][2]).trace("t", "p")
    steps = [step.model_copy(update={"claim": "h = 5"}) for step in trace.steps[:1]]
    with pytest.raises(Refused, match="'h = 5' differs from h\\(cone\\) = 4"):
        lift(problem_of("options"), trace.model_copy(update={"steps": (*steps, *trace.steps[1:])}))


@pytest.mark.parametrize("answer", ["12π cm³", "12π cm²", "12π°"])
def test_an_answer_with_a_unit_that_nothing_gives_is_not_lifted(answer: str) -> None:
    assert not is_lifted("in Chinese", RIGHT["in Chinese"][2].replace("答案: 12π", f"答案: {answer}"))
