"""The data formats that ``srt build`` writes, by name."""

from __future__ import annotations

from typing import Final

from srt.io.did_you_mean import did_you_mean
from srt.io.errors import UserError
from srt.trainers.alpaca import ALPACA
from srt.trainers.messages import MESSAGES
from srt.trainers.sharegpt import SHAREGPT
from srt.trainers.trainer_format import TrainerFormat
from srt.trainers.trl import TRL
from srt.trainers.trl_grpo import TRL_GRPO
from srt.trainers.verl import VERL

OURS: Final = "trl"
FORMATS: Final[dict[str, TrainerFormat]] = {
    OURS: TRL,
    "messages": MESSAGES,
    "sharegpt": SHAREGPT,
    "alpaca": ALPACA,
    "verl": VERL,
    "trl-grpo": TRL_GRPO,
}


def format_named(name: str) -> TrainerFormat:
    """The format ``name``; a :class:`~srt.io.errors.UserError` lists the formats if there is none of that name."""
    if name not in FORMATS:
        raise UserError(f"unknown format {name!r}{did_you_mean(name, FORMATS)}: the formats are {', '.join(FORMATS)}")
    return FORMATS[name]
