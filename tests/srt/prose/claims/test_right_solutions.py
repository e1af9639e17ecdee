"""Forms of right solutions that were once refuted, in both languages, and the same with an error planted."""

from __future__ import annotations

import re

import pytest

from srt.prose import check_prose
from srt.prose.claims.stated_pi import stated_pi


def supports(text: str, *givens: str) -> list[str]:
    return [check.support for check in check_prose(text, givens=givens)]


def is_right_and_notices(text: str, error: tuple[str, str], *givens: str) -> None:
    """``text`` is not refuted, and with ``error`` (old, new) in it, it is."""
    assert error[0] in text
    assert "refuted" not in supports(text, *givens)
    assert "refuted" in supports(text.replace(*error), *givens)


@pytest.mark.parametrize(
    "said",
    ["π取3", "取π=3", "(π≈3)", "圆周率按3计算", "以3作为π的近似值", "Take π as 3.", "use $\\pi = 3$", "let pi be 3",
     "Use 3 as the value of π."],
)  # fmt: skip
def test_pi_is_what_the_text_takes_it_for(said: str) -> None:
    is_right_and_notices("$\\pi\\times 2^2\\times 5=60$", ("60", "61"), said)
    assert "refuted" not in supports(f"{said}, $2\\pi\\times 5=30$")
    assert "refuted" in supports("$\\pi\\times 2^2\\times 5=60$")


@pytest.mark.parametrize(
    "text",
    ["2π=3", "π r = 3", "r²π = 3", "V=π×3=9", "S=π·3²=9π", "圆的周长为3π", "π=4", "π=3.2", "π = 3 × 4", "取半径为3，π"],
)
def test_an_equation_with_pi_is_no_value_for_it(text: str) -> None:
    assert not stated_pi(text)


def test_a_coordinate_is_filled_in_on_both_sides() -> None:
    text = r"A(0,0,0), B(a,1,0), n=(x,y,z), $n\cdot\overrightarrow{AB}=2x+y=0$"
    is_right_and_notices(text, ("2x+y", "3x+y"), "a=2")
    text = r"$\overrightarrow{NC}=(-1,1,2)$，设$n=(x,y,z)$，则$n\cdot\overrightarrow{NC}=-x+y+2z=0$"
    is_right_and_notices(text, ("-x+y+2z", "-x+y+3z"), "x=1")


def test_a_solved_parameter_counts() -> None:
    text = r"P(0,0,t), B(1,0,0), 由$2t=4$得$t=2$，$n=(x,y,z)$, $n\cdot\overrightarrow{PB}=x-2z=0$"
    is_right_and_notices(text, ("x-2z", "x-3z"))
    text = r"A(0,0,0), B(a,1,0), $n=(x,y,z)$, $n\cdot\overrightarrow{AB}=ax+y=0$, $2a=4$, $a=2$"
    is_right_and_notices(text, ("ax+y", "ax+2y"))


@pytest.mark.parametrize(
    "text",
    [
        "a, b, c = 3, 4, 5",
        "n=3,0,1，|n|=√10",
        "AB, BC, CD = 3, 4, $5$.",
        "$x^2-3x+2=0$, x = 1, 2.",
        r"$x^2-3x+2=0$，$x = 1, \frac{4}{2}$",
    ],
)
def test_a_list_without_brackets_is_no_value(text: str) -> None:
    assert not {"computed", "refuted"} & set(supports(text, "c = 5, CD = 5"))


def test_a_list_of_claims_is_one() -> None:
    assert supports("3×4=12, 5×6=30, 7, 8×2=16") == ["computed"] * 3
    assert supports("3×4=13, 5×6=30") == ["refuted", "computed"]


@pytest.mark.parametrize(
    "text",
    [
        "420÷55=7（箱）……35（千克）",
        "17÷5=3（个）余2（个）",
        "17 ÷ 5 = 3 (boxes) ... 2 (items)",
        "17 ÷ 5 = 3 (boxes) remainder 2",
    ],
)
def test_a_quotient_with_a_remainder_and_units(text: str) -> None:
    assert "refuted" not in supports(text)
    assert "refuted" in supports(text[: re.search(r"= ?\d", text).end()])


