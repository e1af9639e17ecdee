"""Ask a language model: from the journal where it was asked before, else over the wire, within the budget.

    async with JournaledClient(config, journal, budget, image_root) as client:
        reply = await client.ask(request)

A reply is on disk before it is returned, and the most that a request can cost is on disk before it leaves.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from srt.images.data_uri import DataUris
from srt.io.errors import UserError
from srt.io.progress import notice, progress
from srt.llm.accounts import model_usage
from srt.llm.batches.batch_transport import BatchTransport
from srt.llm.budget import Budget, Reservation
from srt.llm.config import AnswerForm, EndpointConfig, LlmConfig, ModelChoice
from srt.llm.endpoint.client import EndpointClient
from srt.llm.endpoint.response import Failure
from srt.llm.endpoint.served_models import same_model
from srt.llm.exchange import LlmContext
from srt.llm.journal import Journal, left_out
from srt.llm.llm_errors import BudgetSpent, RequestBlocked, RequestRejected, RunStopping
from srt.llm.prompt_templates import PromptTemplates
from srt.llm.request import JsonSchema, LlmRequest, Reply, RequestKeys
from srt.llm.structured_output import Dialect, request_body

T = TypeVar("T")
V = TypeVar("V")


class JournaledClient:
    """One endpoint. Journal and budget are shared between the endpoints of a run.

    ``image_root`` is the folder that the pictures' paths are relative to.

    Raises:
        EndpointFault: the environment variable of the key is not set.
    """

    def __init__(self, config: EndpointConfig, journal: Journal, budget: Budget, image_root: Path) -> None:
        self._config = config
        self._journal = journal
        self._budget = budget
        self.endpoint = EndpointClient(config)
        journal.delayed.append(self.endpoint.delayed)
        self.endpoint.answered |= journal.models()
        self.endpoint.left_out |= left_out(journal.read)
        self._pictures = DataUris(image_root, config.max_side)
        self.batches = None if config.batch is None else BatchTransport(config, self.endpoint, journal, budget)
        self._dialects: dict[tuple[str, str, bool], Dialect] = {}
        self._named: set[tuple[str, str]] = set()
        self._running: dict[str, asyncio.Task[Reply]] = {}
        self._on_the_wire: dict[asyncio.Task[Any], _Payment] = {}

    async def ask(self, request: LlmRequest) -> Reply:
        """The journaled reply to ``request``, or a new one, which is on disk before this returns.

        Equal requests at the same time are sent once. To cancel the call leaves a request that is on its way to be
        answered and journaled; the end of the ``async with`` block waits for it.

        Raises:
            BudgetSpent: it could cost more than what is left.
            EndpointFault: nothing of this run can be answered; raised again for every later request.
            RequestRejected: this request cannot be answered (status 400, 413, 422, or a picture that cannot be used).
            RunStopping: :meth:`stop` came before it was sent.
            Unavailable: no answer after all retries.
        """
        request = request.without(self.endpoint.left_out.get(request.model, ()))
        before = request.as_before()
        # Paid for, or under way in a batch, when the prompt had other words.
        if before is not None and self._knows(before):
            request = before
        keys = request.keys
        known = self._journal.get(keys)
        if known is not None:
            return known
        if self.endpoint.closing:
            raise RunStopping
        key = keys.request
        task = self._running.get(key)
        if task is None:
            task = asyncio.create_task(self._answer(request, keys))
            self._running[key] = task
            task.add_done_callback(lambda done: self._forget(key, done))
        try:
            # The request is paid for once it is on its way, and others may wait for it: only this caller is cancelled.
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            # stop() has cancelled the task, and nobody has cancelled the caller.
            if task.cancelled() and self.endpoint.closing:
                raise RunStopping from None
            raise

    def _knows(self, request: LlmRequest) -> bool:
        keys = request.keys
        in_a_batch = self.batches is not None and self.batches.has(keys.request)
        return in_a_batch or self._journal.get(keys) is not None

    def stop(self) -> None:
        """Send nothing any more, neither first tries nor retries; what is on the wire is still awaited."""
        self.endpoint.closing = True
        for task in self._running.values():
            if task not in self._on_the_wire:
                task.cancel()

    @property
    def on_the_wire(self) -> list[float]:
        """The most that each request on the wire may cost."""
        return [payment.cost for payment in self._on_the_wire.values()]

    async def __aenter__(self) -> JournaledClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Wait for what is on the wire, journal it, and close the connections; what waits for its turn is not sent."""
        self.stop()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        if self.batches is not None:
            await self.batches.close()
        await self.endpoint.close()

    def _forget(self, key: str, task: asyncio.Task[Reply]) -> None:
        del self._running[key]
        if not task.cancelled():
            task.exception()  # looked at, so that asyncio does not complain where the caller was cancelled

    async def _answer(self, request: LlmRequest, keys: RequestKeys) -> Reply:
        try:
            try:
                pictures = [await self._pictures.load(image) for image in request.pictures]
            except UserError as error:
                raise RequestRejected(str(error)) from None
            schema = request.json_schema
            if schema is None or (self.batches is not None and self.batches.has(keys.request)):
                return await self._complete(request, keys, pictures, None)
            dialect = self._dialect(request, schema.name)
            if not dialect.known:
                # One request goes ahead, the others wait for what it finds out.
                async with dialect.probing:
                    while not dialect.known:
                        try:
                            reply = await self._complete(request, keys, pictures, dialect)
                        except RequestRejected as error:
                            if isinstance(error, RequestBlocked) or not dialect.fall_back(schema):
                                raise
                        else:
                            self._look_at(reply, request, schema, dialect, dialect.form)
                            return reply
            form = dialect.form
            reply = await self._complete(request, keys, pictures, dialect)
            self._look_at(reply, request, schema, dialect, form)
            return reply
        except RequestRejected as error:
            self.endpoint.count_failure(error)
            raise

    def _look_at(
        self, reply: Reply, request: LlmRequest, schema: JsonSchema, dialect: Dialect, form: AnswerForm
    ) -> None:
        """Learn from ``reply`` to a request of this ``form`` whether the schema was heeded."""
        if dialect.answered(reply, schema, form):
            notice(f"{self._config.address}: {request.model} ignores the JSON schema: it goes into the prompt")

    def _dialect(self, request: LlmRequest, schema: str) -> Dialect:
        # Before a batch, what a picture costs and whether it is taken is found out, too.
        kind = (request.model, schema, bool(request.pictures) and self.batches is not None)
        if kind not in self._dialects:
            # What the model took for another schema is the first thing to try.
            known = (d for (name, *_), d in self._dialects.items() if name == request.model and d.known)
            self._dialects[kind] = Dialect(self._config.structured, next(known, None))
        return self._dialects[kind]

    async def _complete(
        self, request: LlmRequest, keys: RequestKeys, pictures: list[str], dialect: Dialect | None
    ) -> Reply:
        form, bounded = (None, True) if dialect is None else (dialect.form, dialect.bounded)
        body = request_body(request, pictures, form, bounded=bounded)
        # The first of each kind is sent directly: what the endpoint refuses is known in seconds, not in a day.
        if self.batches is not None and (dialect is None or dialect.known):
            request = request.without(self.endpoint.left_out.get(request.model, ()))
            return await self.batches.complete(request, request.key, body)
        payment = _Payment(request, keys, self._budget, self._journal, self._on_the_wire)
        optional = {"temperature": None, **dict.fromkeys(request.extra_body)}
        reply = await self.endpoint.complete(body, keys.request, payment, optional=optional)
        named = (request.model, reply.model or request.model)
        if named not in self._named and not same_model(*named):
            notice(f"{self._config.address}: {named[0]} was asked for, and the reply is by {named[1]}")
        self._named.add(named)
        return reply


