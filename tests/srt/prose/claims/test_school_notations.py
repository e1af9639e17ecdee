"""Notations of school books and of scanned texts: each right text is not refuted, the same with an error is."""

from __future__ import annotations

import pytest

from srt.prose import check_prose


def supports(text: str) -> list[str]:
    return [check.support for check in check_prose(text)]


def is_right_and_notices(text: str, right: str, wrong: str) -> None:
    """``text`` is not refuted; with the last ``right`` in it replaced by ``wrong``, it is."""
    assert "refuted" not in supports(text)
    before, found, after = text.rpartition(right)
    assert found
    assert "refuted" in supports(before + wrong + after)


@pytest.mark.parametrize(
    "text",
    [
        r"$$30\div4=7$$（组）$$\cdots \cdots2$$（个），",
        r"$$41\div7=5$$（周）$$\cdots\cdots 6$$ （天）",
        "$17 \\div 5 = 3$，余$2$",
        "17÷5=3组……2个",
        "$17 \\div 5 = 3$ with $2$ left",
        "17 ÷ 5 = 3 boxes and 2 over",
    ],
)
def test_the_next_number_may_be_the_remainder(text: str) -> None:
    assert "refuted" not in supports(text)
    if "boxes" not in text:
        assert "refuted" in supports(text.replace("2", "9").replace("6", "9"))


@pytest.mark.parametrize("text", ["17/4 = 4.25 = 5 boxes", "17 ÷ 4 = 4.25 = 5（个）", "36/10 = 3 teams"])
def test_a_count_may_be_rounded(text: str) -> None:
    assert "refuted" not in supports(text)
    assert "refuted" in supports(text.replace("5 boxes", "6 boxes").replace("= 5（", "= 6（").replace("= 3", "= 5"))


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (r"$9\div 11=0.\dot{8}\dot{1}$", "8", "7"),
        (r"$\frac16=0.1\dot6$", "0.1", "0.2"),
        (r"$\frac{1}{7}=0.\dot{1}4285\dot{7}$", "4285", "4385"),
        (r"$\frac{5}{11}=0.\overline{45}$", "45", "46"),
        (r"$\frac13=0.\bar{3}$", "3", "4"),
        ("4/9=0.4\u0307", "0.4", "0.5"),
    ],
)
def test_a_repeating_decimal(text: str, right: str, wrong: str) -> None:
    assert supports(text) == ["computed"]
    is_right_and_notices(text, right, wrong)


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("it costs .5*$8 = $4.00", "4.00", "5.00"),
        ("we get .5 × $38 = $19, so", "19", "29"),
        ("they cost $.25 × 10 =$2.50 and", "2.50", "3.50"),
        ("共￥12×3=￥36。", "36", "37"),
        ("It costs €1,200 + €300 = €1,500.", "1,500", "1,600"),
        (r"It costs $12\times\$3 = \$36$", "36", "37"),
    ],
)
def test_amounts_of_money(text: str, right: str, wrong: str) -> None:
    assert "computed" in supports(text)
    is_right_and_notices(text, right, wrong)
    assert "refuted" not in supports("we get .75X = $19.50, so X = $26.")


@pytest.mark.parametrize(
    "text",
    [
        r"\[\begin{pmatrix} 1 & 2 \\ 4 & 8 \end{pmatrix} \begin{pmatrix} 5 \\ 3 \end{pmatrix} = "
        r"\begin{pmatrix} (1)(5) + (2)(3) \\ (4)(5) + (8)(3) \end{pmatrix}\]",
        r"\[\begin{pmatrix} 4 \\ -1 \end{pmatrix} + t \begin{pmatrix} 5 \\ 2 \end{pmatrix} = \begin{pmatrix} 8 \\ k"
        r" \end{pmatrix}\]",
        r"$\begin{bmatrix}1\\2\end{bmatrix}\cdot\begin{bmatrix}3\\4\end{bmatrix}=1\cdot3+2\cdot4$",
        r"$\left|\begin{array}{cc}1&2\\3&4\end{array}\right|=1\cdot4-2\cdot3$",
        r"\begin{array}{r} 12 \\ +\ 9 \\ \hline 21\end{array} = 7 \times 3",
        r"\begin{array}{ll} 1 & 2 = 3 \end{array}",
    ],
)
def test_no_entry_is_torn_out_of_a_matrix(text: str) -> None:
    assert not {"computed", "refuted"} & set(supports(text))


def test_rows_of_a_system_are_claims() -> None:
    for name in ("cases", "matrix", "aligned"):
        text = rf"$\left\{{\begin{{{name}}} 2x &= 6 \\ 3\times4 &= 12\end{{{name}}}\right.$, so $x=3$"
        is_right_and_notices(text, "12", "13")
        is_right_and_notices(text, "x=3", "x=4")


