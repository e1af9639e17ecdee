"""Right texts in forms that have two readings: none of them is refuted, and what is wrong in every reading still is."""

from __future__ import annotations

import pytest

from srt.prose import check_prose


def supports(text: str, *givens: str) -> list[str]:
    return [check.support for check in check_prose(text, givens=givens)]


BOTH_COMMON = [
    ("48÷2(9+3)", "288", "2", "24"),
    ("12.56÷2π", "2", "19.72", "4"),
    (r"$2\frac{1}{4} × 4$", "9", "2", "8"),
    ("18÷3/4", "24", "1.5", "8"),
    ("sin 30", "0.5", "-0.988", "0.866"),
    ("tan 45", "1", "1.6198", "1.5"),
    ("60 + 20%", "60.2", "72", "80"),
    ("log(100)", "2", "4.605", "3"),
    (r"$2^2^3$", "256", "64", "32"),
]
"""An expression, its values in two common readings, and one that it has in neither."""


@pytest.mark.parametrize(("side", "first", "second", "neither"), BOTH_COMMON)
def test_what_holds_in_one_common_reading_only_is_not_decided(side: str, first: str, second: str, neither: str) -> None:
    assert supports(f"{side} = {first}") == ["consistent"]
    assert supports(f"{side} = {second}") == ["consistent"]
    assert supports(f"{side} = {neither}") == ["refuted"]


@pytest.mark.parametrize("text", ["√9 + 16 = 5", "√5²+12² = 13", "1/3π = 1/(3π)", "0.1(6) = 1/6"])
def test_a_rare_reading_saves_and_never_proves(text: str) -> None:
    assert supports(text) == ["consistent"]


@pytest.mark.parametrize(
    "text",
    [
        "12÷2π = 24÷4π",
        "1/3π×9×4 = 12π",
        "4/3π×27 = 36π",
        r"$\sin \pi/6=1/2$",
        r"$\cos 3\pi/4=-\sqrt{2}/2$",
        "sin 60°/2 = √3/4",
        "5 ÷ 1½ = 10/3",
        "sin 30° = sin(180° - 150°)",
        "1 ft = 12 in.",
    ],
)
def test_what_holds_in_every_common_reading_is_proved(text: str) -> None:
    assert supports(text) == ["computed"]


def test_the_claim_is_the_reading_that_was_used() -> None:
    (check,) = check_prose("48÷2(9+3) = 2")
    assert check.claim == "48/2*(9 + 3) = 2"
    assert "48/(2*(9 + 3)) = 2" in str(check.reason)


def test_degrees_may_be_left_out_of_a_sum() -> None:
    assert supports("sin 75° = sin(30 + 45)") == ["consistent"]
    assert supports("sin 75° = sin(30 + 35)") == ["refuted"]


def test_a_value_with_two_readings_states_neither() -> None:
    assert "refuted" not in supports("r=12.56÷2π=2, so πr²=12.56")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("exp(0) = 1", "exp(0) = 0"),
        ("floor(7.8) = 7", "floor(7.8) = 8"),
        ("ceil(100/8) = 13", "ceil(100/8) = 12"),
        ("floor(10π) = 31", "floor(10π) = 32"),
        ("abs(-3 - 4) = 7", "abs(-3 - 4) = -7"),
        ("gcd(60, 48) = 12", "gcd(60, 48) = 6"),
        ("lcm(4, 6) = 12", "lcm(4, 6) = 24"),
        ("max(3, √10) = √10", "max(3, √10) = 3"),
        (r"$\min(3, 4, 5) = 3$", r"$\min(3, 4, 5) = 4$"),
        (r"$\log_2 8 = 3$", r"$\log_2 8 = 4$"),
        ("log_4(8) = 3/2", "log_4(8) = 2"),
        (r"$\lg 1000 = 3$", r"$\lg 1000 = 2$"),
        (r"$\ln 2 = 0.693$", r"$\ln 2 = 0.793$"),
        ("exp(1) ≈ 2.718", "exp(1) ≈ 2.918"),
        ("arccos(1/2) = 60°", "arccos(1/2) = 30°"),
        ("arctan(4/3) = 53.13", "arctan(4/3) = 54.13"),
        ("arctan(4/3) = 0.927", "arctan(4/3) = 0.827"),
        (r"$\arcsin\frac12 = \frac{\pi}{6}$", r"$\arcsin\frac12 = \frac{\pi}{3}$"),
        ("0.(3) = 1/3", "0.(3) = 0.3"),
    ],
)
def test_functions_are_computed(right: str, wrong: str) -> None:
    assert supports(right) == ["computed"]
    assert supports(wrong) == ["refuted"]


