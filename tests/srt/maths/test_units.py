"""One table of units: what a formula reads as a unit, an answer reads as the same, with the same size and dimension."""

from __future__ import annotations

from fractions import Fraction

import pytest

from srt.maths.syntax.lexing.lexer import tokens_of
from srt.maths.units.unit_phrases import as_one_unit, phrase_unit, split_unit
from srt.maths.units.unit_spellings import ALL_UNITS, FORMULA_POWER_WORDS, FORMULA_UNITS


def test_a_spelling_has_one_meaning() -> None:
    spelled = {spelling: unit for spelling, unit in FORMULA_UNITS.items() if spelling[-1] not in "²³"}
    assert len(spelled) > 60
    assert {spelling: ALL_UNITS[spelling] for spelling in spelled} == spelled


@pytest.mark.parametrize("word", FORMULA_POWER_WORDS)
@pytest.mark.parametrize("base", ["cm", "metres", "inch"])
def test_a_formula_and_an_answer_read_the_same_unit(word: str, base: str) -> None:
    (_, token) = tokens_of(f"3 {word} {base}")
    assert token.unit == phrase_unit(f"{word} {base}") == ALL_UNITS[base].raised(FORMULA_POWER_WORDS[word])


@pytest.mark.parametrize(
    ("phrase", "scale", "dimension"),
    [
        ("cm^{2}", Fraction(1, 10_000), {"length": 2}),
        ("km/h", Fraction(1000, 3600), {"length": 1, "time": -1}),
        ("metres per second", Fraction(1), {"length": 1, "time": -1}),
        ("千米/小时", Fraction(1000, 3600), {"length": 1, "time": -1}),
        ("kN", Fraction(1000), {"length": 1, "mass": 1, "time": -2}),
        ("N·m", Fraction(1), {"length": 2, "mass": 1, "time": -2}),
        ("立方米", Fraction(1), {"length": 3}),
    ],
)
def test_sizes_and_dimensions(phrase: str, scale: Fraction, dimension: dict[str, int]) -> None:
    unit = phrase_unit(phrase)
    assert unit is not None
    assert (unit.scale, dict(unit.dimension)) == (scale, dimension)


@pytest.mark.parametrize("phrase", ["", "cubes", "cm m", "per cm", "cm/", "square"])
def test_what_is_no_unit(phrase: str) -> None:
    assert phrase_unit(phrase) is None


def test_the_unit_after_a_value() -> None:
    assert split_unit("12 cm^2") == ("12", ALL_UNITS["cm"].raised(2))
    assert split_unit("2a m") == ("2a m", None)  # a product of letters
    assert split_unit("3m", frozenset("m")) == ("3m", None)  # an expression in m
    assert as_one_unit("1 m 20 cm") == r"(1 \times 100+20) cm"
    assert as_one_unit("1 m 20 kg") == "1 m 20 kg"
