"""The arithmetic of a training step, and the peak of a device: the two sides of model FLOPs utilisation (MFU).

The convention is that of PaLM (Chowdhery et al. 2022, appendix B): count what the model needs, not what is recomputed.
A matrix of P weights costs 2P operations a token in the forward pass. In the backward pass it costs 2P for the gradient
of its input, if anything at or before it is trained, and 2P more for its own gradient, if it is trained itself: 6P in
full fine-tuning, about 4P under LoRA. What a run here never computes is not counted, although PaLM counts it:

- attention is causal and within a sequence: half of PaLM's 12 x width x length operations a token and layer, where
  length is that of the token's own sequence and not of the row that it is packed in;
- the head is counted on the predicted tokens, not on the prompt;
- looking up embeddings is no arithmetic;
- attention within the vision tower or within a window, and the state of linear attention, are left out: they grow with
  the tokens, and are small beside the matrices.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from torch import nn

from train.models.families.family_registry import family_of
from train.recipe import PartName

# Dense bfloat16 operations a second with sums in float32, from NVIDIA's data sheets and whitepapers (half of a figure
# "with sparsity"). The first name that is contained in the device's name counts.
_PEAK = {
    "B200": 2250e12,
    "H200": 989e12,
    "GH200": 989e12,
    "H100 PCIe": 756e12,
    "H100 NVL": 835e12,
    "H100": 989e12,
    "A100": 312e12,
    "L40S": 362e12,
    "RTX 4090": 165.2e12,
    "RTX 3090": 71e12,
}


Amount = TypeVar("Amount", float, npt.NDArray[np.float64])


class FlopCount(NamedTuple):
    """Operations of the forward and backward pass, by what they are proportional to.

    Attributes:
        token: for each token of a sequence, in the matrices of the language model's layers.
        predicted: for each token that has a label, in the head.
        pair: for each pair of tokens of one sequence (its length squared), in attention.
        picture_token: for each token of a picture, in the vision tower and the projector.
    """

    token: float
    predicted: float
    pair: float
    picture_token: float

    def of(self, tokens: Amount, predicted: Amount, picture_tokens: Amount) -> Amount:
        """The operations for one sequence, or for each of an array of them (of floats, as integers may overflow)."""
        return (
            self.token * tokens
            + self.predicted * predicted
            + self.pair * tokens**2
            + self.picture_token * picture_tokens
        )


def count_flops(model: Any) -> FlopCount:
    """The operations of ``model``: a transformers or a PEFT model, which may be sharded or quantized."""
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    family = family_of(base.config, base.config.name_or_path)
    # A gradient goes back to the first part, in the order of the forward pass, that has something to train: what comes
    # after it computes the gradient of its input, frozen or not.
    trained: set[PartName] = {family.part_of(name) for name, p in base.named_parameters() if p.requires_grad}
    order: tuple[PartName, ...] = ("vision", "projector", "language")
    reached = {part: any(earlier in trained for earlier in order[: at + 1]) for at, part in enumerate(order)}

    head = base.get_output_embeddings()
    sums: dict[PartName, float] = dict.fromkeys(order, 0.0)
    predicted = 0.0
    for name, module in base.named_modules():
        # The shape, not the number of elements, which differs for a 4-bit or a sharded weight. PEFT keeps the original
        # of a module that is trained in full, but does not compute with it.
        if isinstance(module, nn.Linear) and ".original_module" not in name:
            part = family.part_of(name)
            # Forward; gradient of the input; gradient of the weight.
            passes = 1 + reached[part] + module.weight.requires_grad
            operations = 2.0 * passes * module.in_features * module.out_features
            if module is head:
                predicted += operations
            else:
                sums[part] += operations

    widths = attention_widths(base.config.get_text_config())
    return FlopCount(
        token=sums["language"],
        predicted=predicted,
        # Two products of 2 x width operations for half of all pairs; the gradient of both factors costs twice as much.
        pair=2.0 * sum(widths) * (3 if reached["language"] else 1),
        picture_token=sums["vision"] * patches_per_token(base.config) + sums["projector"],
    )


def attention_widths(text: Any) -> list[int]:
    """Heads times values of a head, of each layer of the language model that attends to all that is before a token."""
    kinds = getattr(text, "layer_types", None) or ["full_attention"] * text.num_hidden_layers
    differing = getattr(text, "per_layer_config", None)  # of Gemma 4
    layers = [differing[number] if differing else text for number in range(text.num_hidden_layers)]
    return [
        layer.num_attention_heads * (getattr(layer, "head_dim", None) or layer.hidden_size // layer.num_attention_heads)
        for layer, kind in zip(layers, kinds, strict=True)
        if kind == "full_attention"
    ]


def peak_flops(device_name: str) -> float | None:
    """Peak operations a second of the device in bfloat16; ``None`` if it is not in the table."""
    return next((peak for name, peak in _PEAK.items() if name.lower() in device_name.lower()), None)


def patches_per_token(config: Any) -> int:
    """How many patches become one picture token: Qwen2.5-VL merges squares, InternVL scales the grid down."""
    merged = getattr(getattr(config, "vision_config", None), "spatial_merge_size", None)
    return int(merged**2) if merged else round(float(getattr(config, "downsample_ratio", 1)) ** -2)
