"""Options whose values are ``KEY=VALUE``."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable

from srt.io.errors import UserError


def pairs(given: Iterable[str], option: str, example: str) -> dict[str, str]:
    """The values of an ``option`` that may be repeated, by key; raises a :class:`UserError` without ``=``."""
    chosen = {}
    for pair in given:
        name, equals, chosen[name] = pair.partition("=")
        if not equals:
            raise UserError(f"{option} {pair}: KEY=VALUE was expected, as in {example}")
    return chosen


def column_names(given: Iterable[str]) -> dict[str, str]:
    """What ``--columns`` says, ours to theirs: ``id=pid,prediction="Model output"``; a name with a comma is quoted."""
    cells = [cell.strip() for line in csv.reader(map(_as_cells, given), skipinitialspace=True) for cell in line]
    return pairs(cells, "--columns", "id=pid,prediction=output")


def _as_cells(text: str) -> str:
    """``text`` with the quotation marks around whole cells, as csv has them: before ``key=``, not behind it."""
    return re.sub(r'(\w+)="', r'"\1=', text)
