"""docs/api.md, which mkdocstrings makes of docstrings: it names the whole public API, in words that Markdown shows."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

import srt

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"
LISTED = re.findall(r"^::: (srt\.\S+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_it_lists_every_public_name_once() -> None:
    assert sorted(path.rpartition(".")[2] for path in LISTED) == sorted(srt.__all__)


@pytest.mark.parametrize("path", LISTED)
def test_the_docstring_is_there_and_has_no_roles_of_sphinx(path: str) -> None:
    module, _, name = path.rpartition(".")
    found = resolve_name(f"{module}:{name}")
    assert found is getattr(srt, name)
    own = [member for member in vars(found).values() if inspect.isfunction(member)] if inspect.isclass(found) else []
    for text in (found.__doc__, *(member.__doc__ for member in own)):
        assert not re.search(r":[a-z]+:`", text or ""), text
    assert found.__doc__
