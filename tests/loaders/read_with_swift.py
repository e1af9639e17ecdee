"""Reads a file as ms-swift's SFT does; run by the Python of its own environment, with ``ROOT_IMAGE_DIR`` set.

python read_with_swift.py FILE MODEL MODEL_TYPE TEMPLATE: prints a line of JSON for each row, as
read_with_llama_factory.py does.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

from swift import get_processor, get_template, load_dataset


def rows(file: str, model: str, model_type: str, template_type: str) -> Any:
    processor = get_processor(model, model_type=model_type)
    template = get_template(processor, template_type=template_type, max_length=None)
    template.set_mode("train")
    loaded, _ = load_dataset([file], load_from_cache_file=False)
    tokenizer = template.tokenizer
    for row in loaded:
        encoded = template.encode(dict(row), return_template_inputs=True)
        trained = [label for label in encoded["labels"] if label >= 0]
        yield {
            "text": tokenizer.decode(encoded["input_ids"]),
            "trained": tokenizer.decode(trained),
            "pictures": [
                hashlib.sha256(image.convert("RGB").tobytes()).hexdigest()
                for image in encoded["template_inputs"].images
            ],
        }


if __name__ == "__main__":
    for row in rows(*sys.argv[1:]):
        print("ROW " + json.dumps(row))
