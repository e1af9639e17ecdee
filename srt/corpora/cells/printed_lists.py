"""Lists as Python prints them: ``['a', 'b']`` in MMMU's column ``options``, and what pandas writes to a CSV.

Read with :func:`ast.literal_eval`, which computes nothing.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any

_STRING = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_WITHOUT_COMMAS = re.compile(rf"\[\s*(?:{_STRING})(?:\s+(?:{_STRING}))+\s*\]", re.S)
"""How numpy prints a list of texts: ``['a' 'b']``. Python itself would join the two to one."""
_ARRAY = re.compile(r"array\((\[.*?\]),\s*dtype=\w+\)", re.S)
_LATEX = re.compile(
    r"(?<!\\)\\(?=[abfvr][A-Za-z]|t(?:ext|imes|heta|an|au|o\b|op|riangle|frac|ilde)|n(?:abla|eq?\b|u\b|ot|mid|i\b))"
)
"""A command of LaTeX whose backslash was not doubled: Python would read \\frac as a form feed and ``rac``."""
_LONGEST = 20_000


def printed_list(text: str) -> list[Any] | dict[Any, Any] | None:
    """The list, tuple or dict that ``text`` prints; ``None`` if it is none."""
    if len(text) > _LONGEST:
        return None
    text = _LATEX.sub(r"\\\\", _ARRAY.sub(r"\1", text))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of \(, which is no escape
            if _WITHOUT_COMMAS.fullmatch(text):
                return [ast.literal_eval(one) for one in re.findall(_STRING, text, re.S)]
            found = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    if isinstance(found, tuple):
        return list(found)
    return found if isinstance(found, list | dict) else None
