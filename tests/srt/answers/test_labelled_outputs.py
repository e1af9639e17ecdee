"""Whole outputs, from text to score under ``strict``: ``labelled_outputs.jsonl`` has right and wrong ones by gold.

The outputs are of our own making.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from srt.answers.equality import equal_to_gold
from srt.answers.equality.math_verify_client import shared_math_verify
from srt.answers.extraction import extract
from srt.corpora.gold_answers import read_gold
from srt.io.records import Answer, Problem

GROUPS = [orjson.loads(line) for line in (Path(__file__).parent / "labelled_outputs.jsonl").read_bytes().splitlines()]


def problem_of(group: dict[str, Any]) -> Problem:
    choices = group.get("choices", {})
    gold = Answer(kind="text", value=group["gold"])
    if not group.get("labels"):
        read = read_gold(group["gold"], choices, choice=bool(choices), question=group["question"]).answer
        assert read is not None
        gold = read
    return Problem(
        id="p",
        source="made-up",
        split="test",
        lang="en" if group["question"].isascii() else "zh",
        question=group["question"],
        choices=choices,
        labels=group.get("labels", []),
        answer=gold,
    )


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: f"{group['kind']}-{group['gold']}")
def test_scores(group: dict[str, Any]) -> None:
    problem = problem_of(group)
    accepted = []
    for output in (*group["right"], *group["wrong"]):
        found = extract(output, problem)
        read = found.text if found.answer is not None else None
        if read is not None and equal_to_gold(problem, read, same_formula=shared_math_verify().same).equal:
            accepted.append(output)
    assert accepted == group["right"]
