"""What is found in a text, and what is said of it."""

from __future__ import annotations

import pytest

from srt.language.trace import ClaimCheck
from srt.prose import check_prose


def supports(text: str, *givens: str) -> list[str]:
    return [check.support for check in check_prose(text, givens=givens)]


def last(text: str, *givens: str) -> ClaimCheck:
    return check_prose(text, givens=givens)[-1]


TRUE = [
    r"$V=\frac{1}{3} \cdot 9\pi \cdot 4=12\pi$",
    "so 3 × 4 = 12 faces",
    "底面积：3.14×(6÷2)²＝28.26（平方厘米）",
    "共有 1＋3＋6＋10＝20（个）小正方体",
    "3乘4等于12",
    r"$\sqrt{4^2-2^2}=2\sqrt{3}$",
    "1½ + 2½ = 4",
    r"\dfrac{4}{2\sqrt{3} \times \sqrt{6}}=\frac{\sqrt 2}{3}",
    r"$\sin 30^{\circ}=\frac12$",
    "180° - 60° = 120",
    r"$\tan 15^\circ = 2-\sqrt3$",
    r"$C_6^2+\binom{4}{2}=21$",
    "36 cm = 0.36 m",
    "3 cm × 4 cm = 12 cm²",
    "0.5 立方米 = 500 立方分米",
    "edges: 12 edges × 3 cm = 36 cm",
    r"$5<2\sqrt{7}$",
    r"$2\sqrt{2}\approx 2.83$",
    "2√2 = 2.82",
    "100π = 314",
    "50% × 80 = 40",
    r"$(1,2,3)\cdot(4,5,6)=32$",
    r"$\left|\frac{-4}{4\sqrt{2}\times\sqrt{6}}\right|=\frac{\sqrt3}{6}$",
    r"$63{,}960 \div 10=6,396$",
    r"$\sqrt[3]{2}\sqrt[3]{4}=2$",
    r"$\sqrt{5+2\sqrt6}=\sqrt2+\sqrt3$",
    r"\begin{aligned} & = 5 \times 4 \\ & = 20 \end{aligned}",
    "10 × 6 × 6\n\n=60 × 6\n\n=360（立方厘米）",
]


@pytest.mark.parametrize("text", TRUE)
def test_what_is_true_is_proved(text: str) -> None:
    assert last(text).support == "computed"
    assert "refuted" not in supports(text)


FALSE = [
    r"$V=\frac{1}{3} \cdot 9\pi \cdot 4=13\pi$",
    "so 3 × 4 = 13 faces",
    "共有 1＋3＋6＋10＝21（个）小正方体",
    "3乘4等于13",
    r"$\sqrt{4^2-2^2}=3\sqrt{2}$",
    r"$\sin 30^{\circ}=\frac{\sqrt3}2$",
    r"$\sqrt{9^2-12^2}=15$",
    "5 m = 5 cm",
    r"$5>2\sqrt{7}$",
    r"$2\sqrt{2}\approx 2.93$",
    r"$(1,2,3)\cdot(4,5,6)=33$",
    r"$\sqrt{5+2\sqrt6}=\sqrt2+\sqrt5$",
    r"$\frac{1}{3} \times 9 \times 4 = Sh = 13$",
]


@pytest.mark.parametrize("text", FALSE)
def test_what_is_false_is_refuted_with_both_values(text: str) -> None:
    (check,) = (check for check in check_prose(text) if check.support == "refuted")
    assert check.counterexample


LEFT_ALONE = [
    "若 2+2=5，则矛盾",
    "Suppose that 2 + 2 = 5.",
    "2+2=5 is impossible",
    "7 ÷ 2 = 3……1",
    "7 ÷ 2 = 3 remainder 1",
    "the sum of 3 and 4 = 7",
    "twice 3 = 6, half of 8 = 4",
    "8 的一半 = 4",
    "1 + 2 + ... + 10 = 55",
    "C. 3+4=8",
    "Tom says that 3+4=8",
    "Figure 1 = the front view, square 1 = 5",
    "f(2) = 5",
    r"$\frac{3}{4} : \frac{1}{2} = 3:2$",
    "3 dozen = 36",
    r"$9^{9^{9^9}}=1$",
    r"$\sqrt{2499}=50$",
    "AB=3 AC=4",
    "x = 1 or x = 5",
]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_is_not_claimed_or_not_understood_is_left_alone(text: str) -> None:
    assert not {"computed", "refuted"} & set(supports(text))


def test_the_claim_is_where_it_stands() -> None:
    text = "第一步，面数为 $3 \\times 4 = 12$ 个。"
    check = last(text)
    assert text[check.start : check.end] == "3 \\times 4 = 12"
    assert check.claim == "3*4 = 12"


def test_every_pair_of_a_chain_is_a_claim() -> None:
    assert [check.claim for check in check_prose("2+2 = 4 = 8/2 = 5")] == ["2 + 2 = 4", "4 = 8/2", "8/2 = 5"]
    assert supports("2+2 = 4 = 8/2 = 5") == ["computed", "computed", "refuted"]


