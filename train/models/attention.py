"""Choose the attention implementation of a model."""

from __future__ import annotations

from typing import NamedTuple

import torch
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.utils import is_flash_attn_2_available, is_flash_attn_3_available

from srt.io.errors import UserError
from train.models.families.family_registry import family_of
from train.models.packed_attention import FLEX, SEGMENTS, VARLEN, VISION_VARLEN
from train.recipe import Attention, Recipe

# The names in transformers, where packed rows need another one.
_PACKED: dict[Attention, str] = {"flex_attention": FLEX, "varlen": VARLEN, "segments": SEGMENTS}

_WIDEST_HEAD = 256  # that flash attention and varlen_attn take


class AttentionChoice(NamedTuple):
    """The attention of the language model and of the vision tower, by the names that transformers knows."""

    language: str
    vision: str


class Device(NamedTuple):
    """What the choice depends on: whether there is a GPU, and its compute capability."""

    gpu: bool
    capability: tuple[int, int] = (0, 0)

    @staticmethod
    def current() -> Device:
        """The device that this process trains on."""
        if torch.cuda.is_available():
            return Device(True, torch.cuda.get_device_capability())
        return Device(False)


def choose_attention(recipe: Recipe, config: PreTrainedConfig, device: Device | None = None) -> AttentionChoice:
    """The attention of the model with ``config`` on ``device``, by default the current one.

    For packed rows, ``auto`` is flash-attention 2 if it is installed, else torch's ``varlen_attn``, else (in float32,
    or on a GPU before Ampere) flex attention; on a CPU it goes segment by segment. For padded sequences it is
    flash-attention 2 if it is installed and the GPU supports it, else SDPA. Flash-attention 3, which was not tried, is
    taken if it is asked for.

    Raises:
        UserError: ``model.attn`` does not go with the device, the dtype or packing, or the model not with packing.
    """
    device = device or Device.current()
    attn, packed = recipe.model.attn, recipe.pack is not None
    # What the kernels of flash attention and varlen_attn take: 16-bit states, on Ampere or later.
    half = device.gpu and device.capability >= (8, 0) and recipe.model.dtype == "bfloat16"
    if packed:
        _check_packing(recipe, config)
    wide = _widest_head(config) > _WIDEST_HEAD
    windows = "sliding_attention" in (getattr(config.get_text_config(), "layer_types", None) or ())
    if attn == "auto":
        # Our own functions for packed rows know no window; transformers' mask has windows and bounds of sequences.
        attn = "sdpa" if wide or (packed and windows) else _best(packed, device.gpu, half)
    elif fault := _fault(attn, packed, device, half, windows, wide):
        raise UserError(f"model.attn: {attn} {fault}")
    vision = "sdpa"
    if attn == "flash_attention_3":
        vision = attn  # transformers loads the functions of one version at a time
    elif half and is_flash_attn_2_available():
        vision = "flash_attention_2"
    elif half and family_of(config, f"model.path: {recipe.model.path}").windowed_vision:
        vision = VISION_VARLEN  # SDPA would be called for each of the many windows
    return AttentionChoice(_PACKED.get(attn, attn) if packed else attn, vision)


def set_attention(model: PreTrainedModel, choice: AttentionChoice) -> None:
    """Make ``model`` use the chosen attention from now on."""
    model.config.get_text_config()._attn_implementation = choice.language
    if (vision := getattr(model.config, "vision_config", None)) is not None:
        vision._attn_implementation = choice.vision


def attention_of(model: PreTrainedModel) -> AttentionChoice:
    """The attention that ``model`` uses."""
    language = model.config.get_text_config()._attn_implementation
    vision = getattr(model.config, "vision_config", None)
    return AttentionChoice(language, language if vision is None else vision._attn_implementation)


def _best(packed: bool, gpu: bool, half: bool) -> Attention:
    if half and is_flash_attn_2_available():
        return "flash_attention_2"
    if not packed:
        return "sdpa"
    if half:
        return "varlen"
    return "flex_attention" if gpu else "segments"


def _widest_head(config: PreTrainedConfig) -> int:
    """Values of the widest head of the language model; the layers of Gemma 4 differ."""
    text = config.get_text_config()
    layers = getattr(text, "per_layer_config", None)
    each = [text] if not layers else [layers[number] for number in range(text.num_hidden_layers)]
    return int(max(getattr(one, "head_dim", None) or one.hidden_size // one.num_attention_heads for one in each))


def _fault(attn: Attention, packed: bool, device: Device, half: bool, windows: bool, wide: bool) -> str | None:
    if windows and packed and attn in ("varlen", "segments"):
        return "attends to all that is before a token, but this model has windows; remove attn"
    if wide and attn in ("varlen", "flash_attention_2", "flash_attention_3"):
        return f"takes heads of at most {_WIDEST_HEAD} values, and this model has wider ones; remove attn"
    if attn in ("varlen", "segments") and not packed:
        return "is for packed rows only; set pack, or remove attn"
    if attn not in ("eager", "sdpa", "segments") and not device.gpu:
        return "needs a GPU, and there is none; remove attn"
    if attn == "flash_attention_2" and not is_flash_attn_2_available():
        return "needs the package flash-attn, which is not installed; remove attn"
    if attn == "flash_attention_3" and not is_flash_attn_3_available():
        return "needs the package flash-attn-3, which is not installed; remove attn"
    if attn == "flash_attention_3" and device.capability[0] != 9:
        return "needs a GPU of the Hopper generation (H100, H200); remove attn"
    if attn in ("varlen", "flash_attention_2", "flash_attention_3") and not half:
        return "needs dtype bfloat16 and a GPU of compute capability 8.0 (Ampere) or later; remove attn"
    return None


def _check_packing(recipe: Recipe, config: PreTrainedConfig) -> None:
    text = config.get_text_config()
    if missing := family_of(config, f"model.path: {recipe.model.path}").packing.missing():
        # Never silently: training has replaced such a recipe before (train.models.pads_instead).
        raise UserError(f"pack: {recipe.model.path} needs {missing} to keep the sequences of a row apart")
    others = set(getattr(text, "layer_types", None) or []) - {"full_attention", "sliding_attention", "linear_attention"}
    if others:
        raise UserError(
            f"pack: {recipe.model.path} has layers of {', '.join(sorted(others))}, which pack does not know"
        )
    if getattr(text, "attention_dropout", 0.0):
        raise UserError(f"pack: {recipe.model.path} has attention_dropout, which pack does not support; set it to 0")
