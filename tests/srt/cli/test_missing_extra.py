"""A command whose extra was not installed says so in one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# Python treats a module that is None in sys.modules as missing.
WITHOUT = """
import sys
sys.modules[sys.argv[1]] = None
sys.argv = ["srt", *sys.argv[2:]]
from srt.cli import main
main()
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("package", "command", "extra"),
    [
        (
            "openai",
            "eval --backend server --base-url http://127.0.0.1:9/v1 --model m --problems p.jsonl -o r",
            "teach",
        ),
        ("aiohttp", "review folder", "teach"),
        ("torch", "eval --model {here} --problems p.jsonl -o run", "train,eval"),
        ("scipy", "compare {here} {here} -o r", "train,eval"),
    ],
)
def test_one_line(package: str, command: str, extra: str, tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text("", encoding="utf-8")
    words = command.format(here=tmp_path).split()
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, package, *words], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (
        2,
        f"srt: {package} is not installed: pip install 'srt-traces[{extra}]'\n",
    )
    assert [path.name for path in tmp_path.iterdir()] == ["p.jsonl"]
