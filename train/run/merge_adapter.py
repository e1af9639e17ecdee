"""Merge an adapter into its base: the result is a plain model that needs no PEFT, and is checked before it is kept.

The sums are computed in float32, whatever the dtype of the base, and rounded once when they are written. In float32
the merged model has the logits of base and adapter. Rounded to bfloat16, it has not: a weight keeps 8 bits, and a
change of less than 1/512 of it may be lost. An adapter that was trained over 4-bit weights (QLoRA) is merged into the
base before quantization.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import torch
from pydantic import Field
from safetensors import SafetensorError
from safetensors.torch import load_file
from transformers import PreTrainedModel
from transformers.utils.logging import disable_progress_bar

from srt.io.atomic_files import temporary_folder
from srt.io.bundled_files import no_model_folder
from srt.io.errors import UserError
from srt.io.file_versions import folder_hash
from srt.io.records import Record
from srt.language.template_kwargs import Scalar
from train.models.model_files import apply_umask, load_family, load_weights, read_config, weight_faults
from train.run.merge_sample import MergeSample, merge_sample
from train.run.model_card import write_merged_card
from train.run.run_manifest import MODEL_HASH, manifest_path, read_manifest, template_kwargs

SUMMARY = "merge.json"
# Largest difference, as a share of the largest logit: in float32, merging changes only the order of sums.
_TOLERANCE = 1e-4
# Largest mean KL divergence after rounding, as a share of what the adapter does, and in nats whatever it does.
_ROUNDING, _LEAST = 0.01, 0.001
# Files of tokenizer and processor; config.json is written with the weights.
_COPIED = (
    "*token*.json",
    "*.jinja",
    "chat_template.json",
    "vocab.json",
    "merges.txt",
    "*.model",
    "*processor_config.json",
)


class MergeSummary(Record):
    """``merge.json``: how the merged model differs from the base with adapter, both computed in float32.

    They are compared at so many ``tokens`` of ``compared_on``, which are sequences of the run's data if they are still
    where its manifest says, or else random prompts (with a picture, if the model reads them). ``difference`` is the
    largest of a logit before the merged weights are rounded to ``dtype``, at most 1e-4 of ``largest_logit``.

    After rounding: ``difference_rounded`` is that of a logit, ``greedy_changed`` the number of places where another
    next token is the most probable one, ``divergence`` the mean KL divergence in nats: at most 1% of
    ``adapter_divergence``, which is that of the base alone and so what the adapter does, or at most 0.001.

    ``base_verified``: the adapter's manifest has the hash of this base. An adapter from elsewhere has no manifest.
    ``chat_template_kwargs`` are those that it was trained with.
    """

    adapter: str
    base: str
    base_verified: bool
    trained_over_4_bit: bool | None
    dtype: str
    compared_on: str
    tokens: int
    largest_logit: float
    difference: float
    difference_rounded: float
    greedy_changed: int
    divergence: float
    adapter_divergence: float
    chat_template_kwargs: dict[str, Scalar] = Field(default={})

    @property
    def rounding(self) -> str:
        """A sentence: what rounding has changed."""
        share = f"another most probable next token at {self.greedy_changed:,} of {self.tokens:,} places"
        kl = f"KL divergence {self.divergence:.2g} nats a token (the adapter's own: {self.adapter_divergence:.2g})"
        return f"rounded to {self.dtype}, the model differs from base with adapter: {share}, {kl}"


def merge(
    adapter: Path, output: Path, base: Path | None = None, dtype: Literal["float32", "bfloat16"] | None = None
) -> MergeSummary:
    """Merge ``adapter`` into ``base`` and write the model into ``output``, with tokenizer and processor.

    ``output`` is created only if the merged model is the unmerged one up to rounding: with the same logits before it,
    and nearly the same distributions of next tokens after it. Needs memory for the base in float32.

    Args:
        adapter: the folder of a LoRA or DoRA adapter, including any parts that were trained in full.
        output: a folder that does not exist or is empty.
        base: the folder of the model that it was trained on; by default the one that the adapter names.
        dtype: that of the written weights; by default the base's.

    Raises:
        UserError: the adapter or base is missing, the base is not the one it was trained on, ``output`` is not empty,
            the logits differ, or rounding changes too much.
    """
    base = _base_of(adapter, base)
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UserError(f"{output}: the output must be a new or empty folder")
    family = load_family(str(base))
    if faults := weight_faults(base):
        raise UserError("; ".join(faults))
    manifest = None
    if (place := manifest_path(adapter)) is not None:
        manifest = read_manifest(adapter)
        if manifest.fingerprint.get(MODEL_HASH) != folder_hash(base):
            fault = f"not the model that {adapter} was trained on: its contents differ from {place.name}"
            raise UserError(f"{base}: {fault}")
    kwargs = {} if manifest is None else template_kwargs(manifest.fingerprint)
    written = getattr(torch, dtype) if dtype else read_config(str(base)).dtype or torch.float32
    sample = merge_sample(base, family, manifest)

    if not sys.stderr.isatty():
        disable_progress_bar()
    model = load_weights(str(base), family, torch.float32)
    adapted = _with_adapter(model, adapter, base)
    unmerged = _logits(adapted, sample)
    if not bool(unmerged.isfinite().all()):
        raise UserError(
            f"{adapter}: with it, the model gives scores that are infinite or not numbers; nothing was written"
        )
    with adapted.disable_adapter():
        adapter_divergence = _divergence(unmerged, _logits(adapted, sample))
    merged = adapted.merge_and_unload(safe_merge=True)
    in_float32 = _logits(merged, sample)
    _check_same(unmerged, in_float32, f"{adapter}: the merged model differs from base with adapter")
    with _temporary_folder(output) as folder:
        _cast_parameters(merged, written)
        merged.save_pretrained(folder)
        _copy_tokenizer(base, adapter, folder)
        _cast_parameters(merged, torch.float32)
        rounded = _logits(merged, sample)
        del model, adapted, merged  # or two copies would be in memory
        stored = _logits(load_weights(str(folder), family, torch.float32), sample)
        _check_same(rounded, stored, f"{output}: the files differ from the merged model")
        summary = MergeSummary(
            adapter=str(adapter),
            base=str(base),
            base_verified=manifest is not None,
            trained_over_4_bit=manifest.fingerprint.get("model.quantize") is not None if manifest else None,
            dtype=str(written).removeprefix("torch."),
            compared_on=sample.source,
            tokens=len(stored),
            largest_logit=float(unmerged.abs().max()),
            difference=float((unmerged - in_float32).abs().max()),
            difference_rounded=float((unmerged - stored).abs().max()),
            greedy_changed=int((unmerged.argmax(-1) != stored.argmax(-1)).sum()),
            divergence=_divergence(unmerged, stored),
            adapter_divergence=adapter_divergence,
            chat_template_kwargs=kwargs,
        )
        allowed = max(_LEAST, _ROUNDING * adapter_divergence)
        if not summary.divergence <= allowed:  # also true for NaN
            raise UserError(
                f"{adapter}: {summary.rounding}, where {allowed:.2g} is allowed; nothing was written; "
                "--dtype float32 rounds nothing"
            )
        (folder / SUMMARY).write_text(summary.model_dump_json(indent=1) + "\n", encoding="utf-8")
        write_merged_card(
            folder, output.resolve().name, adapter, base, reads_pictures=family.reads_pictures, kwargs=kwargs
        )
    return summary


def _base_of(adapter: Path, base: Path | None) -> Path:
    if not adapter.is_dir():
        raise no_model_folder(adapter)
    if not (adapter / "adapter_config.json").is_file():
        if (adapter / "config.json").is_file():
            raise UserError(f"{adapter}: a whole model, not an adapter: there is nothing to merge")
        raise UserError(f"{adapter}: no adapter_config.json, so this is not an adapter")
    if not (adapter / "adapter_model.safetensors").is_file():
        raise UserError(f"{adapter}: no adapter_model.safetensors; other formats are not read")
    try:
        named = json.loads((adapter / "adapter_config.json").read_bytes())["base_model_name_or_path"]
    except (ValueError, KeyError, TypeError):
        named = None
    if base is None and not isinstance(named, str):
        raise UserError(f"{adapter}: adapter_config.json does not name a base; give it with --model")
    base = base or Path(str(named))
    if not base.is_dir():
        raise UserError(f"{no_model_folder(base)}; give the base of the adapter with --model")
    return base


def _with_adapter(model: PreTrainedModel, adapter: Path, base: Path) -> Any:
    from peft import PeftModel, get_peft_model_state_dict  # a second to import

    try:
        adapted = PeftModel.from_pretrained(model, str(adapter), local_files_only=True)
        stored = set(load_file(adapter / "adapter_model.safetensors"))
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise UserError(f"{adapter}: does not fit {base}: {' '.join(str(error).split())}") from None
    # PEFT silently drops tensors that it finds no place for.
    if differ := stored ^ set(get_peft_model_state_dict(adapted)):
        raise UserError(
            f"{adapter}: does not fit {base}: {len(differ)} tensors have no counterpart, such as {min(differ)}"
        )
    return adapted


def _logits(model: Any, sample: MergeSample) -> torch.Tensor:
    """Logits at the places of ``sample``, [places, vocabulary], in float32."""
    model.eval()
    with torch.no_grad():
        rows = [model(**text.inputs, use_cache=False).logits[0, text.places] for text in sample.texts]
    return torch.cat(rows).float()


def _divergence(one: torch.Tensor, other: torch.Tensor) -> float:
    """The mean Kullback-Leibler divergence, in nats, of the distributions of next tokens from ``one`` to ``other``."""
    ours, others = one.log_softmax(-1), other.log_softmax(-1)
    return max(0.0, float((ours.exp() * (ours - others)).sum(-1).mean()))  # never below 0, but for rounding


def _cast_parameters(model: PreTrainedModel, dtype: torch.dtype) -> None:
    """Cast the parameters but not the buffers: rotary frequencies, which no file contains, must stay exact."""
    for parameter in model.parameters():
        parameter.data = parameter.data.to(dtype)


def _check_same(one: torch.Tensor, other: torch.Tensor, message: str) -> None:
    difference, largest = float((one - other).abs().max()), float(one.abs().max())
    if not difference <= _TOLERANCE * largest:  # also true for NaN
        raise UserError(
            f"{message}: by {difference:.2g} in a logit, where the largest is {largest:.2g} "
            f"and {_TOLERANCE:g} of it is allowed; nothing was written"
        )


@contextmanager
def _temporary_folder(output: Path) -> Iterator[Path]:
    """A hidden folder beside ``output`` that replaces it at the end, or is removed after an error."""
    output.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(output) as folder:
        yield folder
        apply_umask(folder, itself=True)
        os.replace(folder, output)


def _copy_tokenizer(base: Path, adapter: Path, folder: Path) -> None:
    """Copy tokenizer and processor of the base, overridden by those of the training run (with its picture limits)."""
    for source in (base, adapter):
        for file in sorted({file for pattern in _COPIED for file in source.glob(pattern) if file.is_file()}):
            shutil.copyfile(file, folder / file.name)
