"""``kill -9`` at random moments, twenty times in one run: nothing written is generated again, and nothing is lost.

The back end writes a line to a log for each generation as it begins. What was in flight at a kill was not written; it
comes again, and is counted.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from eval.backends.protocol import Generation
from srt.cli import main
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Prediction, Problem
from tests.fake_backend import FakeBackend

KILLS = 20
TRANSFORMERS = "eval.backends.transformers_backend"


def stand_in(log: int, batch_size: int, seconds: float) -> ModuleType:
    """The module of the transformers back end with a slow fake in its place."""

    class Slow(FakeBackend):
        def generate(self, batch: Any, settings: Any) -> list[Generation]:
            # As one write: a kill must not tear the log of what was begun.
            os.write(log, b"".join(begun(request.prompt) for request in batch))
            time.sleep(seconds)
            return super().generate(batch, settings)

    module = ModuleType(TRANSFORMERS)
    module.TransformersBackend = lambda *_, **__: Slow(answer, batch_size=batch_size)  # type: ignore[attr-defined]
    return module


def answer(prompt: str) -> str:
    return f"{prompt[-200:]}\nANSWER: B"


def begun(prompt: str) -> bytes:
    return f"{hashlib.sha256(answer(prompt).encode()).hexdigest()}\n".encode()


class Forked:
    """``srt eval`` in a fork of this process, which has imported everything."""

    def __init__(self, arguments: list[str], log: Path, batch_size: int) -> None:
        self.pid, self.status = os.fork(), None
        if self.pid == 0:
            run_command(arguments, log, batch_size)
            os._exit(0)

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


def run_command(arguments: list[str], log: Path, batch_size: int) -> None:
    """``srt eval`` with the stand-in, in this process."""
    for stream in (1, 2):
        os.dup2(os.open(log.with_suffix(".err"), os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    sys.modules[TRANSFORMERS] = stand_in(descriptor, batch_size, 0.004)
    sys.argv = ["srt", *arguments]
    try:
        main()
    except BaseException as end:
        if not isinstance(end, SystemExit):
            traceback.print_exc()
        os._exit(int(not isinstance(end, SystemExit) or bool(end.code)))


def shell(arguments: list[str], log: Path, batch_size: int) -> subprocess.Popen[bytes]:
    """``srt eval`` as a command of its own."""
    code = (
        f"import importlib.util, sys; spec = importlib.util.spec_from_file_location('kills', {__file__!r}); "
        "kills = importlib.util.module_from_spec(spec); spec.loader.exec_module(kills); "
        f"from pathlib import Path; kills.run_command({arguments!r}, Path({str(log)!r}), {batch_size})"
    )
    return subprocess.Popen([sys.executable, "-c", code])


@pytest.mark.long
@pytest.mark.parametrize(
    ("start", "batch_size"),
    [(Forked, 1), pytest.param(Forked, 6, marks=pytest.mark.slow), pytest.param(shell, 4, marks=pytest.mark.slow)],
)
def test_twenty_kills(
    start: Callable[..., Any], batch_size: int, tmp_path: Path, make_problem: Callable[..., Problem]
) -> None:
    problems, log, run = tmp_path / "problems.jsonl", tmp_path / "begun.log", tmp_path / "run"
    count = 150 * batch_size
    (tmp_path / "model").mkdir()  # a model that is not there is refused before anything else
    write_records(problems, [make_problem(number) for number in range(count)])
    arguments = ["eval", "--model", str(tmp_path / "model"), "--problems", str(problems), "-o", str(run)]
    dice = random.Random(batch_size)
    predictions = run / "predictions.jsonl"
    seen, before, in_flight = 0, b"", 0
    for _ in range(KILLS):
        process = start(arguments, log, batch_size)
        wait_for(log, dice.randrange(1, 6) * batch_size, process)
        time.sleep(dice.uniform(0, 0.008))
        assert process.poll() is None, "the run was over before all kills"
        process.kill()
        process.wait()
        begun_now = log.read_bytes().split()
        whole = predictions.read_bytes()
        whole = whole[: whole.rfind(b"\n") + 1]
        written = {digest(row) for row in rows(before)}
        torn = len(written) % batch_size
        again = [one for one in begun_now[seen:] if one in written]
        assert len(again) <= torn, "a generation that was written came again"
        assert whole.startswith(before)
        in_flight += len(set(begun_now[seen:]) - {digest(row) for row in rows(whole)})
        seen, before = len(begun_now), whole
    assert start(arguments, log, batch_size).wait() == 0, log.with_suffix(".err").read_text()[-2000:]
    last = list(read_records(predictions, Prediction))
    assert len(last) == len({row.problem_id for row in last}) == len({row.key for row in last}) == count
    assert [row.problem_id for row in last] == [f"made-{number}" for number in range(count)], "in the plan's order"
    repeated = len(log.read_bytes().split()) - count
    assert repeated <= in_flight + KILLS, "more came again than was in flight at the kills"
    assert in_flight <= KILLS * batch_size
    assert (run / "scores.jsonl").exists()
    print(f"{count} generations, {KILLS} kills: {repeated} in flight came again, none that was written, none lost")


def rows(data: bytes) -> list[Prediction]:
    return [Prediction.model_validate_json(line) for line in data.splitlines()]


def digest(row: Prediction) -> bytes:
    return hashlib.sha256(row.text.encode()).hexdigest().encode()


def wait_for(log: Path, lines: int, process: Any) -> None:
    """Until so many more generations have begun."""
    start = log.read_bytes().count(b"\n") if log.exists() else 0
    began = time.monotonic()
    while process.poll() is None and time.monotonic() - began < 60:
        if log.exists() and log.read_bytes().count(b"\n") >= start + lines:
            return
        time.sleep(0.001)