@pytest.mark.parametrize(
    "text",
    [
        "GCD of 12, 18 = 6",
        "The mean of 2, 4, 9 = 15/3",
        "The maximum of 3, 9, 7 = 9",
        "L.C.M. of 4, 6 = 12",
        "LCM of 16,10,8 = 80",
        "the average of 3, 4 and 5 = 4",
    ],
)
def test_the_last_number_of_a_list_is_no_side(text: str) -> None:
    assert not {"computed", "refuted"} & set(supports(text))
    assert supports("in step 3, 4 × 5 = 21") == ["refuted"]


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("1.5^2 + 1.5m + 22.5 = 0\n=> m=-16.5", "16.5", "17.5"),
        ("6m - 2 = 10, so m = 2", "m = 2", "m = 3"),
        ("20 + 3m = 2m + 28\nSo m = 8", "m = 8", "m = 9"),
        ("2g = 10, so g = 5", "g = 5", "g = 6"),
        ("3 m + 4 m = 7 m of rope", "7", "8"),
    ],
)
def test_a_letter_that_the_text_solves_for_is_no_unit(text: str, right: str, wrong: str) -> None:
    is_right_and_notices(text, right, wrong)
    assert "refuted" not in supports("6m - 2 = 10")


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("3×10-2=0.03", "0.03", "0.04"),
        ("2.5 × 10-3 = 0.0025 m", "25 m", "26 m"),
        ("6.02 x 1023 = 602 x 1021", "602", "603"),
        ("16^1/2=4", "=4", "=5"),
        ("27^2/3 = 9", "= 9", "= 8"),
        ("4/3π < 4, 36π > 108", "108", "118"),
    ],
)
def test_powers_that_lost_their_height_or_brackets(text: str, right: str, wrong: str) -> None:
    is_right_and_notices(text, right, wrong)


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (r"AC=4，AD=$\frac{1}{2}$AC=2", "=2", "=3"),
        (r"V=$\frac{1}{3}$S•h=$\frac{1}{3}$×6×2$\sqrt{3}$=4$\sqrt{3}$", "=4", "=5"),
        (r"圆周长2$\pi$×3=6$\pi$", "=6", "=7"),
        (r"S=3×4=12$m^2$，S=3×5=15$cm^2$", "15", "16"),
        (r"AB=3$AC=4$，$BC=3+2=5$", "=5", "=6"),
    ],
)
def test_a_factor_inside_or_outside_the_dollar_signs(text: str, right: str, wrong: str) -> None:
    is_right_and_notices(text, right, wrong)


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (r"$\left( {1,0,1}\right) \cdot \left( {2,1,3}\right) = 5$", "5", "6"),
        (r"$|\left( {1,2,2}\right)| = 3$", "3", "4"),
        (r"${A}_{1}B=3, A{C}_{1}=4$, ${A}_{1}B+A{C}_{1}=3+4=7$", "3+4", "3+5"),
        (r"$B(1,2,2), A{B}^{2}=\left( {1,2,2}\right) \cdot \left( {1,2,2}\right)$, ${V}_{1}=3\times4=12$", "12", "13"),
        (r"A(0,0,0), B(1,2,2), 向量 $\overline{AB}=(1,2,2)$", "2)", "3)"),
        (r"$\because \lg 2+ 1 \mathrm{~g} 5=1$, $2+3=5$", "5", "6"),
    ],
)
def test_braces_and_bars_of_scanned_texts(text: str, right: str, wrong: str) -> None:
    is_right_and_notices(text, right, wrong)


def test_a_decimal_root_is_exact_rounded_or_cut_off() -> None:
    is_right_and_notices(r"$\frac{h}{6}=\frac{6-h}{4}$, $h=3.6$", "3.6", "3.7")
    is_right_and_notices(r"$\frac{h}{6}=\frac{6-h}{4}$, $h=3.6$", "3.6", "3.5")
    for value in ("2.23", "2.24", "-2.23", "-2.24"):
        assert "refuted" not in supports(f"$x^2=5$, $x={value}$")
    assert "refuted" in supports("$x^2=5$, $x=2.25$")


@pytest.mark.parametrize(
    "text",
    [
        "5×4=20，100÷20=5",
        "12/20=3/5，500×3/5=300",
        "$2\\times 6=12，300\\div 3=100$",
        "2×6=12，  300÷3=100",
        "3×100=300，200÷2=100，100×4=400",
    ],
)
def test_a_full_width_comma_parts_equations(text: str) -> None:
    assert set(supports(text)) == {"computed"}
    assert "refuted" in supports(text.rstrip("$")[:-1] + "7")


@pytest.mark.parametrize("text", ["5×4=20,100÷20=5", "5×4=20．100÷20=5", "12，300×2=24，600", "1，000×2=2，000"])
def test_a_comma_in_either_sense(text: str) -> None:
    assert "refuted" not in supports(text)


def test_a_name_before_a_full_width_comma_has_the_value_before_it() -> None:
    claims = check_prose("AB=12，300÷12=25，AB×2=24")
    assert [claim.support for claim in claims] == ["consistent", "computed", "computed"]


@pytest.mark.parametrize(
    "text",
    [
        "\\text{Area}(4) = 16",
        "$\\mathrm{Area}\\left(4\\right) = 16$",
        "$\\operatorname{vol}(1+3) = 64$",
        "$\\text{area of square}(4) = 16$",
        "Area (4) = 16",
        "面积(4)=16",
        "sqrt3(27) = 3",
        "root(3, 27) = 3",
        "V(4) = 64",
    ],
)
def test_a_name_before_brackets_may_be_a_function(text: str) -> None:
    assert "refuted" not in supports(text)


def test_a_cube_root_by_its_name() -> None:
    assert supports("cbrt(27) = 3") == ["computed"]
    assert supports("cbrt(27) = 9") == ["refuted"]
    assert supports(r"\text{共}(3+4)=8") == ["refuted"]
