"""The way to the models of a config: its endpoints opened, and a desk whose questions go to the right one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from srt.endpoint.budget import Budget
from srt.endpoint.client import Endpoint
from srt.endpoint.journal import Journal
from srt.endpoint.messages import Reply, Request
from srt.teaching.config import TeachConfig
from srt.teaching.exchange import Desk
from srt.teaching.templates import load_templates


@asynccontextmanager
async def open_desk(config: TeachConfig, journal: Journal, image_root: Path) -> AsyncIterator[tuple[Desk, Budget]]:
    """The desk of ``config``, and the budget that all of its questions are paid from, for the length of the block.

    ``journal`` is held by the caller; picture paths start from ``image_root``.

    Raises:
        UserError: a prompt that cannot be used, or an endpoint that cannot be opened.
    """
    templates = load_templates(config.prompts)
    budget = Budget(config.budget, config.prices)
    async with AsyncExitStack() as stack:
        endpoints = {
            name: await stack.enter_async_context(Endpoint(spec, journal, budget, image_root))
            for name, spec in config.endpoints.items()
        }
        endpoint_of = {role: endpoints[config.endpoint_of(role)] for role in config.choices()}

        async def ask(request: Request) -> Reply:
            return await endpoint_of[request.role].ask(request)

        yield Desk(config, templates, ask), budget
