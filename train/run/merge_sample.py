"""What a merged model is compared on: texts that its adapter was trained on, or random prompts."""

from __future__ import annotations

import argparse
import math
import shlex
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import torch
from PIL import Image

from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Message
from srt.language.prompts import render_prompt
from train.data.collate import MEMBERS, make_collator, padding_id
from train.data.examples import IGNORED, Example
from train.data.line_checks import record_of
from train.data.pairs import sides
from train.data.token_cache import make_encoder
from train.models.families.model_family import ModelFamily
from train.models.model_files import load_processor, load_tokenizer_and_processor, read_config
from train.recipe import Recipe
from train.recipe_reader import load_recipe
from train.run.run_manifest import TrainingManifest, was_trained_on

TEXTS = 16
PLACES = 128
"""Texts of a run's data that are compared, and places in each: both bound the memory that logits take."""


class ComparedText(NamedTuple):
    """The ``inputs`` of a model for one text, and the ``places`` [n] whose next tokens are compared."""

    inputs: dict[str, torch.Tensor]
    places: torch.Tensor


class MergeSample(NamedTuple):
    """``texts``, and in ``source`` what they are."""

    source: str
    texts: list[ComparedText]


def merge_sample(base: Path, family: ModelFamily, manifest: TrainingManifest | None) -> MergeSample:
    """The first sequences of the run's data, where data and recipe still are where ``manifest`` says; or random ones.

    Of a sequence, the places are those of its trained tokens: there base and adapter know what comes next.
    """
    recipe = None if manifest is None else _own_recipe(manifest)
    if recipe is None:
        return MergeSample("random prompts", _random_texts(base, family))
    # Nothing is rounded, and each text is a row: what is compared does not depend on how the run was computed.
    spec = recipe.model.model_copy(update={"path": str(base), "dtype": "float32"})
    recipe = recipe.model_copy(update={"model": spec, "pack": None})
    tokenizer, processor = load_tokenizer_and_processor(str(base))
    examples: list[Example] = []
    parts = recipe.parts()
    for part in parts:
        encode = make_encoder(part, tokenizer, processor)
        records = read_records(part.data_file, record_of(part))
        sequences = (sequence for record in records for sequence in sides(record))
        examples += map(encode, islice(sequences, math.ceil(TEXTS / len(parts))))
    collate = make_collator(recipe, examples, read_config(str(base)), padding_id(tokenizer), processor)
    texts = []
    for number, example in enumerate(examples):
        batch = collate([{MEMBERS: [number]}])
        trained = torch.from_numpy(example.labels[1:] != IGNORED).nonzero()[:, 0]
        inputs = {name: value for name, value in batch.items() if name not in ("labels", "roles")}
        texts.append(ComparedText(inputs, trained[:: math.ceil(len(trained) / PLACES)]))
    return MergeSample(f"{len(texts)} sequences of the run's data", texts)


def _own_recipe(manifest: TrainingManifest) -> Recipe | None:
    """The recipe that the run was last started with, if it and the same data are still there."""
    parser = argparse.ArgumentParser(exit_on_error=False, add_help=False)
    parser.add_argument("--config")
    parser.add_argument("--set", action="append", default=[])
    try:
        given, _ = parser.parse_known_args(shlex.split(manifest.attempts[-1].command))
        recipe = load_recipe(given.config, given.set)
        sequences = recipe.objective.grpo is None
        return recipe if sequences and was_trained_on(manifest.fingerprint, recipe) else None
    except (IndexError, TypeError, ValueError, argparse.ArgumentError, OSError, UserError):
        return None  # moved or changed since, or started from Python


def _random_texts(base: Path, family: ModelFamily) -> list[ComparedText]:
    """Random prompts, the same each time; for a model that reads pictures, a prompt with a picture of noise."""
    noise = torch.Generator().manual_seed(0)
    if not family.reads_pictures:
        size = read_config(str(base)).get_text_config().vocab_size
        rows = torch.randint(size, (2, 1, 16), generator=noise)
        return [ComparedText({"input_ids": row}, torch.arange(16)) for row in rows]
    pixels = torch.randint(256, (112, 168, 3), generator=noise, dtype=torch.uint8)
    processor = load_processor(str(base))
    text = render_prompt(processor, [Message(role="user", content="What is behind (1)?")], pictures=1)
    inputs = dict(processor(text=[text], images=[Image.fromarray(pixels.numpy())], return_tensors="pt"))
    return [ComparedText(inputs, torch.arange(inputs["input_ids"].shape[1]))]
