"""The command ``teach``: traces from language models, with machine, Reviewer and Checker around them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from srt.cli.output import JsonFlag, print_summary
from srt.errors import UserError


def register(app: typer.Typer) -> None:
    """Add the command of this module to ``app``."""

    @app.command()
    def teach(
        out: Annotated[Path, typer.Option("-o", "--out", help="The folder of the run; it goes on where it was.")],
        problems: Annotated[Path | None, typer.Argument(help="A file of problems (JSONL).")] = None,
        config: Annotated[Path | None, typer.Option("--config", help="Models, prices, budget (YAML).")] = None,
        arm: Annotated[Literal["srt", "cot"] | None, typer.Option("--arm", help="Instead of the config's.")] = None,
        limit: Annotated[int | None, typer.Option("--limit", min=0, help="Do at most so many now.")] = None,
        estimate: Annotated[
            int | None,
            typer.Option("--estimate", min=2, help="Run a random sample of so many; say what all will cost."),
        ] = None,
        status: Annotated[bool, typer.Option("--status", help="Say how the folder stands; do nothing.")] = False,
        strict: Annotated[bool, typer.Option("--strict", help="Exit 1 where a problem failed or is pending.")] = False,
        as_json: JsonFlag = False,
    ) -> None:
        """The language-model teacher: draft, machine checks, review, repair; people for the rest.

        Example: srt teach problems.jsonl -o taught --config recipes/teach/openai.yaml --estimate 50
        """
        from srt.teaching.command import folder_status, shown_estimate, teach_file
        from srt.teaching.summary import shown

        done = None
        if status:
            summary = folder_status(out)
        else:
            if problems is None or config is None:
                missing = "PROBLEMS" if problems is None else "--config"
                raise UserError(f"teach: {missing} is missing; only --status does without it")
            done = teach_file(problems, out, config, arm=arm, limit=limit, sample=estimate)
            if done.estimate is not None:
                print_summary(done.estimate.model_dump() if as_json else shown_estimate(done.estimate), as_json)
                return
            summary = done.summary
        print_summary(summary.model_dump() if as_json else shown(summary), as_json)
        if done is not None and done.interrupted:
            raise typer.Exit(130)
        if strict and (summary.states["failed"] or summary.states["pending"]):
            raise typer.Exit(1)
