"""A full disk is one line, whichever command and library meet it, and no file is half-written."""

from __future__ import annotations

import errno
import resource
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
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


def sqlite_error(name: str, said: str) -> Exception:
    error = sqlite3.OperationalError(said)
    error.sqlite_errorname = name
    return error


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/data/run/x.jsonl"), "/data/run"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "quota"),
        (RuntimeError("Error while serializing: I/O error: No space left on device (os error 28)"), "os error 28"),
        (RuntimeError("I/O error: Input/output error (os error 5)"), "os error 5"),
        (OSError(errno.EIO, "Input/output error", "/data/x"), "/data/x"),
        (OSError(errno.EROFS, "Read-only file system", "/data/x"), "/data/x"),
        (PermissionError(errno.EACCES, "Permission denied", "/data/x"), "/data/x"),
        (OSError(errno.EMFILE, "Too many open files", "/data/x"), "ulimit -n"),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), "ulimit -u"),
        (RuntimeError("can't start new thread"), "ulimit -u"),
        (MemoryError(), "memory"),
        (RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB"), "memory"),
        (RuntimeError("basic_ios::clear: iostream error"), "make room"),
        (FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']"), "TMPDIR"),
        (BrokenProcessPool("A process in the process pool was terminated abruptly"), "worker"),
        (sqlite_error("SQLITE_IOERR_WRITE", "disk I/O error"), "disk I/O error"),
    ],
)
def test_what_is_recognised(error: Exception, named: str) -> None:
    line = machine_fault(error)
    assert line is not None
    assert named in line
    wrapped = ValueError("the writer failed")
    wrapped.__cause__ = error
    assert machine_fault(wrapped) == line


def test_a_bug_is_no_fault_of_the_machine() -> None:
    assert machine_fault(OSError(errno.ENOENT, "No such file or directory", "x")) is None
    assert machine_fault(ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")) is None
    bug = KeyError("column")
    bug.__context__ = PermissionError(errno.EACCES, "Permission denied", "x")
    assert machine_fault(bug) is None, "only met in handling another error"


def test_standard_output_on_a_machine_fault(folder: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "srt", "check", "traces.jsonl", "--problems", "problems.jsonl"]
        done = subprocess.run(command, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.count("\n"), "make room" in done.stderr) == (2, 1, True), done.stderr
