"""The manifest of a training run: ``manifest.json`` in its output folder says what the run is made from.

Its *fingerprint* holds everything that determines the final weights: keys of the recipe, the contents of data, model
and chat template, the number of processes that share a batch, and how they share the model. It must be the same when
the folder is used again. Each *attempt* records the environment of one start (versions, devices, code revision,
command). A resumed run reports what has changed in its environment and continues.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
import shlex
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import AliasChoices, Field, ValidationError, field_validator

from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.file_versions import folder_hash
from srt.io.records import Record
from train.recipe import Recipe
from train.recipe_reader import RENAMED
from train.run.launch import current_launch

MANIFEST = "manifest.json"
OLD_MANIFEST = "stamp.json"
"""The manifest of runs that were started before it was renamed; its fingerprint is called ``decides``."""

HELD_OUT_LOSS = "eval_loss"
HELD_OUT_PROVED = "eval_proved_and_right"
TOKENS_PER_SECOND = "tokens_per_second"
"""Names of figures in the log, in ``train.json`` and wherever they are read from there."""

MODEL_HASH = "model (contents)"
DATA_HASH = "data (contents)"
PROBLEMS_HASH = "objective.grpo.problems (contents)"
HELD_OUT_HASH = "eval_data (contents)"

# Recipe keys that change where a run writes or what it prints, but not its final weights.
_OF_DATA = {"data", "stages", "mix", "other_arms"}  # what they name is in it by its contents
_NOT_IN_FINGERPRINT = {*_OF_DATA, "output", "logging", "save_steps", "threads", "workers", "hub"}
# These change the weights only if one of the first two is set.
_HELD_OUT = ("early_stopping", "load_best_model_at_end", "eval_steps", "eval_data", "generations")
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


class CodeRevision(Record):
    """The git revision of the code, and whether its files had been changed; ``None`` outside a checkout."""

    revision: str | None
    dirty: bool | None


class Attempt(Record):
    """One start of a run. ``time`` is in UTC; ``from_step`` is the last step that was done before it.

    ``in_force`` are precision, sharding and the like as the trainer had them (:mod:`train.loop.in_force`); all of them
    follow from the recipe and from how the model is shared, which the fingerprint holds.
    """

    time: str
    from_step: int
    command: str
    code: CodeRevision
    python: str
    cuda: str | None
    devices: list[str]
    versions: dict[str, str]
    in_force: dict[str, str | int | float] = Field(default_factory=dict)


class TrainingManifest(Record):
    """``manifest.json``. A run that was never interrupted has one attempt."""

    fingerprint: dict[str, Any] = Field(validation_alias=AliasChoices("fingerprint", "decides"))
    attempts: list[Attempt]

    @field_validator("fingerprint")
    @classmethod
    def _read_old_names(cls, fingerprint: dict[str, Any]) -> dict[str, Any]:
        """The keys of the recipe under their present names."""
        renamed = {}
        for key, value in fingerprint.items():
            old = next((old for old in RENAMED if f"{key}.".startswith(f"{old}.")), "")
            renamed[RENAMED.get(old, "") + key.removeprefix(old)] = value
        return renamed


def fingerprint(recipe: Recipe, processes: int, sharding: str | None = None) -> dict[str, Any]:
    """Everything that determines the final weights of a run, as flat keys.

    ``sharding`` is how the processes share the model, by default as accelerate's environment says.

    Pictures are covered by the hash of the data: a sequence contains their SHA-256, which is checked when they are
    opened.
    """
    left_out = _NOT_IN_FINGERPRINT.union(_HELD_OUT)
    keys = {name: value for name, value in recipe.model_dump(mode="json").items() if name not in left_out}
    if recipe.eval_data is not None and (recipe.early_stopping or recipe.load_best_model_at_end):
        chosen = recipe.model_dump(mode="json", include=set(_HELD_OUT[:3]))
        keys |= chosen | {HELD_OUT_HASH: _sha256([Path(recipe.eval_data)])}
    if recipe.objective.grpo is not None:
        grpo = dict(keys["objective"]["grpo"])
        del grpo["held_out"]
        if isinstance(recipe.objective.grpo.problems, str):
            del grpo["problems"]
            keys[PROBLEMS_HASH] = _sha256([Path(recipe.objective.grpo.problems)])
        keys["objective"] = {"grpo": grpo}
    keys["model"] = {**keys["model"], "path": None}
    del keys["model"]["hub_id"]
    model = Path(recipe.model.path)
    return {
        **_flat(keys),
        **_data_keys(recipe),
        "other_arms (contents)": _sha256(list(map(Path, recipe.other_arms))) if recipe.other_arms else None,
        MODEL_HASH: folder_hash(model),
        "template (contents)": _template_hash(model),
        "processes": processes,
        "sharding": sharding or current_launch(processes).cluster.sharding,
    }


def _data_keys(recipe: Recipe) -> dict[str, Any]:
    """What is trained on; a run on one file has the one key that it always had."""
    if recipe.data is not None:
        return {DATA_HASH: _sha256([recipe.data_file])}
    keys: dict[str, Any] = {}
    for number, stage in enumerate(recipe.stages or (), 1):
        keys[f"stages.{number}.{stage.name}.items"] = stage.items
        keys[f"stages.{number}.{stage.name}.{DATA_HASH}"] = _sha256([Path(stage.data)])
    for number, file in enumerate(recipe.mix or (), 1):
        keys[f"mix.{number}.weight"] = file.weight
        keys[f"mix.{number}.{DATA_HASH}"] = _sha256([Path(file.data)])
    return keys


def was_trained_on(fingerprint: dict[str, Any], recipe: Recipe) -> bool:
    """Whether a run of this ``fingerprint`` was trained on what the data files of ``recipe`` hold now.

    Raises:
        OSError: one of them cannot be read.
    """
    return _data_keys(recipe).items() <= fingerprint.items()


def template_kwargs(fingerprint: dict[str, Any]) -> dict[str, Any]:
    """The variables of the chat template that a run of this fingerprint was trained with."""
    within = "chat_template_kwargs."
    return {key.removeprefix(within): value for key, value in fingerprint.items() if key.startswith(within)}


def data_hashes(fingerprint: dict[str, Any]) -> list[str]:
    """The SHA-256 of the file that a run of this fingerprint was trained on, or of those of its stages or mix."""
    return [value for key, value in fingerprint.items() if key == DATA_HASH or key.endswith(f".{DATA_HASH}")]


def fingerprint_hash(fingerprint: dict[str, Any]) -> str:
    """The recipe hash: SHA-256 of a :func:`fingerprint`, 16 hex digits."""
    return hashlib.sha256(json.dumps(fingerprint, sort_keys=True).encode()).hexdigest()[:16]


def this_attempt(from_step: int = 0, in_force: Mapping[str, str | int | float] = MappingProxyType({})) -> Attempt:
    """The environment of this process."""
    import torch  # here: a finished run is recognised without it

    return Attempt(
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        from_step=from_step,
        command=shlex.join([Path(sys.executable).name, *sys.argv]),
        code=_code_revision(Path(__file__).parents[1]),
        python=platform.python_version(),
        cuda=torch.version.cuda if torch.cuda.is_available() else None,
        devices=[torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())],
        in_force=dict(in_force),
        versions={name: version for name in _LIBRARIES if (version := _version(name)) is not None},
    )


def manifest_path(output: Path) -> Path | None:
    """The manifest in the folder ``output``, under its new or its old name; ``None`` if there is none."""
    return next((path for name in (MANIFEST, OLD_MANIFEST) if (path := output / name).exists()), None)


def read_manifest(output: Path) -> TrainingManifest:
    """The manifest of the run in the folder ``output``.

    Raises:
        UserError: it is missing or cannot be read.
    """
    path = manifest_path(output)
    if path is None:
        raise UserError(f"{output}: no {MANIFEST} in it, so this is not the output of a training run")
    try:
        return TrainingManifest.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        raise UserError(
            f"{path}: cannot be read, so the run in this folder is unknown; choose another output"
        ) from None


def write_manifest(output: Path, manifest: TrainingManifest) -> None:
    """Write ``manifest.json`` atomically; it replaces a manifest under the old name."""
    text = json.dumps(manifest.model_dump(mode="json"), indent=1, ensure_ascii=False)
    write_atomically(output / MANIFEST, [text.encode() + b"\n"])
    (output / OLD_MANIFEST).unlink(missing_ok=True)


def fingerprint_differences(saved: dict[str, Any], current: dict[str, Any]) -> list[str]:
    """The keys in which two fingerprints differ, each with both values; of hashes only the name."""
    differ = []
    for key in {**saved, **current}:
        there, here = saved.get(key, "absent"), current.get(key, "absent")
        if there != here:
            differ.append(key if key.endswith("(contents)") else f"{key} ({there} there, {here} here)")
    return differ


def is_beginning_of(saved: dict[str, Any], current: dict[str, Any]) -> bool:
    """Whether ``current`` is the fingerprint of a longer run, whose first steps are those of ``saved``.

    It has more steps or epochs, or more items in its last stage, and else it is the same (:func:`only_longer`), and
    nothing in it depends on its length (:func:`bound_to_length`). With packing its sums may round otherwise: all steps
    of a run have as many rows as the one that needs the most.
    """
    return only_longer(saved, current) and not bound_to_length(current)


def only_longer(saved: dict[str, Any], current: dict[str, Any]) -> bool:
    """Whether two fingerprints differ in the length alone, and the second is that of the longer run."""
    differ = [key for key in {**saved, **current} if saved.get(key) != current.get(key)]
    stages = [key for key in current if key.startswith("stages.") and key.endswith(".items")]
    if len(differ) != 1 or differ[0] not in {"steps", "epochs", *stages[-1:]}:
        return False
    before, after = saved.get(differ[0]), current.get(differ[0])
    return before is not None and after is not None and bool(before < after)


def bound_to_length(fingerprint: dict[str, Any]) -> str | None:
    """Why the steps of a run with this fingerprint depend on its length; ``None`` where they do not.

    The learning rate must be constant after a warmup of so many steps, and no evaluation may decide about the result:
    there is one after the last step of every run.
    """
    if fingerprint["scheduler"] != "constant":
        return f"scheduler: {fingerprint['scheduler']}: constant was expected"
    if fingerprint.get("decay") is not None:
        return "decay: the learning rate has fallen at the end of the shorter run"
    if 0 < fingerprint["warmup"] < 1:
        return "warmup: a number of steps was expected, not a share of them"
    if HELD_OUT_HASH in fingerprint:
        return "early_stopping, load_best_model_at_end: an evaluation after the last step decides about the result"
    return None


def environment_changes(before: Attempt, now: Attempt) -> list[str]:
    """What has changed in the environment of a resumed run since the attempt ``before``."""
    old = {"python": before.python, "cuda": before.cuda, "devices": before.devices, **before.versions}
    new = {"python": now.python, "cuda": now.cuda, "devices": now.devices, **now.versions}
    old["the code"], new["the code"] = before.code.revision, now.code.revision
    return [
        f"{name} ({old.get(name)} then, {new.get(name)} now)"
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    ]


def _code_revision(folder: Path) -> CodeRevision:
    """The revision of the checkout in ``folder``, unless this file is not part of it (a copy inside another one)."""

    def git(*arguments: str) -> str | None:
        try:
            run = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=30)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return run.stdout.strip() if run.returncode == 0 else None

    if git("ls-files", "--error-unmatch", str(Path(__file__).relative_to(folder))) is None:
        return CodeRevision(revision=None, dirty=None)
    changed = git("status", "--porcelain", "--", ".", "../srt")
    return CodeRevision(revision=git("rev-parse", "HEAD"), dirty=None if changed is None else bool(changed))


def _template_hash(model: Path) -> str | None:
    """SHA-256 of the chat template, whichever file of the model folder contains it."""
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
            # The only file of a data set may be renamed.
            digest.update(f"{path.name if len(files) > 1 else ''}:".encode())
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
