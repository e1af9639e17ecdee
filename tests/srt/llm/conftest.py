"""The fake endpoint, and a client of ours opened against it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from srt.llm.accounts import model_usage
from srt.llm.budget import Budget
from srt.llm.config import EndpointConfig, Price
from srt.llm.endpoint import client
from srt.llm.journal import Journal
from srt.llm.journaled_client import JournaledClient
from srt.llm.request import LlmRequest


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(client, "LONGEST_WAIT_S", 0.05)


def question(n: int | str = 0, **fields: Any) -> LlmRequest:
    given = {
        "role": "teacher",
        "model": "teacher",
        "system": "Rewrite.",
        "user": f"problem {n}",
        "max_tokens": 100,
        "problem_id": str(n),
    }
    return LlmRequest(**{**given, **fields})


@dataclass
class Opened:
    client: JournaledClient
    journal: Journal
    budget: Budget


Open = Callable[..., AbstractAsyncContextManager[Opened]]


@pytest.fixture
def open_client(tmp_path: Path) -> Open:
    """``async with open_client(url, limit=None, **config) as opened``; always the same journal."""

    @asynccontextmanager
    async def open_it(url: str | list[str], limit: float | None = None, **config: Any) -> AsyncIterator[Opened]:
        given = {"in_flight": 16, "timeout_s": 5.0, **config}
        with Journal(tmp_path / "run" / "teach.sqlite") as journal:
            budget = Budget(
                limit, {"teacher": Price(input=1.0, output=2.0, unforeseen_tokens=1)}, model_usage(journal.read)
            )
            async with JournaledClient(EndpointConfig(base_url=url, **given), journal, budget, tmp_path) as made:
                yield Opened(made, journal, budget)

    return open_it


@pytest.fixture
def ask() -> Callable[..., LlmRequest]:
    return question
