"""The independent reading of equations: what it finds, where, and what it holds to be true."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.prose.faults.computed_equations import computed_equations
from srt.prose.faults.source_tokens import signs_of


def found(text: str, question: str = "") -> list[tuple[str, str]]:
    """The equations of ``text`` as written, with their standing."""
    return [(text[one.start : one.end], one.standing) for one in computed_equations(text, question)]


@pytest.mark.parametrize(
    ("text", "equation"),
    [
        ("so 3 × 4 = 12.", "3 × 4 = 12"),
        (r"$V=\frac13 \pi \times 3^2=3\pi \text{ cm}^3$", r"\frac13 \pi \times 3^2=3\pi \text{ cm}^3"),
        (r"$\sqrt{3^{2}+4^{2}}=5$", r"\sqrt{3^{2}+4^{2}}=5"),
        ("共有 1＋3＋6＋10＝20 个", "1＋3＋6＋10＝20"),
        ("10π = 31.4", "10π = 31.4"),
        (r"$2\sqrt2 \approx 2.83$", r"2\sqrt2 \approx 2.83"),
        (r"$\sin 30^\circ \times 12 = 6$", r"\sin 30^\circ \times 12 = 6"),
        ("(2) 3 + 4 = 7", "3 + 4 = 7"),
        (r"$\mathrm{C}_{6}^{2} = 15$", r"\mathrm{C}_{6}^{2} = 15"),
        (r"$\left|\frac{-4}{2}\right| = 2$", r"|\frac{-4}{2}\right| = 2"),
        ("12 = 3 × 4", "12 = 3 × 4"),
        ("0.5 m × 0.5 m = 2500 cm²", "0.5 m × 0.5 m = 2500 cm²"),
    ],
)  # fmt: skip
def test_true_equations_are_found_where_they_stand(text: str, equation: str) -> None:
    assert found(text) == [(equation, "true")]


@pytest.mark.parametrize("text", ["2 + 2 = 5", "10π = 31.5", "2√2 ≈ 2.93", "3 m × 4 m = 12 m", "5 × 0.6 = 3.1"])
def test_false_equations_are_recognised(text: str) -> None:
    assert found(text) == [(text, "false")]


@pytest.mark.parametrize(
    "text", ["AB = 5", "x > 2 + 3", "no equation", "A(1,2,0), so it is", "V = 12π", "S = ab + bc", "5 cm = 5 cm"]
)
def test_what_computes_no_number_is_no_computed_equation(text: str) -> None:
    assert found(text) == []


def test_neighbours_in_a_chain_and_closed_sides_with_others_between() -> None:
    assert found("$S = 4 × 6 + 8 = 24 + 8 = Sh = 32$") == [
        ("4 × 6 + 8 = 24 + 8", "true"),
        ("24 + 8 = Sh = 32", "true"),
    ]


def test_a_name_has_the_value_that_is_stated_before() -> None:
    assert found("AB = 9, BC = 12, AC = √(AB^2 + BC^2) = 15") == [("√(AB^2 + BC^2) = 15", "true")]
    assert found("AC = √(AB^2 + BC^2) = 15", "AB = 9 and BC = 12") == [("√(AB^2 + BC^2) = 15", "true")]
    assert found("2x = 6, so x = 3") == [("2x = 6", "condition")]
    assert found("2x = 6, so y = 3") == [("2x = 6", "unreadable")]
    assert found("AB = 9, AB = 8, 2AB = 18") == [("2AB = 18", "unreadable")]


VECTORS = r"$m=(1,1,0)$, $\boldsymbol{n}_1=(0,1,-1)$, $A(1,0,0), B(1,2,2)$, "


@pytest.mark.parametrize(
    ("equation", "standing"),
    [
        (r"\frac{\boldsymbol{m}\cdot \boldsymbol{n}_1}{|\boldsymbol{m}||n_1|}=\frac12", "true"),
        (r"|\overrightarrow{AB}| = 2\sqrt2", "true"),
        (r"\cos\langle m,\overrightarrow{AB}\rangle =\frac12", "true"),
        (r"\left|\frac{-4}{2|m|}\right| = \sqrt2", "true"),
        (r"\frac{|\overrightarrow{AB} + 2m|}{2} = \sqrt{6}", "true"),
        (r"\frac{m + n_1}{|m||n_1|}=\frac12", "unreadable"),
        (r"\frac{m \div n_1}{|m||n_1|}=\frac12", "unreadable"),
        (r"\frac{m\cdot \overrightarrow{AC}}{2}=\frac12", "unreadable"),
        (r"\frac{m\cdot n_1}{2}=\frac13", "false"),
    ],
)
def test_vectors_with_coordinates_are_computed(equation: str, standing: str) -> None:
    written = equation.removeprefix(r"\left")
    assert found(f"{VECTORS} ${equation}$") == [(written, standing)]


@given(st.text(alphabet="12+-×÷=≈√π^²()[]{}|$\\ ,.\nABxm°%C_frac", max_size=40))
def test_signs_cover_the_text_in_order(text: str) -> None:
    signs = signs_of(text)
    assert all(a.end <= b.start for a, b in itertools.pairwise(signs))
    assert all(0 <= sign.start < sign.end <= len(text) for sign in signs)
    for one in computed_equations(text):
        assert 0 <= one.start < one.end <= len(text)
