"""The answer of a trace against gold: equal, different for certain, or not for a machine to decide."""

from __future__ import annotations

from typing import Any

import pytest

from srt.answers.equality import CONTRADICTION, LENIENT, SAME_VALUE, STRICT, TRAINING, equal, equal_texts
from srt.io.records import Answer


@pytest.mark.parametrize(
    ("gold", "text", "verdict"),
    [
        (Answer(kind="choice_set", value=["C"]), "C", "equal"),
        (Answer(kind="choice_set", value=["A", "C"]), "C, A", "equal"),
        (Answer(kind="choice_set", value=["C"]), "B", "differs"),
        (Answer(kind="choice_set", value=["C"]), "it is hard to say", "differs"),
        (Answer(kind="choice_set", value=["C"]), "B or C", "differs"),
        (Answer(kind="number", value=12), "12", "equal"),
        (Answer(kind="number", value=12), "12.0", "equal"),
        (Answer(kind="number", value=12), "12 cm", "equal"),
        (Answer(kind="number", value=12, unit="cm"), "12", "equal"),
        (Answer(kind="number", value=12, unit="cm"), "13 cm", "differs"),
        (Answer(kind="number", value=12, unit="cm"), "24/2", "equal"),
        (Answer(kind="number", value=12, unit="cm"), "12 cm^2", "undecided"),
        (Answer(kind="number", value=12, unit="cm"), "12 kg", "undecided"),
        (Answer(kind="number", value=12, unit="cm"), "13 kg", "differs"),
        (Answer(kind="number", value=60, unit="°"), "125.3 \\mathrm{cm}^3", "differs"),
        (Answer(kind="expression", value="2R"), "2r", "undecided"),
        (Answer(kind="number", value=12), "-12", "differs"),
        (Answer(kind="number", value=0.5), "3 / 6", "equal"),
        (Answer(kind="number", value=0.5), "3 / 5", "differs"),
        (Answer(kind="number", value=12), "12 unit cubes", "equal"),
        (Answer(kind="number", value=12), "13个", "differs"),
        (Answer(kind="number", value=12), "12 or 13", "undecided"),
        (Answer(kind="number", value=12), "a dozen", "undecided"),
        (Answer(kind="number", value=12), "12\\pi", "differs"),
        (Answer(kind="number", value=30), "30°", "equal"),
        (Answer(kind="expression", value="12"), "10 + 2", "equal"),
        (Answer(kind="expression", value="30^{\\circ}"), "30", "equal"),
        (Answer(kind="expression", value="12\\pi"), "12 pi", "equal"),
        (Answer(kind="expression", value="12\\pi"), "V = 12\\pi cm^3", "equal"),
        (Answer(kind="expression", value="\\frac{\\sqrt{3}}{6}"), "sqrt(3)/6", "equal"),
        (Answer(kind="expression", value="\\frac{\\sqrt{3}}{6}"), "\\frac{\\sqrt{2}}{6}", "differs"),
        (Answer(kind="expression", value="12"), "x = 12", "equal"),
        (Answer(kind="expression", value="12"), "x = 1, y = 12", "undecided"),
        (Answer(kind="text", value="The red one"), "the  RED one.", "equal"),
        (Answer(kind="text", value="the red one"), "red", "undecided"),
        (Answer(kind="text", value="12"), "13", "differs"),
        (Answer(kind="boolean", value=True), "yes", "equal"),
        (Answer(kind="boolean", value=True), "no", "differs"),
        (Answer(kind="sequence", value=["A", "B"]), "A, B", "equal"),
        (Answer(kind="sequence", value=["1", "2"]), "1, 3", "differs"),
        (Answer(kind="sequence", value=["red", "blue"]), "red", "undecided"),
        (Answer.model_validate({"kind": "parts", "value": [{"kind": "number", "value": 1}] * 2}), "1; 1", "equal"),
        (Answer.model_validate({"kind": "parts", "value": [{"kind": "number", "value": 1}] * 2}), "1; 2", "differs"),
        (Answer.model_validate({"kind": "parts", "value": [{"kind": "number", "value": 1}] * 2}), "1", "undecided"),
    ],
)
def test_verdicts(gold: Answer, text: str, verdict: str) -> None:
    choices = {"A": "one", "B": "two", "C": "three"} if gold.kind == "choice_set" else {}
    assert equal(gold, text, choices=choices, policy=TRAINING).verdict == verdict


