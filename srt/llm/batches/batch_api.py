"""The batch API that OpenAI defined (``/files`` and ``/batches``), as far as sending requests needs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
import httpx2
import orjson
from openai import APIConnectionError, AsyncOpenAI
from openai.types import Batch

from srt.llm.endpoint.replica import ErrorStatus

LONGEST_CALL_S: Final = 600.0
ENDED: Final = frozenset({"completed", "expired", "cancelled", "failed"})


class BatchCallFailed(Exception):
    """A call that got no answer. ``final``: it would get none later either; ``str(error)`` is the reason, one line."""

    def __init__(self, reason: str, final: bool) -> None:
        super().__init__(reason)
        self.final = final


@dataclass(frozen=True)
class BatchLine:
    """What became of one request: ``status`` and ``body`` of its response, or the ``error`` that it has instead.

    ``begun``: not one that the batch had no time for, which costs nothing.
    """

    custom_id: str
    status: int
    body: bytes
    error: str
    begun: bool


class BatchApi:
    """The calls, over the connections of ``sdk``. All raise :class:`BatchCallFailed`."""

    def __init__(self, sdk: AsyncOpenAI) -> None:
        self._sdk = sdk

    async def upload(self, lines: bytes) -> str:
        """Upload a file of requests; its id."""
        return str((await self._call(self._sdk.files.create(file=("requests.jsonl", lines), purpose="batch"))).id)

    async def create(self, file: str) -> str:
        """Submit the uploaded ``file`` as a batch; the batch's id."""
        made = self._sdk.batches.create(input_file_id=file, endpoint="/v1/chat/completions", completion_window="24h")
        return str((await self._call(made)).id)

    async def find(self, file: str) -> str | None:
        """The id of the batch that was made of ``file``, if there is one."""

        async def look() -> str | None:
            async for batch in self._sdk.batches.list(limit=100):
                if batch.input_file_id == file:
                    return str(batch.id)
            return None

        found: str | None = await self._call(look())
        return found

    async def get(self, batch: str) -> Batch:
        """How far ``batch`` is."""
        found: Batch = await self._call(self._sdk.batches.retrieve(batch))
        return found

    async def lines(self, batch: Batch) -> AsyncIterator[BatchLine]:
        """What became of the requests of ``batch``, in any order; those that were not begun may be missing."""
        for file in (batch.output_file_id, batch.error_file_id):
            if not file:
                continue
            content = await self._call(self._sdk.files.content(file))
            for line in content.content.splitlines():
                if line.strip() and (read := _read_line(line)) is not None:
                    yield read

    async def _call(self, call: Any) -> Any:
        try:
            async with asyncio.timeout(LONGEST_CALL_S):
                return await call
        except ErrorStatus as error:
            status = error.response.status
            words = " ".join(error.response.body[:300].decode(errors="replace").split())
            final = 400 <= status < 500 and status not in (408, 409, 425, 429, 499)
            raise BatchCallFailed(f"batches: status {status}: {words}", final) from None
        except (TimeoutError, APIConnectionError, httpx2.HTTPError, aiohttp.ClientError, OSError) as error:
            reason = " ".join(str(error.__cause__ or error).split())[:200] or type(error).__name__
            raise BatchCallFailed(f"batches: {reason}", False) from None


def request_line(custom_id: str, body: Mapping[str, Any]) -> bytes:
    """One line of a file of requests."""
    line = {"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions", "body": body}
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def _read_line(line: bytes) -> BatchLine | None:
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None  # as if it were missing: the request is sent again
    if not isinstance(found, dict):
        return None
    response, error = found.get("response"), found.get("error")
    if not isinstance(response, dict):
        response = {}
    status = response.get("status_code")
    code = str(error.get("code")) if isinstance(error, dict) else ""
    return BatchLine(
        custom_id=str(found.get("custom_id")),
        status=status if isinstance(status, int) else 0,
        body=orjson.dumps(response.get("body")),
        error=str(error.get("message") or code) if isinstance(error, dict) else "",
        begun=code not in ("batch_expired", "batch_cancelled"),
    )
