"""``srt human``: what people reach on a benchmark, from a file of their responses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from srt.cli.model import one_of
from srt.cli.output import JsonFlag, print_summary


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""

    @app.command()
    def human(
        responses: Annotated[
            Path, typer.Argument(help="CSV, TSV, JSON or JSONL with participant, item, answer, and group if there is.")
        ],
        problems: Annotated[Path, typer.Option("--problems", help="The problems that people were asked (JSONL).")],
        out: Annotated[Path, typer.Option("-o", "--out", help="Folder of human.json.")],
        benchmark: Annotated[str, typer.Option("--benchmark", help="Whose grading is used.")] = "plain",
        policy: Annotated[str, typer.Option("--policy", help="strict or lenient, for numbers and units.")] = "strict",
        as_json: JsonFlag = False,
    ) -> None:
        """A baseline of people: the micro-average of all responses, and the majority of each group.

        Example: srt human responses.csv --problems hst.jsonl -o people --benchmark hst
        """
        from eval.equality import Policy
        from eval.human import score_people

        chosen = one_of(policy, get_args(Policy), "policy")
        summary = score_people(responses, problems, out, benchmark=benchmark, policy=chosen)
        print_summary(summary.model_dump(mode="json"), as_json)
