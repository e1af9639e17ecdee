"""Adapter folders, and whether an adapter was trained on the given base.

An adapter of another base loads silently if the shapes fit, and its output is then worthless. The training run left a
manifest with a hash of the base; without one, the base that ``adapter_config.json`` names and the shapes of the weights
must fit.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError, safe_open

from srt.io.bundled_files import no_model_folder
from srt.io.errors import UserError
from srt.io.file_versions import folder_hash
from srt.language.template_kwargs import Scalar

if TYPE_CHECKING:
    import torch

CONFIG = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"
ADAPTER_FILES = (CONFIG, WEIGHTS)
TRAINING_MANIFESTS = ("manifest.json", "stamp.json")
"""What a training run writes beside its weights; runs before the second name was dropped have the latter."""
MERGED = "merge.json"
"""What ``srt merge`` writes beside its weights."""

_BASE_HASH = "model (contents)"
_OF_LORA = re.compile(r"(.+)\.(lora_A|lora_B|lora_magnitude_vector)(?:\.weight)?")


def adapter_folder(folder: Path) -> Path:
    """``folder``, which holds a LoRA adapter (DoRA is one too).

    Raises:
        UserError: it does not exist, or holds no adapter of that kind in safetensors.
    """
    if not folder.is_dir():
        raise no_model_folder(folder)
    for name in ADAPTER_FILES:
        if not (folder / name).is_file():
            raise UserError(f"{folder}: not an adapter folder: there is no {name} in it")
    kind = adapter_config(folder).get("peft_type")
    if kind != "LORA":
        raise UserError(f"{folder}: an adapter of type {kind}; only LORA is supported")
    return folder


def adapter_config(folder: Path) -> dict[str, Any]:
    """What ``adapter_config.json`` says.

    Raises:
        UserError: it is no JSON object.
    """
    return _json_object(folder / CONFIG)


def trained_kwargs(folder: Path) -> dict[str, Scalar]:
    """``chat_template_kwargs`` of the run that trained what is in ``folder``; none if it was not trained here.

    Raises:
        UserError: its manifest is no JSON object.
    """
    for name in (*TRAINING_MANIFESTS, MERGED):
        if (folder / name).is_file():
            values = _json_object(folder / name)
            if name == MERGED:
                return dict(values.get("chat_template_kwargs") or {})
            within, found = "chat_template_kwargs.", values.get("fingerprint", values.get("decides"))
            fingerprint = found if isinstance(found, dict) else {}
            return {key.removeprefix(within): value for key, value in fingerprint.items() if key.startswith(within)}
    return {}


def check_base(adapter: Path, base: Path) -> bool:
    """See that ``adapter`` was trained on ``base``; whether the contents of ``base`` are known to be the right ones.

    Raises:
        UserError: the adapter's manifest has the hash of another base; or there is no manifest, and the adapter's
            configuration names a base of another name.
    """
    manifest = next((path for name in TRAINING_MANIFESTS if (path := adapter / name).is_file()), None)
    if manifest is not None:
        values = _json_object(manifest)
        fingerprint = values.get("fingerprint", values.get("decides"))
        hashed = fingerprint.get(_BASE_HASH) if isinstance(fingerprint, dict) else None
        if not isinstance(hashed, str):
            raise UserError(f"{manifest}: fingerprint: {_BASE_HASH!r} is missing: not the manifest of a training run")
        if hashed != folder_hash(base):
            raise UserError(
                f"{base}: not the model that the adapter {adapter} was trained on: its contents differ from the "
                f"hash in {manifest.name}"
            )
        return True
    named = adapter_config(adapter).get("base_model_name_or_path")
    if isinstance(named, str) and named and not _names(named, base):
        raise UserError(
            f"{base}: not the model that the adapter {adapter} was trained on: its {CONFIG} names {named} "
            "(base_model_name_or_path), and there is no manifest to confirm that they are the same; if they are, "
            "correct the name"
        )
    return False


def check_shapes(adapter: Path, base: Path, skeleton: torch.nn.Module) -> None:
    """See that each tensor of ``adapter`` has its place in ``skeleton``, the model in ``base`` without weights.

    Raises:
        UserError: a tensor without a place or of another shape: the first is named, all are counted.
    """
    modules = dict(skeleton.named_modules())
    tensors: dict[str, Any] = {**dict(skeleton.named_parameters()), **dict(skeleton.named_buffers())}
    faults = []
    try:
        # Names and shapes are in the header: no weight is read.
        with safe_open(adapter / WEIGHTS, framework="np") as file:
            names = list(file.keys())
            shapes = {name: tuple(file.get_slice(name).get_shape()) for name in names}
    except (OSError, SafetensorError) as error:
        raise UserError(f"{adapter / WEIGHTS}: not a safetensors file: {' '.join(str(error).split())}") from None
    if not names:
        raise UserError(f"{adapter / WEIGHTS}: no tensor in it")
    for name, shape in shapes.items():
        if fault := _misfit(name, shape, modules, tensors):
            faults.append(f"{name} {fault}")
    if faults:
        raise UserError(
            f"{adapter}: does not fit the model {base}: {len(faults)} of {len(names)} tensors; the first: {faults[0]}"
        )


def _names(named: str, base: Path) -> bool:
    """Whether ``named`` (a path, or an owner and a name) can mean the folder ``base``.

    A folder of a hub's cache has the name above it: ``models--OWNER--NAME/snapshots/REVISION``.
    """
    last = named.rstrip("/\\").replace("\\", "/").rpartition("/")[2].lower()
    parts = {part.rpartition("--")[2].lower() for path in (base.absolute(), base.resolve()) for part in path.parts[-3:]}
    return last in parts


def _misfit(name: str, shape: tuple[int, ...], modules: dict[str, Any], tensors: dict[str, Any]) -> str | None:
    # PEFT's names: its prefix, and what it calls the module inside the one that it has put in its place.
    path = name.removeprefix("base_model.model.").replace(".base_layer.", ".")
    match = _OF_LORA.fullmatch(path)
    if match is None:
        there = tensors.get(path)
        if there is None:
            return "has no counterpart"
        return None if tuple(there.shape) == shape else f"is {list(shape)}, there it is {list(there.shape)}"
    weight = getattr(modules.get(match[1]), "weight", None)
    if weight is None:
        return "has no counterpart"
    outputs, inputs = weight.shape[0], weight.shape[-1]
    size, expected = (shape[-1], inputs) if match[2] == "lora_A" else (shape[0], outputs)
    return None if size == expected else f"is {list(shape)}, its module there has {outputs} x {inputs} weights"


def _json_object(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise UserError(f"{file}: not a JSON object")
    return found
