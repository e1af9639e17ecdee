"""The commands of README.md, in order, in an empty folder: what a line reads, a line above has written.

Only what takes a download, a GPU or long is replaced, by :data:`RULES`. What the page calls "your copy" of published
data (MathSpatial/) is made up by :func:`your_copies`.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

ROOT = Path(__file__).resolve().parents[2]
SMALL = "--hidden 16 --layers 1 --heads 2 --vocab 400"
STEPS = "--set epochs=null --set steps=1 --set batch_size=2 --set model.dtype=float32"
RULES = [
    (r"pip install .*", "srt --version"),  # it is installed
    (r"(srt generate .*)-n \d+(.*)", r"\1-n 16\2"),
    (r"hf download \S* --local-dir (\S+)", rf"srt init-model qwen2 --data data/srt -o \1 {SMALL}"),
    (r"(srt preflight \S+)", rf"\1 {STEPS}"),
    (r"(srt train \S+) --accelerate \S+", rf"\1 {STEPS}"),
    (r"(srt eval .*)", r"\1 --max-new-tokens 4 --think-budget 0"),
    (r"(srt teach .*)recipes/teach/openai.yaml(.*)", r"\1teach.yaml\2"),  # with the address of a stand-in
    (r"(srt review .*)", r"\1"),  # it serves until it is ended: only its first lines are read
]
"""The lines that are not run as they stand, and what is run for them; the first rule that matches a line counts."""


def commands(page: str) -> list[str]:
    """The lines of the page's blocks from "With your own data" on; a line that ends with a backslash goes on."""
    text = page.partition("## With your own data")[2].replace("\\\n", "")
    lines = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    return [line for line in lines if re.match(r"(?:pip|hf|srt) ", line)]


def replaced(line: str) -> str:
    for pattern, instead in RULES:
        if (match := re.fullmatch(pattern, line)) is not None:
            return match.expand(instead)
    return line


def your_copies(folder: Path, cubes: ModuleType) -> None:
    """Problems about cubes in the layout of MathSpatial."""
    for number in range(12):
        made = cubes.problem(6 + 10 * number)  # edges of which every trace passes at once
        row = {
            "question": "正方体的体积是____。",
            "question_en": made.question,
            "images": [],
            "choices": {},
            "answer": str(made.answer.value),
            "analysis": made.solution,
            "question_type": "填空题",
            "main_category": "Abstract Deduction",
            "sub_category": "GPC",
        }
        place = folder / "MathSpatial" / ("corpus" if number < 9 else "benchmark") / f"question{number:05}"
        place.mkdir(parents=True)
        (place / "data.json").write_bytes(orjson.dumps(row))


def test_the_page_has_the_commands_and_every_rule_is_needed() -> None:
    lines = commands((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(lines) == 17
    taken = [next((rule for rule in RULES if re.fullmatch(rule[0], line)), None) for line in lines]
    assert [rule for rule in RULES if rule not in taken] == []
    assert sum(rule is None for rule in taken) >= len(lines) // 3


@pytest.mark.slow
def test_the_page_is_run(
    tmp_path: Path, fake_endpoint: ModuleType, make_cubes: ModuleType, srt: Callable[..., Any]
) -> None:
    your_copies(tmp_path, make_cubes)
    with fake_endpoint.fake_process(responder=f"{make_cubes.__file__}:respond") as url:
        make_cubes.config(tmp_path / "teach.yaml", url)
        for line in commands((ROOT / "README.md").read_text(encoding="utf-8")):
            words = shlex.split(replaced(line))
            assert words[0] == "srt"
            if words[1] == "review":
                served(words[1:], tmp_path)
                continue
            ran = srt(*words[1:])
            assert ran.status == 0, (line, ran.out[-2000:], ran.err[-2000:])
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    wanted = {
        "report/report.html",
        "tested/srt/summary.json",
        "data/srt/sequences.jsonl",
        "data/taught/sequences.jsonl",
        "runs/r1-distill-qwen-7b-lora/srt/adapter_model.safetensors",
    }
    assert wanted <= written


def served(words: list[str], folder: Path) -> None:
    """Start the command, read the address that it prints, and end it."""
    with subprocess.Popen(
        [sys.executable, "-m", "srt", *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as page:
        assert page.stdout is not None
        said = [page.stdout.readline(), page.stdout.readline()]
        page.terminate()
        assert said[1].startswith("http://"), (said, page.stdout.read())
