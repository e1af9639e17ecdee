"""The training data: solved problems of the exact world, with pictures for a vision model, and a new tokenizer.

Everything is made here and is the same on every machine. No file is fetched. Token ids stay below the vocabulary of the
published model, whose embeddings are just larger than necessary.
"""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import Any, NamedTuple

import torch
from PIL import Image as Canvas
from PIL import ImageDraw
from safetensors.torch import save_file
from transformers import AutoProcessor, AutoTokenizer, Qwen2_5_VLConfig, Qwen2Config

from benchmarks.gpu.shapes import Model, shape_of
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Image, Problem, Sequence
from srt.language.trace import Trace
from srt.pipeline.build import build
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_one
from train.models.init_model import init_model, sequence_texts

# Width and height of pictures, from a small drawing to a scan of half a page: 108 to 768 tokens of Qwen2.5-VL.
_SIZES = [(336, 252), (448, 448), (672, 504), (896, 672)]
_SIZES_TINY = [(56, 56), (84, 56), (112, 84)]
_MOST_PICTURES = 4
# The limits of Qwen2.5-VL's published processor, in pixels: none of ours is resized for them.
_PICTURE_AREA = {"shortest_edge": 56 * 56, "longest_edge": 28 * 28 * 16384}
_VOCABULARY, _VOCABULARY_TINY = 8192, 1000
_LONGEST = 8192


class Data(NamedTuple):
    """``folder`` holds a model's config, tokenizer and processor, but no weights; ``sequences`` is what is trained on.

    ``about`` says in words and figures what the sequences are, for the report.
    """

    folder: Path
    sequences: Path
    about: dict[str, Any]


def make_data(model: Model, place: Path, problems: int, tiny: bool) -> Data:
    """Make the problems, pictures and sequences, and the folder of ``model`` without its weights, in ``place``."""
    is_vision = "vl" in model
    place.mkdir(parents=True, exist_ok=True)
    generate_file("seating", problems, "train", place / "problems.jsonl", {"lang": "en"})
    asked = {problem.id: problem for problem in read_records(place / "problems.jsonl", Problem)}
    if is_vision:
        sizes = _SIZES_TINY if tiny else _SIZES
        asked = {
            key: problem.model_copy(update={"images": _pictures(place, key, sizes)}) for key, problem in asked.items()
        }
    traces = [trace for trace in map(solve_one, asked.values()) if isinstance(trace, Trace)]
    built = build(traces, asked, "srt", pictures=is_vision)
    count = write_records(place / "sequences.jsonl", (one for one in built if isinstance(one, Sequence)))
    _write_folder(model, place / "model", place / "sequences.jsonl", tiny)
    about: dict[str, Any] = {"sequences": count, "world": "seating, English, arm srt"}
    if is_vision:
        about["pictures"] = sum(len(problem.images) for problem in asked.values())
        about["picture_sizes"] = sizes
    return Data(place / "model", place / "sequences.jsonl", about)


def _pictures(place: Path, key: str, sizes: list[tuple[int, int]]) -> list[Image]:
    """One to four drawings for a problem, by a hash of its id; written beside the sequences."""
    rng = random.Random(key)
    made = []
    for number in range(rng.randint(1, _MOST_PICTURES)):
        width, height = rng.choice(sizes)
        canvas = Canvas.new("RGB", (width, height), "white")
        pen = ImageDraw.Draw(canvas)
        for _ in range(12):
            box = sorted(rng.randrange(width) for _ in range(2)) + sorted(rng.randrange(height) for _ in range(2))
            color = tuple(rng.randrange(256) for _ in range(3))
            pen.rectangle((box[0], box[2], box[1], box[3]), outline="black", fill=color if rng.random() < 0.5 else None)
        name = f"{hashlib.sha256(key.encode()).hexdigest()[:16]}-{number}.png"
        canvas.save(place / name)
        made.append(Image(path=name, sha256=hashlib.sha256((place / name).read_bytes()).hexdigest()))
    return made


def _write_folder(model: Model, folder: Path, sequences: Path, tiny: bool) -> None:
    """A small model of the class with its tokenizer, whose config is then replaced, and whose weights are emptied."""
    is_vision = "vl" in model
    init_model(
        "qwen2_5_vl" if is_vision else "qwen2",
        sequence_texts([sequences]),
        folder,
        hidden=32,
        layers=1,
        heads=2,
        vocab=_VOCABULARY_TINY if tiny else _VOCABULARY,
        chat_template="qwen2.5-vl" if is_vision else "qwen2.5",
        max_positions=_LONGEST,
    )
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    special = {"bos_token_id": None, "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    shape = shape_of(model, tiny)
    if is_vision:
        names = {"image": "image_pad", "video": "video_pad", "vision_start": "vision_start", "vision_end": "vision_end"}
        marks = {f"{key}_token_id": tokenizer.convert_tokens_to_ids(f"<|{name}|>") for key, name in names.items()}
        text = shape.pop("text_config") | special
        config = Qwen2_5_VLConfig(
            **shape, text_config=text, **marks, architectures=["Qwen2_5_VLForConditionalGeneration"]
        )
        processor = AutoProcessor.from_pretrained(folder, local_files_only=True)
        processor.image_processor.size = _PICTURE_AREA
        processor.save_pretrained(folder)
    else:
        config = Qwen2Config(**shape, **special, architectures=["Qwen2ForCausalLM"])
    config.save_pretrained(folder)
    # Both trainers look for a file of weights before they load it; what they then get is made on the device.
    save_file({"none": torch.zeros(1)}, folder / "model.safetensors")
