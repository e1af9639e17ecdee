"""A small set of good files for the command line, and what a folder holds."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file


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


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file with its bytes, every folder."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.fixture
def refuses(srt: Any, folder: Path) -> Callable[..., str]:
    """Runs a command that must end with status 2 and one line on standard error, and write nothing; gives the line."""

    def check(*arguments: object) -> str:
        before = tree(folder)
        ran = srt(*arguments)
        assert ran.status == 2, (ran.out, ran.err)
        assert ran.err.startswith("srt: "), ran.err
        assert ran.err.count("\n") == 1, ran.err
        assert ran.err.endswith("\n")
        assert "Traceback" not in ran.out + ran.err
        assert tree(folder) == before
        return str(ran.err)

    return check
