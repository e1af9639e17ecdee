"""The command ``agreement``: what the Reviewer is worth, beside the machine."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.table import Table

from srt.cli.output import JsonFlag


def register(app: typer.Typer) -> None:
    """Add the command of this module to ``app``."""

    @app.command()
    def agreement(
        traces: Annotated[Path, typer.Argument(help="Valid traces of an exact world (srt solve).")],
        problems: Annotated[Path, typer.Option("--problems", help="The problems that the traces solve (JSONL).")],
        config: Annotated[Path, typer.Option("--config", help="The YAML of srt teach: its Reviewer is asked.")],
        out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the journal, opinions and figures.")],
        n: Annotated[int, typer.Option("-n", min=0, help="How many corrupted traces.")] = 250,
        controls: Annotated[int, typer.Option("--controls", min=0, help="How many untouched ones.")] = 100,
        seed: Annotated[int, typer.Option("--seed", help="Which ones.")] = 0,
        as_json: JsonFlag = False,
    ) -> None:
        """Show traces with one known fault, and untouched ones, to machine and Reviewer: who notices what?

        A run that was stopped goes on where it was and pays for no answer twice.

        Example: srt agreement traces.jsonl --problems problems.jsonl --config recipes/teach/openai.yaml -o agreement
        """
        from srt.teaching.agreement import measure_file

        figures = measure_file(traces, problems, config, out, n=n, controls=controls, seed=seed)
        if as_json:
            sys.stdout.write(orjson.dumps(figures, option=orjson.OPT_INDENT_2).decode() + "\n")
        else:
            _print(figures)


def _print(figures: Mapping[str, Any]) -> None:
    from srt.teaching.agreement import rows

    grid = Table(box=None, pad_edge=False)
    for heading in ("class", "shown", "machine", "reviewer", "95%", "named"):
        grid.add_column(heading, justify="left" if heading == "class" else "right")
    for name, row in rows(figures):
        machine, reviewer = row["machine"], row["reviewer"]
        grid.add_row(
            name,
            str(row["shown"]),
            _percent(machine["share"]),
            _percent(reviewer["share"]),
            f"{_percent(reviewer['low'])} to {_percent(reviewer['high'])}" if row["shown"] else "-",
            str(row.get("named", "-")),
            style="bold" if "," in name or " " in name else "",
        )
    console = Console(highlight=False, markup=False, soft_wrap=True)
    console.print(grid)
    counts = figures["agreement"]
    kappa = "undefined" if counts["kappa"] is None else f"{counts['kappa']:.3f}"
    console.print(
        f"\nobjected: both {counts['both']}, machine alone {counts['only_machine']}, Reviewer alone "
        f"{counts['only_reviewer']}, neither {counts['neither']}; Cohen's kappa {kappa}"
    )
    console.print(f"{figures['accidents_left_out']} corruptions left the trace valid by accident and are left out")
    for reason, count in figures["without_review"].items():
        console.print(f"{count} without a review: {reason}; they are in no figure")
    for model, spent in figures["spent"].items():
        console.print(
            f"{model}: {spent['requests']} requests, {spent['input_tokens']} + {spent['output_tokens']} tokens, "
            f"{spent['cost']:.4f} {figures['currency']}"
        )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"
