"""Every example of docs/prose.md gets the verdicts that the page names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from srt.prose import check_prose

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "prose.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"<!-- ([a-z ]+) -->\n```text\n(.*?)\n```", PAGE, re.DOTALL)


def test_the_page_has_its_examples() -> None:
    assert len(EXAMPLES) == 19


@pytest.mark.parametrize(("verdicts", "text"), EXAMPLES)
def test_examples(verdicts: str, text: str) -> None:
    assert [check.support for check in check_prose(text)] == verdicts.split()
