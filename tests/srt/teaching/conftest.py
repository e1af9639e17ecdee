"""The made-up problems and model of ``cubes.py``, and the fake endpoint, for the tests of this folder."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def cubes() -> ModuleType:
    return load(HERE / "cubes.py")


@pytest.fixture(scope="session")
def fake_endpoint() -> ModuleType:
    return load(HERE.parents[1] / "fake_endpoint.py")
