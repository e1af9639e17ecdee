"""A row of a file that is not ours, or what is wrong with it."""

from __future__ import annotations

from typing import Any, NamedTuple


class Row(NamedTuple):
    """One row. ``place`` is ``file:line`` (of JSON: ``file: item N``); values are text, or what JSON holds."""

    place: str
    values: dict[str, Any]


class BadRow(NamedTuple):
    """A row that cannot be read, while those after it can; ``fault`` says why."""

    place: str
    fault: str


class ClassName(str):
    """A value of a ``datasets`` column of type ``ClassLabel``: its name. ``number`` counts from 0."""

    number: int

    def __new__(cls, name: str, number: int) -> ClassName:
        """The name ``name`` of the class ``number``."""
        made = super().__new__(cls, name)
        made.number = number
        return made
