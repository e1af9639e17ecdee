"""Right and wrong outputs of our own making, by question: right ones are accepted, wrong ones refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from srt.answers.equality import equal_to_gold
from srt.answers.extraction import extract
from srt.corpora.gold_answers import read_gold
from srt.io.records import Answer, Problem

FILES = ("outputs_by_shape.jsonl", "outputs_by_value.jsonl")
LINES = [line for name in FILES for line in (Path(__file__).parent / name).read_bytes().splitlines()]
GROUPS = [orjson.loads(line) for line in LINES]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: f"{group['kind']} {group['gold']} {group['question'][:20]}")
@pytest.mark.parametrize("label", ["right", "wrong"])
def test_outputs(group: dict[str, Any], label: str) -> None:
    choices = group["choices"] or {}
    letters = group["kind"] in ("choice", "choice_set")
    read = read_gold(group["gold"], choices, choice=letters, question=group["question"]).answer
    problem = Problem(
        id="made-up",
        source="made-up",
        split="test",
        lang=group["lang"],
        question=group["question"],
        choices=choices,
        labels=group["labels"] or [],
        answer=Answer(kind="text", value=group["gold"]) if group["labels"] else read,
    )
    assert [output for output in group[label] if _accepted(problem, output) != (label == "right")] == []


def _accepted(problem: Problem, output: str) -> bool:
    found = extract(output, problem)
    return found.text is not None and found.answer is not None and equal_to_gold(problem, found.text).equal
