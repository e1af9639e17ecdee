"""URLs that a command cannot work with: one line, before anything is written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec import AbstractFileSystem

from srt.io.record_writer import write_records


class Unreachable(AbstractFileSystem):
    protocol = "unreachable"

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        raise ConnectionError("nobody\nanswers")


fsspec.register_implementation("unreachable", Unreachable, clobber=True)
fsspec.register_implementation("not-a-protocol", Unreachable, clobber=True)  # UPath takes it for a path
fsspec.register_implementation("nopackage", "the_package.FileSystem", errtxt="Install the-package", clobber=True)


@pytest.mark.parametrize(
    ("url", "engine", "words"),
    [
        ("s4://bucket/out", True, "s4://bucket/out: unknown kind of URL s4://"),
        ("nopackage://bucket/out", True, "nopackage://bucket/out: Install the-package"),
        ("not-a-protocol://bucket/out", True, "not-a-protocol://bucket/out: unknown kind of URL"),
        ("memory://", True, "memory://: a bucket"),
        ("memory://bucket/out", False, "memory://bucket/out: URLs go with --engine ray"),
        ("memory://bucket/out", True, "memory://bucket/out: cannot be reached by other processes"),
        ("unreachable://bucket/out", True, "unreachable://bucket/out: cannot be reached: nobody answers"),
    ],
)
def test_one_line(url: str, engine: bool, words: str, tmp_path: Path, srt: Any) -> None:
    given, out = str(tmp_path / "given.jsonl"), str(tmp_path / "out")
    write_records(given, [])
    for arguments in (
        ["generate", "seating", "-o", url],
        ["generate", "seating", "-o", out, "--exclude", url],
        ["solve", given, "-o", url],
        ["check", url, "--problems", given, "-o", out],
        ["build", given, "--problems", url, "-o", out],
        ["curate", given, "-o", out, "--against", url],
    ):
        ran = srt(*arguments, *(["--engine", "ray"] if engine else []))
        assert ran.status == 2
        assert ran.err.startswith(f"srt: {words}")
        assert len(ran.err.splitlines()) == 1
    assert not Path(out).exists()


def test_a_package_that_is_missing(tmp_path: Path, srt: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "upath", None)
    ran = srt("solve", "s3://bucket/p", "-o", tmp_path / "out", "--engine", "ray")
    assert ran.status == 2
    assert ran.err == "srt: s3://bucket/p: URLs need pip install 'srt-traces[scale]', on all machines\n"
