"""docs/routes.md: its trace is proved, its verdicts are given, and its tables name what exists."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from srt.checking import check
from srt.io.records import Problem
from srt.language.text import parse
from srt.worlds.routes.derivation.claims import parse_claim
from srt.worlds.routes.routes_world import RoutesWorld
from srt.worlds.routes.sampling.sample_route import RoutesSettings
from srt.worlds.routes.walk import Asked

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "routes.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def blocks(title: str) -> list[str]:
    found = re.findall(r"(?:^    .*\n)+", section(title), re.MULTILINE)
    return ["\n".join(line.strip() for line in block.splitlines()) for block in found]


def test_the_trace_is_proved_and_a_false_claim_refuted_as_the_page_says() -> None:
    text, solved = blocks("A trace")
    question, _, options = text.rpartition("\n")
    choices = dict(re.findall(r"([A-D])\. (\w+)", options))
    problem = Problem(id="p", source="routes", split="train", lang="en", question=question, choices=choices)
    trace = parse(solved).trace("t", "p")
    assert check(problem, trace).proved
    assert RoutesWorld().solve(problem).steps == trace.steps
    steps = list(trace.steps)
    steps[2] = steps[2].model_copy(update={"claim": "facing(2) = south"})
    verdicts = check(problem, trace.model_copy(update={"steps": tuple(steps)})).steps
    assert [verdict.support for verdict in verdicts] == ["proved", "proved", "refuted", "refuted"]
    assert [f"`{verdict.counterexample}`" in section("A trace") for verdict in verdicts] == [False, False, True, True]


def test_the_problem_of_that_number_is_the_one_of_the_page() -> None:
    number = re.search(r"number (\d+)", section("Settings"))
    assert number is not None
    sampler = RoutesWorld().sampler({"lang": "en", "kinds": ["facing"], "legs": [1, 1], "longest": 0})
    problem = sampler(int(number[1]))
    text, solved = blocks("A trace")
    assert problem.question == text.rpartition("\n")[0]
    assert "  ".join(f"{letter}. {option}" for letter, option in problem.choices.items()) in text
    assert RoutesWorld().solve(problem).steps == parse(solved).trace("t", "p").steps


def test_the_tables_name_what_exists() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", section("Settings"), re.MULTILINE)
    defaults = RoutesSettings().model_dump()
    assert [name for name, _ in rows] == list(defaults)
    for name, default in rows:
        value = defaults[name]
        shown = list(value) if isinstance(value, tuple) else value
        assert default.strip("`") == ("all" if name == "kinds" else str(shown))
    kinds = re.findall(r"^\| `(\w+)` \|", section("Kinds of problems"), re.MULTILINE)
    assert sorted(kinds) == sorted(get_args(Asked))
    claims = re.findall(r"^\| `([^`]+)` \|", section("Claims"), re.MULTILINE)
    assert len({parse_claim(claim).name for claim in claims}) == len(claims) == 11
    assert all(plan in section("Plans, prose, pictures") for plan in RoutesWorld.plans)
    faults = RoutesWorld.extras.faults
    assert faults is not None
    planted = faults().planted
    assert all(f"`{fault}`" in section("Faults and measurements") for fault in planted[:3])
    assert f"and {len(planted) - 3} that any trace can have" in section("Faults and measurements")
