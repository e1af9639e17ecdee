"""Reads a folder with ``dataset_info.json`` as LLaMA-Factory's SFT does; run by the Python of its own environment.

python read_with_llama_factory.py FOLDER NAME MODEL TEMPLATE: prints a line of JSON for each row, with the text of its
prompt and of what is trained on, and the digests of its pictures' pixels.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

from llamafactory.data import get_dataset, get_template_and_fix_tokenizer
from llamafactory.hparams import DataArguments, ModelArguments, TrainingArguments
from llamafactory.model import load_tokenizer


def rows(folder: str, name: str, model: str, template: str) -> Any:
    model_args = ModelArguments(model_name_or_path=model)
    data_args = DataArguments(dataset=name, dataset_dir=folder, template=template, cutoff_len=100_000)
    training_args = TrainingArguments(output_dir=folder + "/out", report_to="none", use_cpu=True)
    loaded = load_tokenizer(model_args)
    tokenizer = loaded["tokenizer"]
    chosen = get_template_and_fix_tokenizer(tokenizer, data_args)
    module = get_dataset(chosen, model_args, data_args, training_args, stage="sft", **loaded)
    for row in module["train_dataset"]:
        trained = [label for label in row["labels"] if label >= 0]
        shown = chosen.mm_plugin._regularize_images(
            row["images"] or [], image_max_pixels=768 * 768, image_min_pixels=32 * 32
        )
        yield {
            "text": tokenizer.decode(row["input_ids"]),
            "trained": tokenizer.decode(trained),
            "pictures": [hashlib.sha256(image.convert("RGB").tobytes()).hexdigest() for image in shown["images"]],
        }


if __name__ == "__main__":
    for row in rows(*sys.argv[1:]):
        print("ROW " + json.dumps(row))
