"""The command that curates problems: ``curate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from srt.cli.output import JsonFlag, print_summary
from srt.errors import UserError


def register(app: typer.Typer) -> None:
    """Add the command of this module to ``app``."""

    @app.command()
    def curate(
        problems: Annotated[Path, typer.Argument(help="A file of problems (JSONL).")],
        out: Annotated[
            Path, typer.Option("-o", "--out", help="What is kept (JSONL); dropped and review go beside it.")
        ],
        against: Annotated[
            list[Path] | None, typer.Option("--against", help="Compare with this file too (a test set); repeatable.")
        ] = None,
        approved: Annotated[
            Path | None, typer.Option("--approved", help="Ids, one a line, that a person has taken out of review.")
        ] = None,
        skip: Annotated[
            list[str] | None,
            typer.Option("--skip", help="pictures, solution, exact, near, groups, views or answers; repeatable."),
        ] = None,
        text_drop: Annotated[
            float, typer.Option("--text-drop", min=0, max=1, help="Likeness of texts that is a duplicate.")
        ] = 0.90,
        text_review: Annotated[
            float, typer.Option("--text-review", min=0, max=1, help="Likeness of texts that a person looks at.")
        ] = 0.85,
        picture_drop: Annotated[
            float, typer.Option("--picture-drop", min=0, max=1, help="Likeness of pictures that is a duplicate.")
        ] = 0.96,
        picture_review: Annotated[
            float, typer.Option("--picture-review", min=0, max=1, help="Likeness of pictures that a person looks at.")
        ] = 0.70,
        picture_bits: Annotated[
            int,
            typer.Option("--picture-bits", min=0, max=14, help="Bits of 64 in which hashes of pictures may differ."),
        ] = 12,
        embeddings: Annotated[
            str | None, typer.Option("--embeddings", help="Compare texts by this model, in place of MinHash.")
        ] = None,
        base_url: Annotated[str | None, typer.Option("--base-url", help="Where that model is served.")] = None,
        api_key_env: Annotated[
            str, typer.Option("--api-key-env", help="The environment variable that holds its key.")
        ] = "OPENAI_API_KEY",
        report: Annotated[Path | None, typer.Option("--report", help="Write the summary to this file (JSON).")] = None,
        as_json: JsonFlag = False,
    ) -> None:
        """Duplicates, views that contradict each other, missing and disagreeing solutions; nothing is deleted.

        Example: srt curate corpus.jsonl -o kept.jsonl --against bench.jsonl --report report.json
        """
        from srt.curate import CHECKS, Embeddings, Options, Thresholds, curate_file

        for name in skip or ():
            if name not in CHECKS:
                raise UserError(f"--skip: {', '.join(CHECKS)} are the checks, not {name!r}")
        if text_review > text_drop or picture_review > picture_drop:
            raise UserError("--text-review and --picture-review cannot be above --text-drop and --picture-drop")
        if embeddings is not None and not embeddings.strip():
            raise UserError("--embeddings: the name of a model was expected, not an empty one")
        if base_url and not embeddings:
            raise UserError("--base-url: name the model with --embeddings too")
        options = Options.model_validate(
            {
                "skip": frozenset(skip or ()),
                "thresholds": Thresholds(
                    text_drop=text_drop,
                    text_review=text_review,
                    picture_drop=picture_drop,
                    picture_review=picture_review,
                    picture_bits=picture_bits,
                ),
                "embeddings": Embeddings(model=embeddings, base_url=base_url, api_key_env=api_key_env)
                if embeddings
                else None,
            }
        )
        try:
            summary = curate_file(
                problems, out, against=against or (), approved=approved, report=report, options=options
            )
        except ModuleNotFoundError as error:
            raise UserError(f"curate: {error.name} is not installed: pip install 'srt-traces[teach]'") from None
        if not as_json:
            summary["notes"] = len(summary["notes"])
            summary["category"] = {
                name: f"{row['problems']} problems, {row['dropped']} dropped, {row['review']} to review"
                for name, row in summary["category"].items()
            }
        print_summary(summary, as_json)
