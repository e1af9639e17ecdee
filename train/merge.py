"""An adapter merged into its base: a plain model that needs no PEFT, checked before it stands in its folder.

The sums are done in float32, whatever the base is held in, and rounded once, when they are written. An adapter that was
trained over 4-bit weights (QLoRA) is merged into the base as it was before it was quantized.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from PIL import Image
from pydantic import BaseModel, ConfigDict
from safetensors import SafetensorError
from safetensors.torch import load_file
from transformers import PreTrainedModel
from transformers.utils.logging import disable_progress_bar

from srt.errors import UserError
from train.architectures import Architecture
from train.load_model import load_architecture, load_processor, load_weights, read_config, weight_faults
from train.stamp import STAMP, model_hash, read_stamp

SUMMARY = "merge.json"
# Of the largest logit: in float32, merging changes the order of sums and nothing else.
_SAME = 1e-4
# What lies beside the weights; config.json is written with them.
_BESIDE = (
    "*token*.json",
    "*.jinja",
    "chat_template.json",
    "vocab.json",
    "merges.txt",
    "*.model",
    "*processor_config.json",
)


class MergeSummary(BaseModel):
    """``merge.json``.

    Differences are the largest of any logit between base with adapter and merged model, both computed in float32, on
    random prompts (and a picture, if the model reads them): ``difference`` before the merged weights are rounded to
    ``dtype``, which is at most 1e-4 of ``largest_logit``, and ``difference_rounded`` after it: what rounding costs.
    ``base_verified`` is whether the adapter's stamp names the base by its contents; one from elsewhere has none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    adapter: str
    base: str
    base_verified: bool
    trained_over_4_bit: bool | None
    dtype: str
    difference: float
    difference_rounded: float
    largest_logit: float


