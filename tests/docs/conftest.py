"""What tests of pages share: a shell in an empty folder, and the model that knows about cubes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from srt.cli import main


class Ran(NamedTuple):
    """What a command ended with."""

    status: int
    out: str
    err: str


@pytest.fixture
def srt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """``srt("check", path, ...)`` in an empty folder, in this process, through its real entry point."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["srt", *arguments])
        capsys.readouterr()
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        return Ran(status, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def make_cubes() -> ModuleType:
    from tests.srt.teaching import cubes

    return cubes