@pytest.mark.parametrize(
    ("gold", "unit", "text"),
    [
        ("\\frac{1}{2}", None, "1/2"),
        ("\\sqrt{12}", None, "2√3"),
        ("√12", None, "2\\sqrt{3}"),
        (4, "cm²", "4 cm^2"),
        (4, "cm^2", "4 cm²"),
        (4, "cm^{2}", "$4 \\mathrm{~cm}^2$"),
        (2827.43, "cm^2", "900\\pi"),
        (2, "m", "200 cm"),
    ],
)
def test_other_spellings_of_gold(gold: Any, unit: str | None, text: str) -> None:
    answer = Answer(kind="expression" if isinstance(gold, str) else "number", value=gold, unit=unit)
    assert equal(answer, text, policy=TRAINING).equal


def test_one_part_that_differs_outweighs_one_that_is_undecided() -> None:
    gold = Answer.model_validate(
        {"kind": "parts", "value": [{"kind": "text", "value": "red"}, {"kind": "number", "value": 1}]}
    )
    assert equal(gold, "blue; 2", policy=TRAINING).verdict == "differs"
    assert equal(gold, "blue; 1", policy=TRAINING).verdict == "undecided"


def test_alternatives_differ_only_if_none_of_them_may_be_the_one() -> None:
    gold = Answer(kind="text", value="x=3 or x=-1")
    assert equal(gold, "x=5 or x=-1", policy=TRAINING).verdict == "differs"
    assert equal(gold, "x=5 or x=k", policy=TRAINING).verdict == "undecided"


def test_units_are_converted_exactly_under_every_policy() -> None:
    assert equal(Answer(kind="number", value=1, unit="m"), "100 cm", policy=STRICT).equal
    assert equal(Answer(kind="number", value=1, unit="m"), "10 cm", policy=STRICT).verdict == "differs"
    assert equal(Answer(kind="number", value=1, unit="m"), "1 kg", policy=STRICT).verdict == "undecided"


def test_an_answer_that_is_not_of_the_kind_of_gold() -> None:
    gold = Answer(kind="choice_set", value=["C"])
    assert equal(gold, "it is hard to say", choices={"C": "three"}).how == "unreadable"
    assert equal(gold, "B", choices={"B": "two", "C": "three"}).how == "exact"


def test_each_policy_accepts_more_than_the_one_before() -> None:
    """A table: gold, text, and the first policy that accepts it."""
    policies = (STRICT, SAME_VALUE, TRAINING, LENIENT, CONTRADICTION)
    table = [
        (Answer(kind="number", value=12, unit="cm"), "12 cm", (True, True, True, True, True)),
        (Answer(kind="number", value=12, unit="cm"), "12", (False, True, True, True, True)),
        (Answer(kind="number", value=113.1), "36\\pi", (True, False, True, True, True)),
        (Answer(kind="expression", value="\\frac{1}{3}"), "0.33", (False, False, False, True, True)),
        (Answer(kind="number", value=1130.97), "1130.4", (False, False, False, False, True)),
        (Answer(kind="number", value=12), "13", (False, False, False, False, False)),
    ]
    for gold, text, accepted in table:
        assert tuple(equal(gold, text, policy=policy).equal for policy in policies) == accepted, (gold, text)


def test_two_answers_of_which_neither_is_gold() -> None:
    assert equal_texts("\\frac{1}{2}", "0.5", "number", SAME_VALUE).equal
    assert equal_texts("30^{\\circ}", "30", "expression", SAME_VALUE).equal
    assert equal_texts("2R", "2r", "expression", SAME_VALUE).verdict == "undecided", "two radii, perhaps"
    assert equal_texts("a cone", "cone", "text", SAME_VALUE).equal


@pytest.mark.parametrize("pi", ["*pi", " pi", "\\pi", "π", "*π"])
@pytest.mark.parametrize("sign", [" ", "*", "·", "×"])
@pytest.mark.parametrize(("unit", "is_equal"), [("cm^3", True), ("m^3", False), ("cm^2", False), ("m", False)])
def test_a_unit_is_read_behind_pi_and_behind_a_sign(pi: str, sign: str, unit: str, is_equal: bool) -> None:
    gold = Answer(kind="expression", value="12*pi", unit="cm^3")
    question = "A cone has base radius 3 cm and slant height 5 cm. Find its volume."
    assert equal(gold, f"12{pi}{sign}{unit}", question=question, policy=STRICT).equal == is_equal
