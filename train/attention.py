"""What a model attends with: the one place that chooses."""

from __future__ import annotations

from typing import NamedTuple

import torch
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.utils import is_flash_attn_2_available

from srt.errors import UserError
from train.packed_attention import FLASH, FLEX, SEGMENTS, VARLEN, VISION_VARLEN
from train.recipe import Attention, Recipe

_PACKED: dict[Attention, str] = {
    "eager": "eager",
    "sdpa": "sdpa",
    "flash_attention_2": FLASH,
    "flex_attention": FLEX,
    "varlen": VARLEN,
    "segments": SEGMENTS,
}


class AttentionChoice(NamedTuple):
    """What the language model and the vision tower attend with, by the names that transformers knows."""

    language: str
    vision: str


class Device(NamedTuple):
    """What of a machine decides: whether there is a GPU, and its compute capability."""

    gpu: bool
    capability: tuple[int, int] = (0, 0)

    @staticmethod
    def here() -> Device:
        """The device that this process trains on."""
        if torch.cuda.is_available():
            return Device(True, torch.cuda.get_device_capability())
        return Device(False)


def choose_attention(recipe: Recipe, config: PreTrainedConfig, device: Device | None = None) -> AttentionChoice:
    """How the model of ``config`` attends on ``device``, by default the one here.

    ``auto`` is, for packed rows on a GPU, flash-attention 2 if it is installed, else torch's ``varlen_attn``, else (in
    float32, or on a GPU before Ampere) flex attention; on a processor, segment by segment. For padded sequences it is
    flash-attention 2 if it is installed and the GPU has it, else SDPA.

    Raises:
        UserError: ``model.attn`` does not go with the device, the dtype or with packing, or the model with packing.
    """
    device = device or Device.here()
    attn, packed = recipe.model.attn, recipe.pack is not None
    half = device.gpu and device.capability >= (8, 0) and recipe.model.dtype == "bfloat16"
    if packed:
        _check_packs(recipe, config)
    if attn == "auto":
        attn = _best(packed, device.gpu, half)
    elif fault := _fault(attn, packed, device, half):
        raise UserError(f"model.attn: {attn} {fault}")
    vision = "sdpa"
    if half and is_flash_attn_2_available():
        vision = "flash_attention_2"
    elif half and config.model_type == "qwen2_5_vl":
        # Its windows are many and small; SDPA would be called for each of them.
        vision = VISION_VARLEN
    return AttentionChoice(_PACKED[attn] if packed else attn, vision)


def set_attention(model: PreTrainedModel, choice: AttentionChoice) -> None:
    """Have ``model`` attend so from now on."""
    model.config.get_text_config()._attn_implementation = choice.language
    if (vision := getattr(model.config, "vision_config", None)) is not None:
        vision._attn_implementation = choice.vision


def _best(packed: bool, gpu: bool, half: bool) -> Attention:
    if half and is_flash_attn_2_available():
        return "flash_attention_2"
    if not packed:
        return "sdpa"
    if half:
        return "varlen"
    return "flex_attention" if gpu else "segments"


def _fault(attn: Attention, packed: bool, device: Device, half: bool) -> str | None:
    if attn in ("varlen", "segments") and not packed:
        return "is for packed rows only; set pack, or leave attn out"
    if attn in ("varlen", "flash_attention_2", "flex_attention") and not device.gpu:
        return "needs a GPU, and there is none; leave attn out"
    if attn == "flash_attention_2" and not is_flash_attn_2_available():
        return "needs the package flash-attn, which is not installed; leave attn out"
    if attn in ("varlen", "flash_attention_2") and not half:
        return "needs dtype bfloat16 and a GPU of compute capability 8.0 (Ampere) or later; leave attn out"
    return None


def _check_packs(recipe: Recipe, config: PreTrainedConfig) -> None:
    text = config.get_text_config()
    kinds = set(getattr(text, "layer_types", None) or ["full_attention"])
    if kinds != {"full_attention"}:
        others = ", ".join(sorted(kinds - {"full_attention"}))
        raise UserError(f"pack: {recipe.model.path} has layers of {others}, and packed rows need full attention")
    if getattr(text, "attention_dropout", 0.0):
        raise UserError(f"pack: {recipe.model.path} drops attention out, which packed rows do not; set it to 0")
