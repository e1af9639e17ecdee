"""Every example of docs/prose.md gets the verdicts that the page names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from srt.prose import check_prose

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "prose.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^ {4}(\S.*)\n {6}([a-z ]+)$", PAGE, re.MULTILINE)
"""A text, and below it the verdicts of its claims."""


def test_the_page_has_its_examples() -> None:
    assert len(EXAMPLES) == 17


@pytest.mark.parametrize(("text", "verdicts"), EXAMPLES)
def test_examples(text: str, verdicts: str) -> None:
    assert [check.support for check in check_prose(text)] == verdicts.split()
