"""Where in Weights & Biases ``srt eval`` and ``srt compare`` report to, if they are asked to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from srt.io.errors import UserError
from srt.io.yaml_config import Config, parse_config


class WandbSettings(Config):
    """``project``, ``group`` and ``run_name`` as W&B shows them; the default name is that of the folder written to.

    ``wandb_mode: offline`` writes a folder for ``wandb sync`` and sends nothing. The names are those of the keys of an
    evaluation recipe.
    """

    project: str = Field(default="srt", min_length=1)
    group: str | None = Field(default=None, min_length=1)
    run_name: str | None = Field(default=None, min_length=1)
    wandb_mode: Literal["online", "offline"] = "online"


WANDB_KEYS = tuple(WandbSettings.model_fields)


def make_wandb_settings(report_to: str | None, given: Mapping[str, str | None]) -> WandbSettings | None:
    """The settings that the keys ``given`` spell out; ``None`` if nothing is to be reported.

    Raises:
        UserError: ``report_to`` is not ``wandb``, or it is missing where other keys are given.
    """
    chosen = {key: value for key, value in given.items() if value is not None}
    if report_to not in (None, "wandb"):
        raise UserError(f"report_to: {report_to!r} is not known; say wandb")
    if report_to is None and chosen:
        raise UserError(f"{', '.join(chosen)}: read only with report_to: wandb")
    return parse_config(WandbSettings, chosen, "report_to: wandb") if report_to else None
