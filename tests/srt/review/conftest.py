"""The tests share a small folder as ``srt teach`` leaves it; it is made by ``taught_folder.py`` beside this file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from taught_folder import taught

from srt.cli import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four cases with people (a wrong box, a right box, a wrong booth, a hostile box) and six that have passed."""
    return taught(tmp_path / "taught")


@pytest.fixture
def srt(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., SimpleNamespace]:
    """``srt("review", folder)`` as a shell would run it: ``status``, ``out`` and ``err``."""

    def run(*arguments: object) -> SimpleNamespace:
        monkeypatch.setattr(sys, "argv", ["srt", *map(str, arguments)])
        capsys.readouterr()
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        captured = capsys.readouterr()
        return SimpleNamespace(status=status, out=captured.out, err=captured.err)

    return run
