"""The table of runs that must give the same losses: what is trained, how, and in how many pieces."""

from __future__ import annotations

from typing import Any, NamedTuple

STEPS, BATCH, LEARNING_RATE = 5, 8, 1e-2
LORA = {"r": 4, "alpha": 8}

# The models by what they are trained on: family and, if the head has weights separate from the embeddings, "untied".
TEXT, UNTIED_TEXT, PICTURES, UNTIED_PICTURES, TILES = "text", "untied text", "pictures", "untied pictures", "tiles"
WIDE_TEXT = "wide text"  # with matrices of 4,096 values: bitsandbytes keeps the moments of smaller ones in float32
MODELS: dict[str, dict[str, Any]] = {
    TEXT: {"arch": "llama"},
    UNTIED_TEXT: {"arch": "llama", "untied_head": True},
    WIDE_TEXT: {"arch": "llama", "hidden": 64},
    PICTURES: {"arch": "qwen2_5_vl"},
    UNTIED_PICTURES: {"arch": "qwen2_5_vl", "untied_head": True},
    TILES: {"arch": "internvl"},  # its head is never tied
    # The families of today, each with the template that TRL ships of it.
    **{
        arch: {"arch": arch, "layers": layers}
        for arch, layers in {
            "qwen3": 2,
            "qwen3_vl": 2,
            "internvl3_5": 2,
            "gemma4_text": 3,
            "qwen3_5_text": 4,
            "qwen3_5": 4,
        }.items()
    },
}
SLOW = "full at 1e-3"
FAMILIES = {content: SLOW if content == "gemma4_text" else "full" for content in tuple(MODELS)[5:]}
"""The models of today, each with its method. With its unscaled attention, Gemma 4 at 1e-2 makes 1.3e-6 of rounding
within three steps of Adam; its first loss and gradient are as close as the others'."""
FAMILY_WAYS = ("rows of several", "DDP", "FSDP2", "packed and checkpointed, FSDP2")
NOT_BY_FSDP2 = ("gemma4_text",)
"""Refused: accelerate cannot shard a model that saves buffers (:mod:`train.loop.sharding`)."""
METHODS: dict[str, dict[str, Any]] = {
    "full": {},
    "full at 1e-3": {"learning_rate": 1e-3},
    "lora": {"lora": LORA},
    "dora": {"lora": {**LORA, "dora": True}},
    "qlora": {"lora": LORA, "model": {"quantize": "nf4"}},
    # Parts of a model each in its own way: a copy of the vision tower is trained in full beside the adapters.
    "parts": {"lora": LORA, "trainable": {"vision": "full", "projector": "lora"}},
    "muon": {"optimizer": "muon", "muon_learning_rate": 0.02},
    "adamw_8bit": {"optimizer": "adamw_8bit"},
    "adafactor": {"optimizer": "adafactor"},
    "lora plus": {"lora": {**LORA, "plus_ratio": 4, "rslora": True}},
    "lora pissa": {"lora": {**LORA, "init": "pissa"}},
    "weighted": {"loss": {"correlate": 2.0, "infer": 0.5, "answer": 3.0, "other": 0.25}},
    # The base is stored in bfloat16 too.
    "full in bfloat16": {"model": {"dtype": "bfloat16"}},
    "lora in bfloat16": {"lora": LORA, "model": {"dtype": "bfloat16"}},
    "qlora in bfloat16": {"lora": LORA, "model": {"dtype": "bfloat16", "quantize": "nf4"}},
}


class Way(NamedTuple):
    """One way to the same losses: a launch file of configs/, what differs in the recipe, the step of a kill."""

    config: str = "cpu"
    changes: dict[str, Any] = {}  # noqa: RUF012 - never changed
    killed_after: int | None = None
    processes: int | None = None  # instead of those in the launch file


WHOLE = "one process, 8 at a time"
_SHARE = {"micro_batch": 2}  # of two processes: each accumulates over two micro-batches
_PACKED = {"pack": 128}
_LONG_ROWS = {"pack": 512}  # of several sequences, with the templates of today too
_CHECKPOINTED = {**_SHARE, "gradient_checkpointing": True}
_SAVED = {**_SHARE, "save_steps": 2}
_ONE_BY_ONE = {"micro_batch": 1, "batch_size": 64}  # two processes add up 32 gradients each
WAYS: dict[str, Way] = {
    WHOLE: Way(changes={"micro_batch": 8}),
    "1 x 8": Way(changes={"micro_batch": 1}),
    "DDP": Way("cpu_ddp", _SHARE),
    "FSDP2": Way("cpu_fsdp2", _SHARE),
    "FSDP2, one process": Way("cpu_fsdp2", _SHARE, processes=1),
    "ZeRO-2": Way("cpu_zero2", _SHARE),
    "ZeRO-3": Way("cpu_zero3", _SHARE),
    "packed": Way(changes=_PACKED),
    "packed, DDP": Way("cpu_ddp", _PACKED),
    "packed, FSDP2": Way("cpu_fsdp2", _PACKED),
    "packed, ZeRO-3": Way("cpu_zero3", _PACKED),
    "checkpointed, DDP": Way("cpu_ddp", _CHECKPOINTED),
    "checkpointed, FSDP2": Way("cpu_fsdp2", _CHECKPOINTED),
    "checkpointed, ZeRO-3": Way("cpu_zero3", _CHECKPOINTED),
    "packed and checkpointed, FSDP2": Way("cpu_fsdp2", {**_LONG_ROWS, "gradient_checkpointing": True}),
    "rows of several": Way(changes=_LONG_ROWS),
    "resumed": Way(changes={"micro_batch": 8, "save_steps": 2}, killed_after=4),
    "resumed, FSDP2": Way("cpu_fsdp2", _SAVED, killed_after=4),
    "one by one, DDP": Way("cpu_ddp", _ONE_BY_ONE),
    "one by one, ZeRO-2": Way("cpu_zero2", _ONE_BY_ONE),
    "one by one, ZeRO-3": Way("cpu_zero3", _ONE_BY_ONE),
    "resumed, ZeRO-3": Way("cpu_zero3", _SAVED, killed_after=4),
}


