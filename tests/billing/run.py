"""A run of many requests against the billing endpoint, and what the client says it spent."""

from __future__ import annotations

import asyncio
import hashlib
import io
from dataclasses import dataclass
from pathlib import Path

import PIL.Image

from srt.io.records import Image
from srt.llm.accounts import ModelUsage, model_usage
from srt.llm.budget import Budget
from srt.llm.config import EndpointConfig, Price
from srt.llm.journal import Journal
from srt.llm.journaled_client import JournaledClient
from srt.llm.llm_errors import BudgetSpent, EndpointFault, RequestRejected, Unavailable
from srt.llm.request import LlmRequest
from tests.billing.endpoint import CACHED, INPUT, OUTPUT, BillingEndpoint, Mode
from tests.billing.modes import SHOWS_PICTURES

MODELS = ("teacher", "reviewer")
PRICE = Price(input=INPUT, output=OUTPUT, cached_input=CACHED)


@dataclass(frozen=True)
class Spending:
    """What the client says: ``spent`` of its budget, and the ``accounts`` on disk."""

    spent: float
    accounts: list[ModelUsage]

    @property
    def kept(self) -> float:
        """What the next run counts as spent."""
        return sum(used.cost + used.lost for used in self.accounts)

    @property
    def certain(self) -> float:
        """What it says it spent, without what may have been billed beside."""
        return sum(used.cost for used in self.accounts)


async def bill(
    folder: Path,
    name: str,
    mode: Mode,
    limit: float | None,
    requests: int,
    *,
    price: Price = PRICE,
    seed: int = 0,
    in_flight: int = 16,
    retries: int = 1,
) -> tuple[BillingEndpoint, Spending]:
    """The server after so many requests to two models, and what the client says; the journal is in ``folder``."""
    data = io.BytesIO()
    PIL.Image.new("RGB", (40, 30), "red").save(data, format="PNG")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.png").write_bytes(data.getvalue())
    picture = Image(path="a.png", sha256=hashlib.sha256(data.getvalue()).hexdigest())
    pictures = (picture,) if name in SHOWS_PICTURES else ()
    async with BillingEndpoint(name, mode, delay=0.002, seed=seed) as server:
        timeout_s = 0.2 if name == "late_replies" else 20.0
        config = EndpointConfig(base_url=server.url, in_flight=in_flight, timeout_s=timeout_s, retries=retries)
        with Journal(folder / "run" / "teach.sqlite") as journal:
            budget = Budget(limit, dict.fromkeys(MODELS, price), model_usage(journal.read), journal.overruns())
            async with JournaledClient(config, journal, budget, folder) as client:
                asked = [client.ask(question(n, MODELS[n % 2], pictures)) for n in range(requests)]
                ended = await asyncio.gather(*asked, return_exceptions=True)
            for outcome in ended:
                if isinstance(outcome, BaseException):
                    assert isinstance(outcome, BudgetSpent | Unavailable | RequestRejected | EndpointFault), outcome
            return server, Spending(budget.total, model_usage(journal.read))


def question(n: int, model: str, pictures: tuple[Image, ...] = (), max_tokens: int = 400) -> LlmRequest:
    return LlmRequest(
        role=model,
        model=model,
        system="Rewrite the official solution. " * 40,
        user=f"problem {n}",
        pictures=pictures,
        max_tokens=max_tokens,
        problem_id=str(n),
    )