def test_raised_and_lowered_text_in_html() -> None:
    text = (
        "BC<sup>2</sup> = 3<sup>2</sup> + 4<sup>2</sup> = 25, S<sub>1</sub> = 5 cm<sup>2</sup> × 2 = 10 cm<sup>2</sup>"
    )
    is_right_and_notices(text, ("= 25", "= 26"))
    is_right_and_notices("A<sub>1</sub>B<sub>1</sub>=3", ("=3", "=4"), "A_1B_1=3")
    assert supports("2<sup>x</sup>=8") == []


@pytest.mark.parametrize("joined", ["cosθ=1/2 或 cosθ=-1, ∴ θ=π/3", "$\\cosθ=1/2$ or $\\cosθ=-1$, so $θ=π/3$"])
def test_a_value_may_solve_any_of_the_alternatives(joined: str) -> None:
    is_right_and_notices(joined, ("π/3", "π/5"))


@pytest.mark.parametrize(
    "text",
    [
        "(1) 2x=6, x=3. (2) 3x=x+8, x=4, so 3x=12",
        "(1) x+2=5, x=3; (2) the volume is x·4=20",
        "①高h=3；②V=h×4=20",
        "As shown in the figure, AB=3, BC=4. As shown in the figure, AB²+BC²=6²+8²=100",
        "如图1，AB=3，BC=4。如图2，√(AB²+BC²)=√(6²+8²)=10",
        r"情况一：A(0,0,0), B(1,0,0)。情况二：$\overrightarrow{AB}=(2,0,0)$",
        r"解法一：n=(1,1,0)。解法二：n=(0,1,2)，$|n|=\sqrt5$",
    ],
)
def test_values_of_one_scene_do_not_refute_another(text: str) -> None:
    assert "refuted" not in supports(text)


def test_parts_share_what_stands_before_them() -> None:
    assert "refuted" in supports("(2) AC=√(AB²+BC²)=√(3²+5²)", "AB=3, BC=4. (1) if AD=1, find DC; (2) find AC")
    assert supports("(1) AC=√(AB²+BC²)=√(3²+5²)", "(1) find AC (2) AB=3, BC=4.")[-1] == "consistent"
    assert supports("(1) AB=3. (2) AB=5, so AB²=5²=25")[-2:] == ["computed", "computed"]


@pytest.mark.parametrize("text", ["AB = 1/2 the circumference", "AB = 1/2底面周长", "AB=$\\frac12$圆的周长"])
def test_a_multiple_of_what_a_noun_names(text: str) -> None:
    assert "refuted" not in supports(text, "AB=6")
    assert "refuted" in supports("AB = 1/2.", "AB=6")


@pytest.mark.parametrize(
    "text",
    [
        "The water rises by 6000 ÷ 2000 = 3 cm.",
        "In all 250 + 126 = 376 m² of tiles",
        "So 27 - 12 = 15 more cubes are needed",
        r"the area is $3 \times 3 = 9\ \text{cm}^2$",
        "the product is 1 × 2 + 3 = 5, which does not depend on a",
    ],
)
def test_words_that_change_nothing(text: str) -> None:
    assert supports(text)[-1] == "computed"
    assert "refuted" in supports(text.replace(" = ", " = 1"))


@pytest.mark.parametrize(
    "text",
    ["a box 3 by 4 = 12", "12 divided by 4 = 3", "12 less 5 = 7", "7 = 2 more than 5", "2+2=5, which does not hold",
     "2+2=5，不成立", "a sheet of 3 × 4 = 13 is not possible",
     "If it were a right triangle, we would have $5^2+6^2=7^2$, i.e. $61=49$, which is false.",
     "the sum is $3+4=8$, e.g. by mistake", r"$AB = 5 \text{ in } \triangle ABC$"],
)  # fmt: skip
def test_words_that_change_a_number(text: str) -> None:
    assert "refuted" not in supports(text)


def test_a_root_in_words_and_square_brackets() -> None:
    is_right_and_notices("s = Sqrt [9 + 16] = Sqrt [25] = 5", ("= 5", "= 6"))


