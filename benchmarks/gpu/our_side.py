"""Training with this project: the functions that ``train/train_srt.py`` calls, in its order, up to the trainer."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import torch
from peft.tuners.tuners_utils import BaseTunerLayer
from transformers import PreTrainedTokenizerBase, ProcessorMixin, Trainer

from train.data.batches import BatchPlan, plan_batches
from train.data.token_cache import read_examples
from train.data.token_table import TokenizedExamples
from train.loop.training_arguments import make_arguments
from train.loop.trl_trainer import make_trainer
from train.models.flops import count_flops
from train.models.load_model import load_model, model_without_weights
from train.models.model_files import load_tokenizer_and_processor
from train.preflight.memory_estimate import MemoryEstimator, heaviest_micro_batch
from train.recipe import Recipe
from train.recipe_reader import make_recipe
from train.run.launch import Cluster


def our_recipe(folder: Path, sequences: Path, output: Path, steps: int, settings: dict[str, Any]) -> Recipe:
    """The recipe of a run of ``steps`` steps: ``settings`` are its keys, those of nested blocks as mappings."""
    return make_recipe(
        {
            "data": str(sequences),
            "output": str(output),
            "steps": steps,
            "learning_rate": 1e-5,
            "scheduler": "constant",
            # One line at the end: reading the loss makes the CPU wait for the device.
            "logging": {"steps": steps},
            **settings,
            "model": {"path": str(folder), "dtype": "bfloat16", **settings.get("model", {})},
        }
    )


def our_trainer(recipe: Recipe, *, casts: bool = False) -> Trainer:
    """The trainer of ``recipe`` on one process: everything of a real run except manifest and summary.

    ``casts``: adapters widen their inputs to float32, as PEFT has it by default.
    """
    if recipe.threads is not None:
        torch.set_num_threads(recipe.threads)
    data = prepare(recipe)
    arguments = make_arguments(recipe, data.plan)
    model = load_model(recipe)
    for module in model.modules() if casts else ():
        if isinstance(module, BaseTunerLayer):
            module.cast_input_dtype_enabled = True
    return make_trainer(recipe, arguments, model, data.tokenizer, data.examples, data.plan, data.processor)


class PreparedData(NamedTuple):
    """What a run has before its model is loaded."""

    processor: ProcessorMixin | None
    tokenizer: PreTrainedTokenizerBase
    examples: TokenizedExamples
    plan: BatchPlan


def prepare(recipe: Recipe) -> PreparedData:
    """Tokens and micro-batches."""
    tokenizer, processor = load_tokenizer_and_processor(recipe.model.path)
    examples = read_examples(recipe, tokenizer, processor)
    return PreparedData(processor, tokenizer, examples, plan_batches(recipe, examples, processes=1))


def estimated_memory(recipe: Recipe) -> dict[str, int]:
    """The memory on one GPU as ``srt preflight`` estimates it: bytes by part, and their ``peak``."""
    data = prepare(recipe)
    _, shape = heaviest_micro_batch(data.plan, data.examples, recipe)
    return MemoryEstimator(recipe).estimate(shape, Cluster(), data.plan.accumulation)._asdict()


def operations_per_token(recipe: Recipe) -> float:
    """Operations for training on a token of these sequences, by the convention of :mod:`train.models.flops`."""
    examples = prepare(recipe).examples
    count = count_flops(model_without_weights(recipe))
    lengths, trained, pictures = examples.lengths, examples.trained_tokens, examples.picture_tokens
    needed = count.of(lengths.astype(float), trained.astype(float), pictures.astype(float))
    return float(needed.sum() / lengths.sum())
