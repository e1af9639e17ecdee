"""Files of records: whole or as they were, and a torn last line is cut off."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from srt.io.append_log import AppendLog
from srt.io.atomic_files import write_atomically
from srt.io.errors import RecordError, UserError
from srt.io.record_lines import parse_record
from srt.io.record_reader import read_records, read_rows
from srt.io.record_writer import write_records

ROOT = Path(__file__).resolve().parents[3]


class Row(BaseModel):
    """A record to write."""

    n: int
    text: str = ""


def rows(count: int) -> list[Row]:
    return [Row(n=n, text=f"行 {n}") for n in range(count)]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    assert write_records(tmp_path / "a.jsonl", rows(3)) == 3
    assert list(read_records(tmp_path / "a.jsonl", Row)) == rows(3)
    assert (tmp_path / "a.jsonl").read_bytes().endswith(b"\n")
    assert [number for number, _ in read_rows(tmp_path / "a.jsonl")] == [1, 2, 3]


def test_empty_lines_are_counted_and_are_no_records(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'\n{"n": 1}\r\n  \n{"n": "x"}\n')
    with pytest.raises(RecordError, match=r"a\.jsonl:4: .*n: "):
        list(read_records(tmp_path / "a.jsonl", Row))


@pytest.mark.parametrize(
    "line", [b"", b"{", b'{"n": NaN}', b"\xff", b"[" * 100_000, b'{"n": 1} {"n": 2}', b'{"n": "\\ud800"}']
)
def test_no_line_raises_anything_else(line: bytes) -> None:
    with pytest.raises(RecordError, match=r"^here: "):
        parse_record(line, Row, "here")


def test_an_error_in_mid_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_records(path, rows(2))

    def breaks() -> Iterator[Row]:
        yield Row(n=7)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_records(path, breaks())
    assert list(read_records(path, Row)) == rows(2)
    assert os.listdir(tmp_path) == ["a.jsonl"]
    with pytest.raises(ZeroDivisionError):
        write_records(tmp_path / "new.jsonl", breaks())
    assert os.listdir(tmp_path) == ["a.jsonl"]


KILLED = """
import os, sys
from srt.io.atomic_files import write_atomically
def chunks():
    yield b"half of it" * 100_000
    os.kill(os.getpid(), 9)
write_atomically(sys.argv[1], chunks())
"""


def test_a_kill_in_mid_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_records(path, rows(2))
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert subprocess.run([sys.executable, "-c", KILLED, path], env=env, check=False).returncode == -signal.SIGKILL
    assert list(read_records(path, Row)) == rows(2)
    assert [file.name for file in tmp_path.glob("*.jsonl")] == ["a.jsonl"], "what is left is no file of records"


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no/a: "):
        write_atomically(tmp_path / "no" / "a", [b""])
    with pytest.raises(UserError, match=tmp_path.name):
        write_atomically(tmp_path, [b""])
    with pytest.raises(UserError, match="no/a: "):
        AppendLog(tmp_path / "no" / "a")
    assert os.listdir(tmp_path) == []


def test_a_pipe_or_a_device_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(pipe)
    for path in (pipe, tmp_path / "link"):
        with pytest.raises(UserError, match="a device or a pipe"):
            write_atomically(path, [b"a"])
    assert pipe.is_fifo()
    assert (tmp_path / "link").is_symlink()


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far" / "file")
    for text in (b"a", b"b"):
        write_atomically(tmp_path / "link", [text])
        assert (tmp_path / "far" / "file").read_bytes() == text
    assert (tmp_path / "link").is_symlink()
    assert os.listdir(tmp_path / "far") == ["file"]


@pytest.mark.parametrize("torn", [b"", b"{", b'{"n": 2, "te', b'{"n": 2}', '{"n": 2, "text": "行'.encode()[:-1]])
def test_a_log_cuts_a_torn_last_line(torn: bytes, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with AppendLog(path) as log:
        log.append(*rows(2))
    with open(path, "ab") as file:
        file.write(torn)
    with AppendLog(path) as log:
        assert list(read_records(path, Row)) == rows(2)
        log.append(Row(n=9))
    assert list(read_records(path, Row)) == [*rows(2), Row(n=9)]


def test_a_log_that_is_nothing_but_a_torn_line(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(b'{"n"')
    with AppendLog(tmp_path / "log.jsonl"):
        assert (tmp_path / "log.jsonl").read_bytes() == b""


def test_a_log_s_records_are_there_before_it_is_closed(tmp_path: Path) -> None:
    with AppendLog(tmp_path / "log.jsonl") as log:
        for row in rows(3):
            log.append(row)
            assert list(read_records(tmp_path / "log.jsonl", Row))[-1] == row
