"""Whole runs through the batch API: half the price, resumed after any kill, nothing submitted twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from srt.llm.batches.batch_api import BatchApi
from srt.llm.batches.batch_table import BatchTable
from srt.llm.journal import NO_REPLY, Journal, read_only
from srt.teaching.case_store.folder_files import folder_status
from srt.teaching.case_store.manifest import read_manifest
from srt.teaching.teach_problems import TeachRun
from tests import batch_endpoint
from tests.srt.teaching import cubes
from tests.srt.teaching.teaching_folder import TeachingFolder

pytestmark = pytest.mark.usefixtures("in_process_audits")
ALL = {"accepted": 12, "repaired": 4, "human": 4}
CONFIG = """\
endpoint: {{base_url: "{url}", retries: 4, batch: {{gather_s: 0.1, poll_s: 0.05, requests: {most}}}}}
models:
  teacher: {{model: m, max_tokens: 400, {extra}}}
  reviewer: {{model: m, max_tokens: 300}}
  checker: {{model: m, max_tokens: 400}}
prices:
  m: {{input: 2.5, output: 10.0}}
"""


class Killed(KeyboardInterrupt):
    """As good as ``kill -9``: it ends the loop, and nothing is written after it."""


class Folder(TeachingFolder):
    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.server = batch_endpoint.BatchEndpoint(cubes.respond)

    def run(self, *, most: int = 1000, extra: str = "", tail: str = "", stop_after_s: float | None = None) -> TeachRun:
        def config(url: str) -> Path:
            path = self.place / "c.yaml"
            path.write_text(CONFIG.format(url=url, most=most, extra=extra) + tail)
            if stop_after_s is not None:
                asyncio.get_running_loop().call_later(stop_after_s, self.interrupt)
            return path

        return self.teach(self.server, config, within_s=25)

    @staticmethod
    def interrupt() -> None:
        import os
        import signal

        os.kill(os.getpid(), signal.SIGINT)

    def check_money(self, lost: int = 0) -> None:
        """All of the bill is certain; so many requests failed in a way that may have been billed."""
        summary = folder_status(self.out)
        assert summary.cost == pytest.approx(self.server.billed, rel=0.01)
        assert (summary.lost > 0) is (lost > 0)
        assert sum((Counter(account.doubts) for account in summary.accounts), Counter()) == +Counter({NO_REPLY: lost})
        assert set(Counter(question for question, _, _ in self.server.ledger).values()) == {1}
        with read_only(self.out / "teach.sqlite") as db:
            for table, rows in (("batches", 0), ("batch_requests", 0), ("at_risk", lost)):
                assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (rows,), table


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_all_but_the_first_of_each_kind_cost_half(folder: Folder) -> None:
    assert folder.run().fault is None
    assert folder.states() == ALL
    folder.check_money()
    assert sum(not batch for _, _, batch in folder.server.ledger) == 2  # a trace and a review, as probes
    assert len(folder.server.batches) <= 8


def test_a_batch_has_no_more_requests_than_allowed(folder: Folder) -> None:
    folder.run(most=6)
    assert folder.states() == ALL
    folder.check_money()
    assert max(len(batch["lines"]) for batch in folder.server.batches.values()) == 6


def test_stopped_and_taken_up_days_later(folder: Folder) -> None:
    folder.server.polls = 10**6
    ran = folder.run(stop_after_s=1.5)
    assert ran.interrupted
    assert "1 batches are open (batch-0)" in folder.observer.notices[-1]
    waiting = folder_status(folder.out)
    assert waiting.lost > 0  # the worst case of what is open counts as spent
    for batch in folder.server.batches.values():
        batch["left"] = 0
    folder.server.polls = 1
    folder.run()
    assert folder.states() == ALL
    folder.check_money()


STEPS = [
    (BatchTable, "add", "before"),
    (BatchTable, "add", "after"),
    (BatchApi, "upload", "after"),
    (BatchTable, "uploaded", "after"),
    (BatchApi, "create", "after"),
    (BatchTable, "submitted", "after"),
    (BatchApi, "get", "before"),
    (Journal, "put", "before"),
    (Journal, "put", "after"),
    (BatchTable, "ended", "before"),
    (BatchTable, "ended", "after"),
]


@pytest.mark.long
@pytest.mark.parametrize(("owner", "name", "when"), STEPS, ids=[f"{w} {n}" for _, n, w in STEPS])
def test_killed_anywhere_it_submits_nothing_twice(folder: Folder, owner: type, name: str, when: str) -> None:
    """The process dies around each step of a batch, at its second time; the next run goes on."""
    original = getattr(owner, name)
    write = Journal._transaction
    calls = 0
    dead = False

    def dying() -> bool:
        nonlocal calls
        calls += 1
        # The probes are put first; then the replies of a batch.
        return calls >= (5 if name == "put" else 2)

    def killed() -> Killed:
        nonlocal dead
        dead = True
        return Killed()

    async def dies_async(*given: Any, **named: Any) -> Any:
        if (now := dying()) and when == "before":
            raise killed()
        found = await original(*given, **named)
        if now:
            raise killed()
        return found

    def dies(*given: Any, **named: Any) -> Any:
        if (now := dying()) and when == "before":
            raise killed()
        found = original(*given, **named)
        if now:
            raise killed()
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, dies_async if owner is BatchApi else dies)
        patch.setattr(Journal, "_transaction", lambda self, statements: 0 if dead else write(self, statements))
        with pytest.raises(Killed):
            folder.run(most=8)
    folder.run(most=8)
    assert folder.states() == ALL, folder_status(folder.out).reasons
    folder.check_money()


def test_a_confirmation_that_is_lost(folder: Folder) -> None:
    folder.server.lose_create = 3
    folder.run(most=8)
    assert folder.states() == ALL
    folder.check_money()


@pytest.mark.parametrize("status", ["expired", "completed"])
def test_expired_missing_and_failing_requests_go_into_the_next_batch(status: str, folder: Folder) -> None:
    came: Counter[str] = Counter()
    failed: Counter[str | int | None] = Counter()

    def fails(custom_id: str, body: dict[str, Any]) -> str | int | None:
        came[custom_id] += 1
        kinds: tuple[str | int | None, ...] = ("missing", "expired", 500, 429, None)
        kind = kinds[int(custom_id[:4], 16) % 5] if came[custom_id] == 1 else None
        failed[kind] += 1
        return kind

    folder.server.fails, folder.server.status = fails, status
    folder.run()
    assert folder.states() == ALL
    # A batch that was completed has no request without a line, unless its answer was lost.
    folder.check_money(failed[500] + failed["missing"] * (status == "completed"))
    assert set(came.values()) == {1, 2}


def test_a_request_that_is_refused(folder: Folder) -> None:
    folder.server.fails = lambda custom_id, body: 400 if "an edge of 17 cm" in str(body) else None
    folder.run()
    assert folder.states() == {"accepted": 11, "repaired": 4, "human": 4, "failed": 1}
    folder.check_money()


def test_a_batch_that_fails_for_one_of_its_lines(folder: Folder) -> None:
    def validate(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {"code": "invalid", "line": number, "message": "no such thing", "param": None}
            for number, line in enumerate(lines, 1)
            if "an edge of 17 cm" in str(line)
        ]

    folder.server.validate = validate
    folder.run()
    assert folder.states() == {"accepted": 11, "repaired": 4, "human": 4, "failed": 1}
    folder.check_money()


def test_too_many_tokens_at_once(folder: Folder) -> None:
    too_many = [{"code": "token_limit_exceeded", "line": None, "message": "too many tokens", "param": None}]
    folder.server.validate = lambda lines: too_many if len(lines) > 5 else []
    folder.run()
    assert folder.states() == ALL
    folder.check_money()


def test_a_batch_that_fails_as_such_ends_the_run_in_one_line(folder: Folder) -> None:
    folder.server.validate = lambda lines: [
        {"code": "billing", "line": None, "message": "a hard\nlimit", "param": None}
    ]
    ran = folder.run()
    assert "batch-0 failed: a hard" in str(ran.fault)
    assert "\n" not in str(ran.fault)
    folder.server.validate = lambda lines: []
    folder.run()
    assert folder.states() == ALL
    folder.check_money()


def test_an_endpoint_without_batches_ends_the_run_in_one_line(folder: Folder) -> None:
    async def no_files(request: Any) -> Any:
        from aiohttp import web

        return web.json_response({"error": "not found"}, status=404)

    folder.server._upload = no_files
    ran = folder.run()
    assert "batches: status 404" in str(ran.fault)
    assert folder_status(folder.out).lost == 0


def test_the_budget_holds(folder: Folder) -> None:
    folder.server.thought = 3000  # beside max_tokens: learnt from what is sent first
    ran = folder.run(tail="budget: 0.4\n")
    assert "budget" in (ran.stopped or "")
    summary = folder_status(folder.out)
    assert summary.cost + summary.lost <= 0.4
    assert folder.server.billed <= 0.4
    folder.run(tail="budget: 40\n")
    assert folder.states() == ALL
    folder.check_money()


def test_what_is_refused_is_found_out_before_a_batch(folder: Folder) -> None:
    folder.server.refuses = {"temperature": "Unsupported value: 'temperature' does not support 0 with this model."}
    folder.run(extra="temperature: 0")
    assert folder.states() == ALL
    assert "temperature" in read_manifest(folder.out).left_out["m"]
    folder.check_money()
    before = len(folder.server.ledger)
    folder.run()
    assert len(folder.server.ledger) == before