@pytest.mark.parametrize("text", ["Area(4) = 5", "sgn(-4) = 4", "3 + vol(2) = 5", "3,14 = 3.14", "90° = 90 rad"])
def test_functions_that_are_not_known_and_decimal_commas_are_not_read(text: str) -> None:
    assert not {"computed", "refuted"} & set(supports(text))


@pytest.mark.parametrize(
    "text",
    ["0.19 = 0.1", "19 cm = 0.1 m", "0.5 × 0.38 = 0.1", "1.41 × 1.73 × √5 = 5.51", "√3 ≈ 1.74", "cos 60° = -0.952"],
)
def test_equal_means_equal(text: str) -> None:
    assert supports(text) == ["refuted"]


@pytest.mark.parametrize("text", ["22/7 = 3.14", "π ≈ 3", "18√3 ≈ 31.14", "1000√2 = 1410", "√2300 ≈ 50"])
def test_two_digits_at_least_and_all_that_are_printed(text: str) -> None:
    assert not {"computed", "refuted"} & set(supports(text))


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
        "3/4 × 100 = 75%",
        "70/120 × 100 = 58.3%",
    ],
)
def test_what_may_be_right_in_a_rare_reading_is_left_alone(text: str) -> None:
    assert not {"computed", "refuted"} & set(supports(text))


@pytest.mark.parametrize("text", ["18÷3/4=25", "√9 + 16 = 6", r"$\sin \pi/6=1/3$", "62+82=103"])
def test_what_is_wrong_in_every_reading_is_refuted(text: str) -> None:
    assert "refuted" in supports(text)


def test_several_computations_stand_on_one_line() -> None:
    assert supports("1.5m=15dm 15×4×2=120(dm³) 120dm³=120L") == ["computed"] * 3
    assert supports("(1)9 (2)7+7=14 (3)2.5×4=10") == ["computed", "computed"]
    assert supports("(1)9 (2)7+7=15 (3)2.5×4=10") == ["refuted", "computed"]


@pytest.mark.parametrize(
    "text",
    [
        "V=3×3×3=27cm3",
        "12×5×1/3=20(cm3)",
        "$V=\\frac13\\times 12\\times 5=20$ cm$^3$",
        "20 + 30 = 50 in^2.",
        "5(4) = 20 in³",
        "$6 \\times 2=12\\left(\\mathrm{~cm}^{2}\\right)$",
        r"\(9\pi \times 7 = 63\pi\) cm\(^3\).",
        r"The base is $3^2\pi = 9\pi$ cm${}^2$.",
        r"It is \(3 \times 3 = 9\) m\(^{2}\), so $9 + 1 = 10$.",
        r"$5 \text{ ft} = 60 \text{ in}$",
        r"$4\text{ in} \times 3\text{ in} = 12\text{ in}^2$",
    ],
)
def test_units_in_every_spelling(text: str) -> None:
    assert supports(text)[-1] == "computed"


def test_nothing_in_space_is_measured_in_the_fourth_power_of_a_length() -> None:
    assert supports("$6 \\times 2=12\\left(\\mathrm{~cm}^{4}\\right)$") == ["refuted"]


def test_angles_are_compared_exactly() -> None:
    assert supports("∠C=180°-40°-60°=80°")[-1] == "computed"
    assert supports("∠C=180°-40°-60°=90°")[-1] == "refuted"


def test_a_decimal_is_rounded_or_cut_off_and_nothing_else() -> None:
    assert supports(r"$\pi=3.14$, $\pi\approx 3.142$") == ["computed", "computed"]
    assert "computed" not in supports(r"$\pi=3.15$")
    assert supports(r"$\pi=3.16$") == ["refuted"]


def test_lengths_in_words_are_premises() -> None:
    text = r"$\sqrt{AB^2+BC^2}=\sqrt{6^2+8^2}=10$"
    for given in ("AB is 6 cm, BC is 8 cm.", "棱AB的长为6，BC长为8。", "where $AB$ is $6$ and BC = 8"):
        assert supports(text, given) == ["computed", "computed"]
        assert supports(text.replace("6^2", "7^2"), given)[0] == "refuted"
    for given in ("the distance from P to AB is 6, BC=8", "AB is 6 cm longer than BC, BC = 8"):
        assert supports(text, given)[0] == "consistent"


def test_what_a_lone_fraction_before_pi_divides_by_is_left_open() -> None:
    for text in ("1/2π = 1.57", "π - 1/4π = 2.356"):
        assert supports(text) == ["consistent"]
    assert supports("1/3π × 9 × 4 = 12π") == ["computed"]
    assert supports("1/2 × π = 1.57") == ["computed"]
