"""Rows of JSON and JSON lines. One item that is no JSON object, or holds NaN, is a bad row; the others are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from pathlib import Path
from typing import Any

from eval.benchmarks.external.row import BadRow, Row
from srt.io.errors import UserError
from srt.io.record_reader import text_lines
from srt.io.strict_json import JsonFault, JsonLoss, load_json, not_utf8_text

_MOST_JSON = 512 * 2**20
_BLANK = re.compile(r"\s*")


def json_lines(path: Path) -> Iterator[Row | BadRow]:
    """The rows of ``path``, one JSON object a line; blank lines are passed over."""
    for number, line in text_lines(path):
        if line.strip():
            yield _row(f"{path}:{number}", line, "a line of JSON")


def json_items(path: Path) -> Iterator[Row | BadRow]:
    """The items of ``path``: a JSON list of objects, or an object of objects, whose key becomes ``id``.

    Raises:
        UserError: the file is no JSON, holds something else, or is too large to be read in one piece.
    """
    if path.stat().st_size > _MOST_JSON:
        raise UserError(f"{path}: more than {_MOST_JSON // 2**20} MiB of JSON in one piece; give it as JSONL")
    data = path.read_bytes()
    try:
        found = load_json(data)
    except JsonFault as error:
        # One item may be at fault (NaN, half of a surrogate pair): each is read by itself.
        pieces = None if isinstance(error, JsonLoss) or not_utf8_text(data) else _pieces(data.decode("utf-8-sig"))
        if pieces is None:
            raise UserError(f"{path}: {error}") from None
        for key, text in pieces:
            yield _row(f"{path}: item {key}", text, "JSON", None if key.isdecimal() else key)
        return
    if isinstance(found, dict):
        items = [(key, {"id": key, **row} if isinstance(row, dict) else row) for key, row in found.items()]
    elif isinstance(found, list):
        items = [(str(number), row) for number, row in enumerate(found, 1)]
    else:
        raise UserError(f"{path}: a list of items was expected, not {type(found).__name__}")
    for key, row in items:
        yield _checked(f"{path}: item {key}", row)


def _row(place: str, text: bytes | str, what: str, ident: str | None = None) -> Row | BadRow:
    try:
        found = load_json(text, what)
    except JsonFault as error:
        return BadRow(place, str(error))
    if ident is not None and isinstance(found, dict):
        found = {"id": ident, **found}
    return _checked(place, found)


def _checked(place: str, row: Any) -> Row | BadRow:
    if isinstance(row, dict):
        return Row(place, row)
    return BadRow(place, f"a JSON object was expected, not {type(row).__name__}")


def _pieces(text: str) -> list[tuple[str, str]] | None:
    """The items of a list or an object with their number or key, each as its own text; ``None`` if it is neither."""
    start = _after_blanks(text, 0)
    opened = text[start : start + 1]
    if opened not in ("[", "{"):
        return None
    decoder, at = JSONDecoder(), start + 1
    found: list[tuple[str, str]] = []
    try:
        while text[(at := _after_blanks(text, at))] not in "]}":
            key = str(len(found) + 1)
            if opened == "{":
                key, at = decoder.raw_decode(text, at)
                at = _after_blanks(text, _after_blanks(text, at) + 1)  # the colon
            end = decoder.raw_decode(text, at)[1]
            found.append((str(key), text[at:end]))
            at = _after_blanks(text, end)
            at += text[at] == ","
    except (JSONDecodeError, RecursionError, IndexError):
        return None
    return found


def _after_blanks(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at
