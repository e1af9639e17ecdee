"""Runs commands on a disk that fails at a chosen moment, or has them killed there.

A library in front of libc (``fault_injector.c``) counts, over all processes of a command, its calls that take room in
one folder (a write, a new file or folder) and those that make something last (fsync, rename). At the chosen one the
process is killed, or the call fails, and so do all later ones of its kind: a disk that is full stays full.

Commands are forks of one process that has imported everything, so that hundreds of moments can be tried.
"""

from __future__ import annotations

import ctypes
import errno
import importlib
import json
import os
import pkgutil
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
WRITE, SYNC = 0, 1
"""The kinds of calls, as the library counts them."""
KILL = 0
"""In the place of an ``errno``."""


@dataclass(frozen=True)
class Moment:
    """The call of ``kind`` with this ``number``, from 1 on, and what happens there: an ``errno``, or a kill."""

    kind: int
    number: int
    failure: int = KILL

    def __str__(self) -> str:
        what = "killed" if self.failure == KILL else errno.errorcode[self.failure]
        return f"{what} at {('write', 'sync')[self.kind]} {self.number}"


@dataclass(frozen=True)
class Ended:
    """How a command ended: its status (as ``subprocess`` has it), what it said, and how often it wrote and synced."""

    status: int
    err: str
    writes: int
    syncs: int


def can_inject() -> str:
    """Why no fault can be injected here; empty if it can be."""
    if sys.platform == "linux" and _compiler():
        return ""
    return "NOT CHECKED: faults of a disk are injected with a library that needs Linux and a C compiler"


class Injector:
    """Runs ``srt`` in folders of its own, with a fault at a moment or without; as ``with injector(...) as one``."""

    def __init__(self, server: subprocess.Popen[str], scratch: Path) -> None:
        self._server = server
        self._scratch = scratch

    def run(self, command: Sequence[object], folder: Path, at: Moment | None = None) -> Ended:
        """Run ``srt`` with the arguments ``command`` in ``folder``, where alone calls are counted and fail."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        counters, said = self._scratch / "counters", self._scratch / "err"
        counters.write_bytes(bytes(16))
        faults = {"FAULT_COUNTERS": str(counters), "FAULT_UNDER": str(folder.resolve())}
        if at is not None:
            faults["FAULT_AT"] = f"{at.kind}:{at.number}:{at.failure}"
        asked = {"command": [*map(str, command)], "folder": str(folder), "err": str(said), "faults": faults}
        self._server.stdin.write(json.dumps(asked) + "\n")
        self._server.stdin.flush()
        status = int(self._server.stdout.readline())
        return Ended(status, said.read_text(), *struct.unpack("QQ", counters.read_bytes()))


@contextmanager
def injector(scratch: Path, packages: Sequence[str]) -> Iterator[Injector]:
    """An :class:`Injector` whose commands find all of these ``packages`` imported; its own files are in ``scratch``."""
    scratch.mkdir()
    library, source = scratch / "fault_injector.so", Path(__file__).with_suffix(".c")
    subprocess.run([_compiler(), "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    server = subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.fault_injector", str(library), *packages],
        env={**os.environ, "PYTHONPATH": str(ROOT), "LD_PRELOAD": str(library), "TMPDIR": str(scratch)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with server:
        yield Injector(server, scratch)
        assert server.stdin is not None
        server.stdin.close()


def _compiler() -> str:
    return next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), "")


def _serve(library: str, packages: Sequence[str]) -> None:
    """Run the commands that standard input asks for, one at a time, in forks of this process."""
    importlib.import_module("srt.__main__")
    for package in packages:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                with suppress(ModuleNotFoundError):  # of an extra that is not installed
                    importlib.import_module(module.name)
    for line in sys.stdin:
        asked = json.loads(line)
        if (child := os.fork()) == 0:
            _run(asked, ctypes.CDLL(library))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _run(asked: Any, library: ctypes.CDLL) -> None:
    os.chdir(asked["folder"])
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(asked["err"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
    os.environ.update(asked["faults"])
    library.fault_set_up()  # it was loaded without faults
    sys.argv = ["srt", *asked["command"]]
    status = 1
    try:
        sys.modules["srt.__main__"].main()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
    finally:
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    _serve(sys.argv[1], sys.argv[2:])
