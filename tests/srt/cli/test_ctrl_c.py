"""Ctrl-C is one line that says what was kept and how to continue."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from srt.cli.command_table import COMMANDS
from srt.io.errors import Interrupted


@pytest.mark.parametrize("command", ["generate", "solve", "eval", "experiment"])
def test_each_command_says_what_is_kept(command: str, srt: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    arguments = {
        "generate": ["seating", "-o", "p.jsonl"],
        "solve": ["p.jsonl", "-o", "t.jsonl"],
        "eval": ["--model", "m", "--problems", "p.jsonl", "-o", "run"],
        "experiment": ["demo"],
    }
    for target in (
        "srt.pipeline.generate.generate_command",
        "srt.pipeline.solve.solve_file",
        "eval.evaluation.run_evaluation",
        "srt.experiment.run_experiment.run_experiment",
    ):
        monkeypatch.setattr(target, stop)
    ran = srt(command, *arguments[command])
    assert (ran.status, ran.err) == (130, f"srt: interrupted: {COMMANDS[command].after_ctrl_c}\n")


def test_who_knows_more_says_it(srt: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> NoReturn:
        raise Interrupted("checkpoint-7 is kept")

    monkeypatch.setattr("srt.pipeline.solve.solve_file", stop)
    assert srt("solve", "p.jsonl", "-o", "t.jsonl").err == "srt: interrupted: checkpoint-7 is kept\n"


def test_a_real_signal_to_all_processes(tmp_path: Path) -> None:
    """As a terminal sends it: to the command and its workers, once a worker is at work."""
    code = (
        # A shell starts what runs in its background with SIGINT ignored; the process that runs this test may be one.
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from srt.pipeline import generate as g; make = g.generate_file\n"
        "def begun(*a, **k): print('begun', flush=True); return make(*a, **k)\n"
        "g.generate_file = begun; sys.argv = ['srt', *sys.argv[1:]]; from srt.cli import main; main()"
    )
    command = ["generate", "seating", "-n", "200000", "-o", "p.jsonl", "--workers", "2"]
    with subprocess.Popen(
        [sys.executable, "-c", code, *command],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "begun\n"
        os.killpg(run.pid, signal.SIGINT)
        _, said = run.communicate()
    assert run.returncode == 130
    assert said == f"srt: interrupted: {COMMANDS['generate'].after_ctrl_c}\n"
    assert not list(tmp_path.iterdir())
