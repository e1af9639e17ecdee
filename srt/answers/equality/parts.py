"""An answer of several parts, taken apart: labels (``(1)``, ``①``), separators, labels dropped, nesting made flat."""

from __future__ import annotations

import re

from srt.answers.equality.normal_form import closing, plain, top_level, unbraced

_LABEL = re.compile(
    r"(?<![A-Za-z0-9)=\]}_^\\])(?:(?:[Pp]art|第)\s*)?\((?P<number>[1-9]|[ivx]{1,4})\)(?!\s*[-+*/^=]|\s*$)\s*[问题空]?\s*[.:、]?"
    r"|(?:^|(?<=[\n;]))\s*(?:[Pp]art|[Qq]uestion|第)?\s*\(?(?P<line>[1-9])\)?\s*(?:[.)、:](?!\d)|[问题空])\s*:?"
)
_SEPARATORS = (
    re.compile(r"\s*(?:[;；]\s*(?:and\s)?|\\q?quad)\s*"),
    re.compile(r"\s*\n\s*"),
    re.compile(
        r"\s*(?:、|,\s+(?:and\s+)?|(?<=[^\d]),(?=\S)|,(?!\d{3}(?!\d))|\s(?:and|与|和)\s|(?<=[\d}\u4e00-\u9fff])[与和])\s*"
    ),
    re.compile(r"\s+"),
    re.compile(r"\s*,\s*"),  # Gold of two parts: 220,330 is not one number.
)
_NUMERIC = re.compile(r"[-+]?[\d.,/]+|\\(?:frac|sqrt).*")
_STATEMENTS = re.compile(r"(?:\(([1-9])\)[\s,、;]*)+")
_LETTER_LABEL = re.compile(r"(?:^|(?<=\s))(?:\((?P<letter>[a-e])\)|(?P<bare>[1-9])\))\s*(?![-+*/^=])")
_BETWEEN_LABELS = re.compile(r"(?:[\s;,、]|(?<![a-z])and(?![a-z]))+$|^[\s;,、]+")
_INTERVAL = re.compile(
    r"(?P<low>[^<>=≤≥]+?)\s*(?P<opens><|≤|\\le(?![a-z])|\\lt(?![a-z]))\s*[A-Za-z]\s*"
    r"(?P<closes><|≤|\\le(?![a-z])|\\lt(?![a-z]))\s*(?P<high>[^<>=≤≥]+)"
)
_COORDINATE = re.compile(r"([xyz])\s*=\s*([^=]+)")
_ASKS_POINT = re.compile(r"coordinate|point|坐标", re.I)
OR = re.compile(r"\s*(?:,?\s+or\s+|或者?|\\text\s*\{\s*or\s*\})\s*")
AND = re.compile(r"\s*(?:、|[,;]\s+(?:and\s+)?|\s(?:and|与|和)\s)\s*")
_EITHER_SIGN = re.compile(r"±|\\pm(?![A-Za-z])")
_TUPLE = re.compile(r"\s*,\s*|\s*、\s*|\s*;\s*")


def split_parts(text: str, count: int) -> list[str] | None:
    """``text`` as ``count`` parts in their order, labels dropped; ``None`` where no way to cut it gives so many."""
    body = plain(text)
    labelled = leaves(body)
    if len(labelled) == count and count > 1:
        return labelled
    in_brackets = bracketed(body)
    if in_brackets is not None and in_brackets[0] != "{" and len(in_brackets[1]) == count:
        return in_brackets[1]
    if count > 1 and re.fullmatch(r"[(\[{][\d,.]+[)\]}]", body):
        body = body[1:-1]
    for separator in _SEPARATORS:
        pieces = [piece for piece in map(unbraced, top_level(body, separator)) if piece]
        if len(pieces) == count:
            if separator in _SEPARATORS[-2:] and not all(map(_NUMERIC.fullmatch, pieces)):
                continue
            return [without_label(piece) for piece in pieces]
    return None


def leaves(body: str) -> list[str]:
    """The parts between the labels of ``body``, nested ones made flat; ``[body]`` where it has no labels."""
    marks = max((list(pattern.finditer(body)) for pattern in (_LABEL, _LETTER_LABEL)), key=len)
    if not marks or body[: marks[0].start()].strip() or statements(body):
        return [body]
    ends = [mark.start() for mark in marks[1:]] + [len(body)]
    pieces = [
        unbraced(_BETWEEN_LABELS.sub("", body[mark.end() : end].strip())) for mark, end in zip(marks, ends, strict=True)
    ]
    numbers = [next(filter(None, mark.groups())) for mark in marks]
    if all(pieces) and len(set(numbers)) == len(numbers):  # ``(2) 7; (1) 5``, but a nested (1) keeps its place
        pieces = [piece for _, piece in sorted(zip(numbers, pieces, strict=True))]
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


def interval(text: str) -> tuple[str, list[str], str] | None:
    """``0 < x \\le 1`` as the interval ``(0, 1]``."""
    match = _INTERVAL.fullmatch(text.strip()) if len(text) <= 100 else None
    if match is None:
        return None
    strict = ("<", "\\lt")
    ends = [match["low"].strip(), match["high"].strip()]
    return "(" if match["opens"] in strict else "[", ends, ")" if match["closes"] in strict else "]"


def as_point(text: str, question: str) -> str:
    """``x = 2, y = -3``, and ``2, -3`` where the question asks for a point, as ``(2, -3)``; others as they are."""
    if len(text) > 100 or not re.search(r"[,;]", text):
        return text
    pieces = top_level(text.strip(), _TUPLE)
    found = [_COORDINATE.fullmatch(piece) for piece in pieces]
    if all(found) and [match[1] for match in found if match] == ["x", "y", "z"][: len(found)]:
        return f"({', '.join(match[2].strip() for match in found if match)})"
    asked = _ASKS_POINT.search(question) and all(map(_NUMERIC.fullmatch, pieces)) and len(pieces) > 1
    return f"({', '.join(pieces)})" if asked else text


def alternatives(body: str) -> list[str]:
    """The values that ``body`` leaves open: ``x = 3 or x = -3``, ``x = 3, x = -3``, ``\\{3, -3\\}`` and ``x = ±3``."""
    inner = bracketed(body)
    if inner is not None and inner[0] == "{":
        return inner[1]
    if len(_EITHER_SIGN.findall(body)) == 1:
        return [_EITHER_SIGN.sub("", body), _EITHER_SIGN.sub("-", body)]
    pieces = top_level(body, OR)
    return pieces if len(pieces) > 1 else top_level(body, AND)
