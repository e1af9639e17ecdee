"""What the shell is told at the TAB key, through the protocol of ``srt --install-completion``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from srt.language.trace import OPERATIONS

COMPLETE = "import sys; sys.argv = ['srt']; from srt.__main__ import main; main()"


def offered(line: str, folder: Path) -> list[str]:
    """What bash is offered for the last word of ``line``."""
    environment = {**os.environ, "_SRT_COMPLETE": "complete_bash", "COMP_WORDS": line}
    environment["COMP_CWORD"] = str(len(line.split()) - (not line.endswith(" ")))
    done = subprocess.run([sys.executable, "-c", COMPLETE], cwd=folder, env=environment, capture_output=True, text=True)
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("srt s", {"split", "solve", "show", "score"}),
        ("srt solve --pl", {"--plan"}),
        ("srt generate se", {"seating"}),
        ("srt build --arm cot-", {"cot-terse", "cot-free", *(f"cot-drop-{op}" for op in OPERATIONS)}),
        ("srt build --text as", {"assertions"}),
        ("srt eval --backend ", {"transformers", "vllm", "server", "file"}),
        ("srt eval --benchmark spac", {"space2025"}),
        ("srt import solid", {"solidgeo"}),
        ("srt train r1-distill-qwen-7b-l", {"r1-distill-qwen-7b-lora"}),
        ("srt experiment mi", {"mine.yaml"}),
        ("srt solve problems", set()),  # the shell then completes names of files
    ],
)
def test_what_is_offered(line: str, expected: set[str], tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").touch()
    (tmp_path / "problems.jsonl").touch()
    assert set(offered(line, tmp_path)) == expected


def test_the_script_for_bash(tmp_path: Path) -> None:
    """The shell is named: who is asked to find it looks at the parent process, which is ``sh`` under ``make``."""
    environment = {**os.environ, "_SRT_COMPLETE": "source_bash"}
    command = [sys.executable, "-c", COMPLETE]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "_SRT_COMPLETE=complete_bash" in done.stdout
