"""What equals gold under each policy, and what decided it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.answers.equality import LENIENT, POLICIES, equal, unreadable_gold
from srt.answers.groups import groups
from srt.corpora.gold_answers import read_gold
from srt.io.records import Answer, Problem


def gold(value: Any, unit: str | None = None, kind: Any = None) -> Answer:
    if isinstance(value, list):
        return Answer(kind=kind or "parts", value=[one if isinstance(one, str) else one.model_dump() for one in value])
    return Answer(kind=kind or ("expression" if isinstance(value, str) else "number"), value=value, unit=unit)


def words(value: str) -> Answer:
    return Answer(kind="text", value=value)


PAIR = gold([gold(10), gold(15)])
MIXED = gold([words("Triangular prism"), gold(6, "cm"), gold(864, "cm^3")])
HALVES = gold([gold("17/2"), gold("9/2")])
NESTED = words("(1) 20 ; (2) (1) 40 grams; (2) 7084 grams")

# gold, given, accepted under strict, under lenient
CASES: list[tuple[Answer, str, bool, bool]] = [
    (gold(10, "m"), "diameter $=10 \\mathrm{~m}$", True, True),
    (gold(10, "m"), "10m", True, True),
    (gold(10, "m"), "10 metres", True, True),
    (gold(10, "m"), "10米", True, True),
    (gold(10, "m"), "10", False, True),
    (gold(10, "m"), "1000 cm", True, True),
    (gold(10, "m"), "10 cm", False, False),
    (gold(10, "m"), "10 m^2", False, False),
    (gold(10, "m"), "10 kg", False, False),
    (gold(24, "cm^2"), "24 square centimeters", True, True),
    (gold(24, "cm^2"), "24 平方厘米", True, True),
    (gold(24, "cm^2"), "24 ㎠", True, True),
    (gold(24, "cm^2"), "24 cm squared", True, True),
    (gold(24, "cm^2"), "0.0024 m^2", True, True),
    (gold(500, "cm^3"), "0.5 L", True, True),
    (gold(90, "km/h"), "25 m/s", True, True),
    (gold(90, "km/h"), "90 km", False, False),
    (gold(8128.5, "units^2"), "8128.50", True, True),
    (gold(8128.5, "units^2"), "8128.50 \\text { units }^3", False, False),
    (gold(60, "°"), "60 degrees", True, True),
    (gold(60, "°"), "60", False, True),
    (gold(60, "°"), "\\frac{\\pi}{3}", True, True),
    (gold(50, "%"), "0.5", True, True),
    (gold(27), "27个", True, True),
    (gold(27), "27 hundred", False, False),
    (gold(27), "27 cm", False, True),
    (gold(2827.43, "cm^2"), "900\\pi cm^2", True, True),
    (gold(2827.43, "cm^2"), "2827.4334 cm^2", True, True),
    (gold(2827.43, "cm^2"), "2827.4 cm^2", False, True),
    (gold(2827.43, "cm^2"), "2827 cm^2", False, False),
    (gold(2827.43, "cm^2"), "2827.44 cm^2", False, False),
    (gold(7.6), "7.64", False, False),
    (gold(12), "12.3", False, False),
    (gold(360), "360.0", True, True),
    (gold(1e-7), "1 \\times 10^{-7}", True, True),
    (gold("\\frac{\\sqrt{3}}{6}"), "\\frac{1}{2\\sqrt{3}}", True, True),
    (gold("\\frac{\\sqrt{3}}{6}"), "0.29", False, True),
    (gold("\\frac{\\sqrt{3}}{6}"), "0.3", False, False),
    (gold("\\frac{1}{3}"), "0.33", False, True),
    (gold("18\\pi"), "56.52", False, True),
    (gold("36\\pi"), "V = 36\\pi \\approx 113.1", True, True),
    (gold("36\\pi"), "V=36π ≈ 99", False, False),
    (gold("a^2+2ab+b^2"), "(a+b)^2", True, True),
    (gold("a^2+2ab+b^2"), "(a-b)^2", False, False),
    (gold("x^2+y^2=1"), "y^2+x^2=1", True, True),
    (gold("x^2+y^2=1"), "1", False, False),
    (gold("3m"), "3 m", True, True),
    (words("(1,2)"), "(1, 2.0)", True, True),
    (words("(1,2)"), "(2,1)", False, False),
    (words("(1,2)"), "\\{1,2\\}", False, False),
    (words("\\{1,2\\}"), "\\{2,1\\}", True, True),
    (words("[0,1)"), "(0,1)", False, False),
    (words("x=3 or x=-1"), "x=-1 or x=3", True, True),
    (words("x=3 or x=-1"), "3", False, False),
    (PAIR, "10, 15", True, True),
    (PAIR, "10 \\quad 15", True, True),
    (PAIR, "(1) 10 (2) 15", True, True),
    (PAIR, "①10；②15", True, True),
    (PAIR, "15, 10", False, False),
    (PAIR, "10", False, False),
    (HALVES, "(1) (17)/(2); (2) 9/2", True, True),
    (HALVES, "1. (17) / (2)\n2. (9)/(2)", True, True),
    (HALVES, "①(17)/(2)②9/2", True, True),
    (HALVES, "(1) (17)/(3); (2) 9/2", False, False),
    (gold(100.875), "one hundred and seven eighths", True, True),
    (gold(13.375), "one hundred and seven eighths", False, False),
    (gold(100.5), "one hundred and one half", True, True),
    (gold(0.105), "one hundred and five thousandths", True, True),
    (MIXED, "(1) triangular prism; (2) 6 cm; (3) 864 cm^3", True, True),
    (MIXED, "(1) triangular prism; (2) 6 cm; (3) 864 cm^2", False, False),
    (NESTED, "(1) 20; (2) ① 40 g ② 7084 g", True, True),
    (NESTED, "(1) 20; (2) ① 40 g ② 7084 kg", False, False),
    (words("The shortest distance it crawls is 15 cm."), "15 cm", True, True),
    (words("The shortest distance it crawls is 15 cm."), "15 m", False, False),
    (words("(1)(4)"), "①④", True, True),
    (words("(1)(4)"), "4", False, False),
    (gold(4), "(1)(4)", False, False),
    (words("Triangular prism"), "It is a triangular prism.", True, True),
    (words("Triangular prism"), "It is not a triangular prism.", False, False),
    (words("Edge $A D$ and edge $B C$"), "edge AD and edge BC", True, True),
    (words("正确"), "对", True, True),
    (words("相同"), "不同", False, False),
    (Answer(kind="sequence", value=["L", "R"]), "left, right", True, True),
    (Answer(kind="sequence", value=["L", "R"]), "R, L", False, False),
    (Answer(kind="boolean", value=True), "Yes", True, True),
]


@pytest.mark.parametrize(("answer", "given", "strict", "lenient"), CASES, ids=lambda value: str(value)[:40])
def test_policies(answer: Answer, given: str, strict: bool, lenient: bool) -> None:
    assert equal(answer, given).equal == strict
    assert equal(answer, given, policy=LENIENT).equal == lenient


def test_the_question_may_state_the_unit() -> None:
    asked = "What is the volume in cm³?"
    assert equal(gold(12, "cm^3"), "12", question=asked).equal
    assert not equal(gold(12, "cm^3"), "12", question="What is the volume?").equal
    assert equal(gold(12, "cm^3"), "12", question="An edge is 2 cm.").equal, "no other unit is possible"
    assert equal(gold(66, "km/h"), "66", question="It covers 132 km in 2 hours. How fast?").equal
    assert not equal(gold(12, "cm^3"), "12", question="An edge is 2 cm, the other 1 m.").equal
    assert not equal(gold(66, "km/h"), "66", question="It covers 132 km. How fast?").equal
    assert equal(gold(12), "12 cm", question="An edge is 2 cm long; how long is the other?").equal
    assert equal(gold(12), "12 small cubes", question="How many small cubes are there?").equal
    assert not equal(gold(12), "12 apples", question="How many small cubes are there?").equal


@pytest.mark.parametrize(
    "asked",
    ["Express the volume in terms of r and h.", "Find V as a function of $r$ and $h$.", "用含r、h的代数式表示体积。"],
)
def test_a_letter_that_is_asked_for_is_no_unit(asked: str) -> None:
    assert equal(words("rh"), "hr", question=asked).equal
    assert equal(gold("2\\pi rh"), "2πhr", question=asked).equal
    assert not equal(words("rh"), "rh^2", question=asked).equal
    assert not equal(gold("2rh"), "3hr", question=asked).equal
    assert not equal(words("rh"), "hr", question="Which edge is it?").equal
    printed = read_gold("2hr", {}, choice=False, question=asked).answer
    assert printed is not None
    assert equal(printed, "2rh", question=asked).equal
    assert read_gold("2 hr", {}, choice=False, question="How long is it?").answer == gold(2, "h")


@pytest.mark.parametrize(
    ("answer", "given", "how"),
    [
        (gold(12), "12", "exact"),
        (gold(12), "12.0", "number"),
        (gold("2\\sqrt{2}"), "\\sqrt{8}", "algebra"),
        (gold(10, "m"), "10 cm", "number"),
        (gold(10, "m"), "10 kg", "unit"),
        (PAIR, "10", "parts"),
        (words("cone"), "a cone", "text"),
        (gold("\\log_2 8"), "\\log_2 7", "undecided"),
    ],
)
def test_what_decided(answer: Answer, given: str, how: str) -> None:
    assert equal(answer, given).how == how


def test_math_verify_is_asked_last() -> None:
    asked: list[tuple[str, str]] = []

    def ask(one: str, other: str) -> bool:
        asked.append((one, other))
        return True

    for answer, said in ((gold(10, "m"), "10 cm"), (words("(1,2)"), "(2,1)"), (gold(3), "4"), (words("cone"), "cube")):
        assert not equal(answer, said, same_formula=ask).equal
    assert not asked
    assert equal(gold("\\log_2 8"), "\\log_2 (8)", same_formula=ask).how == "math-verify"
    assert len(asked) == 1


def test_gold_that_is_not_understood_is_named() -> None:
    assert unreadable_gold(gold("\\frac{1}{")) == "the expression '\\\\frac{1}{' is not understood"
    assert "neither a value nor a description" in str(unreadable_gold(words("put \\frac{1}{2} here, \\sqrt{3} there")))
    for answer in (gold(3), gold("2\\sqrt 3", "cm"), words("cone"), NESTED, MIXED, words("x=3 or x=-1")):
        assert unreadable_gold(answer) is None


def test_votes() -> None:
    problem = Problem(id="p", source="s", split="test", lang="en", question="?", answer=gold("2\\sqrt{2}"))
    assert groups(["\\sqrt{8}", "3", "$2\\sqrt2$", "3.0", "x"], problem) == [[0, 2], [1, 3], [4]]
    letters = problem.model_copy(update={"answer": Answer(kind="choice_set", value=["A"])})
    assert groups(["A", "A, C", "A"], letters) == [[0, 2], [1]]


def test_every_policy_is_described() -> None:
    assert all(len(policy.description) > 40 for policy in POLICIES.values())


WRITTEN = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.decimals(-1000, 1000, places=2).map(str),
    st.tuples(st.integers(-99, 99), st.integers(1, 99)).map(lambda pair: f"\\frac{{{pair[0]}}}{{{pair[1]}}}"),
    st.tuples(st.integers(1, 20), st.integers(2, 99)).map(lambda pair: f"{pair[0]}\\sqrt{{{pair[1]}}}"),
    st.integers(1, 99).map(lambda number: f"{number}\\pi"),
)
UNITS = st.sampled_from(["", " cm", " cm^2", " m", " 平方厘米"])


@given(WRITTEN, UNITS)
def test_reflexive(value: str, unit: str) -> None:
    for given_text in (value + unit, f"${value}${unit}", f"V = {value}{unit}", f"\\boxed{{{value}{unit}}}"):
        assert equal(gold(value, unit.strip() or None), given_text).equal


@given(WRITTEN, WRITTEN)
def test_exact_equality_is_symmetric(one: str, other: str) -> None:
    if "." in one + other:
        return  # A decimal gold is met by what rounds to it, and not the other way round.
    assert equal(gold(one), other).equal == equal(gold(other), one).equal


@given(st.text(max_size=200), st.sampled_from([case[0] for case in CASES]))
def test_no_text_raises(text: str, answer: Answer) -> None:
    equal(answer, text)
    equal(Answer(kind="text", value=text), text)
    unreadable_gold(Answer(kind="expression", value=text))
