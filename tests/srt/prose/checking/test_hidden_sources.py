"""The answer and the official solution are no premises, and a step is in the language of its trace."""

from __future__ import annotations

from typing import Any

import pytest

from srt.checking import check
from srt.language.faults import Fault
from srt.language.premises import entity_word
from srt.language.trace import Step
from srt.prose.checking.assertion_language import written_in
from srt.prose.checking.hidden_sources import hidden_source


def step(text: str, *names: str) -> Step:
    return Step(op="INFER", args=tuple(map(entity_word, names)), assertion=text)


@pytest.mark.parametrize(
    "name",
    ["official solution", "answer", "The Answer", "gold", "answer key", "答案", "官方解答", "标准答案", "解析", "题解"],
)
def test_refused_premises(name: str) -> None:
    assert hidden_source(step("V = 60", name))


@pytest.mark.parametrize("name", ["front view", "answer sheet A4", "解析几何", "salt", "俯视图"])
def test_other_premises(name: str) -> None:
    assert hidden_source(step("V = 60", name)) is None


@pytest.mark.parametrize(
    "text",
    [
        "According to the answer, V = 60",
        "V = 60, as the official solution shows",
        "from the answer we see that V = 60",
        "since the correct option is B, it is a cube",
        "the answer key says 60",
        "V = 60, which matches the given answer",
        "根据答案，V = 60",
        "由官方解答可知 V = 60",
        "参考答案为60",
        "答案给出 V = 60",
        "因为正确答案是B",
        "the solution computes that V = 60",
        "as shown in the solution, V = 60",
        "the provided analysis states that V = 60",
        "the answer is 60, so the height is 5",
        "答案为60，所以高为5",
        "如解答所示，V = 60",
        "标答的结果是60",
        "由于正确选项是C，V = 60",
    ],
)
def test_phrases_that_rest_on_the_answer(problem: Any, trace: Any, text: str) -> None:
    assert hidden_source(step(text))
    lang = "en" if text.isascii() else "zh"
    box = problem("3 4 5 60", lang=lang)
    (verdict,) = check(box, trace(f"INFER question | {text}: 3 * 4 * 5 = 60", lang=lang)).steps
    assert (verdict.support, verdict.fault) == ("consistent", Fault.ANSWER_CITED)


@pytest.mark.parametrize(
    "text",
    [
        "so the answer is 60",
        "the correct option is B",
        "from the answer choices, only B has six faces",
        "using the solution of 3^2 + h^2 = 5^2",
        "by the solution set of the inequality",
        "故选B，答案为60",
        "由解析式得 y = 2",
        "根据答案选项",
        "解得 h = 4",
        "an analysis of the net shows six faces",
        "the salt solution fills the cylinder to a height of 4",
        "substituting the solution r = 3 gives V = 36",
        "利用解析几何的方法，直线的方程为 y=x",
        "综上，答案为60",
    ],
)
def test_phrases_that_state_an_answer(text: str) -> None:
    assert hidden_source(step(text)) is None


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("the base of the cone is a circle", "en"),
        ("圆锥的底面是一个圆", "zh"),
        ("V = 3 * 4 = 12", None),
        ("so V = 12", None),
        ("线段 AB 与平面 PBC 垂直", "zh"),
        ("\\text{the base of the cone} = 3", None),
        ("the front view (主视图) is a triangle", "en"),
        ("所以 $\\triangle ABC$ 是等边三角形 (equilateral)", "zh"),
    ],
)
def test_the_language_of_a_step(text: str, lang: str | None) -> None:
    assert written_in(text) == lang


def test_a_step_in_another_language_is_named(problem: Any, trace: Any) -> None:
    (verdict,) = check(problem("3 and 4"), trace("INFER question | 所以底面积等于 3 * 4 = 12")).steps
    assert (verdict.support, verdict.fault) == ("consistent", Fault.ANOTHER_LANGUAGE)
    assert verdict.reason == "is in Chinese, its trace in English"
