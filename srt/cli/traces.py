"""Commands that make, prove and corrupt traces: ``solve``, ``check``, ``mutate``, ``build``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from srt.cli.output import JsonFlag, StrictFlag, print_summary

TRACES = Annotated[Path, typer.Argument(help="A file of traces (JSONL).")]
PROBLEMS = Annotated[Path, typer.Option("--problems", help="The problems that the traces solve (JSONL).")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""

    @app.command()
    def solve(
        problems: Annotated[Path, typer.Argument(help="A file of problems (JSONL).")],
        out: Annotated[Path, typer.Option("-o", "--out", help="Where the traces go (JSONL); refusals go beside it.")],
        strict: StrictFlag = False,
        as_json: JsonFlag = False,
    ) -> None:
        """The exact teacher: a trace with every step proved, or a refusal with its reason.

        Example: srt solve problems.jsonl -o traces.jsonl
        """
        from srt.solve import solve_file

        summary = solve_file(problems, out)
        print_summary(summary.as_dict(), as_json)
        if strict and summary.refused:
            raise typer.Exit(1)

    @app.command()
    def check(
        traces: TRACES,
        problems: PROBLEMS,
        out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the traces with their verdicts.")] = None,
        show: Annotated[int, typer.Option("--show", help="How many faults to print.")] = 10,
        as_json: JsonFlag = False,
    ) -> None:
        """The checker: does each step follow from what it cites? Exit 1 where a step is refuted.

        Example: srt check traces.jsonl --problems problems.jsonl
        """
        from srt.verify import check_file

        summary = check_file(traces, problems, out)
        print_summary(summary.as_dict(show), as_json)
        if summary.refuted:
            raise typer.Exit(1)

    @app.command()
    def mutate(
        traces: TRACES,
        problems: PROBLEMS,
        n: Annotated[int, typer.Option("-n", min=1, help="How many corruptions.")] = 1000,
        seed: Annotated[int, typer.Option("--seed", help="Which corruptions.")] = 0,
        out: Annotated[Path | None, typer.Option("-o", "--out", help="Write the corrupted traces (JSONL).")] = None,
        as_json: JsonFlag = False,
    ) -> None:
        """Corrupt valid traces in every class of fault, and show what the checker catches.

        Example: srt mutate traces.jsonl --problems problems.jsonl -n 10000
        """
        from srt.mutate import mutate_file, print_table

        table = mutate_file(traces, problems, n, seed, out)
        print_table(table, as_json)
        if table.missed:
            raise typer.Exit(1)

    @app.command()
    def build(
        traces: TRACES,
        problems: PROBLEMS,
        out: Annotated[Path, typer.Option("-o", "--out", help="Folder for sequences.jsonl.")],
        arm: Annotated[str, typer.Option("--arm", help="Which text is trained on (docs/language.md).")] = "srt",
        prompt: Annotated[str, typer.Option("--prompt", help="full or bare.")] = "full",
        text: Annotated[
            str, typer.Option("--text", help="claims, restated (lookups written out) or assertions.")
        ] = "claims",
        pictures: Annotated[
            bool, typer.Option("--pictures", help="For vision models: pictures in place of diagram_description.")
        ] = False,
        as_json: JsonFlag = False,
    ) -> None:
        """Training sequences of one arm.

        Example: srt build traces.jsonl --problems problems.jsonl --arm srt -o data/srt
        """
        from srt.build import build_file

        summary = build_file(traces, problems, arm, out, prompt=prompt, text=text, pictures=pictures)
        print_summary(summary, as_json)
