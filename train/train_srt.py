"""Fine-tune a model on traces. This file is the whole run, from top to bottom.

    accelerate launch train/train_srt.py --config my_recipe.yaml [--set key=value ...] [--resume]

The prompt comes from the function that evaluation uses too (``srt/prompts.py``), the loss sees the completion and its
end-of-sequence token and nothing else, and no chat template touches the trace.
"""

from __future__ import annotations

import argparse
import math
import os
import signal
import sys
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from srt.errors import UserError
from srt.folder_lock import hold_folder
from train.batches import BatchPlan, plan_batches
from train.curves import draw_curves
from train.examples import IGNORED, Example, read_examples
from train.hub import hub_faults, push
from train.load_model import load_architecture, load_model, load_processor, load_tokenizer, model_faults
from train.model_card import CURVES, write_card
from train.out_of_memory import first_to_tell, is_out_of_memory, out_of_memory_lines
from train.preemption import EXIT_STATUS, Preempted, StopAtSignal
from train.recipe import Recipe, load_recipe
from train.recipe_faults import RecipeFaults
from train.run_folder import (
    Start,
    TrainSummary,
    claim_folder,
    find_start,
    finished,
    give_up_folder,
    remove_checkpoints,
    write_summary,
)
from train.stamp import fingerprint, fingerprint_hash, read_stamp, this_attempt
from train.trl_trainer import TraceTrainer, make_arguments, make_trainer


def train(recipe: Recipe, *, resume: bool = False) -> TrainSummary:
    """Train as ``recipe`` says and return the summary; a run that is finished already returns at once.

    Afterwards ``recipe.output`` holds the weights (safetensors; under LoRA the adapter), the tokenizer, ``stamp.json``
    and ``train.json``. With ``resume`` an unfinished run there goes on from its last whole checkpoint; without, it is
    refused. Under ``accelerate launch`` every process calls this, and every process returns the summary.

    Raises:
        UserError: a fault in the recipe, the data, the model folder or the output folder; another process that writes
            to the output folder.
        Preempted: the process was sent SIGTERM, and a checkpoint was written.
    """
    processes, is_main = int(os.environ.get("WORLD_SIZE", "1")), os.environ.get("RANK", "0") == "0"
    output = Path(recipe.output)
    _quieten()

    # 1. What is there? All that can be wrong is found before a weight is loaded.
    _check(recipe)
    keys = fingerprint(recipe, processes)
    if (summary := finished(output, keys)) is not None:
        return summary
    # The main process may have begun to write there before another looks: only it may refuse a folder in use.
    start = find_start(output, keys, resume or not is_main)

    # 2. Tokens, labels, and their order: the same problems in the same batches for every arm.
    if recipe.threads is not None:
        torch.set_num_threads(recipe.threads)
    sees_pictures = load_architecture(recipe.model.path).reads_pictures
    processor = load_processor(recipe.model.path) if sees_pictures else None
    tokenizer = processor.tokenizer if processor else load_tokenizer(recipe.model.path)
    examples = read_examples(recipe, tokenizer, processor)
    steps = recipe.steps or math.ceil((recipe.epochs or 0) * len(examples) / recipe.batch_size)
    plan = plan_batches(recipe, examples, steps, processes)

    # 3. The model, and the trainer. From here on no other process may write to the folder.
    arguments = make_arguments(recipe, plan, steps)
    model = load_model(recipe)
    with hold_folder(output) if is_main else nullcontext():
        if is_main and (find_start(output, keys, resume) != start or finished(output, keys) is not None):
            raise UserError(f"{output}: another process has written to output meanwhile; start again")
        try:
            if is_main:
                _claim(recipe, keys, start)
            trainer = make_trainer(recipe, arguments, model, tokenizer, examples, plan, steps, start, processor)
            stop = StopAtSignal()
            trainer.add_callback(stop)

            # 4. Train, from the start or from the last whole checkpoint.
            trainer.train(resume_from_checkpoint=str(start.checkpoint) if start.checkpoint else None)
            if stop.stopped:
                raise Preempted(trainer.state.global_step)
            seconds = trainer.seconds

            # 5. The weights first, the summary after them: who finds the summary finds the weights.
            trainer.save_final(output)
            if processor is not None and is_main:
                processor.save_pretrained(output)
        except BaseException:
            if is_main:
                give_up_folder(output)
            raise
        summary = _summarize(trainer, fingerprint_hash(keys), examples, plan, seconds)
        if is_main:
            draw_curves(summary.history, output / CURVES, output.resolve().name)
            write_card(output, recipe, summary, read_stamp(output), sees_pictures)
            write_summary(output, summary)
            remove_checkpoints(output, whole_too=True)
            _stop_wandb(recipe)
            if recipe.hub is not None:
                print(f"uploaded to {push(output, recipe.hub)}", flush=True)
        return summary


def _check(recipe: Recipe) -> None:
    if faults := path_faults(recipe) or [*model_faults(recipe), *(hub_faults(recipe.hub) if recipe.hub else [])]:
        raise UserError("; ".join(faults))


