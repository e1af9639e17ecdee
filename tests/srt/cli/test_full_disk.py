"""A full disk is one line, whichever command and library meet it, and no file is half-written."""

from __future__ import annotations

import errno
import resource
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from srt.io.errors import machine_fault

# A limit on the size of files stands for a disk without room: both are met in the middle of a write.
LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.argv = ["srt", *sys.argv[2:]]
from srt.cli import main
main()
"""


def limited(size: int, *arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LIMITED, str(size), *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("command", "size"),
    [
        ("generate seating -n 40 -o new/p.jsonl --workers 1", 4096),
        ("generate seating -n 40 -o new/p.jsonl --workers 2", 4096),
        ("solve problems.jsonl -o new/t.jsonl --workers 1", 1024),
        ("solve problems.jsonl -o new/t.jsonl --workers 2", 1024),
        ("check traces.jsonl --problems problems.jsonl -o new/c.jsonl", 1024),
        ("build traces.jsonl --problems problems.jsonl -o new/d", 1024),
        ("split problems.jsonl -o new/parts", 64),
        ("curate problems.jsonl -o new/kept.jsonl", 256),
        ("gallery seating -n 3 -o new/page.html", 4096),
    ],
)
def test_one_line_and_nothing_half_written(command: str, size: int, folder: Path) -> None:
    (folder / "new").mkdir()
    done = limited(size, *command.split(), folder=folder)
    assert done.returncode == 2, done.stderr
    line = [one for one in done.stderr.splitlines() if one.startswith("srt: ")]
    assert len(line) == 1
    assert "Traceback" not in done.stderr
    assert "make room" in line[0]
    assert "new" in line[0]
    assert not [file for file in (folder / "new").rglob("*") if file.is_file() and not file.name.endswith(".lock")]


def test_an_evaluation_goes_on_once_there_is_room(srt: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.fake_backend import FakeBackend

    module = SimpleNamespace(TransformersBackend=lambda model, adapter, **_: FakeBackend(lambda prompt: "ANSWER: A"))
    monkeypatch.setitem(sys.modules, "eval.backends.transformers_backend", module)
    (folder / "m").mkdir()
    command = ["eval", "--model", "m", "--problems", "problems.jsonl", "-o", "run", "--json"]
    _, most = limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, most))
        ran = srt(*command)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert ran.status == 2
    assert "make room" in ran.err
    assert "Traceback" not in ran.err
    assert srt(*command).status == 0


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/data/run/x.jsonl"), "/data/run"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "quota"),
        (RuntimeError("Error while serializing: I/O error: No space left on device (os error 28)"), "os error 28"),
    ],
)
def test_what_is_recognised(error: Exception, named: str) -> None:
    line = machine_fault(error)
    assert line is not None
    assert named in line
    assert machine_fault(OSError(errno.ENOENT, "No such file or directory", "x")) is None
    wrapped = ValueError("the writer failed")
    wrapped.__cause__ = error
    assert machine_fault(wrapped) == line


def test_standard_output_on_a_machine_fault(folder: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "srt", "check", "traces.jsonl", "--problems", "problems.jsonl"]
        done = subprocess.run(command, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.count("\n"), "make room" in done.stderr) == (2, 1, True), done.stderr
