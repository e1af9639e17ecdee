"""Errors planted in prose: they stand in the equation, they are told from harmless ones, and the checker finds them."""

from __future__ import annotations

import random

import pytest

from srt.prose import check_prose
from srt.prose.faults.computed_equations import Equation, computed_equations
from srt.prose.faults.prose_faults import KINDS, Kind, Planted, has_place, plant

TEXTS = [
    r"The volume is $V=\frac{1}{3} \pi \cdot 3^{2} \cdot 4=12 \pi$, and 12 × 7 - 4 = 80 pieces.",
    r"因为 $PE=\sqrt{5^2-3^2}=4$，所以 $S=32+4 \times 4=48\left(\mathrm{~cm}^{2}\right)$",
    "共有 1＋3＋6＋10＝20 个，表面积为 (5×4+5×3+4×3)×2=94",
]


def drawn(text: str, kind: Kind, draws: int = 40) -> list[Planted]:
    """Different errors of ``kind`` in the equations of ``text``."""
    rng = random.Random(f"test/{kind}")
    found: dict[str, Planted] = {}
    for _ in range(draws):
        for equation in computed_equations(text):
            error = plant(text, equation, kind, rng)
            if error is not None:
                found[error.text] = error
    return list(found.values())


def shown(text: str, kind: Kind, effect: str) -> set[str]:
    """The changed texts of that effect."""
    return {error.text for error in drawn(text, kind) if error.effect == effect}


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_stands_in_its_equation(kind: Kind) -> None:
    texts = [*TEXTS, "so AB = 3, BC = 4 and AB + BC = 7 holds", "from 2x + 1 = 7 we get x = 3"]
    errors = [(text, error) for text in texts for error in drawn(text, kind)]
    assert errors
    for text, error in errors:
        longer = len(error.text) - len(text)
        assert error.equation.start <= error.start < error.end <= error.equation.end + max(0, longer)
        assert error.text[: error.equation.start] == text[: error.equation.start]
        assert error.text[error.equation.end + longer :] == text[error.equation.end :]
        assert error.text != text


@pytest.mark.parametrize("kind", ["result digit", "operand", "operator", "root"])
def test_the_checker_refutes_errors_and_no_accident(kind: Kind) -> None:
    errors = [error for text in TEXTS for error in drawn(text, kind)]
    false = [error for error in errors if error.effect == "false"]
    assert len(false) >= 10
    caught = 0
    for error in errors:
        refuted = [check for check in check_prose(error.text) if check.support == "refuted"]
        if error.effect == "false":
            caught += any(check.start < error.end and error.start < check.end for check in refuted)
        else:
            assert not refuted, error.text
    assert caught >= 0.95 * len(false)


def test_each_kind_changes_what_it_says() -> None:
    assert {error.text[8:] for error in drawn("3 × 4 = 12", "result digit")} >= {"13", "32"}
    assert all(error.text.startswith("3 × 4") for error in drawn("3 × 4 = 12", "result digit"))
    assert all(error.text.endswith(" × 4 = 12") or error.text[:4] == "3 × " for error in drawn("3 × 4 = 12", "operand"))
    assert {error.text for error in drawn("3 × 4 = 12", "operator")} == {"3 ÷ 4 = 12", "3 + 4 = 12"}
    roots = {error.text for error in drawn(r"$\sqrt{16} = 4$", "root")}
    assert {"$(16) = 4$", r"$\sqrt[3]{16} = 4$", r"$\sqrt{16} = \sqrt{4}$", r"$\sqrt{18} = 4$"} <= roots
    units = {error.text for error in drawn("3 × 4 = 12 cm²", "unit")}
    assert units == {"3 × 4 = 12 m²", "3 × 4 = 12 cm³", "3 × 4 = 12 cm"}
    assert {error.text for error in drawn("6 × 6 = 36 立方厘米", "unit")} == {
        "6 × 6 = 36 平方厘米", "6 × 6 = 36 厘米", "6 × 6 = 36 立方米"}  # fmt: skip
    names = {error.text for error in drawn("AB = 3, BC = 4, AC^2 = 9, AB^2 + BC^2 = 25", "named length")}
    assert "AB = 3, BC = 4, AC^2 = 9, AC^2 + BC^2 = 25" in names


def test_a_condition_is_judged_by_the_value_that_solves_it() -> None:
    texts = {error.text: error.effect for error in drawn("x² = 9, so x = 3", "condition")}
    assert texts["x³ = 9, so x = 3"] == "false"
    assert texts["x² = 8, so x = 3"] == "false"
    assert "true" in {error.effect for error in drawn("x - x² × 1 = 0, so x = 1", "condition")}
    assert not any(drawn("x² = 9, so x = 3", kind) for kind in KINDS if kind not in ("condition", "named length"))


def test_an_error_that_leaves_the_equation_true_is_recognised() -> None:
    assert shown("so 3 ÷ 1 = 3", "operator", "true") == {"so 3 × 1 = 3"}
    assert shown("so 3 ÷ 1 = 3", "operand", "true") == set()
    assert r"$\sqrt[3]{1} + 2 = 3$" in shown(r"$\sqrt{1} + 2 = 3$", "root", "true")
    changed = shown("BC = 3, CD = 4, AB = 3, BC + CD = 7", "named length", "true")
    assert changed == {"BC = 3, CD = 4, AB = 3, BA + CD = 7"}


def test_an_error_without_a_real_value_is_false() -> None:
    assert r"so $\sqrt{3-5} = 2$" not in shown(r"so $\sqrt{3+1} = 2$", "operator", "true")
    assert r"so $\sqrt{3-1} = 2$" in shown(r"so $\sqrt{3+1} = 2$", "operator", "false")
    assert r"so $\sqrt{1-3} = 2$" in shown(r"so $\sqrt{1+3} = 2$", "operator", "false")


def test_a_name_without_a_value_may_be_true() -> None:
    text = "AB = 3, BC = 4, AB + BC = 7"
    assert shown(text, "named length", "unknown") == {text.replace("AB +", "AC +"), text.replace("+ BC", "+ CA")}


def test_nothing_is_planted_in_what_is_not_known_to_be_true() -> None:
    for text in ("no claim", "2 + 2 = 5", "x = 3", "2x = 6"):
        for equation in computed_equations(text):
            assert not any(plant(text, equation, kind, random.Random(0)) for kind in KINDS)


def test_an_equation_that_the_checker_leaves_open_is_a_place_too() -> None:
    text = "Twice 3 = 6 or not, 若 2+2=4，则 40.5 × 2 = 81"
    assert len([one for one in computed_equations(text) if has_place(text, one, "result digit")]) == 2
    assert "computed" not in {check.support for check in check_prose(text)[:1]}


def test_indices_of_names_are_left_alone() -> None:
    text = r"$S_{12}=S_1+S_2=3 \times 4 \mathrm{~cm}^{2}=12 \mathrm{~cm}^{2}$"
    errors = [error for kind in KINDS for error in drawn(text, kind)]
    assert errors
    assert all(error.text.startswith(r"$S_{12}=S_1+S_2=") for error in errors)


def test_the_same_seed_plants_the_same_error() -> None:
    equation: Equation = computed_equations(TEXTS[0])[0]
    first, second = (plant(TEXTS[0], equation, "operand", random.Random(7)) for _ in range(2))
    assert first == second
    assert first is not None
