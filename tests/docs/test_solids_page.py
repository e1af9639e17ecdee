"""docs/solids.md: its trace is proved, its verdict is given, and its tables name what exists."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from srt.checking import check
from srt.io.records import Problem
from srt.language.text import parse
from srt.worlds.solids.sampling.sample_solid import Family, SolidsSettings
from srt.worlds.solids.solids_world import SolidsWorld
from srt.worlds.solids.statement import UNITS
from srt.worlds.solids.table import DIMENSION, KINDS, rules_of_kind

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "solids.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def test_the_trace_is_proved_and_the_false_formula_refuted_as_the_page_says() -> None:
    problem_text, solved = (
        "\n".join(map(str.strip, block.splitlines()))
        for block in re.findall(r"(?:^    .*\n)+", section("A trace"), re.M)
    )
    question, options = problem_text.splitlines()
    choices = dict(re.findall(r"([A-D])\. (\S+ \S+)", options))
    problem = Problem(id="p", source="solids", split="train", lang="en", question=question, choices=choices)
    trace = parse(solved).trace("t", "p")
    assert check(problem, trace).proved
    assert SolidsWorld().solve(problem).steps == trace.steps
    wrong = re.findall(r"With `([^`]+)` in step 5", section("A trace"))
    steps = list(trace.steps)
    steps[4] = steps[4].model_copy(update={"claim": wrong[0]})
    verdict = check(problem, trace.model_copy(update={"steps": tuple(steps)})).steps[4]
    assert (verdict.support, verdict.reason) == ("refuted", "the formula is not that of the solid")


def test_the_tables_name_what_exists() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", section("Settings"), re.MULTILINE)
    defaults = SolidsSettings().model_dump()
    assert [name for name, _ in rows] == list(defaults)
    for name, default in rows:
        value = defaults[name]
        shown = list(value) if isinstance(value, tuple) else value
        assert default.strip("`") == ("all" if name == "families" else str(shown))
    families = re.findall(r"^\| `(\w+)` \|", section("Kinds of problems"), re.MULTILINE)
    assert families == list(get_args(Family))
    assert all(plan in section("Plans, prose, splits, faults") for plan in list(SolidsWorld.plans)[1:])
    letters = set(re.findall(r"`([A-Za-z])`", section("Claims")))
    used = {rule.target[0] for kind in KINDS for rule in rules_of_kind(kind)}
    assert letters == used | {"a", "b", "h", "r", "R"} | (letters & set(DIMENSION))
    assert {"L", "mL", "deg"} < UNITS.keys()
    faults = SolidsWorld.extras.faults
    assert faults is not None
    planted = faults().planted
    assert all(f"`{fault}`" in section("Plans, prose, splits, faults") for fault in planted[:3])
    assert f"and {len(planted) - 3} that any trace can have" in section("Plans, prose, splits, faults")
