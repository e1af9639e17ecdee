"""Decimal commas: ``3,5 cm`` in a European table is 3.5, and not two answers.

Where the cells of a table are between semicolons, its numbers have decimal commas (that is why). A column with decimal
points beside them is mixed, and then ``1,234`` has two readings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

Decimal = Literal[",", "."]
_COMMA = re.compile(r"(?<![\d.,])(\d{1,3}(?:\.\d{3})+|\d+)(?:,|\{,\})(\d+)(?!\d|[.,]\d|\{,\})")
_POINT = re.compile(r"(?<![\d.,])\d+\.(?!\d{3}(?!\d))\d+(?![.,]?\d)")
_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?![.,]?\d)")
_ALONE = re.compile(r"\s*[-−+]?\d+,\d+(?![\d,]|\s*[,;]\s*\d).*", re.S)

_BOTH = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+,\d+(?![.,]?\d)")
_POINT_GROUPS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+(?![.,]?\d)")
_UNEVEN = re.compile(r"\s*[-−+]?\d{1,2}(?:,\d{2})+,\d{3}(?![\d,]).*", re.S)
_BELOW_ONE = re.compile(r"\s*[-−+]?0\d*,\d+(?![\d,]|\s*[,;]\s*\d).*", re.S)


def with_points(text: str) -> str:
    """``text`` with a point for each decimal comma: ``3,5 cm`` as ``3.5 cm``, ``1.234,5`` as ``1234.5``."""
    return _COMMA.sub(lambda match: f"{match[1].replace('.', '')}.{match[2]}", text)


def decimal_sign(answers: Iterable[str]) -> Decimal | None:
    """The decimal sign of a column of a table with semicolons; ``None`` where it shows none, or both."""
    commas = points = False
    for text in answers:
        commas |= any(not _THOUSANDS.fullmatch(match[0]) for match in _COMMA.finditer(text))
        points |= _POINT.search(text) is not None
    if commas == points:
        return None
    return "," if commas else "."


def has_two_readings(text: str) -> bool:
    """Whether ``text`` is one number with a comma before 3 digits, ``1,234``: a decimal, or a thousand."""
    return _THOUSANDS.search(text) is not None


def is_one_with_thousands(text: str) -> bool:
    """Whether ``text`` is one number with one comma before 3 digits, alone or with a unit: ``220,330 cm``."""
    return re.fullmatch(r"\s*[-−+]?[1-9]\d{0,2},\d{3}(?![\d,]).*", text, re.S) is not None


def without_thousands(text: str) -> str:
    """``text`` without the commas of thousands: ``43,500`` as ``43500``."""
    return _THOUSANDS.sub(lambda match: match[0].replace(",", ""), text)


def is_number_with_comma(text: str) -> bool:
    """Whether ``text`` is ``3,5`` or ``3,5 cm``: with a decimal comma, or two answers without a blank between them."""
    return _ALONE.fullmatch(text) is not None and not has_two_readings(text)


def has_both_signs(text: str) -> bool:
    """Whether ``text`` has a number as ``1.234,5``, whose comma is a decimal sign."""
    return _BOTH.search(text) is not None


def has_groups_with_points(text: str) -> bool:
    """Whether ``text`` has a number as ``10.000``: with decimal commas ten thousand."""
    return _POINT_GROUPS.search(text) is not None


def without_point_groups(text: str) -> str:
    """``text`` without the points of thousands: ``10.000 m`` as ``10000 m``."""
    return _POINT_GROUPS.sub(lambda match: match[0].replace(".", ""), text)


def is_in_uneven_groups(text: str) -> bool:
    """Whether ``text`` is ``1,23,456``: one number in Indian groups, or several."""
    return _UNEVEN.fullmatch(text) is not None


def is_below_one(text: str) -> bool:
    """Whether ``text`` is ``0,125``: its comma can only be a decimal sign, or stand between two answers."""
    return _BELOW_ONE.fullmatch(text) is not None
