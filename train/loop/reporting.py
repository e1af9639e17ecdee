"""Send what is logged to W&B, TensorBoard and trackio (``logging.report_to``), by the callbacks of transformers.

The callbacks send the figures; the tables of generations are sent here. Only the main process reports.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

from transformers import TrainerCallback
from transformers.integrations import TensorBoardCallback, TrackioCallback, WandbCallback

from srt.io.errors import UserError
from train.loop.generations import JudgedText
from train.recipe import Logging, Recipe

TENSORBOARD = "tensorboard"
"""The folder in the output folder that TensorBoard reads."""

_COLUMNS = tuple(JudgedText.model_fields)
_GENERATIONS = "generations"
_STEP = "train/global_step"
"""The axis that the callbacks of transformers give their figures in W&B and trackio."""


class ReportTarget(Protocol):
    """One of the tools that a run reports to."""

    callback: TrainerCallback

    def show(self, step: int, rows: Sequence[JudgedText]) -> None:
        """Show the generations after ``step`` as a table."""


@contextmanager
def reporting(recipe: Recipe, first_start: str, from_step: int) -> Iterator[list[ReportTarget]]:
    """What the run reports to, until the block is left.

    All attempts of a run that began at the time ``first_start`` report to one run of W&B; this one begins after
    ``from_step``.

    Raises:
        UserError: W&B cannot be reached.
    """
    targets: list[ReportTarget] = []
    with ExitStack() as stack:
        if "wandb" in recipe.logging.report_to:
            targets.append(stack.enter_context(_wandb(recipe, first_start)))
        if "tensorboard" in recipe.logging.report_to:
            targets.append(_TensorBoard(recipe, from_step))
        if "trackio" in recipe.logging.report_to:
            targets.append(_Trackio())
        yield targets


class _Wandb:
    def __init__(self) -> None:
        self.callback = WandbCallback()

    def show(self, step: int, rows: Sequence[JudgedText]) -> None:
        import wandb

        table = wandb.Table(columns=list(_COLUMNS), data=[_cells(row) for row in rows])
        wandb.log({_GENERATIONS: table, _STEP: step})


def project_of(options: Logging) -> str | None:
    """The project in W&B: that of the recipe, or else of the environment, as everywhere (``None``: W&B reads it)."""
    from_environment = "project" not in options.model_fields_set and os.environ.get("WANDB_PROJECT")
    return None if from_environment else options.project


@contextmanager
def _wandb(recipe: Recipe, first_start: str) -> Iterator[_Wandb]:
    import wandb

    output, options = Path(recipe.output), recipe.logging
    try:
        wandb.init(
            project=project_of(options),
            group=options.group,
            name=recipe.run_name,
            job_type="train",
            # The same for each attempt: with resume="allow" they are one run there.
            id=hashlib.blake2b(f"{output.absolute()} {first_start}".encode(), digest_size=8).hexdigest(),
            resume="allow",
            dir=output,
            mode=options.wandb_mode,
            config=recipe.model_dump(mode="json"),
            settings=wandb.Settings(silent=True),
        )
    except wandb.Error as error:
        reason = " ".join(str(error).split())
        raise UserError(
            f"logging.report_to: wandb: {reason}; log in (wandb login), or set logging.wandb_mode: offline"
        ) from None
    try:
        yield _Wandb()
    finally:
        wandb.finish()


class _TensorBoard:
    def __init__(self, recipe: Recipe, from_step: int) -> None:
        from tensorboardX import SummaryWriter

        # Events that an earlier attempt wrote after the checkpoint are hidden.
        self._writer = SummaryWriter(logdir=str(Path(recipe.output) / TENSORBOARD), purge_step=from_step + 1)
        self.callback = TensorBoardCallback(self._writer)

    def show(self, step: int, rows: Sequence[JudgedText]) -> None:
        lines = [f"| {' | '.join(_COLUMNS)} |", "|---" * len(_COLUMNS) + "|"]
        lines += [f"| {' | '.join(map(_markdown, _cells(row)))} |" for row in rows]
        self._writer.add_text(_GENERATIONS, "\n".join(lines), step)


class _Trackio:
    def __init__(self) -> None:
        self.callback = TrackioCallback()

    def show(self, step: int, rows: Sequence[JudgedText]) -> None:
        import pandas
        import trackio

        table = trackio.Table(dataframe=pandas.DataFrame([_cells(row) for row in rows], columns=list(_COLUMNS)))
        trackio.log({_GENERATIONS: table, _STEP: step})


def _cells(row: JudgedText) -> list[Any]:
    return [getattr(row, column) for column in _COLUMNS]


def _markdown(cell: Any) -> str:
    text = "" if cell is None else str(cell)
    for character in "\\|<`*_":
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", "<br>")
