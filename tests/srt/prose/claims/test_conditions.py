"""Equations that are set up to be solved, values that change, and proofs that would not notice an error."""

from __future__ import annotations

import pytest

from srt.maths.syntax.expression import normal_form
from srt.maths.syntax.lexing.lexer import tokens_of
from srt.maths.syntax.readings import readings_of
from srt.prose import check_prose
from srt.prose.claims.perturbation import changed


def supports(text: str, *givens: str) -> list[str]:
    return [check.support for check in check_prose(text, givens=givens)]


@pytest.mark.parametrize(
    "text",
    [
        r"$R^2=h^2+4=(3-h)^2+1$, so $h=1$",
        r"$V=\frac{2}{3}\pi r^3=6\pi r^2$, so $r=9$",
        r"$PC=\sqrt{x^2+9}=2x$",
        r"$|PM|=\sqrt{(x-2)^2+1}=\sqrt{x^2+5}=|PN|$",
        r"$\sin\beta=\frac{x}{\sqrt{x^2+4}}=\frac{1}{\sqrt{x^2+1}}$",
        r"$\tan 2b=\frac{2\tan b}{1-\tan^2 b}=\frac{1}{3-\tan b}$",
        r"$PQ^2=(x-1)^2+y^2=(x+1)^2+y^2$",
        r"$w=\frac{(3+i)(1+i)}{(1-i)(1+i)}=\frac{2+4i}{2}$",
    ],
)
def test_an_equation_to_be_solved_is_no_error(text: str) -> None:
    assert "refuted" not in supports(text)


def test_what_no_positive_value_makes_true_is_an_error() -> None:
    assert supports(r"$V=\frac13\cdot 2x^2\cdot 3x=2x^3$")[-1] != "refuted"
    assert supports(r"$V=\frac13\cdot 2x^2\cdot 3x=5x^3$")[-1] == "refuted"
    assert supports(r"$S=(x-1)(x-4)=x^2-5x+3$")[-1] == "refuted"


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("r=2", "展开后扇形的半径 $r=6$"),
        ("AB=3", "放大后 $AB=9$"),
        ("c=4", "新的 c=4+3=7"),
        ("h=2，水深变为7", "h=7, V=3×7=21"),
        ("", r"$V=a^3$, $a=2$, and of the ball $V=\frac43\pi\cdot 3^3=36\pi$"),
    ],
)
def test_a_new_value_of_a_name_is_no_error(given: str, text: str) -> None:
    assert "refuted" not in supports(text, given)


def test_a_proof_that_would_not_notice_an_error_is_none() -> None:
    identity = r"$T=(a+b)^2=a^2+2ab+b^2$"
    assert supports(identity)[-1] == "consistent"
    assert supports(identity.replace("2ab", "3ab"))[-1] == "consistent"
    coordinates = r"A(0,0,0), B(1,2,2), n=(x,y,z), $n\cdot\overrightarrow{AB}=x+2y+2z$"
    assert supports(coordinates)[-1] == "computed"
    assert supports(coordinates.replace("+2z", "+3z"))[-1] == "refuted"


def test_a_step_that_claims_one_thing_is_held_to_what_it_cites() -> None:
    assert supports("h = 12", "5^2 + h^2 = 13^2") == ["computed"]
    assert supports("h = 11", "5^2 + h^2 = 13^2") == ["refuted"]
    assert supports("a + b = 9", "a = 4", "b = 5") == ["computed"]
    assert supports("a + b = 8", "a = 4", "b = 5") == ["refuted"]


def test_changes_are_one_at_a_time() -> None:
    side = readings_of([tokens_of("2×3^2-5")])
    found = {(kind, normal_form(left.trees[0])) for kind, left, _ in changed(side, side)}
    assert {("number", "3*3^2 - 5"), ("exponent", "2*3^3 - 5"), ("sign", "2*3^2 + 5")} <= found
    assert all((left == side) != (right == side) for _, left, right in changed(side, side))
