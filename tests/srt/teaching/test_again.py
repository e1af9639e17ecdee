"""What a server, a limit or a recipe spoilt is taken up again, and what was answered is not paid for again."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from PIL import Image as Pixels

from srt.io.errors import UserError
from srt.io.record_writer import write_records
from srt.io.records import Image
from srt.teaching.case_store.case_records import Decision, State
from srt.teaching.case_store.decisions import digest
from srt.teaching.case_store.folder_files import folder_status
from srt.teaching.case_store.manifest import read_manifest
from srt.teaching.teach_problems import TeachRun
from tests import fake_endpoint
from tests.srt.teaching import cubes
from tests.srt.teaching.teaching_folder import TeachingFolder

pytestmark = pytest.mark.usefixtures("in_process_audits")
TEMPERATURE = "Unsupported value: 'temperature' does not support 0 with this model."


class Folder(TeachingFolder):
    """A teaching folder that several recipes are run in; ``paid`` counts the answered requests by their body."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self.paid: Counter[str] = Counter()
        self.outcomes: Counter[str] = Counter()

    def run(
        self, change: Callable[[str], str] = str, *, server: Any = None, delay: float = 0.0, **how: Any
    ) -> TeachRun:
        kind = server or fake_endpoint.FakeEndpoint
        faults = fake_endpoint.Faults(**how.pop("faults", {}))
        fake = kind(faults=faults, responder=cubes.respond, delay=delay)

        def config(url: str) -> Path:
            path = cubes.config(self.place / "c.yaml", url)
            path.write_text(change(path.read_text()))
            return path

        ran = self.teach(fake, config, **how)
        self.paid.update(fake.counts)
        self.outcomes = fake.outcomes
        return ran


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def setting(role: str, text: str) -> Callable[[str], str]:
    return lambda config: config.replace(f"model: fake-{role},", f"model: fake-{role}, {text},")


def all_cold(config: str) -> str:
    for role in ("teacher", "reviewer", "checker"):
        config = setting(role, "temperature: 0")(config)
    return config


def test_a_refused_temperature_is_left_out_and_a_recipe_without_it_pays_nothing_twice(folder: Folder) -> None:
    folder.run(all_cold, faults={"refuses": {"temperature": TEMPERATURE}}, limit=10)
    assert folder.outcomes["400"] >= 3
    assert folder.states() == {"accepted": 6, "repaired": 2, "human": 2, "pending": 10}
    left_out = read_manifest(folder.out).left_out
    assert set(left_out) == {"fake-teacher", "fake-reviewer", "fake-checker"}
    assert TEMPERATURE in left_out["fake-teacher"]["temperature"]
    assert folder_status(folder.out).left_out["fake-checker"]["temperature"].startswith("status 400")

    folder.run(all_cold, faults={"refuses": {"temperature": TEMPERATURE}}, limit=5)
    assert "400" not in folder.outcomes  # known from the run before
    assert folder.observer.notices == []
    folder.run(again=[State.HUMAN])
    assert len(folder.observer.notices) == 1
    assert "models.teacher.temperature = 0.0 (now None)" in folder.observer.notices[0]
    folder.run()
    assert folder.states() == {"accepted": 12, "repaired": 4, "human": 4}
    assert set(folder.paid.values()) == {1}
    assert len(read_manifest(folder.out).recipes) == 2
    assert set(folder_status(folder.out).recipes.values()) == {11, 9}


def test_a_limit_that_was_too_low(folder: Folder) -> None:
    def low(config: str) -> str:
        return config.replace("fake-teacher, max_tokens: 400", "fake-teacher, max_tokens: 20")

    folder.run(low, faults={"tokens": True})
    assert folder.states() == {"failed": 20}
    assert "teacher: length" in folder.cases()["cube-10"].reason or ""
    before = folder.paid.total()
    folder.run(faults={"tokens": True}, again=[State.FAILED])
    assert folder.states() == {"accepted": 12, "repaired": 4, "human": 4}
    assert set(folder.paid.values()) == {1}
    again = folder.paid.total() - before
    # A higher limit still: everything was answered, and not cut off.
    folder.run(lambda config: config.replace(": 400", ": 800").replace(": 300", ": 500"), again=[State.HUMAN])
    assert folder.paid.total() - before == again


def test_a_picture_too_many(folder: Folder) -> None:
    for name, colour in (("a.png", "white"), ("b.png", "red")):
        Pixels.new("RGB", (8, 8), colour).save(folder.place / name)
    images = [
        Image(path=name, sha256=hashlib.sha256((folder.place / name).read_bytes()).hexdigest())
        for name in ("a.png", "b.png")
    ]
    write_records(
        folder.problems,
        [
            cubes.problem(10, images=images[:1]),
            cubes.problem(20, images=images),
            cubes.problem(30),
        ],
    )

    class OnePicture(fake_endpoint.FakeEndpoint):  # type: ignore[misc, name-defined]
        def refusal_of(self, headers: bytes, body: dict[str, Any]) -> tuple[int, str] | None:
            if str(body["messages"]).count("image_url") > 2:
                return 400, "At most 1 image(s) may be provided in one prompt."
            found: tuple[int, str] | None = super().refusal_of(headers, body)
            return found

    folder.run(server=OnePicture)
    assert folder.states() == {"accepted": 2, "failed": 1}
    assert "At most 1 image(s)" in (folder.cases()["cube-20"].reason or "")
    folder.run(server=OnePicture)
    assert folder.outcomes == {}
    folder.run(again=[State.FAILED])
    assert folder.states() == {"accepted": 3}
    assert set(folder.paid.values()) == {1}


