"""Fine-tune a model on traces. This file is the whole run, from top to bottom.

    accelerate launch train/train_srt.py --config my_recipe.yaml [--set key=value ...] [--resume] [--until STEP]

Training and evaluation render prompts with the same function (:mod:`srt.language.prompts`). The loss sees only the
completion and its end-of-sequence token, and no chat template touches the trace.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from contextlib import ExitStack, nullcontext
from pathlib import Path

import torch

from srt.io.errors import UserError, machine_fault
from srt.io.folder_lock import hold_folder
from srt.io.progress import notice, say
from srt.io.record_writer import write_records
from srt.io.worker_processes import die_with_parent
from srt.io.yaml_config import ConfigFaults
from train.data.batches import BatchPlan, part_lines, plan_batches
from train.data.data_warnings import batch_warnings, data_warnings
from train.data.pairs import TokenizedPairs
from train.data.token_cache import read_examples
from train.data.token_table import TokenizedExamples
from train.data.too_long import dropped_line
from train.loop.in_force import block_of, settings_in_force
from train.loop.pair_trainer import make_pair_trainer
from train.loop.preemption import STOPPED, Preempted, StopAtSignal, grace_note, pass_on
from train.loop.reporting import ReportTarget, reporting
from train.loop.run_trainer import RunTrainer
from train.loop.training_arguments import make_arguments
from train.loop.trl_trainer import TraceTrainer, make_trainer
from train.loop.watch import Watch, warn_of_overlap
from train.models.load_model import load_model, model_faults
from train.models.model_files import load_tokenizer_and_processor
from train.models.pads_instead import padded_instead
from train.preflight.before_launch import data_faults, held_out_faults, reporting_faults
from train.preflight.out_of_memory import first_to_report, is_out_of_memory, out_of_memory_lines
from train.recipe import Recipe
from train.recipe_reader import load_recipe
from train.run.claim import claim, is_main_process, silence_libraries
from train.run.finish import finish_run
from train.run.hub import hub_faults
from train.run.launch import current_launch, launch_faults, launch_notes, take_over
from train.run.model_card import described
from train.run.resume import (
    DROPPED,
    TrainSummary,
    find_start,
    finished_summary,
    release_folder,
)
from train.run.run_manifest import fingerprint, fingerprint_hash, read_manifest
from train.run.saved_weights import check_weights, count_elements, saved_parameters
from train.train_policy import train_policy


def train(recipe: Recipe, *, resume: bool = False, stop: StopAtSignal | None = None) -> TrainSummary:
    """Train by ``recipe`` and return the summary; if the run is already finished, return at once.

    Afterwards ``recipe.output`` contains the weights (safetensors; with LoRA the adapter), the tokenizer,
    ``manifest.json`` and ``train.json``. With ``resume``, an unfinished run there continues from its last complete
    checkpoint; without, it is refused. Under ``accelerate launch`` every process calls this and gets the summary.
    ``stop`` ends it early, after a signal or at a step.

    Raises:
        UserError: a fault in the recipe, the data, the model folder or the output folder, or another process is writing
            to the output folder.
        Preempted: ``stop`` has ended the run, and a checkpoint was written.
    """
    processes, is_main = int(os.environ.get("WORLD_SIZE", "1")), is_main_process()
    output = Path(recipe.output)
    silence_libraries()

    # 1. Check everything that can be checked before weights are loaded.
    launch = current_launch()
    asked, (recipe, padded) = recipe, padded_instead(recipe, processes)
    faults = [
        *launch_faults(launch, recipe, None),
        *data_faults(recipe),
        *held_out_faults(recipe),
        *reporting_faults(recipe),
        *model_faults(recipe),
    ]
    if faults := faults + hub_faults(recipe):
        raise UserError("; ".join(faults))
    if is_main:
        for line in filter(None, [*launch_notes(launch, recipe), padded]):
            notice(f"note: {line}")
    take_over(recipe)
    keys = fingerprint(asked, processes)
    if (summary := finished_summary(output, keys)) is not None:
        return summary
    # The main process may already write to the folder when another one looks: only the main one may refuse it.
    start = find_start(output, keys, resume or not is_main)
    if stop is not None and stop.reached(start.step):
        raise Preempted(start.step)

    # 2. Tokens, labels, and their order: the same problems in the same batches for every arm.
    if recipe.threads is not None:
        torch.set_num_threads(recipe.threads)
    tokenizer, processor = load_tokenizer_and_processor(recipe.model.path)
    examples = read_examples(recipe, tokenizer, processor)
    if is_main:
        for line in data_warnings(recipe, examples):
            notice(f"warning: {line}")
        for line in part_lines(recipe, examples):
            say(f"{'mix' if recipe.mix else 'stage'} {line}")
    plan = plan_batches(recipe, examples, processes)
    if faults := launch_faults(launch, recipe, plan.accumulation):
        raise UserError("; ".join(faults))
    if fault := recipe.schedule_fault(plan.steps):
        raise UserError(fault)
    if is_main:
        for line in batch_warnings(recipe, examples, plan.steps):
            notice(f"warning: {line}")
    held_out = None
    if recipe.eval_data is not None:
        held_out = read_examples(recipe.on(recipe.eval_data), tokenizer, processor)
        if is_main:
            warn_of_overlap(examples, held_out)

    # 3. The model and the trainer. From here on no other process may write to the folder.
    # Arguments first: they start the process group, and transformers then loads only a share of sharded weights.
    arguments = make_arguments(recipe, plan)
    model = load_model(recipe)
    with hold_folder(output) if is_main else nullcontext(), ExitStack() as stack:
        if is_main and (find_start(output, keys, resume) != start or finished_summary(output, keys) is not None):
            raise UserError(f"{output}: another process has written to output meanwhile; start again")
        trainer: RunTrainer
        if isinstance(examples, TokenizedPairs):
            trainer = make_pair_trainer(recipe, arguments, model, tokenizer, examples, plan, start.seconds)
        else:
            trainer = make_trainer(recipe, arguments, model, tokenizer, examples, plan, processor, start.seconds)
        in_force = settings_in_force(trainer, recipe, plan)
        try:
            targets: list[ReportTarget] = []
            if is_main:
                first_start = claim(recipe, keys, start, in_force)
                say(block_of(in_force))
                if line := dropped_line(recipe, examples):
                    write_records(output / DROPPED, examples.dropped)
                    say(f"left out: {line}; {output / DROPPED} names them")
                if held_out is not None and (line := dropped_line(recipe, held_out)):
                    say(f"left out of eval_data: {line}")
                targets = stack.enter_context(reporting(recipe, first_start, start.step))
            for target in targets:
                trainer.add_callback(target.callback)
            watch = None
            if held_out is not None and isinstance(trainer, TraceTrainer):
                watch = Watch(trainer, recipe, held_out, tokenizer, processor, targets, start.step)
            if stop is not None:
                trainer.add_callback(stop)

            # 4. Train, from the start or from the last complete checkpoint.
            trainer.train(resume_from_checkpoint=str(start.checkpoint) if start.checkpoint else None)
            if stop is not None and stop.stopped and not (watch and watch.stopped_early):
                raise Preempted(trainer.state.global_step)
            seconds, result_step = trainer.seconds, trainer.state.global_step
            if watch and recipe.load_best_model_at_end:
                result_step = watch.load_best(trainer)

            # 5. The weights before the summary: where there is a summary, the weights are complete.
            trainer.save_final(output)
            if processor is not None and is_main:
                processor.save_pretrained(output)
            if is_main:
                check_weights(output, sum(map(count_elements, saved_parameters(trainer.model))))
        except BaseException:
            if is_main:
                release_folder(output)
            raise
        best_step = watch.best_step(trainer) if watch else None
        summary = _summarize(trainer, fingerprint_hash(keys), examples, plan, seconds).model_copy(
            update={"best_step": best_step, "result_step": result_step if watch else None}
        )
        if is_main:
            data = described(recipe, read_manifest(output), examples)
            finish_run(recipe, summary, data, reads_pictures=processor is not None)
        return summary


def _summarize(
    trainer: RunTrainer, recipe_hash: str, examples: TokenizedExamples, plan: BatchPlan, seconds: float
) -> TrainSummary:
    losses = [(int(row["step"]), float(row["loss"])) for row in trainer.history]
    done = trainer.state.global_step * plan.accumulation * plan.processes  # micro-batches: the run may end early
    seen = plan.micro_batches.members[: plan.micro_batches.bounds[done]]
    parameters = list(trainer.model.parameters())
    return TrainSummary(
        recipe_hash=recipe_hash,
        steps=trainer.state.global_step,
        final_loss=losses[-1][1],
        losses=losses,
        history=trainer.history,
        eval_history=trainer.eval_history,
        examples=len(examples),
        dropped_problems=len(examples.dropped),
        dropped_sequences=sum(problem.sequences for problem in examples.dropped),
        tokens=int(examples.lengths[seen].sum()),
        trained_tokens=int(examples.trained_tokens[seen].sum()),
        parameters=sum(count_elements(parameter) for parameter in parameters),
        trainable_parameters=sum(count_elements(parameter) for parameter in parameters if parameter.requires_grad),
        processes=plan.processes,
        seconds=round(seconds, 1),
    )


def main(arguments: list[str] | None = None) -> int:
    """The command line. Exit status 0: trained, already finished, or stopped by ``--until``; 2: user error or out of
    memory or disk; 130: Ctrl-C; 143: a signal."""
    parser = argparse.ArgumentParser(
        description="Fine-tune a model on traces.",
        epilog="example: accelerate launch --config_file configs/cpu.yaml train/train_srt.py --config my_recipe.yaml",
    )
    parser.add_argument("--config", required=True, metavar="RECIPE.yaml", help="the recipe; its keys: train/recipe.py")
    parser.add_argument("--resume", action="store_true", help="continue the unfinished run in the output folder")
    parser.add_argument(
        "--until", type=_step, metavar="STEP", help="write a checkpoint after this step and stop; go on with --resume"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="override a key of the recipe; repeatable"
    )
    options = parser.parse_args(arguments)
    if os.environ.get("SRT_DIE_WITH_PARENT") == "1":
        # Under accelerate launch the parent is the launcher; without this, training would go on after its death.
        die_with_parent()
    _allow_expandable_segments()
    stop = StopAtSignal(options.until)
    with stop.listening():
        return _run(options, stop)


def _step(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: a step from 1 on was expected")
    return int(text)


def _run(options: argparse.Namespace, stop: StopAtSignal) -> int:
    try:
        stop.receive_pending()
        recipe = load_recipe(options.config, options.set)
        if is_main_process() and (note := grace_note()):
            notice(f"note: {note}")
        run = train if recipe.objective.grpo is None else train_policy
        summary = run(recipe, resume=options.resume, stop=stop)
        _leave_process_group()
    # The launcher ends all processes when one has ended: the first that meets a fault must be the one that says so.
    except ConfigFaults as error:
        if first_to_report():
            notice("\n".join(f"error: {error.place}: {fault}" for fault in error.faults))
        return 2
    except UserError as error:
        if first_to_report():
            notice(f"error: {error}")
        return 2
    except KeyboardInterrupt:
        # srt train has it too, and says what was kept.
        if is_main_process() and os.environ.get("SRT_DIE_WITH_PARENT") != "1":
            notice("interrupted: the last checkpoint is kept, continue with --resume")
        return 128 + signal.SIGINT
    except Exception as error:
        if isinstance(error, RuntimeError) and is_out_of_memory(error):
            lines = out_of_memory_lines(error, recipe)
        elif (line := machine_fault(error)) is not None:
            lines = [f"error: {line}"]
        else:
            raise
        if first_to_report():
            notice("\n".join(lines))
        return 2
    except Preempted as preempted:
        if preempted.step is not None:  # before the first step, other processes may not have stopped
            _leave_process_group()
        asked = preempted.step is not None and stop.reached(preempted.step)
        if is_main_process():
            why = "" if asked else "by a signal "
            when = "before the first step" if preempted.step is None else f"after step {preempted.step}"
            what = "nothing to save" if preempted.step is None else "checkpoint written"
            say(f"stopped {why}{when}: {what}, continue with --resume")
        return 0 if asked else STOPPED
    if is_main_process():
        say(summary.line)
    return 0


def _allow_expandable_segments() -> None:
    """Have PyTorch's allocator grow its segments, unless the user has set it up otherwise.

    The rows of a run differ in length: blocks of fixed segments, freed by one row, often do not fit the next. The
    variable is read when memory is first allocated on a GPU. Only the command does this, whose process holds no vLLM:
    that turns them off around its memory pool, and refuses them beside a KV connector.
    """
    if not {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"} & os.environ.keys():
        os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments:True"


def _leave_process_group() -> None:
    """Close the process group: if one of its threads still runs when Python exits, the process may be aborted."""
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    sys.exit(pass_on(main()))
