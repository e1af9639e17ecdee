"""Where in Weights & Biases ``srt eval`` and ``srt compare`` report to, if they are asked to."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from srt.io.yaml_config import Config, Flag

_GROUP = "Weights & Biases"


class WandbSettings(Config):
    """``project``, ``group`` and ``run_name`` as W&B shows them; the default name is that of the folder written to.

    Nothing is sent without ``report_to: wandb``. ``wandb_mode: offline`` writes a folder for ``wandb sync`` and sends
    nothing.
    """

    report_to: Annotated[Literal["wandb"] | None, Flag(_GROUP, "wandb: send scores and examples there.")] = None
    wandb_mode: Annotated[
        Literal["online", "offline"], Flag(_GROUP, "online (default), or offline: write a folder for wandb sync.")
    ] = "online"
    project: Annotated[str, Flag(_GROUP, "The project (default: srt).")] = Field(default="srt", min_length=1)
    group: Annotated[str | None, Flag(_GROUP, "The group.")] = Field(default=None, min_length=1)
    run_name: Annotated[str | None, Flag(_GROUP, "The run's name (default: that of the folder).")] = Field(
        default=None, min_length=1
    )

    @model_validator(mode="after")
    def _are_read(self) -> WandbSettings:
        given = [key for key in WandbSettings.model_fields if key in self.model_fields_set]
        if given and self.report_to is None:
            raise ValueError(f"{', '.join(given)}: read only with report_to: wandb")
        return self
