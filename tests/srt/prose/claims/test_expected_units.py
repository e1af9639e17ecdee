"""Units of computed values: compared with the quantity measured, and with the unit of the numbers."""

from __future__ import annotations

import pytest

from srt.prose import check_prose


def reasons(text: str, given: str = "") -> list[str | None]:
    """Why claims of ``text`` are refuted."""
    return [check.reason for check in check_prose(text, givens=[given]) if check.support == "refuted"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("AB = 3 + 4 = 7 cm²", "AB cannot be in cm^2"),
        (r"$V=\frac13 \times 9 \times 4=12 \mathrm{~cm}^{2}$", "V cannot be in cm^2"),
        (r"$S_{\text{侧}}=4 \times 8=32\left(\mathrm{~cm}^{3}\right)$, 侧面积", "S_侧 cannot be in cm^3"),
        ("The perimeter of the net is 3 + 4 = 7 cm²", "the perimeter cannot be in cm^2"),
        ("the lateral area is: 3 × 4 = 12 cm", "the area cannot be in cm"),
        ("所以体积为 3×4×5=60 平方厘米", "体积 cannot be in cm^2"),
        ("AD = 2CD = 18 cm³", "AD cannot be in cm^3"),
        ("AB = 7 cm²", "AB cannot be in cm^2"),
    ],
)
def test_a_unit_of_another_dimension_is_refuted(text: str, reason: str) -> None:
    assert set(reasons(text)) == {reason}


@pytest.mark.parametrize(
    "text",
    [
        "AB = 3 + 4 = 7 cm",
        "V = 3 × 4 = 12 mL",
        "S = 3 × 4 = 12 m",
        "AB × BC = 3 × 4 = 12 cm²",
        "Length times width is 3 × 4 = 12 cm²",
        "The product of the heights is 3 × 4 = 12 cm²",
        "The side length squared, so the square of the radius is 3 × 3 = 9 cm²",
        "The area of the square with edges of 5 cm is 5 × 5 = 25 cm²",
        "底面积乘高为 3×4=12 立方厘米",
        "如果面积为 3×4=12 cm³",
        "It is not true that the area is 3 × 4 = 12 cm³",
        "Find the volume. 3 × 4 = 12 cm²",
    ],
)
def test_a_unit_that_may_be_right_is_not_refuted(text: str) -> None:
    assert reasons(text) == []


def test_numbers_of_centimetres_do_not_give_metres() -> None:
    box = "A box measures 2 cm, 3 cm and 4 cm."
    assert reasons("so it holds 2 × 3 × 4 = 24 m³", box) == [
        "its numbers are in other units, and nothing converts them"
    ]
    assert reasons("so it holds 2 × 3 × 4 = 24 cm³", box) == []
    assert reasons("so 4 × 3 = 12, 12 × 2 = 24 m³, and 5 m", box) == []


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("0.2 × 3 = 0.6 m²", "sides of 20 cm and 3 m"),
        ("2 × 3 = 6 m²", "sides of 200 cm and 3 cm"),
        ("4 × 250 ÷ 100 = 10 m", "4 steps of 250 cm"),
        ("5 × 7 = 35 m", "sides of 2 cm and 3 cm"),
        ("6 × 5 = 30 m", "6 cm on a map, where 1 cm is 5 m"),
        ("3 × 4 = 12 L", "sides of 3 cm and 4 cm"),
    ],
)
def test_a_unit_that_may_have_been_converted_is_not_refuted(text: str, given: str) -> None:
    assert reasons(text, given) == []
