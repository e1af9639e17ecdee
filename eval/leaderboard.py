"""The leaderboard: our arms, models that others published figures of, and people, by one figure, best first.

Only our arms were measured here, on the problems that they have in common. What others published is of the benchmark
as they had it, with their prompts and settings: it stands beside ours, marked, and enters no test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from eval.benchmarks.benchmark import Published, Table

if TYPE_CHECKING:
    from eval.compare import Comparison

Kind = Literal["measured", "published", "people"]

_FIGURES = ("overall", "total", "circular", "flip-circular")
"""The columns that papers rank models by; the first of them that a table of the benchmark has is taken."""


@dataclass(frozen=True)
class Place:
    """One row. ``score`` is a share in [0, 1]; ``low`` and ``high`` its 95% interval, where it is one of ours.

    ``tokens`` is the mean of output tokens; ``source`` who published the figure.
    """

    name: str
    kind: Kind
    score: float
    low: float | None = None
    high: float | None = None
    tokens: float | None = None
    source: str | None = None


@dataclass(frozen=True)
class Leaderboard:
    """``figure`` names what the rows are ordered by."""

    figure: str
    places: list[Place]

    @property
    def sources(self) -> list[str]:
        """Who published what is not ours, each once."""
        return list(dict.fromkeys(place.source for place in self.places if place.source))


def leaderboard(comparison: Comparison) -> Leaderboard:
    """The arms of ``comparison`` and what its tables know of others, by the figure that the others were published with.

    That is accuracy over all problems, unless the benchmark's own table has another (SpaCE2025's total, HST's circular
    accuracy): our arms then have theirs from that same table, without an interval.
    """
    found = _ranked_table(comparison.tables)
    table, column = found or (None, "accuracy")
    ours = [_measured(comparison, at, table, column) for at in range(len(comparison.arms))]
    others = [] if table is None else [_published(row, column) for row in table.published if column in row.figures]
    places = sorted([*filter(None, ours), *others], key=lambda place: -place.score)
    return Leaderboard("accuracy" if column == "overall" else column, places)


def _ranked_table(tables: Sequence[Table]) -> tuple[Table, str] | None:
    """The first table with published rows that has a column to rank by."""
    for table in tables:
        for column in _FIGURES:
            if column in table.header and any(column in row.figures for row in table.published):
                return table, column
    return None


def _measured(comparison: Comparison, at: int, table: Table | None, column: str) -> Place | None:
    arm = comparison.arms[at]
    tokens = arm.output_tokens.mean if arm.output_tokens else None
    if table is None or column == "overall":
        accuracy = arm.accuracy
        return Place(arm.arm, "measured", accuracy.share, accuracy.low, accuracy.high, tokens)
    cell = next((row[table.header.index(column)] for row in table.rows if row[0] == arm.arm), None)
    return None if cell is None or isinstance(cell, str) else Place(arm.arm, "measured", cell, tokens=tokens)


def _published(row: Published, column: str) -> Place:
    kind: Kind = "people" if row.people else "published"
    return Place(row.model, kind, row.figures[column], tokens=row.figures.get("tokens"), source=row.source)
