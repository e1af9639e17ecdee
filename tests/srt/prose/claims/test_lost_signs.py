"""Right solutions that lost a sign, a blank or a line end, or that tell several cases: none of them is refuted."""

from __future__ import annotations

import pytest

from srt.prose import check_prose


def supports(text: str, *givens: str) -> list[str]:
    return [check.support for check in check_prose(text, givens=givens)]


@pytest.mark.parametrize(
    "text",
    [
        "$设n=(x,y,z)，x-2y=0，3y-z=0，令y=1 z=3，得n=(2,1,3)$",
        "$设n=(x,y,z)，x-2y=0，3y-z=0，令y=1z=3，得n=(2,1,3)$",
        r"$设n=(x,y,z)，\left\{\begin{array}{l}x-2y=03y-z=0\end{array}\right.$，取$y=1$，得$n=(2,1,3)$",
        r"$\overrightarrow{AC}=(2,4,0) \overrightarrow{AE}=(0,3,1)$，$n=(x,y,z)$，"
        r"$n\cdot\overrightarrow{AC}=2x+4y=0 n\cdot\overrightarrow{AE}=3y+z=0$",
        r"$P(0,0,3)，B(2,1,0)，D(0,1,0)，所以\overrightarrow{PB}=(2,1,-3) \overrightarrow{PD}=(0,1,-3)$",
        r"$CD=3，母线长为3\sqrt{5} CD=3$",
        r"$AB=3\sqrt{5} CD=4$，$CD=4$",
        "$5^2+12^2=169 x=13$",
        r"$R^2=x^2+7 R^2=(7-x)^2$，解得$x=3$，$R=4$",
    ],
)
def test_two_statements_without_a_sign_between(text: str) -> None:
    assert "refuted" not in supports(text)


def test_commands_after_a_doubled_backslash() -> None:
    assert "refuted" not in supports(r"$|a|=2，|c|=3，a\cdot c=|a||c|\\cos60^\circ=3$")
    assert "refuted" in supports(r"$\\cos60^\circ=\frac{1}{3}$")


@pytest.mark.parametrize(
    "text",
    [
        "$V'=2(4-h)(2-h)$，令$V'=0$，得$h=2$，当$0<h<2$时，$V'>0$，当$2<h<4$时，$V'<0$",
        r"令$V'=5-h^2=0$得$h=\sqrt{5}$，由$V'>0$得$0<h<\sqrt{5}$，由$V'<0$得$h>\sqrt{5}$",
        r"当$\lambda=1$时，$\cos\theta=0$；当$\lambda=0$时，$|\cos\theta|=\frac{6}{3\sqrt2\cdot3\sqrt2}=\frac13$",
        r"对于A，$AB=\sqrt{3}$，故A错误；对于C，$AB=\sqrt{1^2+3^2}=\sqrt{10}$，故C正确",
    ],
)
def test_values_of_one_case_do_not_refute_another(text: str) -> None:
    assert "refuted" not in supports(text)


def test_a_length_that_is_given_bounds() -> None:
    assert supports("BC > 7", "BC = 5") == ["refuted"]
    assert supports(r"BC = 5, so $2\times 6 < 11$")[-1] == "refuted"


def test_an_m_in_formulas_without_delimiters_is_a_name() -> None:
    assert "refuted" not in supports(
        r"设P(3，0，m)，则\frac{|-3m+3|}{\sqrt{18}\cdot \sqrt{m^2+1}}=\frac{\sqrt{5}}{5}，解得m=3或m=\frac{1}{3}"
    )


def test_a_length_in_a_product_of_vectors_is_a_vector_without_its_arrow() -> None:
    assert "refuted" not in supports(r"$n=(x,y,z)$，$n\cdot PC=x-2y-z=0$", "PC = 3")


@pytest.mark.parametrize(
    "text",
    [
        r"$\overrightarrow{AB}=(1,2,0)$，$\overrightarrow{AC}=(0,1,1)$，$\overrightarrow{AB}\cdot\overrightarrow{AC}=3$",
        "$设n=(x,y,z)，x-2y=0，3y-z=0，令y=1，z=3，得n=(2,1,4)$",
        r"$V=\frac13\times 6\times 5=10=36 \pi$",
        r"$S=\frac12\times 3\times 8=13$，$AC=4$",
    ],
)
def test_what_is_wrong_without_a_loss_is_still_refuted(text: str) -> None:
    assert "refuted" in supports(text)
