"""Commands on traces: ``solve``, ``check``, ``mutate``, ``lift``, ``show`` and ``build``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from srt.cli import completions
from srt.cli.output import (
    AddressOption,
    EngineOption,
    JsonFlag,
    KeepGoingFlag,
    ProblemsArgument,
    ProblemsOption,
    StrictFlag,
    TracesArgument,
    WorkersOption,
    on_ray,
    out_option,
    print_summary,
)
from srt.io.errors import UserError


def solve(
    problems: ProblemsArgument,
    out: Annotated[
        Path,
        out_option(
            "The traces to write (.jsonl or .parquet), with refusals beside them; with --engine ray, a folder or URL."
        ),
    ],
    plan: Annotated[
        str,
        typer.Option(
            "--plan",
            autocompletion=completions.plans,
            help="Which steps a trace has: needed, or another plan of the problems' world.",
        ),
    ] = "needed",
    workers: WorkersOption = None,
    keep_going: KeepGoingFlag = False,
    engine: EngineOption = None,
    address: AddressOption = None,
    strict: StrictFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Solve problems of a world, with a proof of every step.

    Problems that cannot be solved are written, with the reason, to a refusals file.

    Example: srt solve problems.jsonl -o traces.jsonl
    """
    from srt.io.worker_processes import cores_at_hand
    from srt.pipeline.solve import solve_file

    if on_ray(engine, address, (problems, out), ("--workers", workers), ("--keep-going", keep_going)):
        from srt.scale.ray_engine import ray_cluster
        from srt.scale.sharded_stages import solve_shards

        with ray_cluster(address) as run:
            summary = solve_shards(problems, out, run, plan=plan)
    else:
        summary = solve_file(problems, out, plan=plan, workers=workers or cores_at_hand(), keep_going=keep_going)
    print_summary(summary.as_dict(), as_json)
    if strict and summary.refused:
        raise typer.Exit(1)


