"""Where SolidGeo is, for the test that reads it."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def solidgeo() -> Path:
    """SolidGeo.json: SRT_SOLIDGEO (the file or its folder), else beside the checkout."""
    path = Path(os.environ.get("SRT_SOLIDGEO") or ROOT.parent / "shared" / "data" / "solidgeo_sample")
    path = path / "SolidGeo.json" if path.is_dir() else path
    if not path.is_file():
        warnings.warn("SolidGeo is not here: set SRT_SOLIDGEO to run the tests on real solutions", stacklevel=1)
        pytest.skip("no SolidGeo: set SRT_SOLIDGEO")
    return path
