"""The fake endpoint, and an endpoint of ours opened against it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from srt.endpoint import client
from srt.endpoint.budget import Budget
from srt.endpoint.config import EndpointConfig, Price
from srt.endpoint.journal import Journal
from srt.endpoint.messages import Request, Role


@pytest.fixture(scope="session")
def fake_endpoint() -> ModuleType:
    path = Path(__file__).parents[2] / "fake_endpoint.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(client, "LONGEST_WAIT_S", 0.05)


def question(n: int | str = 0, **fields: Any) -> Request:
    given = {
        "role": Role.TEACHER,
        "model": "teacher",
        "system": "Rewrite.",
        "user": f"problem {n}",
        "max_tokens": 100,
        "problem_id": str(n),
    }
    return Request(**{**given, **fields})


@dataclass
class Opened:
    endpoint: client.Endpoint
    journal: Journal
    budget: Budget


Open = Callable[..., AbstractAsyncContextManager[Opened]]


@pytest.fixture
def open_endpoint(tmp_path: Path) -> Open:
    """``async with open_endpoint(url, limit=None, **config) as opened``; always the same journal."""

    @asynccontextmanager
    async def opened(url: str, limit: float | None = None, **config: Any) -> AsyncIterator[Opened]:
        budget = Budget(limit, {"teacher": Price(input=1.0, output=2.0)})
        given = {"in_flight": 16, "timeout_s": 5.0, **config}
        with Journal(tmp_path / "run" / "teach.sqlite") as journal:
            async with client.Endpoint(EndpointConfig(base_url=url, **given), journal, budget, tmp_path) as endpoint:
                yield Opened(endpoint, journal, budget)

    return opened


@pytest.fixture
def ask() -> Callable[..., Request]:
    return question
