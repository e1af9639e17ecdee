"""How a run of any objective takes its output folder, and which of its processes does so."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import transformers

from srt.io.progress import notice, say
from train.recipe import Recipe
from train.run.resume import StartPoint, claim_folder
from train.run.run_manifest import read_manifest, this_attempt


def claim(recipe: Recipe, keys: dict[str, Any], start: StartPoint, in_force: Mapping[str, str | int | float]) -> str:
    """Write the manifest, report what has changed since the last attempt, and return the time of the first one."""
    output = Path(recipe.output)
    if changed := claim_folder(output, keys, this_attempt(start.step, in_force)):
        notice(f"warning: changed since this run was started: {', '.join(changed)}")
    if start.checkpoint is not None:
        say(f"resuming from {start.checkpoint}")
    return read_manifest(output).attempts[0].time


def is_main_process() -> bool:
    """Whether this process is the one that writes to the folder."""
    return os.environ.get("RANK", "0") == "0"


def silence_libraries() -> None:
    """Have transformers print errors alone."""
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    # DeepSpeed calls deprecated functions of torch, which would warn at every step of every process.
    warnings.filterwarnings("ignore", r"`torch\.distributed\.\w+` is deprecated", FutureWarning)
