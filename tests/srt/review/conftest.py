"""The tests share a small folder as ``srt teach`` leaves it; it is made by ``taught_folder.py`` beside this file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from taught_folder import taught


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four cases with people (a wrong box, a right box, a wrong booth, a hostile box) and six that have passed."""
    return taught(tmp_path / "taught")
