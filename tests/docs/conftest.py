"""What tests of pages share: a shell in an empty folder, and the model that knows about cubes."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import Srt


@pytest.fixture
def srt(srt: Srt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Srt:
    """The command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return srt


@pytest.fixture(scope="session")
def make_cubes() -> ModuleType:
    from tests.srt.teaching import cubes

    return cubes