def test_more_rounds_for_what_is_left_to_people_but_not_for_what_they_decided(folder: Folder) -> None:
    folder.run(lambda config: config + "rounds: 1\n")
    assert folder.states() == {"accepted": 12, "human": 8}
    case = folder.cases()["cube-11"]
    message = {"where": "queue", "action": "accept", "who": "ann", "when": "2026-01-01T00:00:00Z"}
    found = Decision.model_validate({"problem_id": "cube-11", "digest": digest(case.rounds[0].trace), **message})
    write_records(folder.out / "decisions.jsonl", [found])
    folder.run(again=[State.HUMAN])
    assert folder.states() == {"accepted": 12, "repaired": 3, "human": 5}
    assert set(folder.paid.values()) == {1}
    assert folder.cases()["cube-11"] == case


def test_again_starts_no_other_case(folder: Folder) -> None:
    folder.run(lambda config: config + "rounds: 1\n", limit=12)
    before = folder.states()
    folder.run(again=[State.FAILED])
    assert folder.states() == before
    folder.run(again=[State.HUMAN])
    assert folder.states()["pending"] == before["pending"] == 8
    assert folder.states().get("repaired", 0) > 0


def test_a_case_that_is_taken_up_again_keeps_its_record_until_it_has_ended_anew(folder: Folder) -> None:
    folder.run(lambda config: config + "rounds: 1\n")
    folder.run(
        lambda config: config.replace("retries: 4", "retries: 0"),
        faults={"rates": {"error_500": 1}},
        again=[State.HUMAN],
    )
    assert folder.states() == {"accepted": 12, "human": 8}


class Moderating:
    """403 for the cubes of edge 14 and 23."""

    def refusal_of(self, headers: bytes, body: dict[str, Any]) -> tuple[int, str] | None:
        text = str(body["messages"])
        if any(f"an edge of {edge} cm" in text for edge in (14, 23)):
            return 403, "Forbidden"
        found: tuple[int, str] | None = super().refusal_of(headers, body)  # type: ignore[misc]
        return found


def test_a_403_after_an_answer_concerns_its_request_alone(folder: Folder) -> None:
    server = type("Server", (Moderating, fake_endpoint.FakeEndpoint), {})
    ran = folder.run(server=server)
    assert ran.fault is None
    assert folder.states() == {"accepted": 12, "repaired": 4, "human": 4}
    assert (folder.cases()["cube-14"].reason or "").startswith("teacher: blocked: fake-teacher: status 403")
    assert folder.outcomes["403"] == 2  # each was sent once
    # In the next run it is the first request, and still no reason to stop: the model has answered in this folder.
    ran = folder.run(server=server, again=[State.HUMAN])
    assert ran.fault is None


@pytest.mark.parametrize("status", [401, 403])
def test_a_401_or_403_at_the_first_request_ends_the_run(folder: Folder, status: int) -> None:
    class Closed(fake_endpoint.FakeEndpoint):  # type: ignore[misc, name-defined]
        def refusal_of(self, headers: bytes, body: dict[str, Any]) -> tuple[int, str] | None:
            return status, "no access to this model"

    ran = folder.run(server=Closed)
    assert str(status) in str(ran.fault)
    assert folder.outcomes == {str(status): 1}


def test_ctrl_c_sends_neither_first_tries_nor_retries(folder: Folder) -> None:
    folder.run(limit=1)  # so that the dialect is known, and many are in flight

    class Interrupting(fake_endpoint.FakeEndpoint):  # type: ignore[misc, name-defined]
        came = after = 0
        stopped = False

        def draw(self, sha: str) -> tuple[str | None, Any]:
            Interrupting.came += 1
            Interrupting.after += self.stopped
            if self.came == 3:
                asyncio.get_running_loop().call_later(0.3, self.interrupt)
            found: tuple[str | None, Any] = super().draw(sha)
            return found

        def interrupt(self) -> None:
            os.kill(os.getpid(), signal.SIGINT)
            Interrupting.stopped = True

    ran = folder.run(
        lambda config: config.replace("in_flight: 16", "in_flight: 4"),
        server=Interrupting,
        delay=0.5,
        faults={"rates": {"rate_limit": 0.5}},
    )
    assert ran.interrupted
    assert Interrupting.came >= 3
    assert Interrupting.after == 0
    with sqlite3.connect(folder.out / "teach.sqlite") as db:
        assert db.execute("SELECT count(*) FROM at_risk").fetchone() == (0,)
    folder.run()
    assert folder.states() == {"accepted": 12, "repaired": 4, "human": 4}


