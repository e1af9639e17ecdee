"""A solution that ends with another answer than gold; what cannot be read says nothing."""

from __future__ import annotations

import time
from typing import Any

import pytest

from srt.curate.solutions import disagreement
from srt.io.records import Answer, Problem


def problem(answer: Any, kind: str, solution: str | None, unit: str | None = None) -> Problem:
    return Problem(
        id="p",
        source="s",
        split="train",
        lang="zh",
        question="?",
        choices=dict.fromkeys("ABCD", "") if kind == "choice_set" else {},
        answer=Answer.model_validate({"kind": kind, "value": answer, "unit": unit}),
        solution=solution,
    )


@pytest.mark.parametrize(
    ("answer", "kind", "solution"),
    [
        (["B"], "choice_set", "由图可知，故选C．"),
        (["B"], "choice_set", "故选：$\\mathrm{D}$\n【点睛】本题考查三视图。"),
        (["A"], "choice_set", "Option A fails. Therefore, the correct choice is: C."),
        (["A"], "choice_set", "So the answer is (B)."),
        (12, "number", "体积为3×5=15，故答案为：15。"),
        ("12\\pi", "expression", "So the answer is $13\\pi$."),
        ("\\frac{1}{2}", "expression", "Hence \\boxed{\\frac{1}{3}}."),
        ("2\\sqrt{3}", "expression", "故答案为 $3\\sqrt{2}$."),
    ],
)
def test_disagreements(answer: Any, kind: str, solution: str) -> None:
    said = disagreement(problem(answer, kind, solution))
    assert said is not None
    assert "gold is" in said


@pytest.mark.parametrize(
    ("answer", "kind", "solution"),
    [
        (["B"], "choice_set", "故选B"),
        (["B"], "choice_set", "选项C错误。"),
        (["B"], "choice_set", "The answer is AB = 5, so the figure follows."),
        (["B"], "choice_set", "The answer is a cube."),
        (["A", "C"], "choice_set", "故选AC"),
        (12, "number", "故答案为：12。"),
        (12, "number", "故答案为：12 cm."),
        (12, "number", "体积为15。"),
        (12, "number", "故答案为：x 或 15。"),
        (1.73, "number", "the answer is $\\sqrt{3}$ metres by 1.73"),
        (88.4, "number", "The answer is 88.36."),
        ("12\\pi", "expression", "故答案为 12π"),
        ("\\frac{1}{2}", "expression", "The answer is 0.5."),
        (12, "number", None),
        ("圆锥", "text", "故答案为：圆柱"),
    ],
)
def test_agreement_and_what_is_not_read(answer: Any, kind: str, solution: str | None) -> None:
    assert disagreement(problem(answer, kind, solution)) is None


def test_hostile_solutions_take_no_time() -> None:
    start = time.process_time()
    for unit in ("故", "故 ", "answer is ", "\\boxed{", "{", " "):
        disagreement(problem(["B"], "choice_set", unit * 50_000))
        disagreement(problem(3, "number", unit * 50_000))
    assert time.process_time() - start < 5


@pytest.mark.parametrize("start", ["choose", "故", "答案选"])
def test_blanks_without_end_take_no_time(start: str) -> None:
    begun = time.process_time()
    for blank in (" ", "\n", "\u3000"):
        for gold in (Answer(kind="choice_set", value=["A"]), Answer(kind="number", value=3)):
            disagreement(
                Problem(
                    id="a",
                    source="s",
                    split="train",
                    lang="zh",
                    question="q",
                    answer=gold,
                    solution=start + blank * 3990,
                )
            )
    assert time.process_time() - begun < 2
