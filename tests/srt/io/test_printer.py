"""One place prints, and what it prints cannot rewrite what a terminal shows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from rich.table import Table

from srt.io.errors import printable
from srt.io.progress import PlainConsole, notice, say

ROOT = Path(__file__).resolve().parents[3]
HOSTILE = "a\x1b[2J\x1b]0;title\x07b\x08\x7f\x9b31m\u202egnp\u2066\u2028\udcff\rc"
WORKERS = {"srt/answers/equality/math_verify_worker.py", "srt/untrusted/trial_worker.py"}
"""What they print is read by the process that started them."""


@pytest.mark.parametrize("text", ["plain", "two\nlines\tand a tab", "三视图　图（1）\xa0é🧊", "", "  blanks  "])
def test_a_harmless_text_is_printed_as_it_is(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert printable(text) == text
    say(text)
    notice(text)
    assert capsys.readouterr() == (f"{text}\n", f"{text}\n")


def test_control_characters_are_escaped_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    say(HOSTILE)
    notice(HOSTILE)
    console = PlainConsole(1000)
    console.print(HOSTILE)
    table = Table(HOSTILE, title=HOSTILE)
    table.add_row(HOSTILE)
    console.print(table)
    out, err = capsys.readouterr()
    for printed in (out, err):
        assert all(c.isprintable() or c == "\n" for c in printed), printed
    assert err == r"a\x1b[2J\x1b]0;title\x07b\x08\x7f\x9b31m\u202egnp\u2066\u2028\udcff\rc" + "\n"
    assert out.count(r"\x1b[2J") == 5


def test_nothing_else_prints() -> None:
    for package in ("srt", "eval", "train"):
        for path in (ROOT / package).rglob("*.py"):
            name = str(path.relative_to(ROOT))
            if name in WORKERS or name == "srt/io/progress.py":
                continue
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                called = node.func if isinstance(node, ast.Call) else None
                assert not (isinstance(called, ast.Name) and called.id == "print"), f"{name}:{node.lineno}"
                # Progress bars alone have a console of their own.
                plain = isinstance(called, ast.Name) and called.id == "Console"
                assert not plain or name == "srt/teaching/run_progress.py", f"{name}:{node.lineno}"
