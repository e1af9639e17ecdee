"""What a killed process leaves is swept by the next one; what a live one writes is never touched."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import srt.io.atomic_files
from srt.io.atomic_files import temporary_file, temporary_folder, write_atomically

ROOT = Path(__file__).resolve().parents[3]
# A process that holds a temporary file: it prints the file's path, and goes on when its standard input is closed.
OWNER = """
import sys
from pathlib import Path
from srt.io.atomic_files import {made}
with {made}(Path(sys.argv[1])) as it:
    place = it if isinstance(it, Path) else it[0]
    if place.is_dir():
        (place / "part").write_bytes(b"part")
    print(place, flush=True)
    sys.stdin.read()
    place.rename(sys.argv[1])
"""
MONTH = 30 * 24 * 3600


as_new_process = srt.io.atomic_files._sweep.cache_clear
"""A process sweeps each folder once; these tests are several processes in one."""


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Callable[..., tuple[subprocess.Popen[str], Path]]]:
    """``owner(kind)`` starts a process that writes ``tmp_path / "a"``; gives it and the temporary place."""
    started = []

    def start(made: str) -> tuple[subprocess.Popen[str], Path]:
        command = [sys.executable, "-c", OWNER.format(made=made), str(tmp_path / "a")]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        started.append(subprocess.Popen(command, env=env, stdin=-1, stdout=-1, text=True))
        assert started[-1].stdout is not None
        return started[-1], Path(started[-1].stdout.readline().strip())

    yield start
    for process in started:
        process.kill()
        process.communicate()


def left(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if ".tmp" in name)


@pytest.mark.parametrize("made", ["temporary_file", "temporary_folder"])
def test_of_a_live_process_nothing_and_of_a_killed_one_all(made: str, owner: Any, tmp_path: Path) -> None:
    (live, place), (dead, _) = owner(made), owner(made)
    before = left(tmp_path)
    write_atomically(tmp_path / "b", [b"b"])
    assert left(tmp_path) == before, "both live"
    dead.send_signal(signal.SIGKILL)
    dead.wait()
    assert left(tmp_path) == before
    as_new_process()
    write_atomically(tmp_path / "b", [b"b"])
    assert {name.removesuffix(".d") for name in left(tmp_path)} == {place.name.removesuffix(".d")}
    live.communicate("")
    assert live.returncode == 0
    assert (tmp_path / "a").exists()
    assert left(tmp_path) == []


def abandoned(folder: Path, machine: str, age: float = 0) -> Path:
    place = folder / f".old.{machine}-0123456789ab.tmp"
    place.write_bytes(b"old")
    os.utime(place, (time.time() - age,) * 2)
    return place


def test_of_another_machine_only_after_a_week(tmp_path: Path) -> None:
    place = abandoned(tmp_path, "00000000")
    write_atomically(tmp_path / "a", [b"a"])
    assert place.exists(), "it may live, and its lock may be known there alone"
    as_new_process()
    os.utime(place, (time.time() - MONTH,) * 2)
    write_atomically(tmp_path / "a", [b"a"])
    assert not place.exists()


def test_where_there_are_no_locks_only_after_a_week(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    new, old = abandoned(tmp_path, srt.io.atomic_files._this_machine()), abandoned(tmp_path, "11111111", MONTH)
    write_atomically(tmp_path / "a", [b"a"])
    assert (new.exists(), old.exists()) == (True, False)
    assert (tmp_path / "a").read_bytes() == b"a"


def test_files_of_others_stay(tmp_path: Path) -> None:
    for name in (
        ".a.tmp",
        "a.tmp",
        ".a.0123456789ab.tmp",
        ".a.zzzzzzzz-0123456789ab.tmp",
        "a.00000000-0123456789ab.tmp",
    ):
        (tmp_path / name).write_bytes(b"theirs")
        os.utime(tmp_path / name, (0, 0))
    kept = tmp_path / "kept"
    kept.write_bytes(b"kept")
    os.utime(kept, (0, 0))
    (tmp_path / f".a.{srt.io.atomic_files._this_machine()}-0123456789ab.tmp").symlink_to(kept)
    before = left(tmp_path)
    write_atomically(tmp_path / "b", [b"b"])
    assert left(tmp_path) == before
    assert kept.read_bytes() == b"kept"


def test_one_that_is_taken_for_abandoned_before_it_is_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, swept = fcntl.flock, []

    def sweep_first(file: Any, how: int) -> None:
        if how == fcntl.LOCK_EX and not swept:
            swept.extend(tmp_path.glob(".a.*"))
            srt.io.atomic_files._remove_if_abandoned(swept[0], srt.io.atomic_files._this_machine())
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", sweep_first)
    write_atomically(tmp_path / "a", [b"whole"])
    assert len(swept) == 1
    assert (tmp_path / "a").read_bytes() == b"whole"


def test_after_an_error_nothing_is_left(tmp_path: Path) -> None:
    def half_a_file() -> None:
        with temporary_file(tmp_path / "a") as (_, file):
            file.write(b"half")
            raise ZeroDivisionError

    def half_a_folder() -> None:
        with temporary_folder(tmp_path / "a") as folder:
            (folder / "half").write_bytes(b"half")
            assert folder.stat().st_mode & 0o077 == 0, "others may not look into it"
            raise ZeroDivisionError

    for half in (half_a_file, half_a_folder):
        with pytest.raises(ZeroDivisionError):
            half()
    assert os.listdir(tmp_path) == []


def test_a_long_name_of_a_file(tmp_path: Path) -> None:
    for name in ("n" * 255, "行" * 85):
        write_atomically(tmp_path / name, [b"a"])
        assert (tmp_path / name).read_bytes() == b"a"
