"""What a server bills against what the client says it spent, in every way in which servers report or hide it."""

from __future__ import annotations

import asyncio
import hashlib
import io
from pathlib import Path
from typing import Any

import PIL.Image
import pytest

from srt.io.records import Image
from srt.llm.budget import Budget
from srt.llm.config import EndpointConfig, Price
from srt.llm.journal import Journal, model_usage
from srt.llm.journaled_client import JournaledClient
from srt.llm.llm_errors import BudgetSpent, EndpointFault, RequestRejected, Unavailable
from srt.llm.request import LlmRequest
from tests import billing_endpoint
from tests.simulated_time import simulate

MODELS = ("teacher", "reviewer")


PRICE = Price(input=billing_endpoint.INPUT, output=billing_endpoint.OUTPUT, cached_input=billing_endpoint.CACHED)


def question(n: int, model: str, pictures: tuple[Image, ...], max_tokens: int = 400) -> LlmRequest:
    return LlmRequest(
        role=model,
        model=model,
        system="Rewrite the official solution. " * 40,
        user=f"problem {n}",
        pictures=pictures,
        max_tokens=max_tokens,
        problem_id=str(n),
    )


async def run(
    folder: Path, mode: str, limit: float | None, requests: int, seed: int = 0, in_flight: int = 16
) -> tuple[Any, float, float]:
    """The server after a run of so many requests to two models, what the client says it spent, and on disk."""
    data = io.BytesIO()
    PIL.Image.new("RGB", (40, 30), "red").save(data, format="PNG")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.png").write_bytes(data.getvalue())
    picture = Image(path="a.png", sha256=hashlib.sha256(data.getvalue()).hexdigest())
    pictures = (picture,) if mode in billing_endpoint.SHOWS_PICTURES else ()
    async with billing_endpoint.BillingEndpoint(mode, delay=0.002, seed=seed) as server:
        timeout_s = 0.2 if mode == "late_replies" else 20.0
        config = EndpointConfig(base_url=server.url, in_flight=in_flight, timeout_s=timeout_s, retries=1)
        with Journal(folder / "run" / "teach.sqlite") as journal:
            budget = Budget(limit, dict.fromkeys(MODELS, PRICE), model_usage(journal.read), journal.overruns())
            async with JournaledClient(config, journal, budget, folder) as client:
                asked = [client.ask(question(n, MODELS[n % 2], pictures)) for n in range(requests)]
                ended = await asyncio.gather(*asked, return_exceptions=True)
            for outcome in ended:
                if isinstance(outcome, BaseException):
                    assert isinstance(outcome, BudgetSpent | Unavailable | RequestRejected | EndpointFault), outcome
            kept = sum(used.cost + used.lost for used in model_usage(journal.read))
        return server, budget.total, kept


@pytest.mark.long
@pytest.mark.parametrize("mode", billing_endpoint.MODES)
def test_the_bill_is_never_above_the_budget_by_more_than_one_request_of_each_model(mode: str, tmp_path: Path) -> None:
    for seed, limit in enumerate((0.1, 0.7)):
        server, spent, kept = simulate(run(tmp_path / str(seed), mode, limit, 70, seed))
        assert server.billed <= limit + sum(server.largest.values())
        assert kept == pytest.approx(spent)
        if mode in billing_endpoint.REPORTED:
            assert spent == pytest.approx(server.billed, rel=0.01)
        else:
            assert spent >= server.billed * (1 - 1e-9)


@pytest.mark.parametrize("mode", sorted(billing_endpoint.REPORTED))
def test_what_is_spent_is_the_bill_where_the_server_reports_it(mode: str, tmp_path: Path) -> None:
    server, spent, kept = simulate(run(tmp_path, mode, None, 30))
    assert len(server.ledger) == 30
    assert spent == pytest.approx(server.billed, rel=0.01)
    assert kept == pytest.approx(spent)