@dataclass(frozen=True)
class LlmSession:
    """The models of a run: the ``context`` of their questions, the ``budget`` that pays for them, their endpoints."""

    context: LlmContext
    budget: Budget
    clients: Sequence[JournaledClient]

    def stop(self) -> None:
        """Send nothing any more; requests on the wire are still answered and journaled."""
        for client in self.clients:
            client.stop()

    def on_the_wire(self) -> list[float]:
        """The most that each request on the wire may cost."""
        return [cost for client in self.clients for cost in client.on_the_wire]

    def open_batches(self) -> list[str]:
        """The ids of the batches that were submitted and have not ended."""
        return [batch for client in self.clients if client.batches for batch in client.batches.open]


@asynccontextmanager
async def open_session(
    config: LlmConfig,
    models: Mapping[str, ModelChoice],
    templates: PromptTemplates,
    journal: Journal,
    image_root: Path,
) -> AsyncIterator[LlmSession]:
    """A session with ``models`` (by role), for the length of the block.

    ``journal`` is closed by the caller; picture paths are relative to ``image_root``.

    Raises:
        UserError: an endpoint that cannot be opened.
    """
    budget = Budget(config.budget, config.prices, model_usage(journal.read), journal.overruns())
    async with AsyncExitStack() as stack:
        clients = {
            name: await stack.enter_async_context(JournaledClient(spec, journal, budget, image_root))
            for name, spec in config.endpoints_by_name.items()
        }
        client_of = {role: clients[config.endpoint_name(choice)] for role, choice in models.items()}

        async def ask(request: LlmRequest) -> Reply:
            return await client_of[request.role].ask(request)

        yield LlmSession(LlmContext(models, templates, ask), budget, tuple(clients.values()))


