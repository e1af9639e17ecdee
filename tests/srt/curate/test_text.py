"""Normal forms, facts that must not differ, shingles and the pairs that MinHash finds."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.curate.shingles import facts, jaccard, minhash_pairs, normal_form, shingles, signature, wording


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12. 如图，求体积。", "如图,求体积 ."),
        ("（3分）如图，求体积。", "如图，求体积"),
        ("The volume is ____ .", "The  Volume is (  )"),
        ("(1) Find $AB$.<image1>", "find AB"),
        ("边长为３", "边长为3。"),
        ("$8 \\mathrm{~cm}$", "8cm"),
        ("$A_{1}B_{1}C_{12}$", "A_1 B_1 C_12"),
        ("the volume (see the figure) is", "the volume, see the figure, is"),
    ],
)
def test_the_same_in_normal_form(one: str, other: str) -> None:
    assert normal_form(one) == normal_form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3.5 cm", "35 cm"),
        ("-2", "2"),
        ("a+b", "a-b"),
        ("3.5 is the edge", "5 is the edge"),
        ("x^2", "x2"),
        (r"\frac{1}{23}", r"\frac{12}{3}"),
        (r"\frac{a}{bc}", r"\frac{ab}{c}"),
        (r"\sqrt{2}3", r"\sqrt{23}"),
        (r"\sqrt{2}x", r"\sqrt{2x}"),
        ("2(3+4)5", "23+45"),
        ("2(x+3)", "2x+3"),
        ("the faces ★ and ☆", "the faces ☆ and ★"),
        ("the piece ■", "the piece □"),
        ("🧊", "🎲"),
    ],
)
def test_not_the_same_in_normal_form(one: str, other: str) -> None:
    assert normal_form(one) != normal_form(other)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("棱长为3的俯视图", "棱长为5的俯视图", False),
        ("它的俯视图是", "它的左视图是", False),
        ("求体积", "求表面积", False),
        ("the least number of cubes", "the largest number of cubes", False),
        ("由五个小正方体", "由5个小正方体", True),
        ("three cubes in the top view", "3 cubes, top view", True),
        ("topmost leftover", "other words", True),
    ],
)
def test_facts(one: str, other: str, same: bool) -> None:
    assert (facts(one) == facts(other)) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("求它的体积是多少", "求体积为多少", True),
        ("The five cubes in the box", "Please: 5 cubes in box.", True),
        ("求圆锥的体积", "求圆柱的体积", False),
        ("radius 3, height 4", "radius 4, height 3", False),
        ("the line b", "the line B", False),
        ("A cone", "a cone", True),
    ],
)
def test_the_wording(one: str, other: str, same: bool) -> None:
    assert (wording(one) == wording(other)) is same


@given(st.text(max_size=60))
def test_any_text_has_all_forms(text: str) -> None:
    assert jaccard(shingles(normal_form(text)), shingles(normal_form(text))) == 1.0
    facts(text)
    wording(text)


def test_hostile_texts_take_no_time() -> None:
    start = time.process_time()
    for unit in (" ", "(1)", "1 ", "第", "\\text", "\\text{", "<image", "(", "(a+", "}{", "_{", "1}{"):
        normal_form(unit * 20_000)
        facts(unit * 20_000)
        wording(unit * 20_000)
    assert time.process_time() - start < 5


def test_minhash_finds_near_texts_and_few_others() -> None:
    rng = random.Random(5)
    words = "solid edge cube view plane angle prism height base line point face figure section volume".split()  # noqa: SIM905
    texts = [normal_form(" ".join(rng.choices(words, k=30))) for _ in range(80)]
    copies = [text + "x" for text in texts[:40]]
    pairs = set(minhash_pairs(map(signature, texts + copies), 0.85, 50))
    assert sum((at, 80 + at) in pairs for at in range(40)) >= 39
    assert len(pairs) <= 45


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x ≥ 3", "x ≤ 3"),
        ("AB ⊥ CD", "AB ∥ CD"),
        ("2 × 3", "2 ÷ 3"),
        ("edges 3, 12", "edges 31, 2"),
        ("in the ratio 1:23", "in the ratio 12:3"),
        ("the length of A'B", "the length of AB'"),
        ("△ABC", "∠ABC"),
    ],
)
def test_signs_and_points_make_the_normal_form(one: str, other: str) -> None:
    assert normal_form(one) != normal_form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("AC′ 与 BD", "AC'与BD"), ("$A^{\\prime} B$", "A'B"), ("$A B C$ 中", "ABC中"), ("3、12", "3, 12")],
)
def test_the_same_points_are_the_same_facts(one: str, other: str) -> None:
    assert (normal_form(one), facts(one)) == (normal_form(other), facts(other))
