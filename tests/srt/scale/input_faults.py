"""What every stage over shards says of input that it cannot read, and of a folder that is not its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from srt.io.errors import UserError


def assert_faults_are_named(stage: Callable[[Path, Path], object], problems: Path, folder: Path) -> None:
    """``stage(problems, out)`` refuses what is wrong with files like ``problems``, made below ``folder``."""
    lines = problems.read_bytes().splitlines(keepends=True)
    with pytest.raises(UserError, match=r"absent\.jsonl"):
        stage(folder / "absent.jsonl", folder / "absent-out")
    (folder / "unfinished").mkdir()
    with pytest.raises(UserError, match=r"unfinished: has no manifest\.json"):
        stage(folder / "unfinished", folder / "unfinished-out")
    (folder / "empty.jsonl").touch()
    with pytest.raises(UserError, match=r"empty\.jsonl: no problem in this file"):
        stage(folder / "empty.jsonl", folder / "empty-out")
    (folder / "twice.jsonl").write_bytes(b"".join([*lines, lines[3]]))
    with pytest.raises(UserError, match=rf"twice\.jsonl:{len(lines) + 1}: id: .* is at .*twice\.jsonl:4 already"):
        stage(folder / "twice.jsonl", folder / "twice-out")
    (folder / "taken").mkdir()
    (folder / "taken" / "mine.txt").touch()
    with pytest.raises(UserError, match=r"taken: has other files \(mine\.txt\)"):
        stage(problems, folder / "taken")
    assert [file.name for file in (folder / "taken").iterdir()] == ["mine.txt"]
    stage(problems, folder / "whole")
    for inside in (folder / "whole", folder / "whole" / "inside"):
        with pytest.raises(UserError, match="is, or is in, what is read from"):
            stage(folder / "whole", inside)
