"""Gold answers as printed: what is a letter, a number, an expression, parts, and what stays text."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.corpora.gold_answers import is_letter, read_gold
from srt.io.records import Answer


@pytest.mark.parametrize(
    ("printed", "kind", "value", "unit"),
    [
        ("12", "number", 12, None),
        ("$-7.50$", "number", -7.5, None),
        ("Volume $=88.4 \\mathrm{~cm}^{3}$", "number", 88.4, "cm^3"),
        ("S.A. $=1,209.8$", "number", 1209.8, None),
        ("$r=5$", "number", 5, None),
        ("60cm³", "number", 60, "cm^3"),
        ("45^\\circ", "number", 45, "°"),
        ("7个", "number", 7, "个"),
        ("150平方厘米", "number", 150, "平方厘米"),
        ("$\\frac{2\\sqrt{5}}{5}$。", "expression", "\\frac{2\\sqrt{5}}{5}", None),
        ("$18 \\pi \\mathrm{cm}^{2}$", "expression", "18 \\pi", "cm^2"),
        ("2√3", "expression", "2√3", None),
        ("9 cm ## 9 cm\n\n[Analysis] Unfold the side.", "number", 9, "cm"),
        ("圆锥", "text", "圆锥", None),
        ("①③", "text", "①③", None),
        ("3或4", "text", "3或4", None),
        ("(1)(4)", "text", "(1)(4)", None),
        ("2 3", "text", "2 3", None),
        ("The distance is 15 cm.", "text", "The distance is 15 cm.", None),
        ("“国”", "text", "国", None),
        ("「我」", "text", "我", None),
        ('"red"', "text", "red", None),
        ("‘12’", "number", 12, None),
        ("“我”和“国”", "text", "“我”和“国”", None),
        ("AC'", "text", "AC'", None),
        ("【答案】 正方体", "text", "正方体", None),
        ("【答案】解：12 cm", "number", 12, "cm"),
        ("He buys 3 + 4 = <<3+4=7>>7 pens.\nThen 5 more.\n#### 12", "number", 12, None),
        ("So she has 1,000 + 77.\n#### 1,077", "number", 1077, None),
        ("First 5.\n#### 5\nNo, 6.\n#### 6 cm", "number", 6, "cm"),
        ("解 4×3=12 (个)\n\n答: 12 个。\n\n故答案为: 12 。", "number", 12, None),
    ],
)
def test_kinds(printed: str, kind: str, value: Any, unit: str | None) -> None:
    assert read_gold(printed, {}, choice=False).answer == Answer.model_validate(
        {"kind": kind, "value": value, "unit": unit}
    )


def test_parts() -> None:
    first = read_gold("(1) Prism; (2) $6 \\mathrm{~cm}$; (3) $8\\pi$", {}, choice=False).answer
    assert first is not None
    assert first.kind == "parts"
    assert [(one.kind, one.value, one.unit) for one in first.value] == [
        ("text", "Prism", None),
        ("number", 6, "cm"),
        ("expression", "8\\pi", None),
    ]
    for printed in ("$7 \\quad 9$", "7；9", "7，9"):
        answer = read_gold(printed, {}, choice=False).answer
        assert answer is not None
        assert [one.value for one in answer.value] == [7, 9]
    nested = read_gold("(1) 20 ; (2) (1) 40 grams; (2) 70 grams", {}, choice=False).answer
    assert nested is None or nested.kind == "text", "numbers of parts are not mixed up with numbers"


def test_what_leads_to_a_final_mark_is_the_explanation() -> None:
    gold = read_gold("Three and four.\n#### 7", {}, choice=False)
    assert gold.explanation == "Three and four."
    assert read_gold("7 #### ", {}, choice=False).explanation is None
    parts = read_gold("(1) 2×1=2 (2) 3×1=3 故答案为: 2，3。", {}, choice=False).answer
    assert parts is not None
    assert [one.value for one in parts.value] == [2, 3]


def test_letters() -> None:
    options = dict.fromkeys("ABCD", "")
    assert read_gold("$\\mathrm{C}$\n\n【解析】略", options, choice=True).answer == Answer(
        kind="choice_set", value=["C"]
    )
    assert read_gold("A、C", options, choice=True).answer == Answer(kind="choice_set", value=["A", "C"])
    assert read_gold("E", options, choice=True).answer is None, "a letter that is no option"
    assert read_gold("圆柱", {"A": "圆柱", "B": "圆锥"}, choice=True).answer == Answer(kind="choice_set", value=["A"])
    assert read_gold("12", {}, choice=True).answer is None
    assert is_letter("B")
    assert not is_letter("B, D")
    assert not is_letter("BC=3")


@pytest.mark.parametrize("printed", ["", "略", "见解析", "See the analysis\n\n[Analysis] From above.", "解" * 301])
def test_no_answer(printed: str) -> None:
    assert read_gold(printed, {}, choice=False).answer is None


def test_what_stood_behind_the_answer_is_kept() -> None:
    assert read_gold("5\n\n[Analysis] Count them.", {}, choice=False).explanation == "Count them."


@given(st.text(alphabet="$\\{}()（）=；;,，#.0123456789abcA 平方厘米cm^\n", max_size=200), st.booleans())
def test_any_text_is_read(printed: str, choice: bool) -> None:
    gold = read_gold(printed, {}, choice=choice)
    assert gold.answer is None or gold.answer.kind in ("choice_set", "number", "expression", "text", "parts")


def test_hostile_lengths_are_read_at_once() -> None:
    for unit in (" ", "(1)", "{", "[", "##", "a=", "\\quad ", "1,"):
        read_gold(unit * 200_000, {}, choice=False)


def test_hostile_answers_take_no_time() -> None:
    start = time.process_time()
    for printed in (
        "A" + " " * 50_000 + "1",
        "{" * 50_000 + "}" * 50_000,
        "1" + " " * 290 + "x",
        "1" + "\n" * 290 + "x",
    ):
        is_letter(printed)
        read_gold(printed, {}, choice=False)
    read_gold("x", {"A": "{" * 50_000 + "}" * 50_000, "B": "y"}, choice=True)
    assert time.process_time() - start < 2