def test_a_colon_between_numbers_may_divide() -> None:
    assert "refuted" not in supports("1.5cosH = -0.5. cosH = -0.5: 1.5 = -1/3.")
    assert supports("V = 3×4 = 12: S = 2×3 = 6")[-1] == "computed"


def test_a_quantity_in_a_phrase_is_no_value() -> None:
    assert "refuted" not in supports("the cost of painting 20 m = 20 × 8 = 160")
    assert "refuted" in supports("so 20 cm = 20 × 8 cm")


def test_what_is_not_read_is_named() -> None:
    (rest,) = check_prose("x" * 30_000)
    assert (rest.support, rest.start, rest.end) == ("unchecked", 20_000, 30_000)
    assert "20,000" in (rest.reason or "")
    *checks, rest = check_prose("1+1=2. " * 450)
    assert len(checks) == 400
    assert (rest.support, rest.start, rest.end) == ("unchecked", 2_800, 450 * 7)
    first, *_ = check_prose("1+1=2", givens=["x" * 30_000])
    assert (first.support, first.claim) == ("unchecked", "what is given")
    assert all(check.support == "computed" for check in check_prose("1+1=2. " * 400))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (r"$\sin 75^\circ = \sin(30+45) = \frac{\sqrt6+\sqrt2}{4}$", (r"\sqrt6", r"\sqrt7")),
        (r"$360 - 10\arcsin\frac{\sqrt3}{3} \approx 7.356^\circ$", ("7.356", "8.356")),
        ("70/120*100 = 58.3%", ("58.3", "59.3")),
    ],
)
def test_degrees_and_percent_are_written_or_not(text: str, error: tuple[str, str]) -> None:
    is_right_and_notices(text, error)


@pytest.mark.parametrize(
    "text", ["AB·AC=2×2×cos60°=2", "(AB+AC)²=4+4+4=12", "|AB+AC|=2√3", "AD=1/2AB+1/2AC=√3", "a·b=2×3×cos60°=3"]
)
def test_a_name_may_be_a_vector_that_lost_its_arrow(text: str) -> None:
    given = "AB=2, AC=2, a=2, b=3"
    assert "refuted" not in supports("用向量：" + text, given)
    assert "refuted" not in supports(text, given + r", find the vector $\overrightarrow{AD}$")
    assert "refuted" in supports("√(AB²+AC²)=√(2²+3²), 用向量", given)


@pytest.mark.parametrize("unit", ["hours", "seconds", "kg", "inches", "units", "小时"])
def test_a_given_in_any_unit_is_read(unit: str) -> None:
    assert supports("S = 4 × 5 = 20 cm²", f"It takes 3 {unit}, by 4 cm, by 5 cm.")[-1] == "computed"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("90 minutes = 1 hour 30 minutes", ("30", "40")),
        ("350厘米=3米50厘米", ("350", "360")),
        ("2 hours 30 minutes = 150 minutes.", ("150", "160")),
    ],
)
def test_a_quantity_in_two_units(text: str, error: tuple[str, str]) -> None:
    is_right_and_notices(text, error)
    assert supports(text) == ["computed"]


def test_blanks_in_long_numbers_and_numbers_of_lines() -> None:
    for text in ("2, 400 × 3 = 7, 200", "125 × 100 = 12, 500 cm³", "1.3×4=12\n2.5×6=30", "2 . 3 = 6", "17÷4≈5（个）"):
        assert "refuted" not in supports(text)
    assert supports("1.3×4=13\n2.5×6=31") == ["refuted", "refuted"]
    assert supports("x = 2.5×6=30")[-1] == "refuted"
    assert supports("V=2×5=10, 4×5=20")[1:] == ["computed", "computed"]


def test_a_name_that_is_multiplied_by_a_vector_is_not_its_length() -> None:
    for text in ("OA = 1, n = (2,1,1). So |OA·n|/|n| = 2/√6", "MN = 4 and m = (0,3,4), so MN·m = 12"):
        assert supports(text)[-1] == "consistent"
    assert supports("n = (1,2,2) and m = (2,0,0), so n·m = 3")[-1] == "refuted"
    assert supports("OA = 3, OB = 4, so S = OA·OB = 13")[-1] == "refuted"
