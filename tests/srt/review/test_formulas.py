"""Formulas are found in time proportional to the text, and drawn from a small set of elements, whatever is in them."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.review.formulas import LONGEST, MOST_DRAWN, Drawing, find_formulas
from srt.review.page_view import pieces

ELEMENTS = {"math", "mrow", "mi", "mo", "mn", "mtext", "mspace", "mstyle", "menclose", "msqrt", "mroot", "mfrac"}
ELEMENTS |= {"msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "none"}
ELEMENTS |= {"mtable", "mtr", "mtd"}
ATTRIBUTES = {"xmlns", "display", "displaystyle", "scriptlevel", "stretchy", "fence", "form", "accent", "accentunder"}
ATTRIBUTES |= {"largeop", "movablelimits", "mathvariant", "columnalign", "rowlines", "columnlines", "notation"}
ATTRIBUTES |= {"width", "linethickness", "lspace", "rspace", "minsize", "maxsize"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a $x$ b", ["$x$"]),
        ("$a$$b$", ["$a$", "$b$"]),
        ("from $5 to $6", []),
        ("cost $5 and $6 ok $x$", ["$x$"]),
        ("\\$5 and $x$", ["$x$"]),
        ("$x\ny$ $z$", ["$z$"]),
        ("$$x\ny$$", ["$$x\ny$$"]),
        ("\\(a \\( b \\) c", ["\\( b \\)"]),
        ("\\[ a \\\\[2pt] b \\]", ["\\[ a \\\\[2pt] b \\]"]),
        ("$ $ $$ $$$$", []),
        ("\\frac{22}{7} - \\pi", ["\\frac{22}{7} - \\pi"]),
        ("V = 12\\pi, option A", []),
        ("right(Ann) = Bob", []),
        ("$因为四边形都是平行四边形，AB\\perp CD，$", ["AB\\perp CD"]),
        (f"${'x' * (LONGEST + 1)}$", []),
    ],
)
def test_where_formulas_are(text: str, found: list[str]) -> None:
    assert [text[one.start : one.end] for one in find_formulas(text)] == found


@pytest.mark.parametrize(
    "body",
    [
        "\\frac{1}{",
        "\\unknown{x}",
        "\\def\\a{\\b\\b}\\def\\b{x}\\a",
        "\\newcommand{\\a}{x}\\a",
        "\\href{javascript:alert(1)}{x}",
        "\\color{white}{x}",
        "\\phantom{x}",
        "\\cancel{x}",
        "\\rlap{x}y",
        "\\hspace{-9em}x",
        "\\hspace{99999em}x",
        "50% of x",
    ],
)
def test_what_is_unknown_or_would_hide_something_is_not_drawn(body: str) -> None:
    assert Drawing().draw(body) is None


def test_markup_is_text() -> None:
    drawn = Drawing().draw("\\text{<script>alert(1)</script>} <b>")
    assert drawn is not None
    assert "<script>alert(1)</script>" in texts(drawn)
    check(drawn)


UNITS = ["\\(", "\\[", "$", "$$", "$x", "$x$", "$1", "{", "^", "_", "x'", "\\frac", "\\sqrt[", "\\left(", "\\not", "&"]
UNITS += ["\\begin{matrix}", "\\\\", "\\text{", "a\\over ", "\\sqrt{", "\\overset", "&#x41;", "\0", "\U0001f600", "面"]


@pytest.mark.parametrize("unit", UNITS)
def test_hostile_texts_end(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    assert "".join(piece["text"] for piece in pieces(text, (), Drawing())) == text
    drawn = Drawing().draw((unit * LONGEST)[:LONGEST])
    if drawn is not None:
        check(drawn)


def test_only_so_much_is_drawn() -> None:
    drawing = Drawing()
    assert sum(drawing.draw(f"x_{{{n}}}") is not None for n in range(MOST_DRAWN)) < MOST_DRAWN / 4


MORE = ["x", "}", "\\right)", "2", " ", "\\end{matrix}", "\\hspace{", "\\class{", "<b>"]


@given(st.lists(st.sampled_from([*UNITS, *MORE]), max_size=25))
def test_only_known_elements_and_attributes_are_drawn(parts: list[str]) -> None:
    drawn = Drawing().draw("".join(parts))
    if drawn is not None:
        check(drawn)


def check(node: list[Any]) -> None:
    element, attributes, *children = node
    assert element in ELEMENTS
    assert attributes.keys() <= ATTRIBUTES
    assert not any("script:" in value for value in attributes.values())
    for child in children:
        if not isinstance(child, str):
            check(child)


def texts(node: list[Any]) -> str:
    return "".join(child if isinstance(child, str) else texts(child) for child in node[2:])


@pytest.mark.parametrize("unit", ["{%s}", "\\sqrt{%s}", "x^{%s}", "\\left(%s\\right)", "\\frac{1}{%s}"])
def test_a_formula_within_formulas_is_sent_or_stays_text(unit: str) -> None:
    """A deep drawing could not be written as JSON, and the case not be shown."""
    start, end = unit.split("%s")
    for depth in (5, 50, 100, 300):
        body = start * depth + "x" + end * depth
        drawn = Drawing().draw(body) if len(body) <= LONGEST else None
        orjson.dumps({"view": [{"pieces": [{"math": drawn}]}]})
        assert drawn is not None or depth > 5
