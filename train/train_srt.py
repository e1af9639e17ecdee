"""Fine-tune a model on traces. This file is the whole run, from top to bottom.

    accelerate launch train/train_srt.py --config my_recipe.yaml

The prompt comes from the function that evaluation uses too (``srt/prompts.py``), the loss sees the completion and its
end-of-sequence token and nothing else, and no chat template touches the trace.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import math
import os
import signal
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from srt.errors import UserError
from srt.folder_lock import hold_folder
from train.batches import plan_batches
from train.examples import IGNORED, read_examples
from train.recipe import Recipe, load_recipe
from train.run_folder import (
    TrainSummary,
    find_start,
    fingerprint,
    fingerprint_hash,
    finished,
    open_folder,
    remove_checkpoints,
    write_summary,
)
from train.trl_trainer import make_trainer

_VERSIONS = ("torch", "transformers", "trl", "peft", "accelerate", "tokenizers")


def train(recipe: Recipe) -> TrainSummary:
    """Train as ``recipe`` says and return the summary; a run that is finished already returns at once.

    Afterwards ``recipe.output`` holds the weights (safetensors; under LoRA the adapter), the tokenizer, ``recipe.json``
    and ``train.json``. Under ``accelerate launch`` every process calls this, and every process returns the summary.

    Raises:
        UserError: a fault in the recipe, the data, the model folder or the output folder; another process that writes
            to the output folder.
    """
    processes, is_main = int(os.environ.get("WORLD_SIZE", "1")), os.environ.get("RANK", "0") == "0"
    output = Path(recipe.output)
    _quieten()

    # 1. What is there? All that can be wrong is found before a weight is loaded.
    _check_paths(recipe)
    keys = fingerprint(recipe, processes)
    if (summary := finished(output, keys)) is not None:
        return summary
    # The main process may have begun to write there before another looks: only it may insist on an empty folder.
    start = find_start(output, keys, recipe.resume if is_main else "auto")

    # 2. Tokens, labels, and their order: the same problems in the same batches for every arm.
    if recipe.threads is not None:
        torch.set_num_threads(recipe.threads)
    tokenizer = load_tokenizer(recipe.model.path)
    examples = read_examples(recipe, tokenizer)
    steps = recipe.steps or math.ceil((recipe.epochs or 0) * len(examples) / recipe.batch_size)
    plan = plan_batches(recipe, examples, steps, processes)

    # 3. The model, and the trainer. From here on no other process may write to the folder.
    model = load_model(recipe)
    with hold_folder(output) if is_main else nullcontext():
        if is_main:
            if find_start(output, keys, recipe.resume) != start or finished(output, keys) is not None:
                raise UserError(f"{output}: another process has written to output meanwhile; start again")
            open_folder(output, keys)
            _start_wandb(recipe)
        trainer = make_trainer(recipe, model, tokenizer, examples, plan, steps, start)

        # 4. Train, from the start or from the last whole checkpoint.
        if is_main and start.checkpoint is not None:
            print(f"going on from {start.checkpoint}", flush=True)
        trainer.train(resume_from_checkpoint=str(start.checkpoint) if start.checkpoint else None)
        seconds = trainer.seconds

        # 5. The weights first, the summary after them: who finds the summary finds the weights.
        trainer.save_final(output)
        losses = [(int(row["step"]), float(row["loss"])) for row in trainer.state.log_history if "loss" in row]
        seen = [examples[index] for micro in plan.micro_batches for index in micro]
        parameters = list(trainer.model.parameters())
        summary = TrainSummary(
            recipe_hash=fingerprint_hash(keys),
            steps=trainer.state.global_step,
            final_loss=losses[-1][1],
            losses=losses,
            examples=len(examples),
            tokens=sum(len(example.input_ids) for example in seen),
            trained_tokens=sum(label != IGNORED for example in seen for label in example.labels),
            parameters=sum(parameter.numel() for parameter in parameters),
            trainable_parameters=sum(parameter.numel() for parameter in parameters if parameter.requires_grad),
            processes=processes,
            seconds=round(seconds, 1),
            versions={name: importlib.metadata.version(name) for name in _VERSIONS},
        )
        if is_main:
            write_summary(output, summary)
            remove_checkpoints(output, whole_too=True)
            _stop_wandb(recipe)
        return summary


def load_tokenizer(path: str) -> PreTrainedTokenizerBase:
    """The tokenizer in the folder ``path``; nothing is fetched."""
    return AutoTokenizer.from_pretrained(path, local_files_only=True)


def load_model(recipe: Recipe) -> PreTrainedModel:
    """The model to start from, in safetensors; its LoRA targets are checked."""
    held_in = torch.bfloat16 if recipe.lora and recipe.model.dtype == "bfloat16" else torch.float32
    try:
        model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(
            recipe.model.path,
            dtype=held_in,
            attn_implementation="sdpa" if recipe.model.attn == "auto" else recipe.model.attn,
            use_safetensors=True,
            local_files_only=True,
        )
    except (OSError, ValueError, ImportError) as error:
        raise UserError(f"model.path: {recipe.model.path}: cannot be loaded: {_one_line(error)}") from None
    if recipe.lora is not None:
        there = {name.rpartition(".")[2] for name, _ in model.named_modules()}
        if missing := [target for target in recipe.lora.targets or () if target not in there]:
            raise UserError(f"lora.targets: no module of {recipe.model.path} is named {', '.join(missing)}")
    return model


def main(arguments: list[str] | None = None) -> int:
    """The command. 0: trained (or finished before); 2: a fault of the user's, told in one line."""
    parser = argparse.ArgumentParser(
        description="Fine-tune a model on traces.",
        epilog="example: accelerate launch --config_file configs/cpu.yaml train/train_srt.py --config my_recipe.yaml",
    )
    parser.add_argument("--config", required=True, metavar="RECIPE.yaml", help="the recipe, see train/recipe.py")
    options = parser.parse_args(arguments)
    if os.environ.get("SRT_DIE_WITH_PARENT") == "1":
        _die_with_parent()
    try:
        summary = train(load_recipe(options.config))
    except UserError as error:
        if os.environ.get("RANK", "0") == "0":
            print(f"error: {error}", file=sys.stderr)
        return 2
    if os.environ.get("RANK", "0") == "0":
        print(f"done: {summary.steps} steps, loss {summary.final_loss:.4f}, {summary.seconds:.0f} s", flush=True)
    return 0