class Cell(NamedTuple):
    """A run, and the run it must equal."""

    content: str
    method: str
    way: str
    reference: str = WHOLE

    @property
    def name(self) -> str:
        """As pytest shows it."""
        return "-".join(self if self.reference != WHOLE else self[:3])


# Every content with every method in these ways, and TRL for all but the weighted loss, which it does not have.
_EVERYWHERE = ("1 x 8", "DDP", "FSDP2", "ZeRO-2", "ZeRO-3", "packed", "resumed")
_SHARDED = ("FSDP2", "ZeRO-2", "ZeRO-3")
TRAINED_BY_TRL = [(content, method) for content in (TEXT, PICTURES) for method in ("full", "lora", "qlora")]
TABLE = [
    *(Cell(content, method, way) for content, method in TRAINED_BY_TRL for way in _EVERYWHERE),
    *(Cell(TEXT, "weighted", way) for way in ("1 x 8", "DDP", "ZeRO-3", "packed")),
    *(Cell(TEXT, "muon", way) for way in ("1 x 8", "DDP", "packed", "resumed")),
    *(Cell(WIDE_TEXT, "adamw_8bit", way) for way in ("1 x 8", "DDP", "resumed")),
    *(Cell(WIDE_TEXT, "adafactor", way) for way in ("1 x 8", "DDP", "resumed")),
    *(Cell(TEXT, "lora plus", way) for way in ("DDP", *_SHARDED, "resumed, FSDP2")),
    *(Cell(TEXT, "lora pissa", way) for way in ("DDP", "packed", "resumed")),
    *(Cell(PICTURES, "parts", way) for way in ("DDP", *_SHARDED, "resumed", "resumed, FSDP2", "resumed, ZeRO-3")),
    # A head with separate weights, which accelerate shards with the final norm only if it finds one.
    *(Cell(UNTIED_TEXT, "full", way) for way in ("FSDP2", "ZeRO-3")),
    *(Cell(UNTIED_PICTURES, "full", way) for way in ("DDP", "FSDP2", "resumed, FSDP2")),
    *(Cell(UNTIED_PICTURES, "full", way) for way in ("packed, FSDP2", "checkpointed, FSDP2")),
    *(Cell(TILES, "full", way) for way in ("FSDP2", "ZeRO-3", "packed, FSDP2")),
    Cell(UNTIED_PICTURES, "lora", "FSDP2"),
    *(Cell(TEXT, "dora", way) for way in ("1 x 8", "DDP", *_SHARDED)),
    Cell(PICTURES, "dora", "FSDP2"),
    *(Cell(TEXT, "full", f"packed, {how}") for how in ("DDP", "FSDP2", "ZeRO-3")),
    *(Cell(PICTURES, "lora", f"packed, {how}") for how in ("DDP", "FSDP2", "ZeRO-3")),
    *(Cell(TEXT, "full", f"checkpointed, {how}") for how in ("FSDP2", "ZeRO-3")),
    *(Cell(PICTURES, "lora", f"checkpointed, {how}") for how in ("DDP", "FSDP2", "ZeRO-3")),
    *(Cell(TEXT, method, f"resumed, {how}") for method in ("full", "lora") for how in ("FSDP2", "ZeRO-3")),
    # In bfloat16 different ways round differently.
    *(Cell(TEXT, f"{method} in bfloat16", way) for method in ("full", "lora", "qlora") for way in _SHARDED),
    *(Cell(TEXT, "full in bfloat16", way) for way in ("1 x 8", "DDP")),
    Cell(UNTIED_PICTURES, "full in bfloat16", "FSDP2"),
    # But gradients are reduced in float32, and checkpoints keep it: here the arithmetic is the same.
    *(Cell(TEXT, f"{method} in bfloat16", "FSDP2", "FSDP2, one process") for method in ("full", "lora", "qlora")),
    Cell(UNTIED_PICTURES, "full in bfloat16", "FSDP2", "FSDP2, one process"),
    Cell(TEXT, "full in bfloat16", "resumed"),
    *(Cell(TEXT, "full in bfloat16", f"resumed, {how}", how) for how in ("FSDP2", "ZeRO-3")),
]
