"""No text makes the check raise, run long, or point outside the text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srt.maths.equal_values import equal_values
from srt.maths.syntax.lexing.lexer import tokens_of
from srt.maths.words import word_set
from srt.prose import check_prose
from srt.prose.claims import find
from srt.prose.claims.check_prose import LONGEST_TEXT

PIECES = word_set(
    r"\frac { } ( ) [ ] \left( \right) = ≈ < > \leq 1 2 3 12 3.14 10^{10^{10}} 9^9^9^9 ^ _ x y AB "
    r"\overrightarrow{AB} \sqrt \sqrt[3] √ π \pi \sin \cos ^\circ ° + - × \times \cdot / ÷ | , ， 。 . ; : $ $$ "
    r"\( \) \\ & \begin{aligned} cm cm^2 平方厘米 若 则 所以 the of if \text{ m} ! % ± \pm \langle \rangle \angle "
    r"\triangle S_{\triangle C_6^2 (1,2,3) 等于 ... ' ² ½ 1\frac12 \n A1B1 \vec{a} {,} 1,000 \binom \boxed{ f(2) "
    r"100000! C_{500}^{250} \left\{ ∴ <image_1> ~ log_2(8) \log floor( gcd( ÷2π 0.(3) 3,14 sin 30+20% 2\frac{1}{4} "
    r"area 体积为 V of"
)


@settings(max_examples=60)
@given(st.lists(st.sampled_from(sorted(PIECES)), max_size=80), st.sampled_from(["", " "]))
def test_scraps_of_formulas(pieces: list[str], between: str) -> None:
    text = between.join(pieces)
    for check in check_prose(text, givens=[text[:40]]):
        assert 0 <= check.start < check.end <= len(text)
    equal_values(text, text)


@pytest.mark.long
@settings(max_examples=25)
@given(st.lists(st.sampled_from(sorted(PIECES)), min_size=1, max_size=12))
def test_of_a_megabyte_only_the_beginning_is_read(pieces: list[str]) -> None:
    line = " ".join(pieces) + " "
    text = (line * (1_000_000 // len(line) + 1))[:1_000_000]
    with pytest.MonkeyPatch.context() as patch:
        read: list[str] = []
        patch.setattr(find, "tokens_of", lambda text, lang: read.append(text) or tokens_of(text, lang))
        check_prose(text, givens=[text])
    assert [len(one) for one in read] == [LONGEST_TEXT, LONGEST_TEXT]


@settings(max_examples=40)
@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    check_prose(text, givens=[text])


@pytest.mark.parametrize(
    "text",
    [
        "9^9^9^9 = 1",
        "$10^{10^{10}} = 3$",
        "(" * 3000 + "1=1",
        "\\triangle " * 3000 + "A = 1",
        "\\mathrm{A}" * 3000 + " = 1",
        "{" * 2000 + "=" * 2000,
        "√" * 2000 + "2=1",
        r"\sqrt{" * 60 + "2" + "}" * 60 + "=1",
        "100000000000000000000! = 1",
        "(((1+2)^{99})^{99})^{99} = 1",
        "(1+√2)^{200}(1+√3)^{200} = 1",
        "x^2+y=3, " * 400,
        "x=1," * 700,
        "1=2=" * 400,
        "\n" * 15000 + "=1",
        "$" * 9999,
        "$" * 50_000 + "1=1" + "$" * 3001,
        r"$V=\frac{1}{3}\pi r^2h=\frac13 h\pi r^2=\frac14 h\pi r^2$, " * 300,
        "12+22+32+42=52+62; " * 1000,
        " ".join(f"a_{{{k}}}={k}." for k in range(3000)),
        "A" * 700 + "=1",
        "n=(x,y,z), n·AB=0, " * 100 + "n=(1,2,3)",
    ],
    ids=lambda text: text[:12],
)
def test_a_hostile_text_is_answered_fast(text: str) -> None:
    began = time.process_time()
    check_prose(text, givens=[text])
    assert time.process_time() - began < 8


def test_what_is_too_large_is_unchecked() -> None:
    assert [check.support for check in check_prose("9^9^9^9 = 1")] == ["unchecked"]
