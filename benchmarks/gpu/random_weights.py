"""Random weights made on the device instead of read: a model of 7 billion parameters is ready within seconds."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from transformers import PreTrainedModel


@contextmanager
def made_on(device: torch.device) -> Iterator[None]:
    """Within it, ``from_pretrained`` of every model class returns random weights, initialized as the class does.

    Everything else is as in a run with real weights: the caller's code chooses dtype and attention. The weights are
    made on ``device`` in the requested dtype (by default that of the configuration, as in transformers), and never
    exist in a file or in main memory.
    """
    original = PreTrainedModel.__dict__["from_pretrained"]

    def made(cls: type[PreTrainedModel], path: Any, *_: Any, **options: Any) -> Any:
        if options.get("quantization_config") is not None:
            raise NotImplementedError("random weights are not quantized")
        config = copy.deepcopy(options.get("config") or cls.config_class.from_pretrained(path))
        dtype = options.get("dtype")
        chosen = {"attn_implementation": options["attn_implementation"]} if options.get("attn_implementation") else {}
        torch.manual_seed(0)
        # Training first looks at names and shapes alone.
        place = "meta" if options.get("device_map") == {"": "meta"} else device
        with torch.device(place):
            model = cls._from_config(config, dtype=config.dtype if dtype in (None, "auto") else dtype, **chosen)
        info = {"missing_keys": set(), "unexpected_keys": set(), "mismatched_keys": set()}
        return (model.eval(), info) if options.get("output_loading_info") else model.eval()

    PreTrainedModel.from_pretrained = classmethod(made)
    try:
        yield
    finally:
        PreTrainedModel.from_pretrained = original