def check(
    traces: TracesArgument,
    problems: ProblemsOption,
    out: Annotated[Path | None, out_option("Write the traces with their verdicts.")] = None,
    show: Annotated[int, typer.Option("--show", min=0, max=1000, help="How many faults to print.")] = 10,
    workers: WorkersOption = None,
    keep_going: KeepGoingFlag = False,
    engine: EngineOption = None,
    address: AddressOption = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with status 1 if any trace was skipped.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Check whether each step follows from the premises it cites.

    A trace whose problem is not in the file is skipped and counted. The exit status is 1 if a step is refuted.

    Example: srt check traces.jsonl --problems problems.jsonl
    """
    from srt.io.worker_processes import cores_at_hand
    from srt.pipeline.check import check_file

    if on_ray(engine, address, (traces, problems, out), ("--workers", workers), ("--keep-going", keep_going)):
        from srt.scale.ray_engine import ray_cluster
        from srt.scale.sharded_stages import check_shards

        if out is None:
            raise UserError("--engine ray: name the folder of the checked traces with -o")
        with ray_cluster(address) as run:
            summary = check_shards(traces, problems, out, run)
    else:
        summary = check_file(traces, problems, out, workers=workers or cores_at_hand(), keep_going=keep_going)
    print_summary(summary.as_dict(show), as_json)
    if summary.refuted or (strict and summary.skipped):
        raise typer.Exit(1)


def show(
    traces: Annotated[Path, typer.Argument(help="A file of traces (JSONL or Parquet); with --tries, of predictions.")],
    problems: Annotated[Path, typer.Option("--problems", help="The problems that the traces solve.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The page to write (HTML).")] = Path("show.html"),
    n: Annotated[int, typer.Option("-n", min=1, max=1000, help="At most so many traces, from the first on.")] = 100,
    tries: Annotated[
        bool, typer.Option("--tries", help="Show the predictions of a guided evaluation, with their refused lines.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Write a page of your traces beside their problems.

    It is the gallery of your own file: pictures, steps, and the verdicts of the checker, which checks them anew.

    Example: srt show traces.jsonl --problems problems.jsonl -o show.html

    Example: srt show runs/guided/predictions.jsonl --problems problems.jsonl --tries
    """
    from srt.gallery.gallery_page import show_command

    print_summary(show_command(traces, problems, out, n, tries=tries), as_json)


def mutate(
    traces: Annotated[Path, typer.Argument(help="A file of traces (JSONL or Parquet).")],
    problems: Annotated[Path, typer.Option("--problems", help="The problems that the traces solve.")],
    n: Annotated[int, typer.Option("-n", min=1, help="Number of corruptions.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="Seed that selects the corruptions.")] = 0,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Write a record of each: the trace, its fault and the verdict.")
    ] = None,
    workers: WorkersOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Corrupt valid traces and count what the checker catches.

    World traces get every class of fault; the exit status is 1 if the checker misses one. Free and cot traces get wrong
    equations, counted in a second table. For each of the two kinds, up to -n corruptions are made.

    Example: srt mutate traces.jsonl --problems problems.jsonl -n 10000
    """
    from srt.io.worker_processes import cores_at_hand
    from srt.mutate.mutate_traces import mutate_file
    from srt.mutate.mutation_table import print_table

    table = mutate_file(traces, problems, n, seed, out, workers=workers or cores_at_hand())
    print_table(table, as_json)
    if table.missed:
        raise typer.Exit(1)


def lift(
    traces: TracesArgument,
    problems: ProblemsOption,
    out: Annotated[Path, out_option("The world traces to write (.jsonl or .parquet), with refusals beside them.")],
    as_json: JsonFlag = False,
) -> None:
    """Turn free traces into world traces, equation by equation.

    Each equation must have one reading in the world of the problem. Only what the checker then proves is written; why
    the others are not goes to a refusals file.

    Example: srt lift free.jsonl --problems problems.jsonl -o lifted.jsonl
    """
    from srt.pipeline.lift import lift_file

    print_summary(lift_file(traces, problems, out).as_dict(), as_json)


def build(
    traces: TracesArgument,
    problems: ProblemsOption,
    out: Annotated[Path, out_option("Folder for sequences.jsonl, or a file .parquet.")],
    arm: Annotated[
        str,
        typer.Option(
            "--arm",
            autocompletion=completions.arms,
            help="The arm, which determines the text to train on: see docs/language.md.",
        ),
    ] = "srt",
    prompt: Annotated[str, typer.Option("--prompt", help="full or bare.")] = "full",
    text: Annotated[
        str,
        typer.Option(
            "--text",
            autocompletion=completions.styles,
            help="How steps are written: claims, assertions, or a text style of the problems' world.",
        ),
    ] = "claims",
    keep: Annotated[
        str,
        typer.Option(
            "--keep",
            autocompletion=completions.kept,
            help="Which traces, by the checker's verdict: proved, not-refuted, all; auto is proved for traces of a "
            "world, not-refuted for prose.",
        ),
    ] = "auto",
    pictures: Annotated[
        bool, typer.Option("--pictures", help="For vision models: pictures instead of diagram_description.")
    ] = False,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            autocompletion=completions.formats,
            help="Whose layout: trl (srt train reads it too), messages, sharegpt, alpaca, verl or trl-grpo.",
        ),
    ] = "trl",
    workers: WorkersOption = None,
    keep_going: KeepGoingFlag = False,
    engine: EngineOption = None,
    address: AddressOption = None,
    strict: StrictFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Write the training sequences of one arm.

    A trace whose answer is not the gold answer, whose problem is not in the file, from which the arm cannot be built,
    or that --keep leaves out is written, with the reason, to a refusals file. Every trace is checked again here.

    Example: srt build traces.jsonl --problems problems.jsonl --arm srt -o data/srt

    Example: srt build traces.jsonl --problems problems.jsonl --format sharegpt --pictures -o data/theirs
    """
    from srt.io.worker_processes import cores_at_hand
    from srt.pipeline.build import build_file
    from srt.trainers.format_registry import OURS

    others = (("--workers", workers), ("--keep-going", keep_going), (f"--format {format}", format != OURS))
    if on_ray(engine, address, (traces, problems, out), *others):
        from srt.scale.ray_engine import ray_cluster
        from srt.scale.sharded_stages import build_shards

        with ray_cluster(address) as run:
            summary = build_shards(
                traces, problems, arm, out, run, prompt=prompt, text=text, pictures=pictures, keep=keep
            )
    else:
        summary = build_file(
            traces,
            problems,
            arm,
            out,
            prompt=prompt,
            text=text,
            pictures=pictures,
            keep=keep,
            format=format,
            workers=workers or cores_at_hand(),
            keep_going=keep_going,
        )
    print_summary(summary, as_json)
    if strict and summary.get("refused"):
        raise typer.Exit(1)
