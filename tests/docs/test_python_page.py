"""docs/python.md: its examples run, and its table lists the whole public API."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import srt
import srt.api

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # The closing fence of a code block is not output.
    text = PAGE.read_text(encoding="utf-8").replace("```python\n", "").replace("\n```\n", "\n")
    examples = doctest.DocTestParser().get_doctest(text, {}, "python.md", str(PAGE), 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    result = runner.run(examples, out=report.append)
    assert result.attempted > 10
    assert not result.failed, "".join(report)


def test_the_table_lists_every_public_name() -> None:
    cells = re.findall(r"^\| (`.*?) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    listed = {name for cell in cells for name in re.findall(r"`(\w+)", cell)}
    assert listed == set(srt.__all__) <= set(vars(srt.api))


def test_every_public_name_is_there() -> None:
    for name in srt.__all__:
        assert getattr(srt, name) is getattr(srt.api, name)
        assert name in dir(srt)
    with pytest.raises(AttributeError, match="solv"):
        srt.solv  # noqa: B018
