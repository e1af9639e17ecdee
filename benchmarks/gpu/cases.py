"""What is measured: model, data, and the settings of each side."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from transformers.utils import is_flash_attn_2_available

from benchmarks.gpu.shapes import Model

Settings = dict[str, Any]


class Side(NamedTuple):
    """One trainer of a case.

    ``attempts`` are its settings (keys of a recipe for ``ours``, arguments of ``SFTConfig`` for ``trl``), the fastest
    first: if one does not fit on the device, the next is tried, and the report says so. ``casts``: PEFT widens the
    input of each adapter to float32, as it does by itself and we do not.
    """

    name: str
    trainer: Literal["ours", "trl"]
    about: str
    attempts: tuple[Settings, ...]
    casts: bool = False


class Case(NamedTuple):
    """One comparison.

    ``problems`` is how many are made; ``goal`` is the least ratio of ours to TRL as it comes. ``variants`` of ours are
    measured on request.
    """

    name: str
    about: str
    model: Model
    problems: int
    sides: tuple[Side, ...]
    goal: float | None = None
    published: dict[str, Any] | None = None
    variants: tuple[Side, ...] = ()


OURS, TRL = "ours", "trl"
_LORA: Settings = {"r": 16, "alpha": 32}
# What TRL's documentation advises: bfloat16 (its default is float32, to which a published checkpoint is widened), and
# flash attention, without which its packed rows are slow.
_HALF: Settings = {
    "model_init_kwargs": {
        "dtype": "bfloat16",
        **({"attn_implementation": "flash_attention_2"} if is_flash_attn_2_available() else {}),
    }
}
_OUR_TEXT: Settings = {"batch_size": 96, "pack": 4096, "max_length": 4096, "lora": _LORA}

_TEXT = Case(
    name="a",
    about="Qwen2.5-7B, LoRA of rank 16, rows of 4096 tokens of packed traces",
    model="qwen2.5-7b",
    problems=2000,
    goal=1.3,
    published={
        "tokens_per_second": 14110,
        "tflops": 423,
        "source": "NVIDIA NeMo AutoModel, performance summary of 2025-10-02: Qwen2.5 7B, LoRA, one H100, sequence 4096,"
        " global batch 32, micro-batch 2; mock data, no gradient clipping",
    },
    sides=(
        Side(
            OURS,
            "ours",
            "recipe with pack: 4096",
            tuple(_OUR_TEXT | {"gradient_checkpointing": every} for every in (0, 1)),
        ),
        Side(
            TRL,
            "trl",
            "SFTConfig(packing=True, max_length=4096), all else as it comes; a smaller batch where 8 rows do not fit",
            tuple(
                {
                    "packing": True,
                    "max_length": 4096,
                    "per_device_train_batch_size": rows,
                    "gradient_accumulation_steps": 8 // rows,
                }
                for rows in (8, 4, 2, 1)
            ),
        ),
        Side(
            "trl-tuned",
            "trl",
            "the same in bfloat16, flash attention if installed, one row at a time, recomputing only if it must",
            tuple(
                {
                    "packing": True,
                    "max_length": 4096,
                    "per_device_train_batch_size": 1,
                    "gradient_accumulation_steps": 8,
                    "gradient_checkpointing": saved,
                    **_HALF,
                }
                for saved in (False, True)
            ),
        ),
    ),
    variants=(
        Side("ours-recomputed", "ours", "every layer recomputed", (_OUR_TEXT | {"gradient_checkpointing": 1},)),
        Side("ours-recomputed-2", "ours", "every second layer", (_OUR_TEXT | {"gradient_checkpointing": 2},)),
        Side("ours-casts", "ours", "adapters that widen their inputs", (_OUR_TEXT,), casts=True),
    ),
)

_PICTURES = Case(
    name="b",
    about="Qwen2.5-VL-7B, LoRA of rank 16 on the language model, one to four pictures a problem",
    model="qwen2.5-vl-7b",
    problems=600,
    goal=2.5,
    published={
        "source": "ms-swift: packing Qwen2.5-VL-7B LoRA on four GPUs took a run from over an hour to 10 minutes",
    },
    sides=(
        Side(
            OURS,
            "ours",
            "recipe with pack: 4096 and workers: 4",
            tuple(
                {
                    "batch_size": 32,
                    "pack": 4096,
                    "max_length": 4096,
                    "lora": _LORA,
                    "workers": 4,
                    "gradient_checkpointing": saved,
                }
                for saved in (False, True)
            ),
        ),
        Side(
            TRL,
            "trl",
            "SFTConfig(max_length=None), all else as it comes; a smaller batch where 8 do not fit",
            tuple(
                {
                    "max_length": None,
                    "per_device_train_batch_size": rows,
                    "gradient_accumulation_steps": 32 // rows,
                }
                for rows in (8, 4, 2, 1)
            ),
        ),
        Side(
            "trl-tuned",
            "trl",
            "the same in bfloat16, flash attention if installed, 4 workers, recomputing only if it must",
            tuple(
                {
                    "max_length": None,
                    "per_device_train_batch_size": rows,
                    "gradient_accumulation_steps": 32 // rows,
                    "dataloader_num_workers": 4,
                    "gradient_checkpointing": saved,
                    **_HALF,
                }
                for rows, saved in ((4, False), (2, False), (8, True), (2, True))
            ),
        ),
    ),
)

_FULL = Case(
    name="c",
    about="Qwen2.5-VL-3B, full fine-tuning with AdamW in float32, one to four pictures a problem",
    model="qwen2.5-vl-3b",
    problems=600,
    sides=(
        Side(
            OURS,
            "ours",
            "recipe with pack: 4096, workers: 4 and gradient checkpointing; every part, or all but the vision tower",
            tuple(
                {
                    "batch_size": 32,
                    "pack": 4096,
                    "max_length": 4096,
                    "trainable": {"vision": vision, "projector": "full", "language": "full"},
                    "workers": 4,
                    "gradient_checkpointing": True,
                }
                for vision in ("full", "frozen")
            ),
        ),
    ),
)

CASES = {case.name: case for case in (_TEXT, _PICTURES, _FULL)}


def tiny(case: Case) -> Case:
    """The same case for a CPU: fewer and shorter problems, small batches, and the first attempt of each side."""
    sides, variants = (tuple(map(_tiny_side, kept)) for kept in (case.sides, case.variants))
    return case._replace(problems=12, sides=sides, variants=variants)


def _tiny_side(side: Side) -> Side:
    settings = dict(side.attempts[0])
    if side.trainer == "ours":
        settings |= {"batch_size": 4, "pack": 1024, "max_length": 1024, "threads": 1}
    else:
        settings |= {"per_device_train_batch_size": 2, "gradient_accumulation_steps": 1}
        settings |= {"max_length": 1024} if settings["max_length"] else {}
    settings |= {key: 1 for key in ("workers", "dataloader_num_workers") if key in settings}
    return side._replace(attempts=(settings,))
