"""TRL as its users write it: ``SFTTrainer``, its configuration and its collators, and nothing of this project.

This file imports neither ``srt`` nor ``train``: it reads the sequences as JSON and has TRL do all the rest (template,
tokens, labels, packing or padding, loss).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset, List
from datasets import Image as Picture
from peft import LoraConfig
from transformers import AutoProcessor, AutoTokenizer
from trl import SFTConfig, SFTTrainer

_MATRICES = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


def trl_trainer(folder: Path, sequences: Path, output: Path, steps: int, settings: dict[str, Any]) -> SFTTrainer:
    """A trainer of the model in ``folder``, with LoRA of rank 16 on the seven matrices of its language model's layers.

    ``settings`` are arguments of :class:`SFTConfig`; everything that they do not name is TRL's default, except what
    writes files or lines, and that the learning rate stays where it is.
    """
    dataset, has_pictures = read_dataset(sequences)
    if has_pictures:
        processing = AutoProcessor.from_pretrained(folder, local_files_only=True)
        # The vision tower has matrices of the same names; a pattern keeps the adapter to the language model.
        targets: Any = rf".*language_model.*\.({'|'.join(_MATRICES)})"
    else:
        processing = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        targets = list(_MATRICES)
    arguments = SFTConfig(
        output_dir=str(output),
        max_steps=steps,
        lr_scheduler_type="constant",
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=not torch.cuda.is_available(),
        **settings,
    )
    return SFTTrainer(
        model=str(folder),
        args=arguments,
        train_dataset=dataset,
        processing_class=processing,
        peft_config=LoraConfig(r=16, lora_alpha=32, target_modules=targets, task_type="CAUSAL_LM"),
    )


def read_dataset(sequences: Path) -> tuple[Dataset, bool]:
    """The prompt-completion dataset of a file of sequences, and whether it has pictures (opened as they are used)."""
    rows = [json.loads(line) for line in sequences.read_text("utf-8").splitlines()]
    columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in ("prompt", "completion")}
    pictures = [[str(sequences.parent / image["path"]) for image in row.get("images") or []] for row in rows]
    if not any(pictures):
        return Dataset.from_dict(columns), False
    return Dataset.from_dict(columns | {"images": pictures}).cast_column("images", List(Picture())), True
