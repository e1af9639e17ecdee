"""docs/seating.md: the fields of a specification are those of the code, and so are its split keys and its trace."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import yaml

from srt.checking import check
from srt.io.records import Problem
from srt.language.text import linearize
from srt.worlds.seating.canonical_key import canonical_key
from srt.worlds.seating.claim_language import parse_claim
from srt.worlds.seating.sampling.sample_spec import SampleSpec
from srt.worlds.seating.sampling.sampler import sample
from srt.worlds.seating.scenes import Scene
from srt.worlds.seating.seating_world import SeatingWorld

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "seating.md").read_text(encoding="utf-8")
SECTION = PAGE.split("## Sampling problems\n", 1)[1].split("\n## ", 1)[0]


def test_fields_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", SECTION, re.MULTILINE)
    fields = {field for row in rows for field in re.findall(r"`(\w+)`", row)}
    assert fields == set(SampleSpec.model_fields) - {"split"}


def test_the_specification_of_the_page() -> None:
    [shown] = re.findall(r"YAML file such as\n\n((?:    .*\n)+)", SECTION)
    spec = SampleSpec.parse(yaml.safe_load(shown))
    assert {sample(spec, index).meta["scene"] for index in range(6)} == {"booth", "hexagon-in"}


def test_one_relation_said_from_either_side_gives_two_keys() -> None:
    left, right = re.findall(r"`(left\(\w+\) = \w+)` and `(right\(\w+\) = \w+)` are two clues", SECTION)[0]
    seats = {"Ann": "S1", "Bob": "S2", "Cal": "N1", "Dee": "N2"}
    renamed = {"Eve": "N1", "Fay": "N2", "Gus": "S1", "Hal": "S2"}

    def key(clue: str, other: str, question: str, placement: dict[str, str]) -> str:
        return canonical_key(Scene("booth", "none"), map(parse_claim, (clue, other)), parse_claim(question), placement)

    of_left, of_right = (key(clue, "right(Cal) = Dee", "? = across(Ann)", seats) for clue in (left, right))
    assert of_left != of_right
    assert key("right(Gus) = Hal", "left(Fay) = Eve", "? = across(Eve)", renamed) == of_left


def test_the_trace_with_a_running_plan() -> None:
    question, options, shown = re.findall(
        r"in the whole plan\.\n\n(.*?)\n\nWith the options (.*?), the trace is\n\n(.*?)\n\n", PAGE, re.DOTALL
    )[0]
    problem = Problem(
        id="p",
        source="docs",
        split="test",
        lang="en",
        question=textwrap.dedent(question),
        choices={option[0]: option[2:] for option in options.split(", ")},
    )
    trace = SeatingWorld().solve(problem, "running")
    assert linearize(trace) == textwrap.dedent(shown)
    assert check(problem, trace).proved