def merge(adapter: Path, output: Path, base: Path | None = None) -> MergeSummary:
    """Write the model that ``adapter`` makes of ``base`` into ``output``, with tokenizer and processor.

    ``output`` is there only when the merged model has given the logits of the unmerged one. It takes the memory of the
    base in float32.

    Args:
        adapter: the folder of a LoRA or DoRA adapter, with whatever parts were trained in full beside it.
        output: a folder that does not exist or is empty.
        base: the folder of the model that it was trained on; by default where it was then.

    Raises:
        UserError: no adapter, no base or another one than it was trained on, an ``output`` with files in it, or logits
            that differ.
    """
    base = _base_of(adapter, base)
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UserError(f"{output}: the output must be a new or empty folder")
    architecture = load_architecture(str(base))
    if faults := weight_faults(base):
        raise UserError("; ".join(faults))
    verified, over_4_bit = _check_stamp(adapter, base)
    dtype = read_config(str(base)).dtype or torch.float32
    inputs = _probe(base, architecture)

    if not sys.stderr.isatty():
        disable_progress_bar()
    model = load_weights(str(base), architecture, torch.float32)
    adapted = _with_adapter(model, adapter, base)
    unmerged = _logits(adapted, inputs)
    merged = adapted.merge_and_unload(safe_merge=True)
    in_float32 = _logits(merged, inputs)
    _check_same(unmerged, in_float32, f"{adapter}: merged, it differs from itself beside the base")
    with _folder_in_the_making(output) as folder:
        _hold_in(merged, dtype)
        merged.save_pretrained(folder)
        _copy_beside(base, adapter, folder)
        _hold_in(merged, torch.float32)
        rounded = _logits(merged, inputs)
        del model, adapted, merged  # or it is in memory twice
        stored = _logits(load_weights(str(folder), architecture, torch.float32), inputs)
        _check_same(rounded, stored, f"{output}: what was written differs from what was merged")
        summary = MergeSummary(
            adapter=str(adapter),
            base=str(base),
            base_verified=verified,
            trained_over_4_bit=over_4_bit,
            dtype=str(dtype).removeprefix("torch."),
            difference=float((unmerged - in_float32).abs().max()),
            difference_rounded=float((unmerged - stored).abs().max()),
            largest_logit=float(unmerged.abs().max()),
        )
        (folder / SUMMARY).write_text(summary.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return summary


def _base_of(adapter: Path, base: Path | None) -> Path:
    if not adapter.is_dir():
        raise UserError(f"{adapter}: no such folder")
    if not (adapter / "adapter_config.json").is_file():
        if (adapter / "config.json").is_file():
            raise UserError(f"{adapter}: holds a whole model and no adapter: there is nothing to merge")
        raise UserError(f"{adapter}: no adapter_config.json, so this is no adapter")
    if not (adapter / "adapter_model.safetensors").is_file():
        raise UserError(f"{adapter}: no adapter_model.safetensors; adapters in other forms are not read")
    try:
        named = json.loads((adapter / "adapter_config.json").read_bytes())["base_model_name_or_path"]
    except (ValueError, KeyError, TypeError):
        named = None
    if base is None and not isinstance(named, str):
        raise UserError(f"{adapter}: adapter_config.json names no base; give it with --model")
    base = base or Path(str(named))
    if not base.is_dir():
        raise UserError(f"{base}: no such folder; give the base of the adapter with --model")
    return base


def _check_stamp(adapter: Path, base: Path) -> tuple[bool, bool | None]:
    """Whether the stamp says that this is the base, and whether the adapter was trained over 4 bits."""
    if not (adapter / STAMP).exists():
        return False, None
    decides = read_stamp(adapter).decides
    if decides.get("model (contents)") != model_hash(base):
        raise UserError(f"{base}: not the model that {adapter} was trained on: the contents differ from its {STAMP}")
    return True, decides.get("model.quantize") is not None


def _with_adapter(model: PreTrainedModel, adapter: Path, base: Path) -> Any:
    from peft import PeftModel, get_peft_model_state_dict  # a second to import

    try:
        adapted = PeftModel.from_pretrained(model, str(adapter), local_files_only=True)
        there = set(load_file(adapter / "adapter_model.safetensors"))
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise UserError(f"{adapter}: does not fit {base}: {' '.join(str(error).split())}") from None
    # PEFT leaves out what it finds no place for, and tells nobody.
    if differ := there ^ set(get_peft_model_state_dict(adapted)):
        raise UserError(f"{adapter}: does not fit {base}: {len(differ)} tensors have no counterpart, as {min(differ)}")
    return adapted


def _probe(base: Path, architecture: Architecture) -> dict[str, torch.Tensor]:
    """Random prompts, the same each time; for a model that reads pictures one with a picture of noise."""
    noise = torch.Generator().manual_seed(0)
    if not architecture.reads_pictures:
        size = read_config(str(base)).get_text_config().vocab_size
        return {"input_ids": torch.randint(size, (2, 16), generator=noise)}
    pixels = torch.randint(256, (112, 168, 3), generator=noise, dtype=torch.uint8)
    content = [
        {"type": "image", "image": Image.fromarray(pixels.numpy())},
        {"type": "text", "text": "What is behind (1)?"},
    ]
    return dict(
        load_processor(str(base)).apply_chat_template(
            [{"role": "user", "content": content}],
            tokenize=True,
            add_generation_prompt=True,
            return_dict=True,
            return_tensors="pt",
        )
    )


def _logits(model: Any, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
    model.eval()
    with torch.no_grad():
        logits: torch.Tensor = model(**inputs, use_cache=False).logits
    return logits.float()


def _hold_in(model: PreTrainedModel, dtype: torch.dtype) -> None:
    """Cast the parameters, and not the buffers: frequencies of rotary positions, which no file holds, stay exact."""
    for parameter in model.parameters():
        parameter.data = parameter.data.to(dtype)


def _check_same(one: torch.Tensor, other: torch.Tensor, told: str) -> None:
    difference, largest = float((one - other).abs().max()), float(one.abs().max())
    if not difference <= _SAME * largest:  # not a number is not smaller either
        raise UserError(
            f"{told}: by {difference:.2g} in a logit, where the largest is {largest:.2g} "
            f"and {_SAME:g} of it is allowed; nothing was written"
        )


@contextmanager
def _folder_in_the_making(output: Path) -> Iterator[Path]:
    """A hidden folder beside ``output`` that takes its place at the end, or is removed."""
    output.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{output.name}.", dir=output.parent))
    try:
        yield folder
        folder.chmod(0o777 & ~_umask())
        os.replace(folder, output)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _copy_beside(base: Path, adapter: Path, folder: Path) -> None:
    """Tokenizer and processor: those of the training run where it left them (with its limits of pictures)."""
    for source in (base, adapter):
        for file in sorted({file for pattern in _BESIDE for file in source.glob(pattern) if file.is_file()}):
            shutil.copyfile(file, folder / file.name)
