"""Markdown that surrounds an answer: a table or a quotation, as plain lines.

A row of two cells is a line ``head: value``; a column that is headed "Answer" gives the value of each row. Other rows
stay as they are. Of a quotation only the mark goes; a relation (``>24``) stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

_QUOTED = re.compile(r"^[ \t]{0,3}(?:>[ \t]+)+(?=\S)", re.MULTILINE)
_QUOTED_WORDS = re.compile(r"^\s{0,3}>[ \t]+(?=[*\"'“A-Za-z\u4e00-\u9fff])")
_RULE = re.compile(r"[\s|:-]{1,400}")
_ANSWER_HEAD = re.compile(
    r"[\s*_]{0,6}(?:(?:final|correct|my)\s+)?(?:answer|result)s?[\s*_]{0,6}|[*]*(?:最终)?(?:答案|结果)[*]*", re.I
)
_MOST_CELLS = 20


def without_layout(text: str) -> str:
    """``text`` with its tables and quotations as plain lines."""
    if ">" in text:
        # A value alone is no quotation: ``> 24`` is more than 24.
        text = (_QUOTED if "\n" in text.strip() else _QUOTED_WORDS).sub("", text)
    if "|" not in text:
        return text
    lines: list[str] = []
    for is_row, block in groupby(text.split("\n"), key=_is_row):
        rows = list(block)
        lines += _table(rows) if is_row else rows
    return "\n".join(lines)


def _is_row(line: str) -> bool:
    body = line.strip()
    return body.startswith("|") and body.endswith("|") and 2 <= body.count("|") <= _MOST_CELLS


def _table(rows: Sequence[str]) -> Iterator[str]:
    """The lines that stand for a table: a heading is left out, unless it is itself the answer."""
    ruled = len(rows) > 1 and _RULE.fullmatch(rows[1]) is not None
    head, body = _cells(rows[0]), [row for row in rows[1:] if not _RULE.fullmatch(row)]
    if not ruled or (_ANSWER_HEAD.fullmatch(head[0]) and len(head) == 2):
        yield _line(rows[0])
    column = next((at for at, cell in enumerate(head) if _ANSWER_HEAD.fullmatch(cell)), None)
    for row in body:
        cells = _cells(row)
        if ruled and column is not None and column < len(cells) and (column or len(head) == 1):
            yield f"{head[column]}: {cells[column]}" if len(body) == 1 else f"{cells[0]} {cells[column]}"
        else:
            yield _line(row)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _line(row: str) -> str:
    cells = [cell for cell in _cells(row) if cell]
    return f"{cells[0]}: {cells[1]}" if len(cells) == 2 else row
