"""The batches of a run, in the journal: written before anything is sent, so that a kill submits nothing twice.

A batch has no ``file`` until its requests were uploaded (then nothing was submitted, and it is forgotten), and no
``remote`` id until the endpoint has confirmed it (then the endpoint is asked whether it has a batch of that file).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from srt.llm.journal import Journal, today
from srt.llm.request import LlmRequest

_ADD_RISK = "INSERT INTO at_risk (id, role, model, problem_id, cost, day) VALUES (?,?,?,?,?,?)"


@dataclass
class OpenBatch:
    """A batch that has not ended. ``keys`` are those of its requests, in the order of its file."""

    id: int
    file: str | None
    remote: str | None
    keys: list[str]


@dataclass(frozen=True)
class SubmittedRequest:
    """One request of a batch, and its entry among the risks of the journal."""

    request: LlmRequest
    risk: int
    cost: float


class BatchTable:
    """The tables in ``journal``, of the endpoint at ``base_url``; created if there are none."""

    def __init__(self, journal: Journal, base_url: str) -> None:
        self._journal = journal
        self._base_url = base_url
        journal.write(
            "CREATE TABLE IF NOT EXISTS batches (id INTEGER PRIMARY KEY AUTOINCREMENT, base_url TEXT NOT NULL,"
            " file TEXT, remote TEXT)"
        )
        journal.write(
            "CREATE TABLE IF NOT EXISTS batch_requests (key TEXT PRIMARY KEY, batch INTEGER NOT NULL,"
            " position INTEGER NOT NULL, risk INTEGER NOT NULL, request TEXT NOT NULL)"
        )

    def add(self, requests: Sequence[tuple[str, LlmRequest, float]]) -> tuple[OpenBatch, dict[str, int]]:
        """A new batch of ``requests`` (key, request, cost); all costs are at risk from now on. Also the risks' ids."""
        batch = self._journal.write("INSERT INTO batches (base_url) VALUES (?)", (self._base_url,))
        # Higher than any id so far: one process writes at a time.
        first = 1 + next(iter(self._journal.read("SELECT coalesce(max(id), 0) FROM at_risk")))[0]
        statements: list[tuple[str, Sequence[object]]] = []
        for position, (key, request, cost) in enumerate(requests):
            risk = (first + position, request.role, request.model, request.problem_id, cost, today())
            row = (key, batch, position, first + position, request.model_dump_json())
            statements.append((_ADD_RISK, risk))
            statements.append(("INSERT OR REPLACE INTO batch_requests VALUES (?,?,?,?,?)", row))
        self._journal.write_all(statements)
        keys = [key for key, _, _ in requests]
        return OpenBatch(batch, None, None, keys), {key: first + n for n, key in enumerate(keys)}

    def open(self) -> tuple[list[OpenBatch], dict[str, SubmittedRequest]]:
        """The batches that have not ended, and their requests by key; those that were not uploaded are forgotten."""
        unsent = "SELECT id FROM batches WHERE file IS NULL"
        self._journal.write_all(
            [
                (f"DELETE FROM at_risk WHERE id IN (SELECT risk FROM batch_requests WHERE batch IN ({unsent}))", ()),
                (f"DELETE FROM batch_requests WHERE batch IN ({unsent})", ()),
                ("DELETE FROM batches WHERE file IS NULL", ()),
            ]
        )
        rows = self._journal.read("SELECT id, base_url, file, remote FROM batches ORDER BY id")
        batches = {row[0]: OpenBatch(row[0], row[2], row[3], []) for row in rows if row[1] == self._base_url}
        requests: dict[str, SubmittedRequest] = {}
        for key, batch, risk, cost, request in self._journal.read(
            "SELECT key, batch, risk, coalesce(cost, 0.0), request FROM batch_requests"
            " LEFT JOIN at_risk ON at_risk.id = risk ORDER BY batch, position"
        ):
            if batch in batches:
                batches[batch].keys.append(key)
                requests[key] = SubmittedRequest(LlmRequest.model_validate_json(request), risk, cost)
        return list(batches.values()), requests

    def uploaded(self, batch: OpenBatch, file: str) -> None:
        """The requests of ``batch`` are in ``file`` at the endpoint."""
        self._journal.write("UPDATE batches SET file = ? WHERE id = ?", (file, batch.id))
        batch.file = file

    def submitted(self, batch: OpenBatch, remote: str) -> None:
        """The endpoint calls ``batch`` ``remote``."""
        self._journal.write("UPDATE batches SET remote = ? WHERE id = ?", (remote, batch.id))
        batch.remote = remote

    def ended(self, batch: OpenBatch, kept: Sequence[int]) -> None:
        """All replies of ``batch`` are in the journal; the other requests cost nothing, but for the risks ``kept``."""
        marks = ",".join(map(str, kept))
        self._journal.write_all(
            [
                (
                    "DELETE FROM at_risk WHERE id IN (SELECT risk FROM batch_requests WHERE batch = ?)"
                    f" AND id NOT IN ({marks})",
                    (batch.id,),
                ),
                ("DELETE FROM batch_requests WHERE batch = ?", (batch.id,)),
                ("DELETE FROM batches WHERE id = ?", (batch.id,)),
            ]
        )
