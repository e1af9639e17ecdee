"""Where the real data is, for tests that read it."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import warnings
from pathlib import Path
from types import ModuleType

import pytest

# Tokens made by tests stay out of the user's cache. The library datasets reads this when it is imported.
_CACHE = tempfile.mkdtemp(prefix="srt-tests-")
os.environ["HF_DATASETS_CACHE"] = _CACHE
atexit.register(shutil.rmtree, _CACHE, ignore_errors=True)

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def space2025() -> Path:
    """The folder of SpaCE2025's files: SRT_SPACE2025, else ../shared/data/space2025 beside the checkout."""
    folder = Path(os.environ.get("SRT_SPACE2025") or ROOT.parent / "shared" / "data" / "space2025")
    if not folder.is_dir():
        warnings.warn("SpaCE2025 is not here: set SRT_SPACE2025 to run the tests on real data", stacklevel=1)
        pytest.skip("no SpaCE2025: set SRT_SPACE2025")
    return folder


@pytest.fixture(scope="session")
def fake_endpoint() -> ModuleType:
    """The stand-in for an OpenAI-compatible server."""
    from tests import fake_endpoint

    return fake_endpoint


@pytest.fixture(scope="session")
def batch_endpoint() -> ModuleType:
    """The stand-in for a server with ``/v1/batches``."""
    from tests import batch_endpoint

    return batch_endpoint
