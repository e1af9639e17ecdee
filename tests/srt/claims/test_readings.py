"""Right texts in forms that have two readings: none of them is refuted, and what is wrong in every reading still is."""

from __future__ import annotations

import pytest

from srt.claims import check_prose


def supports(text: str, *givens: str) -> list[str]:
    return [check.support for check in check_prose(text, givens=givens)]


@pytest.mark.parametrize(
    "text",
    [
        "18÷3/4=24",
        "1÷1/5=5",
        "√9 + 16 = √25 = 5",
        "√5²+12² = √169",
        "30 + 20% = 36",
        r"$\sin \pi/6=1/2$",
        r"$\cos 3\pi/4=-\sqrt{2}/2$",
        "1 ft = 12 in.",
        "18√3 ≈ 31.14",
    ],
)
def test_every_way_to_read_it_is_tried(text: str) -> None:
    assert "proved" in supports(text)
    assert "refuted" not in supports(text)


@pytest.mark.parametrize(
    "text",
    [
        "62+82=102",
        "AC2=AB2+BC2=52+122=169",
        "1/3×3.14×42×6=100.48",
        "[2.9]=2",
        "2:30 = 14:30",
        "8 : 4 = 2 : 1",
        "10 ： 5 = 4 ： 2",
        "1 yd = 3 fooets",
    ],
)
def test_what_may_be_right_in_a_rare_reading_is_left_alone(text: str) -> None:
    assert not {"proved", "refuted"} & set(supports(text))


@pytest.mark.parametrize("text", ["18÷3/4=25", "√9 + 16 = 6", "30 + 20% = 37", r"$\sin \pi/6=1/3$", "62+82=103"])
def test_what_is_wrong_in_every_reading_is_refuted(text: str) -> None:
    assert "refuted" in supports(text)


def test_several_computations_stand_on_one_line() -> None:
    assert supports("1.5m=15dm 15×4×2=120(dm³) 120dm³=120L") == ["proved"] * 3
    assert supports("(1)9 (2)7+7=14 (3)2.5×4=10") == ["proved", "proved"]
    assert supports("(1)9 (2)7+7=15 (3)2.5×4=10") == ["refuted", "proved"]


@pytest.mark.parametrize(
    "text",
    [
        "V=3×3×3=27cm3",
        "12×5×1/3=20(cm3)",
        "$V=\\frac13\\times 12\\times 5=20$ cm$^3$",
        "20 + 30 = 50 in^2.",
        "5(4) = 20 in³",
        "$6 \\times 2=12\\left(\\mathrm{~cm}^{2}\\right)$",
    ],
)
def test_units_in_every_spelling(text: str) -> None:
    assert supports(text)[-1] == "proved"


def test_nothing_in_space_is_measured_in_the_fourth_power_of_a_length() -> None:
    assert supports("$6 \\times 2=12\\left(\\mathrm{~cm}^{4}\\right)$") == ["refuted"]


def test_angles_are_compared_exactly() -> None:
    assert supports("∠C=180°-40°-60°=80°")[-1] == "proved"
    assert supports("∠C=180°-40°-60°=90°")[-1] == "refuted"


def test_a_decimal_is_rounded_or_cut_off_and_nothing_else() -> None:
    assert supports(r"$\pi=3.14$, $\pi\approx 3.142$") == ["proved", "proved"]
    assert "proved" not in supports(r"$\pi=3.15$")
    assert supports(r"$\pi=3.16$") == ["refuted"]


def test_lengths_in_words_are_premises() -> None:
    text = r"$\sqrt{AB^2+BC^2}=\sqrt{6^2+8^2}=10$"
    for given in ("AB is 6 cm, BC is 8 cm.", "棱AB的长为6，BC长为8。", "where $AB$ is $6$ and BC = 8"):
        assert supports(text, given) == ["proved", "proved"]
        assert supports(text.replace("6^2", "7^2"), given)[0] == "refuted"
    for given in ("the distance from P to AB is 6, BC=8", "AB is 6 cm longer than BC, BC = 8"):
        assert supports(text, given)[0] == "consistent"
