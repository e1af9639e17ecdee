"""Check that a file has sequences, without PyTorch. Faults are counted by kind, and the first of each is named."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from srt.io.errors import UserError
from srt.io.record_lines import parse_record
from srt.io.record_reader import read_lines
from srt.io.records import Pair, Record, Sequence
from train.recipe import Recipe

INVALID = "invalid lines"
"""The kind of fault of a line that is no sequence, or cannot be encoded."""


class CountedFaults:
    """Faults by kind: the first of each is reported in full, the others are counted."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._counts: Counter[str] = Counter()

    def add(self, kind: str, line: str) -> None:
        """One more of ``kind``."""
        self._first.setdefault(kind, line)
        self._counts[kind] += 1

    def lines(self) -> list[str]:
        """A line for each kind."""
        return [
            line if self._counts[kind] == 1 else f"{line} (the first of {self._counts[kind]} {kind})"
            for kind, line in self._first.items()
        ]


def record_of(recipe: Recipe) -> type[Pair] | type[Sequence]:
    """What the data of ``recipe`` are."""
    return Sequence if recipe.objective.dpo is None else Pair


def check_lines(path: Path, faults: CountedFaults, model: type[Record] = Sequence) -> None:
    """Check that each line of the file ``path`` is a ``model``."""
    lines = 0
    for place, _, line in read_lines(path, model):
        lines += 1
        try:
            parse_record(line, model, place)
        except UserError as error:
            faults.add(INVALID, str(error))
    if not lines:
        faults.add("empty files", f"{path}: no sequence to train on")
