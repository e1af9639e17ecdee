"""docs/benchmarks.md: it lists every benchmark with its options, and its commands exist."""

from __future__ import annotations

import re
from pathlib import Path

from eval.benchmarks.benchmark_registry import BENCHMARKS
from srt.cli.command_table import COMMANDS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md").read_text(encoding="utf-8")


def test_every_benchmark_is_on_the_page() -> None:
    listed = set(re.findall(r"^\| `([\w-]+)` \|", PAGE, re.MULTILINE))
    assert listed == set(BENCHMARKS)
    for name, benchmark in BENCHMARKS.items():
        [row] = re.findall(rf"^\| `{re.escape(name)}` \|.*\| ([^|]*)\|$", PAGE, re.MULTILINE)
        assert re.findall(r"`(\w+)`", row) == list(benchmark.options), name


def test_the_commands_of_the_page_exist() -> None:
    commands = set(COMMANDS)
    named = set(re.findall(r"(?:^    |`)srt ([a-z-]+)", PAGE, re.MULTILINE))
    assert named <= commands, named - commands
