"""Every output of ``extraction_cases.jsonl`` is read as it must be: not one by chance, not one missed.

The outputs are of our own making. ``read`` is what is extracted (``null``: nothing), ``status`` how; ``right`` says,
for values, whether that equals gold under ``policy``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from srt.answers.equality import POLICIES, equal_to_gold
from srt.answers.equality.math_verify_client import shared_math_verify
from srt.answers.extraction import extract
from srt.io.records import Answer, Problem

CASES = [orjson.loads(line) for line in (Path(__file__).parent / "extraction_cases.jsonl").read_bytes().splitlines()]


def problem_of(case: dict[str, Any]) -> Problem:
    kind, gold = case["kind"], case.get("gold", ["A"])
    if kind == "parts":
        gold = [{"kind": "number", "value": value} for value in gold]
    return Problem(
        id=case["id"],
        source="made-up",
        split="test",
        lang=case.get("lang", "en"),
        question=case.get("question") or "Who sits across from Omar?",
        choices=case.get("choices", {}),
        answer=Answer(kind=kind, value=gold, unit=case.get("unit")),
        meta=case.get("meta", {}),
    )


def test_there_are_enough() -> None:
    assert len(CASES) >= 150
    assert len({case["id"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_reading(case: dict[str, Any]) -> None:
    problem = problem_of(case)
    found = extract(case["text"], problem, case.get("finish", "stop"))
    assert found.status == case["status"], (case["text"][-200:], found)
    assert (found.answer is not None) == (found.status == "ok")
    assert (found.text if found.answer else None) == case["read"], (case["text"][-200:], found)
    if case.get("right") is not None:
        assert problem.answer is not None
        assert found.text is not None
        outcome = equal_to_gold(problem, found.text, POLICIES[case["policy"]], shared_math_verify().same)
        assert outcome.equal == case["right"], (case, outcome)
