"""The command ``dataset``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from srt.cli import completions
from srt.cli.output import JsonFlag, WorkersOption, print_summary
from srt.cli.recipe_kinds import require_kind


def dataset(
    recipe: Annotated[
        Path,
        typer.Argument(
            help="A recipe of a data set (YAML), or the name of one in recipes/dataset/.",
            autocompletion=completions.recipes("recipes/dataset"),
        ),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="The folder to make; it must be new.")],
    workers: WorkersOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Make a data set to publish, every problem proved.

    Samples problems of exact worlds, solves them, checks every step, and writes Parquet with the pictures inside, a
    README with the header that hubs read, and checksums. datasets.load_dataset(DIR) reads the folder.

    Example: srt dataset seating -o datasets/seating
    """
    from srt.io.worker_processes import cores_at_hand
    from srt.publish.make_dataset import make_dataset

    require_kind(recipe, "dataset")
    print_summary(make_dataset(recipe, out, workers or cores_at_hand()), as_json)
