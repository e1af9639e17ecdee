"""The encoding of a table of text: UTF-8, what the mapping says, or Windows-1252 where nothing else is plausible.

Spreadsheets in Europe save CSV in Windows-1252. Almost any bytes are valid in it, so a table in GBK or Windows-1251
would be read as nonsense without an error. It is taken only where every sign that it gives is one of a Western European
text, and such signs stand alone or in twos, as umlauts in words do.
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import Literal

from srt.io.errors import UserError
from srt.io.strict_json import not_utf8_text

Encoding = Literal["utf-8", "cp1252", "cp1250", "cp1251", "gb18030", "big5", "shift_jis", "euc_kr", "utf-16"]
_WESTERN = "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜßàáâãäåæçèéêëìíîïñòóôõöøùúûüÿŒœ€£°²³±µ×·÷§½¼¾–—„“”‘’‚«»…¿¡•ªº\xa0"
_OTHER = re.compile(rf"[^\x00-\x7f{_WESTERN}]")
_RUN = re.compile(r"[^\x00-\x7f]{3}")
_BLOCK = 1 << 20


def table_encoding(path: Path) -> Encoding:
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
    if b"\0" in data or _OTHER.search(text) or _RUN.search(text):
        paste = f"{{data: {path.name}, encoding: gb18030}}"
        raise UserError(f"{path}: {not_utf8_text(data)}; or name its encoding in a mapping: {paste}")
    return "cp1252"
