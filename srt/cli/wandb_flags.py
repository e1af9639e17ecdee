"""The flags of ``srt eval`` and ``srt compare`` that report to Weights & Biases."""

from __future__ import annotations

from typing import Annotated

import typer

ReportTo = Annotated[
    str | None, typer.Option("--report-to", help="wandb: send scores and examples to Weights & Biases.")
]
WandbModeFlag = Annotated[
    str | None, typer.Option("--wandb-mode", help="online (default), or offline: a folder for wandb sync.")
]
Project = Annotated[str | None, typer.Option("--project", help="W&B: the project (default: srt).")]
Group = Annotated[str | None, typer.Option("--group", help="W&B: the group.")]
RunName = Annotated[str | None, typer.Option("--run-name", help="W&B: the run's name (default: that of the folder).")]