def path_faults(recipe: Recipe) -> list[str]:
    """What is not where ``recipe`` says: a line for each."""
    faults = []
    if not Path(recipe.data).is_file():
        faults.append(f"data: no such file: {recipe.data}")
    if not Path(recipe.model.path).is_dir():
        faults.append(f"model.path: no such folder: {recipe.model.path} (a model from a hub must be downloaded first)")
    elif not (Path(recipe.model.path) / "config.json").is_file():
        faults.append(f"model.path: no config.json in {recipe.model.path}")
    return faults


def _summarize(
    trainer: TraceTrainer, recipe_hash: str, examples: list[Example], plan: BatchPlan, seconds: float
) -> TrainSummary:
    losses = [(int(row["step"]), float(row["loss"])) for row in trainer.history]
    lengths = [len(example.input_ids) for example in examples]
    trained = [int((np.asarray(example.labels) != IGNORED).sum()) for example in examples]
    seen = [index for micro in plan.micro_batches for index in micro]
    parameters = list(trainer.model.parameters())
    return TrainSummary(
        recipe_hash=recipe_hash,
        steps=trainer.state.global_step,
        final_loss=losses[-1][1],
        losses=losses,
        history=trainer.history,
        examples=len(examples),
        tokens=sum(lengths[index] for index in seen),
        trained_tokens=sum(trained[index] for index in seen),
        parameters=sum(_size(parameter) for parameter in parameters),
        trainable_parameters=sum(_size(parameter) for parameter in parameters if parameter.requires_grad),
        processes=plan.processes,
        seconds=round(seconds, 1),
    )


def _size(parameter: torch.nn.Parameter) -> int:
    """Numbers in a parameter. DeepSpeed leaves of its own only a share here, and two of 4 bits lie in a byte."""
    if hasattr(parameter, "ds_numel"):
        return int(parameter.ds_numel)
    packed = 2 * parameter.element_size() if type(parameter).__name__ == "Params4bit" else 1
    return parameter.numel() * packed


def _claim(recipe: Recipe, keys: dict[str, Any], start: Start) -> None:
    """The main process's: stamp the folder, say what a resumed run goes on from, and open the run in W&B."""
    output = Path(recipe.output)
    from_step = int(start.checkpoint.name.rpartition("-")[2]) if start.checkpoint else 0
    if changed := claim_folder(output, keys, this_attempt(from_step)):
        print(f"warning: not as before in this run: {', '.join(changed)}", file=sys.stderr, flush=True)
    if start.checkpoint is not None:
        print(f"going on from {start.checkpoint}", flush=True)
    _start_wandb(recipe)


def main(arguments: list[str] | None = None) -> int:
    """The command. 0: trained (or finished before); 2: a fault of the user's or no memory left, told; 143: SIGTERM."""
    parser = argparse.ArgumentParser(
        description="Fine-tune a model on traces.",
        epilog="example: accelerate launch --config_file configs/cpu.yaml train/train_srt.py --config my_recipe.yaml",
    )
    parser.add_argument("--config", required=True, metavar="RECIPE.yaml", help="the recipe, see train/recipe.py")
    parser.add_argument("--resume", action="store_true", help="go on with the unfinished run in the output folder")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a key that is not as in the recipe; repeatable"
    )
    options = parser.parse_args(arguments)
    if os.environ.get("SRT_DIE_WITH_PARENT") == "1":
        _die_with_parent()
    try:
        recipe = load_recipe(options.config, options.set)
        summary = train(recipe, resume=options.resume)
        _leave_the_processes()
    except RecipeFaults as error:
        if os.environ.get("RANK", "0") == "0":
            print("\n".join(f"error: {error.place}: {fault}" for fault in error.faults), file=sys.stderr)
        return 2
    except UserError as error:
        # Until the processes know of each other all of them meet the same fault; then one may meet it alone.
        if first_to_tell() if torch.distributed.is_initialized() else os.environ.get("RANK", "0") == "0":
            print(f"error: {error}", file=sys.stderr, flush=True)
        return 2
    except RuntimeError as error:
        if not is_out_of_memory(error):
            raise
        if first_to_tell():
            print("\n".join(out_of_memory_lines(error, recipe)), file=sys.stderr, flush=True)
        return 2
    except Preempted as stop:
        _leave_the_processes()
        if os.environ.get("RANK", "0") == "0":
            print(
                f"stopped by SIGTERM after step {stop.step}: its checkpoint is written, go on with --resume", flush=True
            )
        return EXIT_STATUS
    if os.environ.get("RANK", "0") == "0":
        print(f"done: {summary.steps} steps, loss {summary.final_loss:.4f}, {summary.seconds:.0f} s", flush=True)
    return 0


def _leave_the_processes() -> None:
    """Close the process group: a thread of it that still runs while Python ends may abort the whole process."""
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


def _die_with_parent() -> None:
    """Have the kernel kill this process when the one that started it dies (Linux; elsewhere nothing happens).

    Under ``accelerate launch`` that is the launcher, whose death alone would leave the training running.
    """
    if sys.platform == "linux":
        import ctypes

        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def _quieten() -> None:
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    # DeepSpeed calls torch by names that are about to go, and is told so at every step of every process.
    warnings.filterwarnings("ignore", r"`torch\.distributed\.\w+` is deprecated", FutureWarning)


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


if __name__ == "__main__":
    sys.exit(main())