def test_extra_parameters_are_sent_and_part_of_the_request(folder: Folder) -> None:
    bodies: list[dict[str, Any]] = []

    class Noting(fake_endpoint.FakeEndpoint):  # type: ignore[misc, name-defined]
        def refusal_of(self, headers: bytes, body: dict[str, Any]) -> tuple[int, str] | None:
            bodies.append(body)
            found: tuple[int, str] | None = super().refusal_of(headers, body)
            return found

    low = setting("teacher", "extra_body: {reasoning_effort: low, provider: {sort: price}}")
    folder.run(low, server=Noting, limit=3)
    sent = [body for body in bodies if body["model"] == "fake-teacher"]
    assert all((body["reasoning_effort"], body["provider"]) == ("low", {"sort": "price"}) for body in sent)
    assert not any("reasoning_effort" in body for body in bodies if body["model"] != "fake-teacher")
    assert "'low'" in read_manifest(folder.out).settings["models.teacher.extra_body"]


@pytest.mark.parametrize("name", ["max_tokens", "stream", "n", "messages"])
def test_what_accounts_rest_on_is_no_extra_parameter(folder: Folder, name: str) -> None:
    with pytest.raises(UserError, match=rf"models.teacher.extra_body: {name}: may not be set"):
        folder.run(setting("teacher", f"extra_body: {{{name}: 2}}"))


def test_a_full_disk_ends_the_run_in_one_line_and_no_paid_reply_is_lost(folder: Folder) -> None:
    """The reserve of the journal makes room for what is in flight."""
    from srt.llm import journal

    freed: list[bool] = []

    class Full(journal.Journal):
        def _transaction(self, statements: Any) -> int:
            full = len(freed) == 0 and folder_requests(self) >= 8
            if full and self._reserve.exists():
                freed.append(True)
                error = sqlite3.OperationalError("database or disk is full")
                error.sqlite_errorname = "SQLITE_FULL"
                raise error
            return super()._transaction(statements)

    def folder_requests(kept: journal.Journal) -> int:
        return int(next(iter(kept.read("SELECT count(*) FROM requests")))[0])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("srt.teaching.teach_problems.Journal", Full)
        ran = folder.run(delay=0.02)
    assert "teach.sqlite: cannot be written to: database or disk is full" in str(ran.fault)
    assert "\n" not in str(ran.fault)
    assert freed
    with sqlite3.connect(folder.out / "teach.sqlite") as db:
        assert db.execute("SELECT count(*) FROM requests").fetchone()[0] == folder.paid.total()
        assert db.execute("SELECT count(*) FROM at_risk").fetchone() == (0,)
    folder.run()
    assert set(folder.paid.values()) == {1}
    assert folder.states() == {"accepted": 12, "repaired": 4, "human": 4}


def test_a_journal_that_another_process_locks(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.run(limit=1)
    monkeypatch.setattr("srt.llm.journal.LONGEST_LOCK_S", 1.0)
    other = sqlite3.connect(folder.out / "teach.sqlite", isolation_level=None, check_same_thread=False)

    class Locking(fake_endpoint.FakeEndpoint):  # type: ignore[misc, name-defined]
        def draw(self, sha: str) -> tuple[str | None, Any]:
            if self.counts.total() == 4:
                other.execute("BEGIN IMMEDIATE")
                threading.Timer(1.5, other.execute, ["ROLLBACK"]).start()
            found: tuple[str | None, Any] = super().draw(sha)
            return found

    ran = folder.run(server=Locking, delay=0.05)
    assert "teach.sqlite: another process keeps it locked" in str(ran.fault)
    assert "\n" not in str(ran.fault)
    other.close()
    with sqlite3.connect(folder.out / "teach.sqlite") as db:
        assert db.execute("SELECT count(*) FROM requests").fetchone()[0] == folder.paid.total()
    folder.run()
    assert set(folder.paid.values()) == {1}


def test_half_a_character_in_a_reply_is_kept_and_paid_once(folder: Folder) -> None:
    def broken(body: dict[str, Any], rng: Any) -> str:
        return cubes.respond(body, rng)

    class Torn(fake_endpoint._Connection):  # type: ignore[misc, name-defined]
        def send(self, status: int, body: bytes, *more: Any) -> None:
            if status == 200:
                found = orjson.loads(body)
                found["id"] = "HALF"
                body = orjson.dumps(found).replace(b'"HALF"', b'"x\\ud800"')
                body = body.replace(b"the edge of the cube", b"the edge \\ud83d of the cube")
            super().send(status, body, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fake_endpoint, "_Connection", Torn)
        folder.run()
    assert folder.states() == {"accepted": 12, "repaired": 4, "human": 4}
    assert set(folder.paid.values()) == {1}
