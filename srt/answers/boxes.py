"""What a text puts into ``\\boxed{}``, with the unit that stands after the box."""

from __future__ import annotations

import re
from typing import NamedTuple

from srt.answers.equality.normal_form import plain
from srt.io.records import AnswerKind
from srt.maths.units.unit_phrases import phrase_unit

_BOXED = re.compile(r"\\(?:f?boxed|fbox)\s*\{|\\boxed\s+(?=\w)")
_BETWEEN_BOXES = re.compile(r"(?:[\s,，、;；:$&]|\\[,;: ()\[\]]|\\q?quad|and|or|和|与|或)*", re.IGNORECASE)
_BEHIND_BOX = re.compile(
    r"(?:[ \t~$}]|\\[,;:)!\] ]|\n\s*\\\])*+([^\n.。,，;；:：]{1,60}?)[^\S\n]*+[$*]*+[^\S\n]*+(?:[.。,，;；:：\n]|$)"
)


def boxed(body: str, kind: AnswerKind) -> str | None:
    """The content of the last box of ``body``, with those just before it and the unit after it.

    For an answer of several parts it is the contents of all boxes.
    """
    boxes = _boxes(body)
    if not boxes:
        return None
    if kind == "parts" and len(boxes) > 1:
        return "; ".join(box.content + _unit_behind(body, box.end) for box in boxes)
    first = len(boxes) - 1
    while first and _BETWEEN_BOXES.fullmatch(body, boxes[first - 1].end, boxes[first].start):
        first -= 1
    text = boxes[first].content
    for before, box in zip(boxes[first:], boxes[first + 1 :], strict=False):
        between = body[before.end : box.start].replace("$", "").strip()
        text += f" {between or ','} {box.content}"
    return text.strip() + (_unit_behind(body, boxes[-1].end) if kind != "choice_set" else "")


class _Box(NamedTuple):
    start: int
    end: int
    content: str


def _boxes(body: str) -> list[_Box]:
    found = []
    at = 0
    while (match := _BOXED.search(body, at)) is not None:
        at = match.end()
        if not match[0].endswith("{"):
            word = re.compile(r"\w+").match(body, at)
            assert word is not None
            found.append(_Box(match.start(), word.end(), word[0]))
            continue
        depth = 1
        for end in range(at, len(body)):
            depth += {"{": 1, "}": -1}.get(body[end], 0)
            if depth == 0:
                found.append(_Box(match.start(), end + 1, body[at:end]))
                at = end + 1
                break
        else:
            break  # Never closed; neither is anything after it.
    return found


def _unit_behind(body: str, end: int) -> str:
    """The unit that stands after a box, with a space before it; other words are no part of the answer."""
    match = _BEHIND_BOX.match(body, end)
    if match is None:
        return ""
    unit = plain(match[1]).strip("*_ ")
    return f" {unit}" if phrase_unit(unit) is not None else ""
