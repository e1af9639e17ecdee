"""How much arithmetic a step needs, and how much a device could do: the two sides of model FLOPs utilisation (MFU).

The convention is that of PaLM (Chowdhery et al. 2022, appendix B): what the model needs, whatever is computed twice, so
that recomputed activations do not count. A matrix of P weights costs 2P operations a token forwards. Backwards it costs
2P for the gradient of its input, if anything at or before it is trained, and 2P more for its own, if it is trained
itself: 6P of a model that is trained whole, about 4P under LoRA. Where PaLM counts what a run here never computes, this
does not count it either:

- attention is causal and within a sequence: half of PaLM's 12 x width x length operations a token and layer, where
  length is that of the token's own sequence and not of the row that it is packed in;
- the head is counted on the tokens that are predicted, not on the prompt;
- the look-up of embeddings is no arithmetic, and attention within the vision tower is left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from torch import nn

from train.architectures import PartName, architecture_of

# Dense bfloat16 operations a second with sums in float32, from NVIDIA's data sheets and whitepapers (half of the figure
# where a sheet shows "with sparsity"). The first name that is in the device's name counts.
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


class FlopCount(NamedTuple):
    """Operations of one training step, forwards and backwards, by what they grow with.

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

    def of(self, tokens: int, predicted: int, picture_tokens: int = 0) -> float:
        """The operations for one sequence."""
        return (
            self.token * tokens
            + self.predicted * predicted
            + self.pair * tokens**2
            + self.picture_token * picture_tokens
        )


def count_flops(model: Any) -> FlopCount:
    """The count of ``model``, a model of transformers or a PEFT model around one, sharded and quantised or not."""
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    architecture = architecture_of(base.config, base.config.name_or_path)
    trained: set[PartName] = {architecture.part_of(name) for name, p in base.named_parameters() if p.requires_grad}
    order: tuple[PartName, ...] = ("vision", "projector", "language")
    reached = {part: any(earlier in trained for earlier in order[: at + 1]) for at, part in enumerate(order)}

    head = base.get_output_embeddings()
    sums: dict[PartName, float] = dict.fromkeys(order, 0.0)
    predicted = 0.0
    for name, module in base.named_modules():
        # The shape and not the number of elements: a weight in 4 bits or on another process has others. PEFT keeps what
        # a module trained whole was before, and does not compute with it.
        if isinstance(module, nn.Linear) and ".original_module" not in name:
            part = architecture.part_of(name)
            passes = 1 + reached[part] + module.weight.requires_grad
            operations = 2.0 * passes * module.in_features * module.out_features
            if module is head:
                predicted += operations
            else:
                sums[part] += operations

    text = base.config.get_text_config()
    width = text.num_attention_heads * (getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads)
    return FlopCount(
        token=sums["language"],
        predicted=predicted,
        # Two products of 2 x width operations for half of all pairs; the gradient of both factors costs twice as much.
        pair=2.0 * width * text.num_hidden_layers * (3 if reached["language"] else 1),
        picture_token=sums["vision"] * _patches_of_a_token(base.config) + sums["projector"],
    )


def peak_flops(device_name: str) -> float | None:
    """What the device can do in bfloat16, in operations a second; ``None`` for one that is not in the table."""
    return next((peak for name, peak in _PEAK.items() if name.lower() in device_name.lower()), None)


def _patches_of_a_token(config: Any) -> float:
    """Qwen2.5-VL merges squares of patches into a token, InternVL scales the grid of patches down."""
    merged = getattr(getattr(config, "vision_config", None), "spatial_merge_size", None)
    return float(merged**2) if merged else float(getattr(config, "downsample_ratio", 1)) ** -2
