"""docs/api.md, which mkdocstrings makes of docstrings: it names the whole public API, in words that Markdown shows."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import srt

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"
[MEMBERS] = re.findall(r"^::: srt\.api\n(?:.*\n)*?      members: \[([^\]]*)\]", PAGE.read_text("utf-8"), re.MULTILINE)
LISTED = MEMBERS.replace(",", " ").split()


def test_it_lists_every_public_name_once() -> None:
    assert sorted(LISTED) == sorted(srt.__all__)


@pytest.mark.parametrize("name", LISTED)
def test_the_docstring_is_there_and_has_no_roles_of_sphinx(name: str) -> None:
    found = getattr(srt, name)
    assert found.__doc__
    own = [member for member in vars(found).values() if inspect.isfunction(member)] if inspect.isclass(found) else []
    for text in (found.__doc__, *(member.__doc__ for member in own)):
        assert not re.search(r":[a-z]+:`", text or ""), text
