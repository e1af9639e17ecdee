"""``kill -9`` at random moments: no case is lost or doubled, and no journaled request is sent again.

The fake endpoint runs in a process of its own and logs each request as it comes, with its key. After every kill the
journal says which requests were answered and kept: none of them may ever come again. One that was in flight at a kill
was not journaled; it may come again, and is counted apart.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

import srt.teaching.teach_problems
from srt.io.problem_files import stream_problems
from srt.io.record_reader import read_records
from srt.io.records import Problem
from srt.language.trace import Trace
from srt.llm.journal import read_only
from srt.teaching.case_store.case_records import TeachingCase
from srt.teaching.loop.machine_audit import MachineAudit, audit
from srt.teaching.teach_command import folder_status, teach_file
from srt.teaching.teach_problems import PROBLEMS_PER_SLOT

COMMAND = [sys.executable, "-c", "from srt.cli import main; main()", "teach"]
IN_FLIGHT = 8
EXPECTED = {1: "repaired", 2: "repaired", 3: "human", 4: "human"}


class Forked:
    """``srt teach`` in a fork of this process, which has imported everything; the machine's audits in it, too."""

    def __init__(self, arguments: list[str]) -> None:
        self.pid = os.fork()
        self.status: int | None = None
        if self.pid == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            status = 1
            try:
                srt.teaching.teach_problems.Auditors = InProcess  # type: ignore[assignment, misc]
                problems, _, out, _, config = map(Path, arguments)
                teach_file(problems, out, config)
                status = 0
            finally:
                os._exit(status)

    def poll(self) -> int | None:
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = status if pid else None
        return self.status

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        if self.status is None:
            self.status = os.waitpid(self.pid, 0)[1]
        return self.status


class InProcess:
    """The machine in the run's own process."""

    def __init__(self, normal_form: bool) -> None:
        self.normal_form = normal_form

    async def audit(self, problem: Problem, trace: Trace) -> MachineAudit:
        return audit(problem, trace, normal_form=self.normal_form)

    def __enter__(self) -> InProcess:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def shell(arguments: list[str]) -> subprocess.Popen[bytes]:
    """``srt teach`` as people run it."""
    return subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Killing:
    """A run that is started (by ``start``) and killed again and again."""

    def __init__(
        self,
        folder: Path,
        cubes: ModuleType,
        fake: ModuleType,
        problems: int,
        seed: int,
        start: Callable[[list[str]], Any] = shell,
    ) -> None:
        self.start = start
        self.folder, self.fake, self.cubes = folder, fake, cubes
        self.out, self.log = folder / "out", folder / "log.jsonl"
        self.problems = cubes.problems(folder / "problems.jsonl", problems)
        self.dice = random.Random(seed)
        self.read_to = 0
        self.came: Counter[str] = Counter()
        self.journaled: set[str] = set()
        self.kills = 0

    def run(self, kills: int, mean_requests: int) -> None:
        """Kill ``kills`` times, after as many new requests as the dice say, then run to the end."""
        responder = f"{Path(self.cubes.__file__ or '')}:respond"
        with self.fake.fake_process(delay=0.02, responder=responder, log=self.log) as url:
            config = self.cubes.config(self.folder / "c.yaml", url, in_flight=IN_FLIGHT)
            arguments = [str(self.problems), "-o", str(self.out), "--config", str(config)]
            while self.kills < kills:
                process = self.start(arguments)
                self._wait(process, self.dice.randrange(2 * mean_requests))
                assert process.poll() is None, "the run was over before all kills"
                process.kill()
                process.wait()
                self.kills += 1
                self._look()
            status = self.start(arguments).wait()
            self._look()
            assert status == 0

    def _wait(self, process: Any, requests: int) -> None:
        """Until so many new requests have come (0: some moment of the start)."""
        if requests == 0:
            time.sleep(self.dice.uniform(0, 1))
            return
        seen, began = 0, time.monotonic()
        with open(self.log, "rb") if self.log.exists() else open(os.devnull, "rb") as log:
            log.seek(0, os.SEEK_END)
            while seen < requests and process.poll() is None and time.monotonic() - began < 120:
                seen += sum(b'"fault"' in line for line in log.readlines())
                time.sleep(0.002)

    def _look(self) -> None:
        """Nothing came that was journaled at the kill before; then see what is journaled now."""
        with open(self.log, "rb") if self.log.exists() else open(os.devnull, "rb") as log:
            log.seek(self.read_to)
            for line in log.readlines():
                entry = orjson.loads(line)
                if "fault" in entry:
                    assert entry["key"] not in self.journaled, "a journaled request was sent again"
                    self.came[entry["key"]] += 1
            self.read_to = log.tell()
        if (self.out / "teach.sqlite").exists():
            with read_only(self.out / "teach.sqlite") as db:
                self.journaled = {key for (key,) in db.execute("SELECT key FROM requests")}

    def check(self) -> None:
        """All problems ended, once, as they must; each request was paid for once, but for those in flight at a kill."""
        cases = list(read_records(self.out / "cases.jsonl", TeachingCase))
        problems = [problem.id for problem in stream_problems(self.problems)]
        assert [case.problem_id for case in cases] == problems
        for case in cases:
            assert case.state.value == EXPECTED.get(int(case.problem_id[-1]), "accepted"), case.problem_id
        traces = Counter(trace.problem_id for trace in read_records(self.out / "traces.jsonl", Trace))
        assert set(traces.values()) == {1}
        summary = folder_status(self.out)
        assert summary.problems == len(problems)
        assert summary.states["pending"] == 0
        assert set(self.came) == self.journaled
        again = sum(count - 1 for count in self.came.values())
        # On the wire, or answered and on the way to the disk: one request for each problem in hand.
        assert again <= self.kills * PROBLEMS_PER_SLOT * IN_FLIGHT
        print(f"{self.kills} kills, {len(problems)} problems: {len(self.came)} requests, {again} in flight sent again")