async def ask_all(items: Sequence[T], ask: Callable[[T], Awaitable[V]], at_once: int, what: str) -> list[V | None]:
    """``ask`` about each of ``items``, at most ``at_once`` at a time; the answers are in the order of ``items``.

    Once the budget is spent nothing more is asked, and the rest are ``None``. ``what`` names the progress bar. Other
    errors are raised, after all questions in flight were cancelled.
    """
    slots = asyncio.Semaphore(at_once)
    spent = False

    async def ask_one(item: T) -> V | None:
        nonlocal spent
        async with slots:
            if not spent:
                try:
                    return await ask(item)
                except BudgetSpent:
                    spent = True
        return None

    tasks = [asyncio.create_task(ask_one(item)) for item in items]
    try:
        return [await task for task in progress(tasks, len(tasks), what)]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _Payment:
    """The money of one request, in the budget and on disk, each time it is sent; its place in the journal."""

    def __init__(
        self,
        request: LlmRequest,
        keys: RequestKeys,
        budget: Budget,
        journal: Journal,
        on_the_wire: dict[asyncio.Task[Any], _Payment],
    ) -> None:
        self._keys = keys
        self._request = request
        self._left_out: Mapping[str, str] = {}
        self._budget = budget
        self._journal = journal
        self._on_the_wire = on_the_wire
        self._reserved: Reservation | None = None
        self._risk: int | None = None

    @property
    def cost(self) -> float:
        """The most that it may cost while it is on the wire."""
        return self._reserved.cost if self._reserved else 0.0

    async def reserve(self) -> None:
        self._reserved = await self._budget.reserve(self._request)

    def leaving(self, left_out: Mapping[str, str]) -> bool:
        assert self._reserved is not None
        if not self._budget.fits(self._reserved):  # more was learnt of what requests cost, while it waited
            return False
        # On disk before it leaves, so that the budget holds over a kill too.
        self._risk = self._journal.add_risk(self._request, self._reserved.cost)
        self._left_out = left_out
        if task := asyncio.current_task():
            self._on_the_wire[task] = self
        return True

    def ended(self, outcome: Reply | Failure | None) -> None:
        (reserved, self._reserved), (risk, self._risk) = (self._reserved, None), (self._risk, None)
        if task := asyncio.current_task():
            self._on_the_wire.pop(task, None)
        assert reserved is not None
        if isinstance(outcome, Reply):
            booked = self._budget.settle(reserved, outcome)
            # Under what was sent: a recipe that leaves the same out by itself finds it.
            sent = self._request.without(self._left_out)
            keys = self._keys if sent is self._request else sent.keys
            left_out = self._left_out
            self._journal.put(sent, outcome, booked.cost, risk, booked.overrun, left_out, keys, booked.doubt)
        elif risk is not None and (outcome is None or outcome.lost):
            # The journal keeps it, as after a kill.
            self._journal.set_risk(risk, *self._budget.lose(reserved, outcome.counts if outcome else None))
        else:
            self._budget.release(reserved)
            if risk is not None:
                self._journal.remove_risk(risk)
