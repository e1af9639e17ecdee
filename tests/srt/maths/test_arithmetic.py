"""Random arithmetic in every style of writing: what is true is proved, what is false refuted."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from srt.maths.equal_values import equal_values
from srt.prose import check_prose

Sum = tuple[str, Fraction]
"""A sum in a neutral form (``*``, ``/``, ``{a|b}`` for a fraction, ``a^2``) and its value."""


@st.composite
def atoms(draw: st.DrawFn) -> Sum:
    a, b = draw(st.integers(1, 60)), draw(st.integers(2, 12))
    form = draw(st.sampled_from(["whole", "fraction", "square", "group"]))
    if form == "fraction":
        return f"{{{a}|{b}}}", Fraction(a, b)
    if form == "square":
        return f"{a}^2", Fraction(a * a)
    if form == "group":
        return f"({a}+{b})", Fraction(a + b)
    return str(a), Fraction(a)


@st.composite
def sums(draw: st.DrawFn) -> Sum:
    total, value = "", Fraction(0)
    for place in range(draw(st.integers(1, 3))):
        term, size = draw(atoms())
        for _ in range(draw(st.integers(0 if place else 1, 2))):
            factor, more = draw(atoms())
            term, size = f"{term}*{factor}", size * more
        minus = place > 0 and draw(st.booleans())
        total += ("-" if minus else "+" if place else "") + term
        value += -size if minus else size
    return total, value


def latex(neutral: str) -> str:
    text = neutral.replace("*", r" \times ").replace("^2", "^{2}")
    return "$" + text.replace("{", "\\frac{").replace("|", "}{").replace(r"^\frac{2}", "^{2}")


def unicode(neutral: str) -> str:
    return neutral.replace("{", "(").replace("|", "/").replace("}", ")").replace("*", " × ").replace("^2", "²")


def chinese(neutral: str) -> str:
    wide = unicode(neutral).replace("(", "（").replace(")", "）").replace("+", "＋").replace("-", "－")
    return f"所以总数为{wide}"


def shown(value: Fraction, style: str) -> str:
    if style == "latex":
        sign = "-" if value < 0 else ""
        whole = value.denominator == 1
        return f"={value}$." if whole else f"={sign}\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}$."
    return f" = {value} , so" if style == "unicode" else f"＝{value}（个）。"


STYLES = {"latex": latex, "unicode": unicode, "chinese": chinese}


@settings(max_examples=50)
@given(sums(), st.sampled_from(sorted(STYLES)))
def test_true_sums_are_proved(sum_: Sum, style: str) -> None:
    neutral, value = sum_
    text = STYLES[style](neutral) + shown(value, style)
    (check,) = check_prose(text)
    assert check.support == "computed", text
    assert text[check.end - 1] in "0123456789}"
    assert text[check.start] in "0123456789\\(（"


@settings(max_examples=50)
@given(sums(), st.sampled_from(sorted(STYLES)), st.integers(-9, 9).filter(bool))
def test_false_sums_are_refuted(sum_: Sum, style: str, off: int) -> None:
    neutral, value = sum_
    # A text without any raised digit may have lost them (``11 × 11 = 112``), and is left open.
    raised = "5² = 25. "
    *_, check = check_prose(raised + STYLES[style](neutral) + shown(value + off, style))
    assert check.support == "refuted"
    assert check.counterexample


@settings(max_examples=40)
@given(sums(), sums())
def test_equal_values_agrees_with_fractions(a: Sum, b: Sum) -> None:
    assert equal_values(latex(a[0]) + "$", unicode(b[0])) == (a[1] == b[1])
    assert equal_values(latex(a[0]), unicode(a[0])) is True


def test_equal_values_of_answers() -> None:
    assert equal_values(r"$\frac{\sqrt{6}}{6}$", "√6/6") is True
    assert equal_values(r"\frac{4\sqrt 15}{5}", r"\frac{4}{5}\sqrt{15}") is True
    assert equal_values("12π", "36") is False
    assert equal_values(r"24 \pi \mathrm{cm}^{2}", "24π cm²") is True
    assert equal_values("2 m", "200 cm") is True
    assert equal_values("2 m", "2 cm") is False
    assert equal_values("0.5", r"\frac12") is True
    assert equal_values("0.33", r"\frac13") is False
    assert equal_values("(1,2)", "(1,3)") is False
    assert equal_values("(1,√4)", "(1,2)") is True
    assert equal_values("C", "3") is None
    assert equal_values("", "3") is None
    assert equal_values("the red one", "3") is None
    assert equal_values("2(x+1)", "2+2x") is True
    assert equal_values("x+1", "x+2") is False
    assert equal_values("x+1", "y+1") is None
    assert equal_values("0.333", "1/3") is False
    assert equal_values("9^9^9^9", "1") is None
