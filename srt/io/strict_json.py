"""JSON from outside, read strictly: what other readers of JSON would change in silence is a fault with a name.

RFC 8259 leaves two things to the reader. Of a key that occurs twice, most keep the last value. An integer over 64 bits
becomes the nearest floating-point number, which is another number. Here, each is an error.
"""

from __future__ import annotations

import codecs
import json
from typing import Any, Final

import orjson

_LEAST: Final = -(2**63)
_MOST: Final = 2**64 - 1
_LONGEST: Final = len(str(_MOST)) + 1
"""Characters of the longest integer that fits, with its sign."""


class JsonFault(ValueError):
    """Text that is not JSON. ``str()`` is the fault."""


class JsonLoss(JsonFault):
    """JSON of which something would be lost in reading. ``str()`` begins with the key that it is at."""


def load_json(data: bytes | str, what: str = "JSON") -> Any:
    """The value that ``data`` spells out; ``what`` is what the message of a syntax error says was expected.

    A byte order mark before it is no fault. What is plainly another format is named.

    Raises:
        JsonFault: it is not JSON.
        JsonLoss: an object has a key twice, or an integer does not fit in 64 bits.
    """
    if isinstance(data, bytes):
        data = data.removeprefix(codecs.BOM_UTF8)
        if (written_so := _written_so(data)) is not None:
            return written_so
        if fault := not_utf8_text(data):
            raise JsonFault(f"not {what}: {fault}")
    try:
        # This pass only looks for losses, with the slower reader, which calls back for each object and integer.
        json.loads(data, object_pairs_hook=_without_repeats, parse_int=_fitting)
    except _Lost:
        raise JsonLoss(_first_loss(data)) from None
    except RecursionError:
        raise JsonFault(f"not {what}: nested too deep") from None
    except ValueError:
        pass  # the stricter reader says why
    try:
        # The other reader would accept NaN and half of a surrogate pair, which are no JSON.
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise JsonFault(f"not {what}: {error}") from None


def _written_so(data: bytes) -> Any:
    """The value of ``data``, if that is how it would be written: then nothing is lost. Else ``None``.

    So are the records that this toolkit writes, and they are read several times faster.
    """
    try:
        value = orjson.loads(data)
        return value if orjson.dumps(value) == data.rstrip(b"\n") else None
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):  # what it reads may be nested deeper than what it writes
        return None


_OTHER_FORMATS = {
    b"\x1f\x8b": "this is compressed with gzip; unpack it first (gunzip)",
    b"PK\x03\x04": "this is a zip archive, or a spreadsheet; unpack it, or save it as CSV",
    b"PAR1": "this is Parquet; where it can be read, its name ends with .parquet",
    codecs.BOM_UTF16_LE: "this is text in UTF-16; save it as UTF-8",
    codecs.BOM_UTF16_BE: "this is text in UTF-16; save it as UTF-8",
}
"""How files of other formats begin, and what to do with them."""
_LINE_END = b"\n"


def not_utf8_text(data: bytes) -> str | None:
    """What ``data`` is if it is no text in UTF-8, and what to do; ``None`` if it is."""
    for begin, fault in _OTHER_FORMATS.items():
        if data.startswith(begin):
            return fault
    try:
        data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = f"line {before.count(_LINE_END) + 1}, " if _LINE_END in data.rstrip() else ""
        at = f"{line}byte {len(before.rpartition(_LINE_END)[2]) + 1}"
        return f"{at} is not UTF-8; convert the text (iconv -f latin1 -t utf-8, if it is in Latin-1)"
    return None


class _Lost(Exception):
    """Something in the text would be lost in reading."""


class _Repeated(dict[str, Any]):
    """An object in which the key ``name`` occurs twice."""

    name: str


class _Oversized(str):
    """The digits of an integer over 64 bits."""


def _without_repeats(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        raise _Lost


def _fitting(digits: str) -> None:
    # The length first: Python refuses to read thousands of digits, with an error of its own.
    if len(digits) > _LONGEST or not _LEAST <= int(digits) <= _MOST:
        raise _Lost


def _first_loss(data: bytes | str) -> str:
    """The fault that comes first in the text, at its place in the document."""
    todo = [("", json.loads(data, object_pairs_hook=_marked, parse_int=_kept_or_oversized))]
    while todo:
        place, value = todo.pop()
        if isinstance(value, _Oversized):
            return f"{place or 'record'}: an integer of {len(value.lstrip('-'))} digits; write one over 64 bits as text"
        if isinstance(value, _Repeated):
            return f"{_inside(place, value.name)}: this key occurs twice; remove one of them"
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        todo += [(_inside(place, str(key)), one) for key, one in reversed(list(inner))]
    raise AssertionError("a loss was found before")


def _inside(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _marked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    marked = _Repeated(found)
    seen: set[str] = set()
    marked.name = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return marked


def _kept_or_oversized(digits: str) -> int | _Oversized:
    try:
        _fitting(digits)
    except _Lost:
        return _Oversized(digits)
    return int(digits)
