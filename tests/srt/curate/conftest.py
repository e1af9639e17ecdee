"""The tests share :class:`problem_maker.Maker`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from problem_maker import Maker


@pytest.fixture
def maker(tmp_path: Path) -> Maker:
    return Maker(tmp_path / "data")
