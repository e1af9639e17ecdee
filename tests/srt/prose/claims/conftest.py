"""Where SolidGeo is, for the test that reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.published_copies import copy_in


@pytest.fixture(scope="session")
def solidgeo() -> Path:
    """The file of SolidGeo's problems."""
    return copy_in("SRT_SOLIDGEO") / "SolidGeo.json"
