"""The unit of a result: its dimension by what is written, by its name, by the words before it, and by the premises."""

from __future__ import annotations

import pytest

from srt.prose import check_prose


def last(text: str, *givens: str) -> str:
    return check_prose(text, givens=givens)[-1].support


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("5 cm × 4 cm = 20 cm²", "5 cm × 4 cm = 20 cm"),
        ("60 cm × 2 m = 1.2 m²", "60 cm × 2 m = 120 cm²"),
        ("5 cm = 50 mm", "5 cm = 5 kg"),
        ("24 cm³ ÷ 4 cm = 6 cm²", "24 cm³ ÷ 4 cm = 6 cm"),
        ("√(16 cm²) = 4 cm", "√(16 cm²) = 4 cm²"),
        ("5 cm² + 3 cm² = 8 cm²", "5 cm + 3 cm² = 8 cm²"),
        ("(60 m³)/(1/3 × (30 m)) = 6 m²", "(60 m³)/(1/3 × (30 m)) = 6 m"),
    ],
)
def test_units_that_are_written_have_dimensions(right: str, wrong: str) -> None:
    assert last(right) == "computed"
    assert last(wrong) == "refuted"


def test_a_factor_without_a_unit_may_have_lost_it() -> None:
    assert last("3 cm × 4 = 12 cm") == "computed"
    assert last("3 cm × 4 = 12 cm²") not in ("computed", "refuted")


CONE = "A cone has base radius 3 cm and height 4 cm."
NAMED = [
    ("V = 1/3 × π × 3² × 4 = 12π", "cm³", "cm²", CONE),
    ("Lateral area: S = 2 × 3 × 4 = 24", "cm²", "cm³", CONE),
    ("AB = √(3² + 4²) = 5", "cm", "cm²", CONE),
    ("The lateral area of the cone is π × 3 × 5 = 15π", "cm²", "cm", CONE),
    ("The base circumference is 2 × 3.14 × 3 = 18.84", "cm", "cm²", CONE),
    ("圆锥的体积是1/3×π×3²×4=12π", "cm³", "cm²", "圆锥的底面半径为3 cm，高为4 cm。"),
    ("底面积：3.14×3×3=28.26", "平方厘米", "厘米", "底面半径是3厘米。"),
    ("母线长为√(3²+4²)=5", "厘米", "平方厘米", "底面半径为3厘米，高为4厘米。"),
]


@pytest.mark.parametrize(("text", "right", "wrong", "given"), NAMED, ids=lambda value: value[:16])
def test_a_name_or_a_noun_names_the_dimension(text: str, right: str, wrong: str, given: str) -> None:
    assert last(f"{text} {right}", given) == "computed"
    assert last(f"{text} {wrong}", given) == "refuted"


@pytest.mark.parametrize(
    ("text", "given", "support"),
    [
        ("3 × 4 = 12 cm²", "3 cm by 4 cm", "computed"),
        ("3 × 4 = 12 cm³", "3 cm by 4 cm", "refuted"),
        ("30 × 4 = 120 m²", "30 cm by 4 cm", "refuted"),  # nothing converts them
        ("6 × 4^2 = 96 cm^3", "Find the surface area of a cube with edge 4 cm.", "refuted"),
        ("6 × 4^2 = 96 cm^2", "Find the surface area of a cube with edge 4 cm.", "computed"),
        ("22 × 25 = 550 cm²", "A cone has radius 7 cm and slant height 25 cm. Find its height and area.", "consistent"),
        ("60 × 2 = 120", "A sheet measures 60 cm by 2 m.", "consistent"),
        ("4×4×5=80（立方分米）", "底面是边长4分米的正方形，高5米。", "refuted"),
        ("60 × 2 = 120 cm", "A sheet measures 60 cm by 2 m.", "consistent"),  # twice 60 cm, or an area
        ("6000 ÷ 1000 = 6 L", "A tank holds 6000 cm³.", "computed"),
        ("30 × 4 = 120 m²", "", "computed"),
        ("28.27 × 7 ≈ 197.9 cm³", "The base is 28.27 cm², the height 7 cm.", "computed"),
        ("28.27 × 7 ≈ 197.9 cm²", "The base is 28.27 cm², the height 7 cm.", "consistent"),
        ("20 ÷ 2 = 10 dm", "The diameter is 20 cm, the height 10 cm.", "refuted"),
        ("20 × 3 ÷ 10 = 6 dm²", "A sheet is 20 cm wide and 3 dm long.", "computed"),
    ],
)
def test_the_unit_follows_from_the_premises(text: str, given: str, support: str) -> None:
    assert last(text, given) == support


@pytest.mark.parametrize(
    "text",
    [
        "The ratio of the volumes is 64 ÷ 8 = 8",
        "The height is 4 cm, and the area is 3 × 4 = 12 cm²",
        "Since the radius is 3 cm, the area is π × 3² = 9π cm²",
        "体积扩大到原来的64÷8=8倍",
        "The volume of a box of height 4 cm is 3 × 3 × 4 = 36 cm³",
    ],
)
def test_a_noun_that_is_about_something_else_is_no_name(text: str) -> None:
    assert "refuted" not in [check.support for check in check_prose(text)]


TANK = "水箱长 30 厘米，宽 20 厘米，高 15 厘米。"


@pytest.mark.parametrize(
    ("text", "given", "support"),
    [
        ("30 × 20 × 15 = 9000 升", TANK, "refuted"),
        ("30 × 20 × 15 = 9000 毫升", TANK, "computed"),
        ("30 × 20 × 15 ÷ 1000 = 9 升", TANK, "computed"),
        ("V = 25 × 10 × 2 = 500 L", "A pool is 25 m long, 10 m wide and 2 m deep.", "refuted"),
        ("20 × 0.5 = 10 L", "Painting 20 m² needs 0.5 L for each square metre.", "computed"),
        ("5 元 × 3 = 15 千克", "", "consistent"),
        ("15 kg = 5 × 3 boxes", "", "consistent"),
        ("7 元 × 4 = 28 元", "", "computed"),
        ("6 boxes × 5 kg = 30 kg", "", "computed"),
    ],
)
def test_litres_and_words_that_are_no_units(text: str, given: str, support: str) -> None:
    assert last(text, given) == support
