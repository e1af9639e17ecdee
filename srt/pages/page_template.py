"""Templates, style and scripts of pages that make no requests: everything is in the file, and data is escaped."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

_FOLDER = Path(__file__).parent


class PageScript(NamedTuple):
    """A script, and the hash by which the content security policy of its page allows it and no other."""

    text: Markup
    sha256: str


def data_uri(kind: str, data: bytes) -> str:
    """``data`` as a data URI, which a page shows without a request."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def page_environment(folder: Path) -> Environment:
    """The templates of ``folder``. All values are escaped; a name that is not defined is an error."""
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page_style(path: Path) -> Markup:
    """The colours, type and cards of all pages, for light and dark, and after them the style sheet at ``path``."""
    return Markup("".join(_css("colours", "base", "pieces")) + path.read_text("utf-8"))


def embedded_style(path: Path) -> Markup:
    """The same colours and cards within ``.srt-card``, for HTML that is put into a page of others; and ``path``.

    Nested rules (CSS Nesting, in all browsers since 2023): none of them reaches the page around.
    """
    colours, pieces = _css("colours", "pieces")
    own = "&{color:var(--ink);font:14px/1.55 system-ui,sans-serif;overflow-x:auto}& *{box-sizing:border-box}\n"
    return Markup(f".srt-card{{{colours.replace(':root', '&')}{own}{pieces}{path.read_text('utf-8')}}}")


def _css(*names: str) -> list[str]:
    return [(_FOLDER / f"{name}.css").read_text("utf-8") for name in names]


def page_script(path: Path) -> PageScript:
    """The script at ``path``."""
    script = path.read_text("utf-8")
    # Ours, so it is not escaped; base64 of the digest is the form that a Content-Security-Policy takes.
    return PageScript(Markup(script), base64.b64encode(hashlib.sha256(script.encode()).digest()).decode())
