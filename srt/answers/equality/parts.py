"""An answer of several parts, taken apart: labels (``(1)``, ``①``), separators, labels dropped, nesting made flat."""

from __future__ import annotations

import re

from srt.answers.equality.forms.brackets import bracketed
from srt.answers.equality.normal_form import plain, top_level, unbraced

_LABEL = re.compile(
    r"(?<![A-Za-z0-9)=\]}_^\\/×÷])(?<![/×÷] )(?<!\\times )(?<!\\cdot )(?<!\\div )(?<![\d)][*·])"
    r"(?:(?:[Pp]art|第)\s*+)?\((?P<number>[1-9]|[ivx]{1,4})\)"
    r"(?!\s*+[*/^=]|[-+]|\s++[-+](?![\d\\.√π])|\s*+$)\s*+[问题空]?\s*+[.:、]?"
    r"|(?:^|(?<=[\n;]))\s{0,20}(?:(?:[Pp]art|[Qq]uestion|第)\s*+)?"
    r"\(?(?P<line>[1-9])\)?\s*+(?:[.)、:](?!\d)|[问题空])\s*+:?"
)
SEE_ELSEWHERE = re.compile(
    r"(?:see\s+(?:the\s+)?(?:analysis|solution|explanation|figure)|[见略]|(?:见|详见)?(?:解析|分析|详解|答案|图))[.。]?",
    re.I,
)
"""What people write where there is no answer."""

_PROOF = re.compile(
    r"(?:证明)?详?见解析|证明(?:过程)?(?:见解析|略)?|(?:the\s+)?proofs?(?:\s+(?:is\s+)?omitted)?|omitted", re.I
)
_SEPARATORS = (
    re.compile(r"[;；]\s*+(?:and\s)?|\\q?quad"),
    re.compile(r"\n\s*+"),
    re.compile(r"、|,\s++(?:and\s++)?|(?<=[^\d]),(?=\S)|,(?!\d{3}(?!\d))|(?<!\s)\s++and\s|[与和及]"),
    re.compile(r"\s+"),
    re.compile(r","),  # Gold of two parts: 220,330 is not one number.
)
_NUMERIC = re.compile(r"[-+]?[\d.,/]+|\\(?:frac|sqrt).*")
_STATEMENTS = re.compile(r"(?:\(([1-9])\)[\s,、;]*)+")
_LETTER_LABEL = re.compile(r"(?:^|(?<=\s))(?:\((?P<letter>[a-e])\)|(?P<bare>[1-9])\))\s*(?![-+*/^=])")
_BETWEEN_LABELS = re.compile(r"(?:[\s;,、]|(?<![a-z])and(?![a-z])){1,40}$|^[\s;,、]+")


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


def without_proofs(pieces: list[str]) -> list[str]:
    """The parts that have an answer ("see the analysis" has not); all of them, if no part has."""
    return [piece for piece in pieces if not (SEE_ELSEWHERE.fullmatch(piece) or _PROOF.fullmatch(piece))] or pieces
