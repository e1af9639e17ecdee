"""docs/benchmarks.md: its example of a new benchmark runs, from the user's file to its table; its commands exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import typer.main

from eval.backends.fake import FakeBackend
from eval.benchmarks import BENCHMARKS
from eval.benchmarks.importing import import_benchmark
from eval.benchmarks.tables import run_tables
from eval.predict import predict
from eval.runs import read_run
from eval.score import score
from srt.cli import _app

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"<!-- benchmark: (\w+) -->\n```python\n(.*?)\n```", PAGE, re.DOTALL))


def test_the_example_is_a_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = EXAMPLES["turns"]
    assert len([line for line in code.splitlines() if line and not line.startswith("from")]) <= 10
    made: dict[str, Any] = {}
    exec(code, made)  # noqa: S102 (our own page)
    monkeypatch.setitem(BENCHMARKS, "turns", made["TURNS"])
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "items.csv").write_text(
        "question,A,B,answer,turn\n"
        "You face north and turn left. Where do you face?,west,east,A,left\n"
        "You face north and turn right. Where do you face?,west,east,B,right\n"
        "You face south and turn right. Where do you face?,west,east,C,right\n",
        "utf-8",
    )
    problems = tmp_path / "turns.jsonl"
    summary = import_benchmark("turns", tmp_path / "data" / "items.csv", problems)
    assert (summary["problems"], summary["refused"]) == (2, {"problem answer_is_no_option": 1})
    predict(problems, tmp_path / "run", FakeBackend(lambda prompt: "ANSWER: A"), arm="m", benchmark="turns")
    score(tmp_path / "run")
    [table] = run_tables({"m": read_run(tmp_path / "run")})
    assert (table.header, table.rows) == (["arm", "left", "right", "overall"], [["m", 1.0, 0.0, 0.5]])


def test_every_benchmark_is_on_the_page() -> None:
    listed = set(re.findall(r"^\| `([\w-]+)` \|", PAGE, re.MULTILINE))
    assert listed == set(BENCHMARKS)
    for name, benchmark in BENCHMARKS.items():
        [row] = re.findall(rf"^\| `{re.escape(name)}` \|.*\| ([^|]*)\|$", PAGE, re.MULTILINE)
        assert re.findall(r"`(\w+)`", row) == list(benchmark.options), name


def test_the_commands_of_the_page_exist() -> None:
    commands = set(typer.main.get_command(_app()).commands)  # type: ignore[attr-defined]
    named = set(re.findall(r"(?:^    |`)srt ([a-z-]+)", PAGE, re.MULTILINE))
    assert named <= commands, named - commands
