"""This project's training: the functions that ``train/train_srt.py`` calls, in its order, up to the trainer."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import PreTrainedTokenizerBase, ProcessorMixin, Trainer

from train.batches import BatchPlan, plan_batches
from train.examples import IGNORED, Example, read_examples
from train.flops import count_flops
from train.load_model import empty_model, load_architecture, load_model, load_processor, load_tokenizer
from train.memory import Cluster, MemoryModel
from train.micro_batches import heaviest
from train.recipe import Recipe, make_recipe
from train.run_folder import Start
from train.trl_trainer import make_arguments, make_trainer


def our_recipe(folder: Path, sequences: Path, output: Path, steps: int, settings: dict[str, Any]) -> Recipe:
    """The recipe of a run of ``steps`` steps: ``settings`` are its keys, those of nested blocks as mappings."""
    return make_recipe(
        {
            "data": str(sequences),
            "output": str(output),
            "steps": steps,
            "learning_rate": 1e-5,
            "scheduler": "constant",
            # A line at the end alone: reading the loss makes the processor wait for the device.
            "logging": {"steps": steps},
            **settings,
            "model": {"path": str(folder), "dtype": "bfloat16", **settings.get("model", {})},
        }
    )


def our_trainer(recipe: Recipe) -> Trainer:
    """The trainer of ``recipe`` on one process, with all of a real run but the stamp and the summary."""
    if recipe.threads is not None:
        torch.set_num_threads(recipe.threads)
    prepared = prepare(recipe)
    arguments = make_arguments(recipe, prepared.plan, prepared.steps)
    model = load_model(recipe)
    return make_trainer(
        recipe,
        arguments,
        model,
        prepared.tokenizer,
        prepared.examples,
        prepared.plan,
        prepared.steps,
        Start(None, 0.0),
        prepared.processor,
    )


class Prepared(NamedTuple):
    """What a run has before its model is loaded."""

    processor: ProcessorMixin | None
    tokenizer: PreTrainedTokenizerBase
    examples: list[Example]
    plan: BatchPlan
    steps: int


def prepare(recipe: Recipe) -> Prepared:
    """Tokens and micro-batches."""
    assert recipe.steps is not None
    processor = load_processor(recipe.model.path) if load_architecture(recipe.model.path).reads_pictures else None
    tokenizer = processor.tokenizer if processor else load_tokenizer(recipe.model.path)
    examples = read_examples(recipe, tokenizer, processor)
    return Prepared(processor, tokenizer, examples, plan_batches(recipe, examples, recipe.steps, 1), recipe.steps)


def estimated_memory(recipe: Recipe) -> dict[str, int]:
    """What ``srt preflight`` says of the recipe's memory on one GPU: bytes by part, and their ``peak``."""
    prepared = prepare(recipe)
    _, load = heaviest(prepared.plan, prepared.examples, recipe, prepared.processor)
    return MemoryModel(recipe).estimate(load, Cluster(), prepared.plan.accumulation)._asdict()


def operations_of_a_token(recipe: Recipe) -> float:
    """Operations that training needs for a token of these sequences, by the convention of :mod:`train.flops`."""
    examples = prepare(recipe).examples
    count = count_flops(empty_model(recipe))
    needed = sum(
        count.of(
            len(example.input_ids),
            int((example.labels != IGNORED).sum()),
            sum(picture.tokens for picture in example.pictures),
        )
        for example in examples
    )
    return needed / sum(len(example.input_ids) for example in examples)
