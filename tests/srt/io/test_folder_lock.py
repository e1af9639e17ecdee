"""One writer at a time, also over processes; a lock is never stale."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from srt.io.errors import UserError
from srt.io.folder_lock import LOCK, FolderHeld, hold_folder

HOLD = """
import sys
from pathlib import Path
from srt.io.folder_lock import hold_folder
with hold_folder(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""
COUNT = """
import sys
from pathlib import Path
from srt.io.folder_lock import hold_folder
number = Path(sys.argv[1]) / "number"
for _ in range(50):
    with hold_folder(number.parent, wait=True):
        number.write_text(str(int(number.read_text()) + 1))
"""


def test_another_process_is_kept_out_until_it_ends(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "run"
    command = [sys.executable, "-c", HOLD, str(folder)]
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(UserError, match="run: "), hold_folder(folder):
            pass
        other.kill()
        other.wait()
    with hold_folder(folder):
        pass
    with pytest.raises(ZeroDivisionError), hold_folder(folder):
        raise ZeroDivisionError
    with hold_folder(folder):
        pass


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    with hold_folder(tmp_path):
        assert [path.name for path in tmp_path.iterdir()] == [LOCK]
    with hold_folder(tmp_path, shared=True), hold_folder(tmp_path, shared=True):
        pass
    assert not list(tmp_path.iterdir())


def test_the_first_that_ends_does_not_take_the_lock_from_the_others(tmp_path: Path) -> None:
    with hold_folder(tmp_path, shared=True):
        with hold_folder(tmp_path, shared=True):
            pass
        with pytest.raises(FolderHeld), hold_folder(tmp_path):
            pass


def test_the_file_is_removed_and_one_at_a_time_is_inside_all_the_same(tmp_path: Path) -> None:
    """Each process adds one to a number fifty times; two that were inside at once would lose a count."""
    (tmp_path / "number").write_text("0")
    root = Path(__file__).resolve().parents[3]
    processes = [subprocess.Popen([sys.executable, "-c", COUNT, str(tmp_path)], cwd=root) for _ in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    assert (tmp_path / "number").read_text() == "200"
    assert [path.name for path in tmp_path.iterdir()] == ["number"]


def test_a_file_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(UserError, match=path.name), hold_folder(path):
            pass
