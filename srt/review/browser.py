"""The page's address, handed to a browser without its token on a command line, which every user of the machine sees."""

from __future__ import annotations

import html
import os
import tempfile
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_REDIRECT = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>srt review</title>
<a href="{address}">srt review</a>
"""


@contextmanager
def browser_opener() -> Iterator[Callable[[str], None]]:
    """Yield what opens an address in the person's browser.

    The browser is given a file that redirects to the address. Only this user can read it (mode 0600 in a new folder of
    mode 0700); it is removed when the block ends.
    """
    with tempfile.TemporaryDirectory(prefix="srt-review-") as folder:

        def open_address(address: str) -> None:
            path = Path(folder) / "open.html"
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
                file.write(_REDIRECT.format(address=html.escape(address)))
            webbrowser.open(path.as_uri())

        yield open_address
