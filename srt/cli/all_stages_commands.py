"""Commands that run all stages from one recipe: ``experiment``, which ``make demo`` runs, and ``dataset``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from srt.cli import completions
from srt.cli.output import JsonFlag, WorkersOption, print_summary
from srt.cli.recipe_kinds import require_kind
from srt.io.progress import PlainConsole


def experiment(
    recipe: Annotated[
        Path,
        typer.Argument(
            help="An experiment recipe (YAML), or the name of one in recipes/.",
            autocompletion=completions.recipes("recipes"),
        ),
    ],
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override a key of the recipe; may be repeated."),
    ] = None,
    tiny: Annotated[
        bool,
        typer.Option("--tiny", help="Rehearse it in minutes: a tiny model, stand-in teachers, no real figures."),
    ] = False,
    arm: Annotated[
        list[str] | None,
        typer.Option(
            "--arm",
            autocompletion=completions.arms,
            help="Train and evaluate only this arm now; may be repeated.",
        ),
    ] = None,
    seed: Annotated[
        list[int] | None, typer.Option("--seed", help="Train and evaluate only this seed now; may be repeated.")
    ] = None,
    items: Annotated[
        int | None, typer.Option("--items", help="Learning curves: measure only points up to this many items now.")
    ] = None,
    prepare: Annotated[
        bool, typer.Option("--prepare", help="Make and check data and initial weights, and train nothing.")
    ] = False,
    runs: Annotated[
        bool,
        typer.Option("--runs", help="Print the options of the commands that can run side by side, and do nothing."),
    ] = False,
) -> None:
    """Run a whole experiment: data, training, evaluation.

    Gathers problems and traces; builds, trains and evaluates each arm with each seed on the same problems; and compares
    the results on each test. An interrupted experiment continues where it stopped.

    Example: srt experiment demo

    Example: srt experiment qwen2.5-vl-mathspatial --tiny

    Example: srt experiment r1-distill-seating --set 'seeds=[0]' --set output=runs/one-seed

    Example: srt experiment my-curves.yaml --arm cot --arm srt --seed 0 --items 40000

    Example: srt experiment r1-distill-seating --arm srt --seed 1
    """
    from srt.cli.experiment_stages import TrainAndEval
    from srt.experiment.experiment_reader import load_experiment
    from srt.experiment.portion import Portion
    from srt.experiment.rehearsal.tiny_experiment import tiny_experiment
    from srt.experiment.run_experiment import run_experiment

    require_kind(recipe, "experiment")
    console = PlainConsole()
    portion = Portion(arm, seed, items, prepare)
    chosen = load_experiment(recipe, set_ or ())
    chosen = tiny_experiment(chosen) if tiny else chosen
    if runs:
        portion.check(chosen)
        for options in portion.calls(chosen):
            typer.echo(options)
        return
    done = run_experiment(
        chosen,
        TrainAndEval(chosen.parallel),
        lambda line: console.print(f"· {line}"),
        None if portion == Portion() else portion,
        tiny=tiny,
        recipe=recipe,
    )
    for text, file in zip(done.summaries, done.files, strict=True):
        console.print(text)
        console.print(f"The full results are in {file}" if portion == Portion() else f"What is there by now: {file}")


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
