"""Every gold answer equals itself where an output states it; one that does not is named with what would be right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from srt.corpora import import_file, read_corpus
from srt.io.record_reader import read_records
from srt.io.records import Answer, Lang, Problem
from srt.judging.gold_fault import gold_fault
from srt.worlds.world_registry import worlds
from tests.published_copies import copy_in


def problem(kind: Any, value: Any, lang: Lang = "en", **fields: Any) -> Problem:
    answer = Answer.model_validate({"kind": kind, "value": value, "unit": fields.pop("unit", None)})
    return Problem(id="p", source="s", split="test", lang=lang, question="What is it?", answer=answer, **fields)


OPTIONS = {"A": "red", "B": "blue", "C": "green"}
MET = [
    problem("text", "国", "zh"),
    problem("text", "“国”", "zh"),
    problem("text", "a red cube"),
    problem("text", "It is a cube. Each face is red."),
    problem("text", "AB \\perp CD"),
    problem("number", 12.5, unit="%"),
    problem("number", 1e-07),
    problem("number", 27, unit="cm^3"),
    problem("expression", "\\frac{2\\sqrt{5}}{5}", unit="cm"),
    problem("boolean", False),
    problem("sequence", ["L", "R", "R"]),
    problem("choice_set", ["A", "C"], choices=OPTIONS),
    problem("choice_set", ["B"], "zh", choices=OPTIONS, single_choice=True),
    problem("text", "错误", "zh", labels=["正确", "错误"]),
    problem("parts", [{"kind": "number", "value": 6}, {"kind": "number", "value": 4, "unit": "cm"}]),
    # Parts with semicolons of their own are numbered.
    problem("parts", [{"kind": "number", "value": 9}, {"kind": "text", "value": "8; 1"}]),
]


@pytest.mark.parametrize("one", MET, ids=lambda one: repr(one.answer.value)[:30])
def test_gold_that_equals_itself(one: Problem) -> None:
    assert gold_fault(one) is None
    assert gold_fault(one.model_copy(update={"answer": None})) is None


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (problem("text", "Reasoning: 3+4 Answer: 7"), "if '7' is the answer, write that"),
        (
            problem("text", ""),
            "answer: '' is not read as an answer where an output states it; write letters of options",
        ),
        (problem("text", "<think>"), "is not read as an answer where an output states it"),
        (problem("text", "left\nright"), "an output that states 'left\\nright' is read as 'left'"),
        (problem("choice_set", ["D"], choices=OPTIONS), "answer: 'D' is not read as an answer"),
        (problem("choice_set", ["A", "C"], choices=OPTIONS, single_choice=True), "'A, C' is not one letter"),
        (
            problem("choice_set", ["A", "C"], choices=OPTIONS, instruction="One answer is correct."),
            "'A, C' is not one letter",
        ),
        (problem("text", "red", choices=OPTIONS, single_choice=True), "'red' is not one letter"),
    ],
)
def test_gold_that_no_output_can_meet(one: Problem, said: str) -> None:
    fault = gold_fault(one)
    assert fault is not None
    assert said in fault
    assert fault.startswith("answer: ")
    assert "\n" not in fault


def test_a_long_answer_is_quoted_in_part() -> None:
    fault = gold_fault(problem("text", "left\nright and on " * 40))
    assert fault is not None
    assert len(fault) < 400


def test_gold_has_to_earn_full_credit_where_a_benchmark_grades() -> None:
    one = problem("choice_set", ["A"], choices=OPTIONS)
    assert gold_fault(one, lambda _, given: float(given.value == ["A"])) is None
    fault = gold_fault(one, lambda _, given: 0.5)
    assert fault is not None
    assert "does not equal it" in fault


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_gold_of_every_world_equals_itself(lang: Lang) -> None:
    for world in worlds():
        sample = world.sampler({"lang": lang})
        for index in range(12):
            assert gold_fault(sample(index)) is None


def test_gold_of_the_published_corpora_equals_itself(tmp_path: Path) -> None:
    """SolidGeo's sample refuses none for it, SpaCE2025 has labels and letters only."""
    solidgeo, space = copy_in("SRT_SOLIDGEO"), copy_in("SRT_SPACE2025")
    summary = import_file("solidgeo", solidgeo, tmp_path / "problems.jsonl")
    assert "problem answer_cannot_be_met" not in summary.get("refused", {})
    assert all(gold_fault(one) is None for one in read_records(tmp_path / "problems.jsonl", Problem))
    checked = 0
    for file in ("jsi_demo", "rse_demo", "rsr_demo", "spr_en_train", "spr_zh_train"):
        for one in read_corpus("space2025", space / f"{file}.jsonl"):
            assert gold_fault(one) is None
            checked += one.answer is not None
    assert checked == 4060
