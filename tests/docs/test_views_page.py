"""docs/views.md: its trace is proved, and its tables name what exists."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from srt.checking import check
from srt.io.records import Problem
from srt.language.text import parse
from srt.worlds.views.claim_language import ClaimSyntaxError, Form, parse_claim
from srt.worlds.views.sampling.problem_draft import Kind
from srt.worlds.views.sampling.sampler import ViewsSpec

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "views.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def test_the_trace_is_proved() -> None:
    text = "\n".join(line.strip() for line in section("A trace").splitlines() if line.startswith("    "))
    problem = Problem(
        id="p",
        source="views",
        split="train",
        lang="en",
        question="A solid is built of equal cubes. Every cube stands on the table or exactly on another cube.\n"
        "Its front view and top view are shown.\nWhat is the least number of cubes that it can have?",
        meta={
            "figures": [
                {"type": "view", "name": "front", "rows": ["#.", "##", "##"]},
                {"type": "view", "name": "top", "rows": ["##", "#."]},
            ]
        },
    )
    assert check(problem, parse(text).trace("t", "p")).proved


def test_every_form_of_claim_is_in_the_table() -> None:
    forms = set()
    for line in section("Claims").splitlines():
        if line.startswith("| `"):
            for text in re.findall(r"`([^`]+)`", line.split("|")[1]):
                try:
                    forms.add(parse_claim(text.replace("..", "a1") + (" = 1" if "{..}" in text else "")).form)
                except ClaimSyntaxError as error:
                    raise AssertionError(f"docs/views.md: {text}") from error
    assert forms == set(get_args(Form))


def test_kinds_and_fields_are_those_of_the_code() -> None:
    kinds = set(re.findall(r"^\| `(\w+)` \|", section("Kinds of problems").split("A specification")[0], re.MULTILINE))
    assert kinds == set(get_args(Kind))
    rows = re.findall(
        r"^\| ((?:`\w+`(?:, )?)+) \|", section("Kinds of problems").split("A specification")[1], re.MULTILINE
    )
    fields = {field for row in rows for field in re.findall(r"`(\w+)`", row)}
    assert fields == set(ViewsSpec.model_fields) - {"split"}
