"""The stamp of a run, ``stamp.json`` in its output folder: what it is made from, and under what it was started.

What *decides* the weights is compared when the folder is used again, and must be the same: keys of the recipe, the
contents of data, model and chat template, how many processes share a batch, and how they share the model. What the run
was started *under* (versions, devices, revision of the code, the command) is written down for each start; a resumed run
is told where it differs, and goes on.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from pydantic import BaseModel, ConfigDict, ValidationError

from srt.errors import UserError
from srt.jsonl import write_atomically
from train.recipe import Recipe

STAMP = "stamp.json"
# What changes where a run writes or how it speaks, and not the weights that it ends with.
_NOT_OF_THE_RUN = {"data", "output", "logging", "save_steps", "threads", "workers", "hub"}
_LIBRARIES = (
    "torch",
    "transformers",
    "trl",
    "peft",
    "accelerate",
    "tokenizers",
    "datasets",
    "safetensors",
    "deepspeed",
    "bitsandbytes",
    "flash-attn",
)
_TEMPLATES = ("chat_template.jinja", "chat_template.json")


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Code(_Closed):
    """The git revision of the code that ran, and whether its files differed from it; ``None`` outside a checkout."""

    revision: str | None
    dirty: bool | None


class Attempt(_Closed):
    """One start of a run. ``time`` is in UTC, ``from_step`` the step that was done before it."""

    time: str
    from_step: int
    command: str
    code: Code
    python: str
    cuda: str | None
    devices: list[str]
    versions: dict[str, str]


class Stamp(_Closed):
    """``stamp.json``. A run that was never killed has one attempt."""

    decides: dict[str, Any]
    attempts: list[Attempt]


def fingerprint(recipe: Recipe, processes: int) -> dict[str, Any]:
    """All that decides the weights a run ends with, as flat keys.

    Pictures are in it by way of the data: a sequence names their SHA-256, which is checked when they are opened.
    """
    keys = {name: value for name, value in recipe.model_dump(mode="json").items() if name not in _NOT_OF_THE_RUN}
    keys["model"] = {**keys["model"], "path": None}
    model = Path(recipe.model.path)
    return {
        **_flat(keys),
        "data (contents)": _sha256([Path(recipe.data)]),
        "model (contents)": model_hash(model),
        "template (contents)": _template_hash(model),
        "processes": processes,
        "sharding": _sharding(processes),
    }


def model_hash(folder: Path) -> str:
    """SHA-256 of the names and contents of all files that lie in the folder of a model."""
    return _sha256(sorted(file for file in folder.iterdir() if file.is_file()))


def fingerprint_hash(decides: dict[str, Any]) -> str:
    """The recipe hash: SHA-256 of :func:`fingerprint`, 16 hex digits."""
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:16]


def this_attempt(from_step: int = 0) -> Attempt:
    """What this process runs under."""
    return Attempt(
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        from_step=from_step,
        command=shlex.join([Path(sys.executable).name, *sys.argv]),
        code=_code(Path(__file__).parent),
        python=platform.python_version(),
        cuda=torch.version.cuda if torch.cuda.is_available() else None,
        devices=[torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())],
        versions={name: version for name in _LIBRARIES if (version := _version(name)) is not None},
    )


def read_stamp(output: Path) -> Stamp:
    """The stamp in the folder ``output``.

    Raises:
        UserError: there is none, or it cannot be read.
    """
    path = output / STAMP
    try:
        return Stamp.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        raise UserError(f"{output}: no {STAMP} in it, so this is not the output of a training run") from None
    except (OSError, ValidationError):
        raise UserError(
            f"{path}: cannot be read, so the run in this folder is unknown; choose another output"
        ) from None


def write_stamp(output: Path, stamp: Stamp) -> None:
    """Write ``stamp.json``, whole or not at all."""
    text = json.dumps(stamp.model_dump(mode="json"), indent=1, ensure_ascii=False)
    write_atomically(output / STAMP, [text.encode() + b"\n"])


def differences(there: dict[str, Any], here: dict[str, Any]) -> list[str]:
    """What decides another result, each with its value there and here; hashes are only named."""
    missing = object()
    differ = [key for key in {**there, **here} if there.get(key, missing) != here.get(key, missing)]
    return [
        key
        if key.endswith("(contents)")
        else f"{key} ({there.get(key, 'absent')} there, {here.get(key, 'absent')} here)"
        for key in differ
    ]


def changed_surroundings(then: Attempt, now: Attempt) -> list[str]:
    """What a resumed run runs under that differs from the attempt before. It goes on all the same."""
    then_here = {"python": then.python, "cuda": then.cuda, "devices": then.devices, **then.versions}
    now_here = {"python": now.python, "cuda": now.cuda, "devices": now.devices, **now.versions}
    told = [
        f"{name} ({then_here.get(name)} then, {now_here.get(name)} now)"
        for name in {**then_here, **now_here}
        if then_here.get(name) != now_here.get(name)
    ]
    if then.code.revision != now.code.revision:
        told.append(f"the code ({then.code.revision} then, {now.code.revision} now)")
    return told


def _sharding(processes: int) -> str:
    """How the processes share the model: it decides what a checkpoint looks like. Told by accelerate's environment."""
    if os.environ.get("ACCELERATE_USE_DEEPSPEED", "false") == "true":
        return f"zero{os.environ.get('ACCELERATE_DEEPSPEED_ZERO_STAGE', '?')}"
    if os.environ.get("ACCELERATE_USE_FSDP", "false") == "true":
        return f"fsdp{os.environ.get('FSDP_VERSION', '1')}"
    return "none" if processes == 1 else "ddp"


def _code(folder: Path) -> Code:
    """Of the checkout that holds this file, if git knows the file: a copy inside somebody else's checkout is not it."""

    def git(*arguments: str) -> str | None:
        try:
            run = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=30)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return run.stdout.strip() if run.returncode == 0 else None

    if git("ls-files", "--error-unmatch", Path(__file__).name) is None:
        return Code(revision=None, dirty=None)
    changed = git("status", "--porcelain", "--", ".", "../srt")
    return Code(revision=git("rev-parse", "HEAD"), dirty=None if changed is None else bool(changed))


def _template_hash(model: Path) -> str | None:
    """SHA-256 of the chat template, in whichever file of the model's folder it stands."""
    for name in _TEMPLATES:
        if (model / name).is_file():
            return _sha256([model / name])
    try:
        template = json.loads((model / "tokenizer_config.json").read_bytes()).get("chat_template")
    except (OSError, ValueError, AttributeError):
        return None
    return template and hashlib.sha256(json.dumps(template, sort_keys=True).encode()).hexdigest()


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def _sha256(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        with open(path, "rb") as file:
            digest.update(f"{path.name if len(files) > 1 else ''}:".encode())
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
