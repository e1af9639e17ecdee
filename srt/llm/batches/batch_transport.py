"""Requests gathered into batches, submitted once, and answered hours later, maybe in another run.

The contract. The worst case of all requests of a batch is on disk as spent before its file is uploaded; the file's id
is on disk before the batch is created, and a batch whose creation was not confirmed is looked up by its file before
another is made. So a process that is killed anywhere submits nothing twice: the next one takes up the batches that are
open, and returns their replies to the requests that wait for them.

============================= ======================================================================================
what became of a request      what is done
============================= ======================================================================================
a chat completion             journaled, at the price of a batch
400, 413, 422, 403            :class:`RequestRejected`
429, 5xx, expired, missing    in the next batch; after all retries :class:`Unavailable`; what is neither refused (429)
                              nor expired may have been billed
a batch that failed as such   requests that its errors name are rejected, the others go into the next batch; half as
                              many at once where too many tokens were submitted; else :class:`EndpointFault`
============================= ======================================================================================
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from openai.types import Batch

from srt.llm.batches.batch_api import ENDED, BatchApi, BatchCallFailed, BatchLine, request_line
from srt.llm.batches.batch_table import BatchTable, OpenBatch
from srt.llm.budget import Budget, Reservation
from srt.llm.config import EndpointConfig
from srt.llm.endpoint.client import EndpointClient, as_sent
from srt.llm.endpoint.response import Failure, Response, read_response
from srt.llm.journal import Journal
from srt.llm.llm_errors import EndpointFault, RequestRejected, Unavailable
from srt.llm.request import LlmRequest, Reply

MOST_BYTES: Final = 100 * 2**20
"""Of one file; OpenAI takes 200 MB."""


@dataclass(eq=False)
class _Pending:
    """A request of this run or of an earlier one. ``outcome`` is ``None`` where nobody waits for it."""

    request: LlmRequest
    reservation: Reservation
    line: bytes
    outcome: asyncio.Future[Reply | Failure] | None
    risk: int | None = None


class BatchTransport:
    """The batches of one endpoint. Use :meth:`complete` instead of the endpoint's own.

    ``config.batch`` is set. It works in a task of its own from the first :meth:`complete` to :meth:`close`.
    """

    def __init__(self, config: EndpointConfig, endpoint: EndpointClient, journal: Journal, budget: Budget) -> None:
        assert config.batch is not None
        self._settings, self._config = config.batch, config
        self._endpoint, self._journal, self._budget = endpoint, journal, budget
        self._api = BatchApi(endpoint.fleet.replicas[0].sdk)
        self._table = BatchTable(journal, config.address)
        self._open, earlier = self._table.open()
        self._pending = {
            key: _Pending(one.request, budget.adopt(one.request, one.cost), b"", None, one.risk)
            for key, one in earlier.items()
        }
        self._waiting: dict[str, _Pending] = {}
        self._most = self._settings.requests
        self._arrived_at = self._polled_at = 0.0
        self._task: asyncio.Task[None] | None = None
        self._fault: EndpointFault | None = None

    @property
    def open(self) -> list[str]:
        """The batches that were submitted and have not ended, by the endpoint's ids."""
        return [batch.remote or "(not confirmed)" for batch in self._open]

    def has(self, key: str) -> bool:
        """Whether the request of that key is in a batch that is open."""
        return key in self._pending

    async def complete(self, request: LlmRequest, key: str, body: Mapping[str, Any]) -> Reply:
        """The reply to ``request``, which ``body`` spells out, from a batch; it is in the journal.

        Raises:
            BudgetSpent: it could cost more than what is left.
            EndpointFault: the endpoint takes no batches.
            RequestRejected: it cannot be answered.
            Unavailable: no reply after all retries.
        """
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        reason = ""
        for _ in range(self._config.retries + 1):
            outcome = await self._one_try(request, key, body)
            if isinstance(outcome, Reply):
                return outcome
            if outcome.error is not None:
                raise outcome.error
            reason = outcome.reason
        raise Unavailable(f"{request.model}: {reason} (in {self._config.retries + 1} batches)")

    async def close(self) -> None:
        """Stop; what is open at the endpoint stays so, and is taken up by the next run."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _one_try(self, request: LlmRequest, key: str, body: Mapping[str, Any]) -> Reply | Failure:
        if self._fault is not None:
            raise EndpointFault(str(self._fault))
        outcome: asyncio.Future[Reply | Failure] = asyncio.get_running_loop().create_future()
        if (known := self._pending.get(key)) is not None:
            known.outcome = outcome
            return await outcome
        line = request_line(key, as_sent(body, self._endpoint.left_out.get(request.model, ())))
        reservation = await self._budget.reserve(request, batch=True)
        self._waiting[key] = pending = _Pending(request, reservation, line, outcome)
        self._arrived_at = time.monotonic()
        try:
            return await outcome
        finally:
            if self._waiting.get(key) is pending:  # given up before it was submitted
                del self._waiting[key]
                self._budget.release(reservation)

    async def _work(self) -> None:
        """Gather, submit and poll, until cancelled."""
        tick = min(self._settings.gather_s, self._settings.poll_s)
        try:
            while True:
                quiet = time.monotonic() - self._arrived_at >= self._settings.gather_s
                while self._waiting and (quiet or len(self._waiting) >= self._most):
                    await self._submit()
                if self._open and time.monotonic() - self._polled_at >= self._settings.poll_s:
                    await self._poll()
                    self._polled_at = time.monotonic()
                await asyncio.sleep(tick)
        # Nobody awaits this task: the fault goes to those who wait for a reply, and to all who come later.
        except Exception as error:
            fault = error if isinstance(error, EndpointFault) else None
            self._fault = fault or EndpointFault(f"{self._config.address}: {' '.join(str(error).split())}")
            for pending in [*self._waiting.values(), *self._pending.values()]:
                if pending.outcome is not None and not pending.outcome.done():
                    pending.outcome.set_exception(self._fault)

    async def _submit(self) -> None:
        """Submit one batch of what waits: of one model, as the API demands."""
        first = next(iter(self._waiting.values()))
        chosen: dict[str, _Pending] = {}
        size = 0
        for key, pending in self._waiting.items():
            if pending.request.model != first.request.model or len(chosen) >= self._most:
                continue
            if chosen and size + len(pending.line) > MOST_BYTES:
                break
            chosen[key] = pending
            size += len(pending.line)
        batch, risks = self._table.add([(key, one.request, one.reservation.cost) for key, one in chosen.items()])
        for key, pending in chosen.items():
            del self._waiting[key]
            pending.risk = risks[key]
        self._pending |= chosen
        self._open.append(batch)
        lines = b"".join(pending.line for pending in chosen.values())
        for pending in chosen.values():
            # Up to 100 MB, which are not needed again.
            pending.line = b""
        try:
            self._table.uploaded(batch, await self._api.upload(lines))
            self._table.submitted(batch, await self._api.create(batch.file or ""))
        except BatchCallFailed as error:
            if error.final:
                self._end(batch, {}, str(error))
                raise EndpointFault(f"{self._config.address}: {error}") from None
            # Once the file is uploaded, the batch may have been made though nobody said so: _poll looks it up.
            if batch.file is None:
                self._end(batch, {}, str(error))  # nothing was submitted

    async def _poll(self) -> None:
        for batch in list(self._open):
            try:
                if batch.remote is None:
                    await self._confirm(batch)
                state = await self._api.get(batch.remote or "")
                if state.status not in ENDED:
                    continue
                lines = [line async for line in self._api.lines(state)] if state.status != "failed" else []
            except BatchCallFailed as error:
                if error.final:
                    raise EndpointFault(f"{self._config.address}: {error}") from None
                continue  # asked again in a while
            if state.status == "failed":
                self._failed(batch, state)
            else:
                found = {line.custom_id: line for line in lines}
                self._end(batch, found, f"the batch {state.status}", completed=state.status == "completed")

    async def _confirm(self, batch: OpenBatch) -> None:
        """A batch whose creation was not confirmed: it was made, or it is made now."""
        assert batch.file is not None
        remote = await self._api.find(batch.file)
        self._table.submitted(batch, remote or await self._api.create(batch.file))

    def _failed(self, batch: OpenBatch, state: Batch) -> None:
        errors = (state.errors.data if state.errors else None) or []
        words = " ".join("; ".join(str(error.message or error.code) for error in errors).split()) or "no reason"
        at_fault = {
            batch.keys[error.line - 1]: " ".join(str(error.message or error.code).split())
            for error in errors
            if error.line is not None and 0 < error.line <= len(batch.keys)
        }
        too_many = any("token_limit" in str(error.code) for error in errors) and len(batch.keys) > 1
        if too_many:
            self._most = max(1, len(batch.keys) // 2)
        for key, why in at_fault.items():
            self._resolve(key, Failure(why, error=RequestRejected(f"{self._pending[key].request.model}: {why}")))
        self._end(batch, {}, f"the batch failed: {words}")
        if not at_fault and not too_many:
            raise EndpointFault(f"{self._config.address}: the batch {batch.remote} failed: {words}")

    def _end(
        self, batch: OpenBatch, lines: Mapping[str, BatchLine], otherwise: str, *, completed: bool = False
    ) -> None:
        """``batch`` has ended with ``lines``; requests without one failed for the reason ``otherwise``.

        Those of a batch that was ``completed`` may have been answered, and billed.
        """
        kept = []
        for key in batch.keys:
            if key not in self._pending:
                continue
            line = lines.get(key)
            risk = self._pending[key].risk
            outcome = self._outcome(self._pending[key], line) if line else Failure(otherwise, lost=completed)
            if self._resolve(key, outcome) and risk is not None:
                kept.append(risk)
        self._table.ended(batch, kept)
        self._open.remove(batch)

    def _outcome(self, pending: _Pending, line: BatchLine) -> Reply | Failure:
        if not line.status:
            return Failure(line.error or "no response", lost=line.begun)
        response = Response(line.status, None, None, line.body)
        outcome = read_response(response, 0.0, pending.request.model, self._config, answered=True)
        if isinstance(outcome, Failure) and isinstance(outcome.error, EndpointFault):
            return replace(outcome, error=RequestRejected(f"{pending.request.model}: {outcome.reason}"))
        return outcome

    def _resolve(self, key: str, outcome: Reply | Failure) -> bool:
        """Book ``outcome``, journal it, and return it to the request that waits for it. Whether money stays at risk."""
        pending = self._pending.pop(key)
        at_risk = False
        if isinstance(outcome, Reply):
            booked = self._budget.settle(pending.reservation, outcome)
            at_risk = booked.doubt > 0
            self._journal.put(pending.request, outcome, booked.cost, pending.risk, booked.overrun, doubt=booked.doubt)
        elif outcome.lost:
            cost, why = self._budget.lose(pending.reservation, outcome.counts)
            at_risk = True
            if pending.risk is not None:
                self._journal.set_risk(pending.risk, cost, why)
        else:
            self._budget.release(pending.reservation)
        if pending.outcome is not None and not pending.outcome.done():
            pending.outcome.set_result(outcome)
        return at_risk