def _die_with_parent() -> None:
    """Have the kernel kill this process when the one that started it dies (Linux; elsewhere nothing happens).

    Under ``accelerate launch`` that is the launcher, whose death alone would leave the training running.
    """
    if sys.platform == "linux":
        import ctypes

        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def _check_paths(recipe: Recipe) -> None:
    faults = []
    if not Path(recipe.data).is_file():
        faults.append(f"data: no such file: {recipe.data}")
    if not Path(recipe.model.path).is_dir():
        faults.append(f"model.path: no such folder: {recipe.model.path} (a model from a hub must be downloaded first)")
    elif not (Path(recipe.model.path) / "config.json").is_file():
        faults.append(f"model.path: no config.json in {recipe.model.path}")
    if faults:
        raise UserError("; ".join(faults))


def _quieten() -> None:
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()


def _start_wandb(recipe: Recipe) -> None:
    if recipe.logging.wandb == "off":
        return
    import wandb

    wandb.init(
        project="srt",
        name=Path(recipe.output).name,
        dir=recipe.output,
        mode=recipe.logging.wandb,
        config=recipe.model_dump(mode="json"),
        settings=wandb.Settings(silent=True),
    )


def _stop_wandb(recipe: Recipe) -> None:
    if recipe.logging.wandb != "off":
        import wandb

        wandb.finish()


def _one_line(error: Any) -> str:
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())
