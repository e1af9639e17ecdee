"""Texts that the model in training writes, by transformers: sampled to learn from, or greedy answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from accelerate import Accelerator
from torch.distributed.fsdp import FSDPModule
from torch.nn.utils.rnn import pad_sequence
from transformers import GenerationConfig
from transformers.integrations import is_deepspeed_zero3_enabled

from train.loop.generations import ready_to_generate
from train.models.attention import attention_of
from train.policy.pictures import PolicyPictures, Shown


def generate_ids(
    model: Any,
    accelerator: Accelerator,
    prompts: Sequence[Sequence[int]],
    ends: Sequence[int],
    max_new_tokens: int,
    temperature: float,
    pictures: PolicyPictures | None = None,
    shown: Sequence[Shown] = (),
) -> list[list[int]]:
    """What ``model`` writes after each of ``prompts``, up to and with the first of ``ends``, or cut.

    A ``temperature`` of 0 is greedy; any other draws from all tokens. With ``pictures`` each prompt has those in
    ``shown``. Where weights are sharded, every process must call this, each with prompts of its own.
    """
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    tokens = [torch.tensor(prompt) for prompt in prompts]
    inputs = {
        "input_ids": _left_padded(tokens),
        "attention_mask": _left_padded([torch.ones_like(one) for one in tokens]),
    }
    drawn: dict[str, Any] = {"do_sample": False}
    if temperature:
        drawn = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
    if pictures is not None:
        inputs |= pictures.features(shown) | {"mm_token_type_ids": pictures.kinds(inputs["input_ids"])}
        drawn["suppress_tokens"] = [pictures.image_token]
    training = model.training
    model.eval()  # without dropout, as the probabilities of training are computed
    try:
        with torch.no_grad(), accelerator.autocast(), ready_to_generate(model, base, attention_of(base)):
            output = base.generate(
                **{name: value.to(accelerator.device) for name, value in inputs.items()},
                generation_config=GenerationConfig(
                    max_new_tokens=max_new_tokens,
                    num_beams=1,
                    use_cache=True,
                    eos_token_id=list(ends),
                    pad_token_id=ends[0],
                    **drawn,
                ),
                # Each forward pass gathers weights from all: a process whose texts have ended goes on until the last
                # one has.
                synced_gpus=accelerator.num_processes > 1
                and (isinstance(model, FSDPModule) or is_deepspeed_zero3_enabled()),
            )
    finally:
        model.train(training)
    longest = max(map(len, prompts))
    texts: list[list[int]] = []
    for row in output[:, longest:].tolist():
        end = next((at for at, token in enumerate(row) if token in ends), len(row) - 1)
        texts.append(row[: end + 1])
    return texts


def _left_padded(rows: list[torch.Tensor]) -> torch.Tensor:
    """What stands in padding is never attended to."""
    return pad_sequence(rows, batch_first=True, padding_value=0, padding_side="left")
