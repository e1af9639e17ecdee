"""What the commands share: options (``--json``, ``--workers``, those of W&B), and how to print a summary."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.table import Table

from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError, one_line
from srt.io.locations import Location, check_reachable, is_url, location
from srt.io.progress import PlainConsole

JsonFlag = Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")]
StrictFlag = Annotated[
    bool, typer.Option("--strict", help="Exit with status 1 if any record was refused; all files are written.")
]

WorkersOption = Annotated[
    int | None, typer.Option("--workers", min=1, max=1024, help="Maximum number of processes (default: one per core).")
]
KeepGoingFlag = Annotated[
    bool, typer.Option("--keep-going", help="If a record's process is killed (out of memory), refuse it and go on.")
]
EngineOption = Annotated[
    str | None,
    typer.Option("--engine", help="ray: process shards on a Ray cluster; writes to a folder or URL (docs/scale.md)."),
]
AddressOption = Annotated[
    str | None, typer.Option("--address", help="ray: the cluster (default: RAY_ADDRESS, or this machine alone).")
]


def out_option(written: str) -> Any:
    """The option ``-o`` of a stage that may write to a URL; ``written`` is its help."""
    return typer.Option("-o", "--out", parser=location, help=written)


ProblemsArgument = Annotated[
    Path,
    typer.Argument(
        parser=location, help="A file of problems (JSONL or Parquet); with --engine ray, also a folder or URL."
    ),
]
TracesArgument = Annotated[
    Path,
    typer.Argument(
        parser=location, help="A file of traces (JSONL or Parquet); with --engine ray, also a folder or URL."
    ),
]
ProblemsOption = Annotated[
    Path,
    typer.Option(
        "--problems",
        parser=location,
        help="The problems that the traces solve: a file; with --engine ray, also a folder or URL.",
    ),
]

_WIDE = 1000


def on_ray(
    engine: str | None, address: str | None, places: Sequence[Location | None], *others: tuple[str, object]
) -> bool:
    """Whether ``--engine ray`` is given; ``others`` are options, by name, that do not go with it.

    Without it, all ``places`` (what is read and written) are paths. With it, those that are URLs can be reached.

    Raises:
        UserError: another engine, an address without it, one of ``others`` with it, or nobody answers at a URL.
    """
    remote = [place for place in places if place is not None and is_url(place)]
    if engine is None:
        if address is not None:
            raise UserError("--address: goes with --engine ray")
        for place in remote:
            raise UserError(f"{place}: URLs go with --engine ray; without it, name a file")
        return False
    one_of(engine, ("ray",), "engine")
    for name, value in others:
        if value:
            raise UserError(f"{name}: does not go with --engine ray")
    for place in remote:
        check_reachable(place)
    return True


def print_summary(rows: Mapping[str, Any], as_json: bool) -> None:
    """Print ``rows`` as a two-column table or as JSON. A nested mapping gets one line for each of its entries."""
    if as_json:
        sys.stdout.write(orjson.dumps(rows, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode() + "\n")
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in rows.items():
        if isinstance(value, Mapping):
            for inner, count in value.items():
                table.add_row(f"{name}: {inner}", _shown(count))
        elif value is not None:
            table.add_row(name, _shown(value))
    # Output that is not a terminal is not wrapped: a broken line cannot be searched for.
    width = None if sys.stdout.isatty() else _WIDE
    PlainConsole(width).print(table)


def one_of(value: object, known: tuple[str, ...], what: str) -> Any:
    """Return ``value`` if it is one of ``known``; else raise a :class:`UserError` that lists them."""
    if value not in known:
        raise UserError(f"unknown {what} {value!r}{did_you_mean(str(value), known)}: {', '.join(known)} are known")
    return value


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_shown(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown, value)) or "none"
    if value is None:
        return "-"
    if not isinstance(value, float):
        return one_line(str(value))
    return f"{value:.1e}" if 0 < abs(value) < 5e-4 else f"{value:.4f}"
