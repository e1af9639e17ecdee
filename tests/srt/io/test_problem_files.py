"""One reader of problems: what it refuses, and in which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from srt.io.errors import RecordError, UserError
from srt.io.problem_files import read_problems
from srt.io.record_writer import write_records
from srt.io.records import Problem


def problem(name: str) -> Problem:
    return Problem(id=name, source="made-up", split="test", lang="en", question=f"Where is {name}?")


def test_problems_by_id_in_the_file_s_order(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    write_records(path, map(problem, "cab"))
    assert read_problems(path) == {name: problem(name) for name in "cab"}
    assert list(read_problems(path)) == ["c", "a", "b"]


def test_an_id_that_stands_twice_names_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    write_records(path, map(problem, "abca"))
    path.write_bytes(b"\n" + path.read_bytes())
    with pytest.raises(UserError, match=r"p\.jsonl:5: id: 'a' .*line 2"):
        read_problems(path)


def test_no_problem_and_no_file(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with pytest.raises(UserError, match=r"p\.jsonl: "):
        read_problems(path)
    path.write_bytes(b"\n")
    with pytest.raises(UserError, match=r"p\.jsonl: "):
        read_problems(path)
    path.write_bytes(b"{}\n")
    with pytest.raises(RecordError, match=r"p\.jsonl:1: .*id: "):
        read_problems(path)
