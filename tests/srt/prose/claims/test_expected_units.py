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


BESIDE = [
    ("A box is 3 cm long, 4 cm wide and 5 cm high.", "The volume is 60 {} centimetres.", "cubic", "square"),
    ("A box is 3 cm long, 4 cm wide and 5 cm high.", "V = 3·4·5 = 60, so it holds 60 {}", "cm^3", "cm"),
    ("A box is 3 by 4 by 5.", "The volume of the box is $60\\text{{ cm}}^{}$.", "3", "2"),
    ("A box is 3 by 4 by 5.", "V = 3 × 4 × 5 = 60, that is, 60 {}.", "cm³", "cm²"),
    ("A cube has edge 4 cm.", "4 × 4 × 4 = 64 {}, which is the volume", "cm³", "cm²"),
    ("A cylinder has radius 2 m and height 5 m.", "The volume is 20π {}.", "m³", "m²"),
    ("A tank is 50 cm by 40 cm by 30 cm.", "The capacity is 60000 {}.", "cm³", "cm²"),
    ("A tank is 50 cm by 40 cm by 30 cm.", "50 × 40 × 30 = 60000, so it holds 60000 {}.", "cm³", "litres"),
    ("A sphere has radius 3 cm.", "4/3·π·3³ = 36π, giving a volume of 36π {}", "cm³", "cm²"),
    ("长方体长5厘米、宽4厘米、高3厘米。", "5×4×3＝60，答：它的体积是60{}厘米。", "立方", "平方"),
    ("长方体长5厘米、宽4厘米、高3厘米。", "V=5×4×3=60，即60{}", "cm³", "cm²"),
    ("圆锥的底面半径为3cm，高为4cm。", "母线长为5{}", "cm", "cm²"),
    ("水池长5米，宽4米，深3米。", "5×4×3=60，能装水60{}米", "立方", "平方"),
]


@pytest.mark.parametrize(("given", "text", "right", "wrong"), BESIDE)
def test_a_unit_in_the_words_beside_a_calculation(given: str, text: str, right: str, wrong: str) -> None:
    assert "refuted" not in [claim.support for claim in check_prose(text.format(right), givens=[given])]
    assert "refuted" in [claim.support for claim in check_prose(text.format(wrong), givens=[given])]


@pytest.mark.parametrize(
    "text",
    [
        "The volume of 5 cm cubes is not known.",
        "it holds 5 cm cubes",
        "The area is 5 cm by 4 cm, V = 60",
        "V = 3·4·5 = 60, the perimeter is 60 cm",
        "V = 3·4·5 = 60, so the side is 60 cm",
        "the volume of the cone whose height is 5 cm is 60 cm³",
        "容器能装水5厘米深",
        "体积是棱长为3厘米的正方体的2倍",
        "高为体积除以底面积，等于5厘米",
        "If the volume is 5 cm, it is absurd",
    ],
)
def test_a_unit_of_something_else_is_no_wrong_unit(text: str) -> None:
    assert "refuted" not in [claim.support for claim in check_prose(text)]
