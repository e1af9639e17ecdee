"""Published figures, from the files in ``published/``: one YAML for each benchmark, one entry for each table.

An entry has a ``source``, the ``columns`` (named as those of our table), and under ``models`` and ``human`` a row for
each name: percentages (in the column ``tokens``: tokens), or null where nothing is published. ``percent: false``: the
figures stand as they are, such as correlations.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from eval.benchmarks.definition.benchmark import Published

_FOLDER = Path(__file__).parents[1] / "published"


def published_rows(benchmark: str, table: str) -> tuple[Published, ...]:
    """The rows of the entry ``table`` in ``published/<benchmark>.yaml``, percentages as shares in [0, 1]."""
    entry = _entries(benchmark)[table]
    divisor = 100 if entry.get("percent", True) else 1
    return tuple(
        Published(
            model=name,
            figures={
                column: figure if column == "tokens" else figure / divisor
                for column, figure in zip(entry["columns"], figures, strict=True)
                if figure is not None
            },
            source=entry["source"],
            human=group == "human",
        )
        for group in ("models", "human")
        for name, figures in entry.get(group, {}).items()
    )


@cache
def _entries(benchmark: str) -> dict[str, Any]:
    entries: dict[str, Any] = yaml.safe_load((_FOLDER / f"{benchmark}.yaml").read_text("utf-8"))
    return entries
