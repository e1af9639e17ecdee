"""The files of a model folder: configuration, tokenizer, processor and weights.

Only safetensors weights are read, nothing is fetched, and no code from the folder runs.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from transformers import (
    AutoConfig,
    AutoProcessor,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    ProcessorMixin,
)
from transformers.integrations import is_deepspeed_zero3_enabled
from transformers.utils import logging as transformers_logging

from srt.io.bundled_files import no_model_folder
from srt.io.errors import UserError
from srt.untrusted.trial import check_tokenizer
from train.models.families.family_registry import family_of
from train.models.families.model_family import ModelFamily

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"


def read_config(path: str) -> PreTrainedConfig:
    """The configuration of the model in the folder ``path``.

    Raises:
        UserError: it is missing, asks to run code, or transformers does not know it.
    """
    place = f"model.path: {path}"
    if not Path(path).is_dir():
        raise no_model_folder(path, "model.path: ")
    try:
        raw = json.loads((Path(path) / "config.json").read_bytes())
    except OSError as error:
        raise UserError(f"{place}: config.json cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UserError(f"{place}: config.json is not JSON: {_one_line(error)}") from None
    if not isinstance(raw, dict):
        raise UserError(f"{place}: config.json: a mapping was expected")
    if "auto_map" in raw:
        raise UserError(
            f"{place}: config.json asks to run code from the folder (auto_map), which is never done; use the form of "
            "the model that transformers reads natively (for InternVL3, the folders named ...-hf)"
        )
    config: PreTrainedConfig = _load(AutoConfig, path, "config.json cannot be used")
    return config


def load_family(path: str) -> ModelFamily:
    """The family of the model in the folder ``path``.

    Raises:
        UserError: as :func:`read_config`, or the family is unknown.
    """
    return family_of(read_config(path), f"model.path: {path}")


def load_tokenizer(path: str) -> PreTrainedTokenizerBase:
    """The tokenizer in the folder ``path``.

    Raises:
        UserError: transformers cannot load it without running code from the folder, or it goes beyond the bounds of
            :func:`srt.untrusted.trial.check_tokenizer`.
    """
    _check_tokenizer(path)
    tokenizer: PreTrainedTokenizerBase = _load(AutoTokenizer, path, "no tokenizer can be loaded")
    if tokenizer.encode("a", add_special_tokens=False) == []:
        # If there is no tokenizer file, transformers makes an empty tokenizer for the architecture.
        raise UserError(f"model.path: {path}: no tokenizer in it, or one with an empty vocabulary")
    return tokenizer


def load_processor(path: str) -> ProcessorMixin:
    """Tokenizer and image processor of the vision model in the folder ``path``.

    Raises:
        UserError: transformers cannot load it without running code from the folder, or it goes beyond the bounds of
            :func:`srt.untrusted.trial.check_tokenizer`.
    """
    _check_tokenizer(path)
    processor = _load(AutoProcessor, path, "no processor can be loaded")
    if not isinstance(processor, ProcessorMixin):
        raise UserError(f"model.path: {path}: contains a tokenizer, but no image processor")
    return processor


def load_tokenizer_and_processor(path: str) -> tuple[PreTrainedTokenizerBase, ProcessorMixin | None]:
    """The tokenizer of the model in the folder ``path``, and its processor if it reads pictures."""
    if not load_family(path).reads_pictures:
        return load_tokenizer(path), None
    processor = load_processor(path)
    return processor.tokenizer, processor


def load_weights(path: str, family: ModelFamily, dtype: torch.dtype, **options: Any) -> PreTrainedModel:
    """The model in the folder ``path``, unchanged; ``options`` go to ``from_pretrained``.

    Raises:
        UserError: transformers cannot load it, or weights are missing from its files.
    """
    model: Any
    try:
        model, info = family.auto_class.from_pretrained(  # type: ignore[attr-defined]
            path,
            dtype=dtype,
            use_safetensors=True,
            local_files_only=True,
            trust_remote_code=False,
            output_loading_info=True,
            **options,
        )
    except (OSError, ValueError, ImportError, RuntimeError, SafetensorError) as error:
        raise UserError(f"model.path: {path}: cannot be loaded: {_one_line(error)}") from None
    if missing := sorted(info["missing_keys"]):
        # transformers initialises them randomly, with a warning at most.
        raise UserError(_missing_line(path, missing))
    # transformers renames weights as it loads them, and back as it saves them. Under ZeRO-3 it keeps renamings that
    # matched no weight, and would save a Qwen2.5-VL under names that nothing reads.
    if (renamings := getattr(model, "_weight_conversions", None)) is not None:
        model._weight_conversions = [renaming for renaming in renamings if renaming.was_used()]
    loaded: PreTrainedModel = model
    return loaded


def without_weights(path: str, family: ModelFamily, dtype: torch.dtype) -> PreTrainedModel:
    """The model of the configuration in the folder ``path``, on the ``meta`` device."""
    with torch.device("meta"):
        model: PreTrainedModel = family.auto_class.from_config(  # type: ignore[attr-defined]
            read_config(path), dtype=dtype, trust_remote_code=False
        )
    return model


def weight_faults(folder: Path) -> list[str]:
    """A line for each fault of the weight files. Only safetensors are read, because a pickle can run code."""
    if (folder / INDEX).is_file() or (folder / WEIGHTS).is_file():
        try:
            named = _weight_files(folder)
        except (ValueError, KeyError, AttributeError, TypeError):
            return [f"model.path: {folder / INDEX}: not an index of safetensors files"]
        if missing := sorted(name for name in named if not (folder / name).is_file()):
            some = f"{len(missing)} of {len(named)} weight files are missing, such as {missing[0]}"
            return [f"model.path: {folder}: {some}"]
        return _unreadable(folder, named)
    if pickled := sorted(file.name for pattern in ("*.bin", "*.pt", "*.pth") for file in folder.glob(pattern)):
        return [
            f"model.path: {folder}: the weights are pickled ({pickled[0]}), which can run code: "
            "only safetensors are read; save the model again with safe_serialization"
        ]
    return [f"model.path: {folder}: no {WEIGHTS} and no {INDEX}"]


def tensor_faults(path: str, family: ModelFamily) -> list[str]:
    """A line for each way in which the tensors of a folder without :func:`weight_faults` differ from its config.json.

    Names and shapes alone are read. transformers loads them as tensors without contents, so its own rules for old
    names, tied weights and merged ones hold.
    """
    config = read_config(path)
    # Files that are quantized hold other tensors, and ZeRO-3 loads by another way, which needs all processes.
    if getattr(config, "quantization_config", None) is not None or is_deepspeed_zero3_enabled():
        return []
    tensors = {}
    for name in _weight_files(Path(path)):
        with safe_open(Path(path) / name, framework="pt") as file:
            for key in file.offset_keys():
                tensors[key] = torch.empty(file.get_slice(key).get_shape(), dtype=torch.bfloat16, device="meta")
    try:
        with _quiet():
            model, info = type(without_weights(path, family, torch.bfloat16)).from_pretrained(
                None,
                config=config,
                state_dict=tensors,
                dtype=torch.bfloat16,
                device_map={"": "meta"},
                ignore_mismatched_sizes=True,
                output_loading_info=True,
            )
    except (ValueError, RuntimeError) as error:
        return [f"model.path: {path}: cannot be loaded: {_one_line(error)}"]
    faults = []
    if missing := sorted(info["missing_keys"]):
        faults.append(_missing_line(path, missing))
    layers = {layers: len(model.get_submodule(layers)) for part in family.parts.values() for layers in part.layers}
    if beyond := sorted(key for key in info["unexpected_keys"] if _is_beyond(key, layers)):
        faults.append(
            f"model.path: {path}: {len(beyond)} weights in its files are of layers that config.json does not count, "
            f"such as {beyond[0]}"
        )
    if shapes := sorted(info["mismatched_keys"]):
        name, found, expected = shapes[0]
        faults.append(
            f"model.path: {path}: {len(shapes)} weights in its files have another shape than by config.json, such as "
            f"{name}: {list(found)}, not {list(expected)}"
        )
    return faults


def apply_umask(folder: Path, *, itself: bool = False) -> None:
    """Give the safetensors files in ``folder`` the rights that the umask leaves; ``itself`` also the folder.

    safetensors creates its files, and ``temporary_folder`` a folder, for their owner alone: nobody else on the machine
    could evaluate a trained model.
    """
    umask = os.umask(0)  # there is no other way to read it
    os.umask(umask)
    for file in folder.glob("*.safetensors"):
        file.chmod(0o666 & ~umask)
    if itself:
        folder.chmod(0o777 & ~umask)


def _weight_files(folder: Path) -> set[str]:
    """The names of the files that transformers reads."""
    if (folder / WEIGHTS).is_file():
        return {WEIGHTS}
    return set(json.loads((folder / INDEX).read_bytes())["weight_map"].values())


def _missing_line(path: str, missing: list[str]) -> str:
    return (
        f"model.path: {path}: {len(missing)} weights of the model that config.json describes are in none of its "
        f"files, such as {missing[0]}"
    )


def _is_beyond(key: str, layers: dict[str, int]) -> bool:
    """Whether ``key`` is in a layer that the model lacks; ``layers``: the lists of layers, and how long each is."""
    found = re.match(r"([\w.]*?)\.(\d+)\.", key)
    # The weights of a backbone alone have no prefix.
    return found is not None and any(
        f".{path}".endswith(f".{found[1]}") and int(found[2]) >= count for path, count in layers.items()
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Without transformers' report and progress bar: what is wrong becomes a line of ours."""
    level, bars = transformers_logging.get_verbosity(), transformers_logging.is_progress_bar_enabled()
    transformers_logging.set_verbosity_error()
    transformers_logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(level)
        if bars:
            transformers_logging.enable_progress_bar()


def _unreadable(folder: Path, names: set[str]) -> list[str]:
    """A line for each file with an invalid header, or shorter than its header says, as after a broken download."""
    faults = []
    for name in sorted(names):
        try:
            with safe_open(folder / name, framework="pt"):
                pass
        except (SafetensorError, OSError) as error:
            faults.append(f"model.path: {folder / name}: incomplete, or not safetensors: {_one_line(error)}")
    return faults


def _check_tokenizer(path: str) -> None:
    try:
        check_tokenizer(Path(path))
    except UserError as error:
        raise UserError(f"model.path: {error}") from None


def _load(auto_class: Any, path: str, fault: str) -> Any:
    """What ``auto_class`` of transformers makes of the folder ``path``; ``fault`` is the message if it cannot."""
    try:
        return auto_class.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # transformers checks little of a folder before it uses it
        raise UserError(f"model.path: {path}: {fault}: {_one_line(error)}") from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
