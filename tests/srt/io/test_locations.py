"""Files at URLs, in fsspec's own store in memory, against the same files at paths."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import fsspec
import pytest
from fsspec.asyn import AsyncFileSystem

from srt.io.atomic_files import write_atomically, write_together
from srt.io.errors import UserError
from srt.io.locations import Location, listed, location, open_to_read, read_ranges, size_of, version_of
from srt.io.record_reader import read_lines
from srt.io.records import Problem


@pytest.fixture
def url() -> Location:
    """An empty folder."""
    fsspec.filesystem("memory").store.clear()
    return location("memory://bucket/folder/")


def test_a_file_at_a_url_is_as_one_at_a_path(url: Location, tmp_path: Path) -> None:
    data = b"one\ntwo\r\n\nthree"
    for folder in (tmp_path, url):
        assert size_of(folder / "f.jsonl") is None
        assert listed(folder) == {}
        write_atomically(folder / "f.jsonl", [b"old"])
        before = version_of(folder / "f.jsonl")
        write_atomically(folder / "f.jsonl", [data[:5], data[5:]])
        assert version_of(folder / "f.jsonl") != before
        assert size_of(folder / "f.jsonl") == len(data)
        assert listed(folder) == {"f.jsonl": len(data)}
        with open_to_read(folder / "f.jsonl") as file:
            assert [*file] == data.splitlines(keepends=True)
        lines = read_lines(folder / "f.jsonl", Problem)
        assert [(line.place, line.data) for line in lines] == [
            (f"{folder / 'f.jsonl'}:{number}", text) for number, text in ((1, b"one\n"), (2, b"two\r\n"), (4, b"three"))
        ]


class Distant(AsyncFileSystem):
    """A store whose requests go out together: a copy of that in memory that notes which ranges it was asked for."""

    protocol = "distant"
    asked: ClassVar[list[int]] = []
    memory = fsspec.filesystem("memory")

    async def _cat_file(self, path: str, start: int, end: int, **_: Any) -> bytes:
        assert start < end
        self.asked.append(start)
        return bytes(self.memory.cat_file(f"/{path}", start, end))

    async def _put_file(self, lpath: str, rpath: str, **_: Any) -> None:
        self.memory.put_file(lpath, f"/{rpath}")


def test_read_ranges(url: Location, tmp_path: Path) -> None:
    """In any order, next to each other or far apart; few requests."""
    data = random.Random(1).randbytes(2**21)
    starts = [*range(0, 60_000, 300), 2**20, 2**20 + 7, 2**21 - 9]
    ranges = [(start, min(start + 300, 2**21)) for start in starts]
    random.Random(2).shuffle(ranges)
    ranges.insert(3, (2**20, 2**20))
    fsspec.register_implementation("distant", Distant, clobber=True)
    for folder in (tmp_path, url, location("distant://bucket/folder")):
        write_atomically(folder / "data", [data])
        assert read_ranges(folder / "data", ranges) == [data[start:end] for start, end in ranges]
        assert read_ranges(folder / "data", []) == []
        write_atomically(folder / "empty", [])
        assert read_ranges(folder / "empty", [(0, 0)]) == [b""]
    assert Distant.asked == [0, 2**20, 2**21 - 9]


def test_several_files_or_none(url: Location) -> None:
    """After an error in mid-write, what was there before is there still."""
    write_together({url / name: [name.encode()] for name in "ab"})

    def broken() -> Iterator[bytes]:
        yield b"half"
        raise RuntimeError("in mid-write")

    with pytest.raises(RuntimeError, match="in mid-write"):
        write_together({url / "a": [b"new"], url / "b": broken()})
    assert [(url / name).read_bytes() for name in "ab"] == [b"a", b"b"]


def test_a_url_that_cannot_be_written_is_named(url: Location, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space\nleft")

    monkeypatch.setattr(fsspec.get_filesystem_class("memory"), "put_file", full)
    with pytest.raises(UserError, match=r"^memory://bucket/folder/a: cannot be written: \[Errno 28\] No space left$"):
        write_atomically(url / "a", [b"a"])