def test_names_stand_for_what_is_stated_of_them() -> None:
    text = r"$AP=\sqrt{AB^2+BP^2}=\sqrt{8^2+6^2}=10$"
    assert supports(text, "AB=8 cm, BP = 6 cm") == ["consistent", "computed", "computed"]
    assert supports(text.replace("8^2", "7^2"), "AB=8, BP=6")[1:] == ["refuted", "refuted"]
    assert supports(text, "AB=8, BP=6", "AB=9")[1] == "consistent", "a name with two values is not known"


def test_a_solving_step_is_tried_on_its_condition() -> None:
    condition = "by Pythagoras $3^2+h^2=5^2$, "
    assert last(condition + "so $h=4$").support == "computed"
    assert last(condition + "so $h=5$").support == "refuted"
    assert last("h = 4", condition).support == "computed"
    assert last("$x^2-5x+6=0$, x = 2").support == "consistent", "3 is a solution too"
    assert supports("$x^2-5x+6=0$, 解得 x=2 或 x=3")[1:] == ["computed", "computed"]
    assert supports("$x^2-5x+6=0$, 解得 x=2 或 x=4")[1:] == ["computed", "refuted"]


def test_what_is_given_is_not_contradicted() -> None:
    assert last("BC = 12 cm", "the height is BC = 12 cm").support == "computed"
    check = last("BC = 11 cm", "the height is BC = 12 cm")
    assert check.support == "refuted"
    assert check.counterexample == "BC = 12 cm is stated before"
    assert last("in case 2, BC = 11", "BC = 12").support == "consistent"


def test_identities_are_proved_and_conditions_are_not_refuted() -> None:
    assert last(r"$V = \frac12\cdot 4a\cdot 3b = 6ab$").support == "computed"
    assert last(r"$V = \frac12\cdot 4a\cdot 3b = 5ab$").support == "refuted"
    assert last("$S = x(3-x) = 3x - x^3$").support == "consistent", "it holds for x = 1"
    assert last("$2x+1 = x+5$").support == "consistent"


VECTORS = (
    r"则A(0,1,0),B(1,1,2),C(1,0,0)，所以\overrightarrow{AB}=(1,0,2)，\overrightarrow{AC}=(1,-1,0)，"
    r"设平面ABC的法向量为n=(x,y,z)，则n\cdot\overrightarrow{AB}=x+2z=0，n\cdot\overrightarrow{AC}=x-y=0，"
    r"令z=1，则x=-2，y=-2，所以n=(-2,-2,1)，|n|=3"
)


def test_coordinates_and_normal_vectors() -> None:
    assert supports(VECTORS).count("computed") >= 8
    assert "refuted" not in supports(VECTORS)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("=(1,0,2)", "=(1,0,-2)"), ("x+2z", "x-2z"), ("x=-2", "x=2"), ("n=(-2,-2,1)", "n=(-2,2,1)"), ("|n|=3", "|n|=9")],
)
def test_errors_with_vectors_are_refuted(right: str, wrong: str) -> None:
    text = VECTORS.replace(right, wrong)
    assert text != VECTORS
    assert "refuted" in supports(text)


def test_a_cosine_that_lost_its_sign_is_not_called_an_error() -> None:
    text = r"m=(1,0,0), n=(-1,1,0), $\cos\langle m,n\rangle=\frac{m\cdot n}{|m||n|}=\frac{\sqrt2}{2}$"
    assert "refuted" not in supports(text)


def test_rounding_said_and_unsaid() -> None:
    assert last("10π = 31.4").support == "computed"
    assert last("10π = 31.9").support == "refuted"
    assert last("3.14 × 2.5² = 19.625").support == "computed"
    assert last("3.14 × 2.5² = 19.6").support == "unchecked", "rounded, and the sign does not say so"
    assert last("3.14 × 2.5² ≈ 19.6").support == "computed"
    assert last("√2 × 1.5 ≈ 1.41 × 1.5").support == "computed"
    assert last("1.5 × 2 = 3.1").support == "refuted"


def test_a_letter_before_a_number_is_an_article_in_english_only() -> None:
    assert check_prose("a 3 × 4 = 12 box")[0].support == "computed"
    assert check_prose("a 3 × 4 = 12", lang="zh")[0].support != "refuted"


@pytest.mark.parametrize(
    ("claim", "last"),
    [
        (r"\frac{m \cdot n}{|m||n|}=\frac12", "computed"),
        (r"\frac{m \div n}{|m||n|}=\frac12", "refuted"),
        (r"\frac{m + n}{|m||n|}=\frac12", "refuted"),
        (r"\frac{|m \div n|}{|n|}=\frac{1}{\sqrt2}", "refuted"),
        (r"\frac{|m + n|}{|n|}=\sqrt3", "computed"),
        (r"\frac{m+n}{|m|}=(\frac{1}{\sqrt2},\sqrt2,-\frac{1}{\sqrt2})", "computed"),
    ],
)
def test_a_quotient_over_lengths_of_vectors_needs_a_number_above(claim: str, last: str) -> None:
    assert check_prose(rf"$m=(1,1,0), n=(0,1,-1)$, so ${claim}$")[-1].support == last
