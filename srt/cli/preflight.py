"""``srt preflight``: every fault of a training run before a GPU is paid for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from srt.cli.output import JsonFlag, print_summary
from srt.progress import progress_bar


def register(app: typer.Typer) -> None:
    """Add the command of this module to ``app``."""

    @app.command()
    def preflight(
        recipe: Annotated[Path, typer.Argument(help="A training recipe (YAML).")],
        accelerate: Annotated[
            Path | None, typer.Option("--accelerate", help="The accelerate file of the launch, as in configs/.")
        ] = None,
        changes: Annotated[
            list[str] | None, typer.Option("--set", help="KEY=VALUE: a key that is not as in the recipe; repeatable.")
        ] = None,
        gpu_memory: Annotated[
            float | None, typer.Option("--gpu-memory", min=0.0, help="GB of a GPU, where this machine has none.")
        ] = None,
        step: Annotated[bool, typer.Option("--step/--no-step", help="Take one real step on this machine.")] = True,
        as_json: JsonFlag = False,
    ) -> None:
        """Every fault of a recipe at once, what the run will be and need, and one real step. Exit 2 where there is one.

        Example: srt preflight recipes/train/qwen2.5-vl-7b-lora.yaml --accelerate configs/ddp_8gpu.yaml --gpu-memory 80
        """
        from train.preflight import preflight as look

        report = look(
            recipe,
            changes or (),
            accelerate,
            gpu_bytes=None if gpu_memory is None else gpu_memory * 1e9,
            step=step,
            progress=lambda what, total: progress_bar(what, total, lines_from=1000),
        )
        if as_json:
            print_summary(_for_machines(report), as_json)
        else:
            _tell(report)
        if report.faults:
            raise typer.Exit(2)


def _for_machines(report: Any) -> dict[str, Any]:
    """Everything that was found; bytes and seconds as numbers."""
    return {
        "faults": report.faults,
        "notes": report.notes,
        "what would fit": report.ways,
        **{name: report.figures[name] for name in ("data", "run") if name in report.figures},
        "memory": None if report.memory is None else report.memory._asdict(),
        "step": None if report.trial is None else report.trial._asdict(),
    }


def _tell(report: Any) -> None:
    """What was found, for people: examples, figures, and the faults last, where the eye is."""
    from rich.console import Console

    from train.label_view import label_view, legend

    console = Console(highlight=False, markup=False, soft_wrap=True)
    coloured = console.is_terminal and console.color_system is not None
    if report.shown:
        console.print("What is trained on:", legend(coloured))
        for example in report.shown:
            console.print(f"\nproblem {example.problem_id}, {len(example.input_ids)} tokens")
            console.print(label_view(example, report.tokenizer, report.picture_token, coloured))
    for section, figures in report.figures.items():
        console.print(f"\n{section}")
        print_summary(figures, False)
    for note in report.notes:
        console.print(f"note: {note}")
    for fault in report.faults:
        print(f"fault: {fault}", file=sys.stderr)
    if report.ways:
        print("what would fit, estimated on each GPU:", file=sys.stderr)
        for way in report.ways:
            print(f"  {way}", file=sys.stderr)
    if not report.faults:
        console.print("\nno fault was found")
