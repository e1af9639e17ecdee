"""Answers from a closed list of labels, with negation and in other words."""

from __future__ import annotations

import pytest

from srt.answers.extraction import extract
from srt.answers.labels import read_label
from srt.io.records import Answer, Problem

TRUTH, SAME = ["正确", "错误"], ["相同", "不同"]


@pytest.mark.parametrize(
    ("text", "labels", "label"),
    [
        ("正确", TRUTH, "正确"),
        ("对。", TRUTH, "正确"),
        ("不对", TRUTH, "错误"),
        ("错误，因为正确的位置在左边", TRUTH, "错误"),
        ("这个说法并不正确", TRUTH, "错误"),
        ("这个推断没有错误", TRUTH, "正确"),
        ("是正确的", TRUTH, "正确"),
        ("不是错误，而是正确", TRUTH, "正确"),
        ("表达是否正确很难说", TRUTH, None),
        ("可能正确，可能错误", TRUTH, None),
        ("它在桌子对面", TRUTH, None),
        ("两者不同", SAME, "不同"),
        ("意义不完全相同", SAME, "不同"),
        ("没有不同", SAME, "相同"),
        ("用词不同，但意义相同", SAME, "相同"),
        ("主语相同，意义却不一样", SAME, "不同"),
        ("位置一样", SAME, "相同"),
        ("信息不足", SAME, None),
        ("not the same", SAME, "不同"),
    ],
)
def test_read_label(text: str, labels: list[str], label: str | None) -> None:
    assert read_label(text, labels) == label


@pytest.mark.parametrize(
    ("output", "label"),
    [
        ("错误\n\n理由：正确的说法是他在门外。", "错误"),
        ("先看第一句。\n再看第二句。\n该推断不正确。", "错误"),
        ("答案：错误，因为正确的推断与此相反。", "错误"),
        ("\\boxed{正确}", "正确"),
        ("要判断这句话正确与否，先看方位。\n结论：错误。", "错误"),
        ("<think>\n是正确吧？\n</think>\n错误", "错误"),
        ("这里说的是正确的路线。\n无法判断。", None),
        ("请回答正确或错误。", None),
        ("<think>\n应该是正确", None),
    ],
)
def test_outputs(output: str, label: str | None) -> None:
    problem = Problem(
        id="p",
        source="made-up",
        split="test",
        lang="zh",
        question="判断是否正确。",
        labels=TRUTH,
        answer=Answer(kind="text", value="正确"),
    )
    found = extract(output, problem)
    assert found.text == label if label else found.status == "no_answer"
