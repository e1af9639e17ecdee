"""Claims as the checker sees them: the left side of a claim, and the value that it has according to the claim."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

Value = int | str | tuple[int, ...] | frozenset[str]


class Left(NamedTuple):
    """What a claim speaks of. ``owner`` is the letter of an option whose solid is meant, else empty."""

    what: str
    owner: str = ""
    name: str = ""
    at: int = 0
    cells: frozenset[str] = frozenset()


class ViewStatement(NamedTuple):
    """A claim: ``left`` has ``value``; for ``bound``, at most that value."""

    left: Left
    value: Value


_OPERATIONS = {
    "asked": "CORRELATE",
    "shows": "CORRELATE",
    "beside": "CORRELATE",
    "stack": "CONSTRAIN",
    "seen": "CONSTRAIN",
    "bound": "CONSTRAIN",
    "max": "CONSTRAIN",
}
"""The operation of a claim by what it speaks of; all others are INFER."""


def operation_of(left: Left) -> str:
    """The operation of a claim; a layer is read from a picture, or inferred after a turn."""
    return "CONSTRAIN" if left.what == "layer" and not left.name else _OPERATIONS.get(left.what, "INFER")


_CELL = "[a-h][1-8]"
_INTEGER = r"(?:0|[1-9]\d{0,8})"
_ASKED = re.compile(
    r"\? (?:= (?:count|least|most|ways|surface|painted|missing|front|left|right|back|top|plan|opposite\([1-9]\))"
    r"|sees view|turns solid|folds net|unfolds cube|completes (?:front|left|right|back)"
    r"|fits (?:front|left|right|back|top)(?: (?:front|left|right|back|top))*)"
)
_EQUATION = re.compile(rf"(.+?) (=|<=) ({_INTEGER}|\d(?: \d){{1,7}}|\{{{_CELL}(?:, {_CELL})*\}})")
_COLUMN = re.compile(r"(?:([A-H])\.)?(front|left|right|back)\[([1-8])\]")
_STACK = re.compile(rf"(?:([A-H])\.)?({_CELL})")
_SET = re.compile(rf"(max|sum|least|most|ways)\{{({_CELL}(?:, {_CELL})*)\}}")
_FACES = re.compile(r"faces\((front|left|right|back|top)(?:\[([1-8])\])?\)")
_NEED = re.compile(r"need\(([1-8])\)")
_WORD = re.compile(r"count|least|most|ways|surface|painted|box|missing|front|left|right|back|top|\?")
_TURN = "(?:top|front|right|bottom|back|left)"
_LAYER = re.compile(rf"(?:(?:([A-H])\.)?layer|turned\(({_TURN}(?: {_TURN}){{0,2}})\))\[([1-8])\]")
_AT_EDGE = re.compile(r"(?:([A-H])\.)?(beyond )?(up|right|down|left)\(([1-9])\)")
_OPPOSITE = re.compile(r"(?:([A-H])\.)?opposite\(([1-9])\)")
_CORNER = re.compile(r"(?:([A-H])\.)?(seen|corner)\(([1-9]) ([1-9])\)")
_LETTER = re.compile(r"not ([A-H])|options = \{([A-H])\}|same ([A-H])")


@lru_cache(maxsize=32_768)
def read_statement(text: str) -> ViewStatement | None:
    """The claim ``text``; ``None`` if it is none, or not in its normal form."""
    if _ASKED.fullmatch(text):
        return ViewStatement(Left("asked"), text)
    if letter := _LETTER.fullmatch(text):
        if letter[2]:
            return ViewStatement(Left("options"), letter[2])
        return (
            ViewStatement(Left("not", letter[1]), "wrong")
            if letter[1]
            else ViewStatement(Left("same", letter[3]), "same")
        )
    equation = _EQUATION.fullmatch(text)
    if equation is None:
        return None
    left, relation, right = equation.groups()
    value = _value(right)
    if value is None:
        return None
    if relation == "<=":
        bound = _STACK.fullmatch(left)
        plain = bound is not None and not bound[1] and isinstance(value, int)
        return ViewStatement(Left("bound", name=left), value) if plain else None
    read = _left(left, value)
    return None if read is None else ViewStatement(read, value)


def _value(text: str) -> Value | None:
    if text.startswith("{"):
        cells = text[1:-1].split(", ")
        return frozenset(cells) if cells == sorted(set(cells)) else None
    return tuple(map(int, text.split())) if " " in text else int(text)


def _left(text: str, value: Value) -> Left | None:
    """The left side, if it can have such a value."""
    if match := _COLUMN.fullmatch(text):
        if isinstance(value, tuple):
            return None
        return Left("shows" if isinstance(value, frozenset) else "column", match[1] or "", match[2], int(match[3]))
    if match := _LAYER.fullmatch(text):
        return Left("layer", match[1] or "", match[2] or "", int(match[3])) if isinstance(value, frozenset) else None
    if match := _WORD.fullmatch(text):
        if text == "?":
            return Left("found")
        if text == "top":
            return Left("view", name=text) if isinstance(value, frozenset) else None
        if text in ("front", "left", "right", "back"):
            return Left("view", name=text) if isinstance(value, tuple) else None
        return Left("number", name=text) if isinstance(value, int) else None
    if not isinstance(value, int):
        return None
    if match := _STACK.fullmatch(text):
        return Left("stack", match[1] or "", match[2])
    if match := _SET.fullmatch(text):
        cells = match[2].split(", ")
        return Left(match[1], cells=frozenset(cells)) if cells == sorted(set(cells)) else None
    if match := _FACES.fullmatch(text):
        if match[2] and match[1] == "top":
            return None
        return Left("faces", name=match[1], at=int(match[2] or 0))
    if match := _NEED.fullmatch(text):
        return Left("need", at=int(match[1]))
    return _left_of_net(text)


def _left_of_net(text: str) -> Left | None:
    if match := _AT_EDGE.fullmatch(text):
        return Left("beyond" if match[2] else "beside", match[1] or "", match[3], int(match[4]))
    if match := _OPPOSITE.fullmatch(text):
        return Left("opposite", match[1] or "", at=int(match[2]))
    if match := _CORNER.fullmatch(text):
        return Left(match[2], match[1] or "", match[4], int(match[3]))
    return None
