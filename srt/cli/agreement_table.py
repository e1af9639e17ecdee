"""The table of ``srt agreement`` on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from srt.io.progress import PlainConsole

_SORTS = {"world": "traces of a world", "prose": "traces in prose"}


def print_agreement(figures: Mapping[str, Any]) -> None:
    """Print ``figures`` of :func:`srt.teaching.agreement.measure_agreement.measure_agreement`: one table, a column for
    the machine and three for each Reviewer, and what is counted over all traces below it."""
    reviewers = figures["reviewers"]
    grid = Table(box=None, pad_edge=False)
    grid.add_column("class")
    for heading in ("shown", "machine", *(each for name in reviewers for each in (name, "95%", "named"))):
        grid.add_column(heading, justify="right")
    sort = None
    for row in figures["table"]:
        if row["sort"] != sort:
            sort = row["sort"]
            grid.add_row(_SORTS[sort], style="bold")
        cells = [str(row["machine"]["of"]), _percent(row["machine"]["share"])]
        for name in reviewers:
            cells += _reviewer_cells(row["reviewers"][name])
        grid.add_row(_label(row), *cells)
    # No wider than its columns: with several Reviewers it is for a wide window, or for less -S.
    console = PlainConsole(1000)
    console.print(grid)
    console.print()
    for name, counts in reviewers.items():
        kappa = "undefined" if counts["kappa"] is None else f"{counts['kappa']:.3f}"
        console.print(
            f"{name}: both object {counts['both']}, machine alone {counts['only_machine']}, Reviewer alone "
            f"{counts['only_reviewer']}, neither {counts['neither']}; Cohen's kappa {kappa}"
        )
        for reason, count in counts["without_review"].items():
            console.print(f"{name}: {count} without a review: {reason}; no figure of it includes them")
    console.print(f"{figures['left_out']} corruptions are no fault, or not certainly one, and are left out")
    for model, spent in figures["spent"].items():
        console.print(
            f"{model}: {spent['requests']} requests, {spent['input_tokens']} + {spent['output_tokens']} tokens, "
            f"{spent['cost']:.4f} {figures['currency']}"
            + (f", plus at most {spent['lost']:.4f} that is not certain" if spent["lost"] else "")
        )


def _label(row: Mapping[str, Any]) -> str:
    if row["review_class"] is None:
        return f"  {row['planted'] or 'false alarms on untouched traces'}"
    return f"    {row['planted']}" if row["planted"] else f"  {row['review_class']}"


def _reviewer_cells(share: Mapping[str, Any]) -> list[str]:
    interval = f"{_percent(share['low'])} to {_percent(share['high'])}" if share["of"] else "-"
    return [_percent(share["share"]), interval, "-" if share["named"] is None else str(share["named"])]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"
