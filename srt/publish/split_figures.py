"""What a split came to: counted on the rows that are written, not on those that were made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import orjson

from srt.io.errors import UserError
from srt.io.record_writer import Sink


@dataclass
class SplitFigures:
    """Counts of a split. ``unpacked``: bytes of the columns in memory; ``stored``: those of its files.

    ``refused``: the problems that are not proved, by reason.
    """

    name: str
    rows: int = 0
    pictures: int = 0
    unpacked: int = 0
    stored: int = 0
    langs: Counter[str] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    ids: set[str] = field(default_factory=set)

    def count(self, line: bytes) -> None:
        """Count a row. Raises a :class:`UserError` where its id was there before: two sources say the same."""
        row = orjson.loads(line)
        if row["id"] in self.ids:
            raise UserError(f"splits: {self.name}: problem {row['id']} comes twice: two sources are the same")
        self.ids.add(row["id"])
        self.rows += 1
        self.pictures += len(row.get("images", ()))
        self.langs[row["lang"]] += 1
        self.categories[row["category"] or "other"] += 1

    def refuse(self, of_reason: Mapping[str, int]) -> None:
        """Count problems that are not proved."""
        self.refused.update(of_reason)


class FirstRows:
    """Passes the first ``wanted`` lines on to ``write``, and counts them."""

    def __init__(self, wanted: int, figures: SplitFigures, write: Sink) -> None:
        self._wanted, self._figures, self._write = wanted, figures, write

    def __call__(self, lines: bytes | bytearray) -> None:
        """Take whole ``lines``."""
        first = bytes(lines).splitlines(keepends=True)[: self._wanted]
        self._wanted -= len(first)
        for line in first:
            self._figures.count(line)
        self._write(b"".join(first))
