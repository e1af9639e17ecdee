"""One writer at a time, also over processes; a lock is never stale."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from srt.io.errors import UserError
from srt.io.folder_lock import hold_folder

HOLD = """
import sys
from pathlib import Path
from srt.io.folder_lock import hold_folder
with hold_folder(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
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


def test_a_file_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(UserError, match=path.name), hold_folder(path):
            pass
