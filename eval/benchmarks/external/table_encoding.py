"""The encoding of a table of text: UTF-8, what the mapping says, or Windows-1252 where nothing else is plausible.

Spreadsheets in Europe save CSV in Windows-1252. It is taken only where what it gives is a text of Western Europe
(:mod:`.western_text`); a table in another encoding would be read as nonsense without an error.
"""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from eval.benchmarks.external.western_text import is_western
from srt.io.errors import UserError
from srt.io.strict_json import not_utf8_text

_NOT_FOR_FILES = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "utf-7"})
_BLOCK = 1 << 20


def _text_encoding(name: str) -> str:
    """The encoding that Python's codecs know by ``name``, in their spelling."""
    try:
        "a".encode(name)  # refuses codecs that are no text encodings, as rot13
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        found = "undefined"
    if found.replace("-", "_") in _NOT_FOR_FILES or found in _NOT_FOR_FILES:
        raise ValueError(
            f"{name!r:.40} is no encoding of text that is known; gb18030, big5, shift_jis, euc_kr, mac_roman, cp437, "
            "cp1250, cp1251, latin-1 and utf-16 are some"
        )
    return found


Encoding = Annotated[str, AfterValidator(_text_encoding)]
"""A text encoding by any name that Python's codecs have for it."""


def table_encoding(path: Path) -> str:
    """The encoding of the table ``path``: ``utf-8`` or ``cp1252``.

    Raises:
        UserError: neither, with the mapping that names another one; or no such file.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with open(path, "rb") as file:
            while block := file.read(_BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        return "utf-8"
    except UnicodeDecodeError:
        data = path.read_bytes()
    text = data.decode("cp1252", errors="replace")
    if b"\0" in data or not is_western(text):
        paste = f"{{data: {path.name}, encoding: gb18030}}"
        raise UserError(f"{path}: {not_utf8_text(data)}; or name its encoding in a mapping: {paste}")
    return "cp1252"