@pytest.mark.long
def test_three_kills(tmp_path: Path, cubes: ModuleType, fake_endpoint: ModuleType) -> None:
    killing = Killing(tmp_path, cubes, fake_endpoint, 60, seed=3)
    killing.run(3, mean_requests=20)
    killing.check()


@pytest.mark.slow
def test_a_hundred_kills(tmp_path: Path, cubes: ModuleType, fake_endpoint: ModuleType) -> None:
    killing = Killing(tmp_path, cubes, fake_endpoint, 2000, seed=100, start=Forked)
    killing.run(100, mean_requests=38)
    killing.check()


def test_a_second_ctrl_c_leaves_at_once(tmp_path: Path, cubes: ModuleType, fake_endpoint: ModuleType) -> None:
    responder = f"{Path(cubes.__file__ or '')}:respond"
    problems = cubes.problems(tmp_path / "problems.jsonl", 20)
    log = tmp_path / "log.jsonl"
    with fake_endpoint.fake_process(delay=3600, responder=responder, log=log) as url:
        config = cubes.config(tmp_path / "c.yaml", url, timeout_s=3600)
        command = [*COMMAND, str(problems), "-o", str(tmp_path / "out"), "--config", str(config)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            while not log.exists() or b'"fault"' not in log.read_bytes():
                assert process.poll() is None
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            assert "interrupted" in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=300)  # No answer comes in this time.
    assert process.returncode == 130
    assert said.startswith("teach: stopped at once")
    assert "Traceback" not in said
    assert folder_status(tmp_path / "out").states["pending"] == 20


@pytest.mark.long
def test_ctrl_c_lets_what_is_in_flight_come_in(tmp_path: Path, cubes: ModuleType, fake_endpoint: ModuleType) -> None:
    responder = f"{Path(cubes.__file__ or '')}:respond"
    problems = cubes.problems(tmp_path / "problems.jsonl", 60)
    log = tmp_path / "log.jsonl"
    with fake_endpoint.fake_process(delay=0.3, responder=responder, log=log) as url:
        config = cubes.config(tmp_path / "c.yaml", url, in_flight=4)
        command = [*COMMAND, str(problems), "-o", str(tmp_path / "out"), "--config", str(config)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            while not log.exists() or log.read_bytes().count(b'"fault"') < 6:
                assert process.poll() is None
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            out, said = process.communicate(timeout=300)
    assert process.returncode == 130, said
    assert "teach: stopping: interrupted" in said
    assert "Traceback" not in said
    assert "pending" in out
    lines = [orjson.loads(line) for line in log.read_bytes().splitlines()]
    came = {line["key"] for line in lines if "fault" in line}
    with read_only(tmp_path / "out" / "teach.sqlite") as db:
        assert {key for (key,) in db.execute("SELECT key FROM requests")} == came
    assert folder_status(tmp_path / "out").states["pending"] > 0
