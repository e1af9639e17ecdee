"""The command line, run in this process through its real entry point, and a small set of good files for it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from srt.cli import main
from srt.generate import generate_file
from srt.solve import solve_file


@dataclass(frozen=True)
class Ran:
    """What a command ended with."""

    status: int
    out: str
    err: str


Srt = Callable[..., Ran]


@pytest.fixture
def srt(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Srt:
    """``srt("check", path, "--problems", other)`` as a shell would run it."""

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["srt", *map(str, arguments)])
        capsys.readouterr()
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    booths = {"scenes": ["booth"], "names": 6}
    generate_file("seating", 8, "train", folder / "problems.jsonl", booths)
    generate_file("seating", 3, "test", folder / "others.jsonl", booths)
    solve_file(folder / "problems.jsonl", folder / "traces.jsonl")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: eight ``problems.jsonl``, their ``traces.jsonl``, and three ``others.jsonl``."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path
