"""Reads a Parquet file as verl's trainers do; run by the Python of its own environment.

python read_with_verl.py rl|sft FILE MODEL: prints a line of JSON for each row: the text of the prompt, that of what is
trained on (the gold answer, for ``rl``), and the digests of the pixels of the
pictures (their number, for ``sft``).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from typing import Any

from omegaconf import OmegaConf
from transformers import AutoProcessor, AutoTokenizer
from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset
from verl.utils.dataset.rl_dataset import RLHFDataset

LONG = 100_000


def rl_rows(file: str, tokenizer: Any, processor: Any) -> Any:
    config = OmegaConf.create({"max_prompt_length": LONG, "cache_dir": os.path.dirname(file)})
    loaded = RLHFDataset(file, tokenizer, config, processor)
    for number in range(len(loaded)):
        row = loaded[number]
        messages = row["raw_prompt"]
        parts = [part for message in messages if isinstance(message["content"], list) for part in message["content"]]
        pictures = [part["image"] for part in parts if part["type"] == "image"]
        yield {
            "text": (processor or tokenizer).apply_chat_template(messages, add_generation_prompt=True, tokenize=False),
            "trained": row["reward_model"]["ground_truth"],
            "pictures": [hashlib.sha256(picture.convert("RGB").tobytes()).hexdigest() for picture in pictures],
            "data_source": row["data_source"],
            "problem": json.loads(row["extra_info"]["problem"]),
        }


def sft_rows(file: str, tokenizer: Any, processor: Any) -> Any:
    config = OmegaConf.create({"max_length": LONG, "pad_mode": "no_padding"})
    loaded = MultiTurnSFTDataset(file, tokenizer, config, processor)
    for number in range(len(loaded)):
        row = loaded[number]
        ids, mask = row["input_ids"], row["loss_mask"].bool()
        yield {
            "text": tokenizer.decode(ids),
            "trained": tokenizer.decode(ids[mask]),
            # They are no pictures any more, but patches.
            "pictures": len(row.get("multi_modal_inputs", {}).get("image_grid_thw", ())),
        }


if __name__ == "__main__":
    kind, file, model = sys.argv[1:]
    reads_pictures = os.path.exists(os.path.join(model, "processor_config.json"))
    processor = AutoProcessor.from_pretrained(model) if reads_pictures else None
    for row in (rl_rows if kind == "rl" else sft_rows)(file, AutoTokenizer.from_pretrained(model), processor):
        print("ROW " + json.dumps(row))
