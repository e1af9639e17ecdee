"""An answer of several parts, taken apart: labels (``(1)``, ``①``), separators, labels dropped, nesting made flat."""

from __future__ import annotations

import re

from srt.answers.equality.normal_form import closing, plain, top_level, unbraced

_LABEL = re.compile(
    r"(?<![A-Za-z0-9)=\]}_^\\])\((?P<number>[1-9]|[ivx]{1,4})\)(?!\s*[-+*/^=]|\s*$)\s*[.:、]?"
    r"|(?:^|(?<=[\n;]))\s*(?:[Pp]art|[Qq]uestion|第)?\s*\(?(?P<line>[1-9])\)?\s*(?:[.)、:](?!\d)|[问题空])\s*:?"
)
_SEPARATORS = (
    re.compile(r"\s*(?:[;；]\s*(?:and\s)?|\\q?quad)\s*"),
    re.compile(r"\s*\n\s*"),
    re.compile(
        r"\s*(?:、|,\s+(?:and\s+)?|(?<=[^\d]),(?=\S)|,(?!\d{3}(?!\d))|\s(?:and|与|和)\s|(?<=[\d}\u4e00-\u9fff])[与和])\s*"
    ),
    re.compile(r"\s+"),
)
_NUMERIC = re.compile(r"[-+]?[\d.,/]+|\\(?:frac|sqrt).*")
_STATEMENTS = re.compile(r"(?:\(([1-9])\)[\s,、;]*)+")
_TUPLE = re.compile(r"\s*,\s*|\s*、\s*|\s*;\s*")


def split_parts(text: str, count: int) -> list[str] | None:
    """``text`` as ``count`` parts in their order, labels dropped; ``None`` where no way to cut it gives so many."""
    body = plain(text)
    labelled = leaves(body)
    if len(labelled) == count and count > 1:
        return labelled
    for separator in _SEPARATORS:
        pieces = [piece for piece in map(unbraced, top_level(body, separator)) if piece]
        if len(pieces) == count:
            if separator is _SEPARATORS[-1] and not all(map(_NUMERIC.fullmatch, pieces)):
                continue
            return [without_label(piece) for piece in pieces]
    return None


def leaves(body: str) -> list[str]:
    """The parts between the labels of ``body``, nested ones made flat; ``[body]`` where it has no labels."""
    marks = list(_LABEL.finditer(body))
    if not marks or body[: marks[0].start()].strip() or statements(body):
        return [body]
    ends = [mark.start() for mark in marks[1:]] + [len(body)]
    pieces = [unbraced(body[mark.end() : end].strip(" \n;,、")) for mark, end in zip(marks, ends, strict=True)]
    return [piece for piece in pieces if piece] or [body]


def without_label(piece: str) -> str:
    """``piece`` without the label that it begins with."""
    mark = _LABEL.match(piece)
    return piece[mark.end() :].strip() if mark else piece


def statements(text: str) -> list[int] | None:
    """The numbers of an answer that only names statements, ``(1)(4)`` or ``①④``; ``None`` if it is another."""
    body = plain(text)
    return list(map(int, re.findall(r"\d", body))) if _STATEMENTS.fullmatch(body) else None


def bracketed(text: str) -> tuple[str, list[str], str] | None:
    """Opening bracket, elements and closing bracket of ``(1, 2)``, ``[0, 1)``, ``\\{1, 2\\}``; ``None`` for others."""
    body = text.strip()
    if body[:2] == r"\{" and body[-2:] == r"\}":
        return "{", top_level(body[2:-2], _TUPLE), "}"
    if len(body) < 3 or body[0] not in "([" or body[-1] not in ")]":
        return None
    inner = body[1:-1]
    if closing(f"({inner})", 0) != len(inner) + 1:
        return None
    elements = top_level(inner, _TUPLE)
    return (body[0], elements, body[-1]) if len(elements) > 1 and all(elements) else None
