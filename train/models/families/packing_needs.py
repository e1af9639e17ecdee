"""What keeps the sequences of a packed row apart in a family, and whether this machine has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from transformers.utils.import_utils import is_causal_conv1d_available, is_flash_linear_attention_available


@dataclass(frozen=True)
class Packing:
    """What a packed row needs, beside position ids that start again with each sequence.

    Attributes:
        missing: what this machine lacks for it, in a few words; ``None`` if nothing. Without it, training pads.
        numbers_sequences: the row has ``seq_idx`` too, the number of the sequence that a token is of, [1, length].
    """

    missing: Callable[[], str | None] = lambda: None
    numbers_sequences: bool = False


def _missing_kernels() -> str | None:
    packages = {
        "flash-linear-attention": is_flash_linear_attention_available,
        "causal-conv1d": is_causal_conv1d_available,
    }
    lacking = [name for name, is_there in packages.items() if not is_there()]
    lacking += [] if torch.cuda.is_available() else ["a GPU"]
    return " and ".join(lacking) or None


BY_ATTENTION = Packing()
"""Attention alone sees other tokens, and all of ours keeps to a token's own sequence."""

WITH_LINEAR_ATTENTION = Packing(_missing_kernels, numbers_sequences=True)
"""Layers of linear attention carry a state from token to token, and a convolution looks a few tokens back. By position
ids alone both leak from one sequence to the next, silently. Two kernels stop at the bounds of sequences: that of
flash-linear-attention by ``cu_seq_lens_q``, that of causal-conv1d by ``seq_idx``. This was not run with the kernels."""
