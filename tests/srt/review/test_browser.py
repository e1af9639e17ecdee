"""The address with its token reaches the browser through a private file, not on a command line."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest

from srt.review.server import browser_opener


def test_the_token_is_in_a_private_file_that_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with browser_opener() as open_address:
        open_address("http://127.0.0.1:8123/?token=s-e_cret")
        (address,) = opened
        assert "s-e_cret" not in address
        path = Path(url2pathname(urlparse(address).path))
        assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        assert 'content="0; url=http://127.0.0.1:8123/?token=s-e_cret"' in path.read_text()
    assert not path.parent.exists()
