"""What every command prints its summary with: a table for people, JSON for machines."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.table import Table

JsonFlag = Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")]
StrictFlag = Annotated[bool, typer.Option("--strict", help="Exit 1 when any record was refused.")]

_WIDE = 1000


def print_summary(rows: Mapping[str, Any], as_json: bool) -> None:
    """Print ``rows`` as a two-column table, or as JSON; nested mappings get a line for each of their entries."""
    if as_json:
        sys.stdout.write(orjson.dumps(rows, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode() + "\n")
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in rows.items():
        if isinstance(value, Mapping):
            for inner, count in value.items():
                table.add_row(f"{name}: {inner}", _told(count))
        elif value is not None:
            table.add_row(name, _told(value))
    # Off a terminal nobody's window is 80 columns wide, and a line that is broken cannot be searched for.
    width = None if sys.stdout.isatty() else _WIDE
    Console(highlight=False, markup=False, soft_wrap=True, width=width).print(table)


def _told(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.1e}" if 0 < abs(value) < 5e-4 else f"{value:.4f}"
