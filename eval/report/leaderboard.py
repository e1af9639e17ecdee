"""The leaderboard: our arms by one figure, best first, and apart from them what others published.

Only our arms were measured here, on the problems that they have in common. Published figures were measured on another
copy of the benchmark, with other prompts and settings: they are marked, and take part in no test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from eval.benchmarks.definition.benchmark import Table
from eval.report.comparison_records import Comparison

Kind = Literal["measured", "published", "human"]

_FIGURES = ("overall", "total", "circular", "flip-circular")
"""The columns that papers rank models by; the first one that a table of the benchmark has is used."""


@dataclass(frozen=True)
class LeaderboardRow:
    """One row. ``score`` is a share in [0, 1]; ``low`` and ``high`` are its 95% interval, if it was measured here.

    ``tokens`` is the mean of output tokens; ``source`` is the publication of the figure. ``rank`` is among our arms,
    the same for equal scores; an arm under the other policy has none.
    """

    name: str
    kind: Kind
    score: float
    low: float | None = None
    high: float | None = None
    tokens: float | None = None
    source: str | None = None
    rank: int | None = None


@dataclass(frozen=True)
class Leaderboard:
    """Our arms and the published rows, each ordered by ``figure``; ``caveat`` is what the benchmark's table says."""

    figure: str
    arms: list[LeaderboardRow]
    published: list[LeaderboardRow]
    caveat: str | None

    @property
    def sources(self) -> list[str]:
        """The publications of the published rows, each once."""
        return list(dict.fromkeys(row.source for row in self.published if row.source))


def leaderboard(comparison: Comparison) -> Leaderboard:
    """The arms of ``comparison`` and the published rows of its tables, by the figure that was published.

    That is accuracy over all problems, unless the benchmark's table has another (SpaCE2025's total, HST's circular
    accuracy): the figures of our arms then come from that table, without an interval.
    """
    table, column = _ranked_table(comparison.tables)
    rows = []
    for arm in comparison.arms:
        tokens = arm.output_tokens.mean if arm.output_tokens else None
        score, low, high = arm.accuracy.share, arm.accuracy.low, arm.accuracy.high
        if table is None or column == "overall":
            rows.append(LeaderboardRow(arm.arm, "measured", score, low, high, tokens))
            continue
        # From the table, not from the accuracy: only so are our arms counted as the published rows were.
        cell = next((row[table.header.index(column)] for row in table.rows if row[0] == arm.arm), None)
        if isinstance(cell, float):
            rows.append(LeaderboardRow(arm.arm, "measured", cell, tokens=tokens))
    # The same arm under the other policy: the published rows may have been graded so.
    others = [
        LeaderboardRow(str(row[0]), "measured", cell)
        for row in (table.rows if table and column == "overall" else ())
        if isinstance(cell := row[table.header.index(column)] if table else None, float)
        and all(row[0] != arm.arm for arm in comparison.arms)
    ]
    published = []
    for row in table.published if table else ():
        if column in row.figures:
            kind: Kind = "human" if row.human else "published"
            tokens = row.figures.get("tokens")
            published.append(LeaderboardRow(row.model, kind, row.figures[column], tokens=tokens, source=row.source))
    # Published rows have no rank among ours: they were measured on other days, with other prompts.
    published.sort(key=lambda row: -row.score)
    # Equal scores have equal ranks: 1, 2, 2, 4.
    ranked = [replace(row, rank=1 + sum(other.score > row.score for other in rows)) for row in rows]
    ranked.sort(key=lambda row: -row.score)
    # Below the arm whose name it begins with.
    for other in others:
        own = [place for place, row in enumerate(ranked) if other.name.startswith(f"{row.name}, ")]
        ranked.insert(own[-1] + 1 if own else len(ranked), other)
    figure = "accuracy" if column == "overall" else column
    return Leaderboard(figure, ranked, published, table.note if table else None)


def _ranked_table(tables: Sequence[Table]) -> tuple[Table | None, str]:
    """The first table with published rows that has a column to rank by, and that column; else accuracy."""
    for table in tables:
        for column in _FIGURES:
            if column in table.header and any(column in row.figures for row in table.published):
                return table, column
    return None, "accuracy"
