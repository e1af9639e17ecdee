"""TRL's fused head: the scores of the labelled tokens, computed tile by tile without storing logits.

It is the same on every device. Under FSDP2 it needs the head gathered beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
import trl.trainer.utils
from torch.distributed.fsdp import FSDPModule

from train.loop.loss import TokenScores


def score_by_fused_head(model: torch.nn.Module, batch: Mapping[str, torch.Tensor]) -> TokenScores:
    """The scores of a micro-batch, of shape [rows, length - 1]: the first token of a row is never predicted.

    ``model`` is the model as the Trainer has wrapped it.
    """
    gather_head(model)
    inputs = {name: value for name, value in batch.items() if name != "roles"}
    with labelled_positions_only():
        outputs = model(**inputs, use_cache=False, fused_lm_head=True)
    return TokenScores(
        labels=batch["labels"][:, 1:],
        roles=batch["roles"][:, 1:],
        log_probs=outputs.log_probs,
        entropy=outputs.entropy.detach(),
        is_top1=outputs.is_top1,
    )


@contextmanager
def labelled_positions_only() -> Iterator[None]:
    """Have TRL score the labelled positions alone, whatever the device, as long as this lasts.

    TRL 1.16 does so where it has Triton kernels, and elsewhere scores all positions, because some accelerators
    recompile for each number of labels. A CPU does not: a step of the demo takes 1.03 to 1.11 times as long as one from
    logits, and 1.25 times with all positions. TRL has no option for it. The question is asked inside the forward pass,
    so it is answered there and nowhere else: TRL's own trainers in this process stay as they are.
    """
    asked = trl.trainer.utils._use_triton
    trl.trainer.utils._use_triton = lambda device: True
    try:
        yield
    finally:
        trl.trainer.utils._use_triton = asked


def gather_head(model: torch.nn.Module) -> None:
    """Under FSDP2, gather the output head; after the backward pass FSDP2 reduces its gradient and shards it again.

    FSDP2 would do so when the head is called, but the fused head only reads its weight. accelerate shards it together
    with the final norm, which is called, but does not find the norm of a vision model. TRL then gathers the weight by
    itself, and each process would train its share of the head on its own gradient alone.
    """
    if isinstance(model, FSDPModule):
        head = model.get_output_embeddings()  # type: ignore[operator]
        if isinstance(head, FSDPModule):
            head.unshard()
