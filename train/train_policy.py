"""Teach a model by the verdicts on its own texts (GRPO). This file is the whole run, from top to bottom.

    accelerate launch train/train_srt.py --config my_recipe.yaml [--set key=value ...] [--resume] [--until STEP]

``train_srt.py`` comes here with a recipe that says ``objective: grpo``. Prompts are those of fine-tuning and evaluation
(:mod:`srt.language.prompts`), no chat template touches a text, and what a text earns is decided by checkers alone
(:mod:`srt.rewards`).
"""

from __future__ import annotations

import os
from contextlib import ExitStack, nullcontext
from pathlib import Path

import torch

from srt.io.errors import UserError
from srt.io.folder_lock import hold_folder
from srt.io.progress import notice, say
from train.loop.in_force import block_of, settings_in_force
from train.loop.preemption import Preempted, StopAtSignal
from train.loop.reporting import ReportTarget, reporting
from train.models.load_model import load_model, model_faults
from train.models.model_files import load_tokenizer_and_processor
from train.policy.arguments import make_policy_arguments, policy_faults
from train.policy.held_out import HeldOutProblems
from train.policy.pictures import PolicyPictures
from train.policy.policy_trainer import PolicyTrainer, make_policy_trainer
from train.policy.problems import PolicyPlan, PromptedProblem, also_learned_from, ask, plan_steps, some_unpaid
from train.policy.scoring import NO_SIGNAL
from train.preflight.before_launch import data_faults, held_out_faults, reporting_faults
from train.recipe import Recipe
from train.run.claim import claim, is_main_process, silence_libraries
from train.run.finish import finish_run
from train.run.hub import hub_faults
from train.run.launch import current_launch, launch_faults, launch_notes, take_over
from train.run.resume import (
    TrainSummary,
    find_start,
    finished_summary,
    release_folder,
)
from train.run.run_manifest import fingerprint, fingerprint_hash
from train.run.saved_weights import check_weights, count_elements, saved_parameters


def train_policy(recipe: Recipe, *, resume: bool = False, stop: StopAtSignal | None = None) -> TrainSummary:
    """As :func:`train.train_srt.train`, for a recipe that says ``objective: grpo``.

    Raises:
        UserError: a fault in the recipe, the problems, the model folder or the output folder, or another process is
            writing to the output folder.
        Preempted: ``stop`` has ended the run, and a checkpoint was written.
    """
    grpo = recipe.objective.grpo
    assert grpo is not None
    processes, is_main = int(os.environ.get("WORLD_SIZE", "1")), is_main_process()
    output = Path(recipe.output)
    silence_libraries()

    # 1. Check everything that can be checked before weights are loaded.
    launch = current_launch()
    faults = [
        *launch_faults(launch, recipe, None),
        *data_faults(recipe),
        *held_out_faults(recipe),
        *reporting_faults(recipe),
        *model_faults(recipe),
    ]
    if faults := faults + hub_faults(recipe) + policy_faults(recipe, launch.cluster):
        raise UserError("; ".join(faults))
    if is_main:
        for line in launch_notes(launch, recipe):
            notice(f"note: {line}")
    take_over(recipe)
    keys = fingerprint(recipe, processes)
    if (summary := finished_summary(output, keys)) is not None:
        return summary
    # The main process may already write to the folder when another one looks: only the main one may refuse it.
    start = find_start(output, keys, resume or not is_main)
    if stop is not None:
        stop.every = grpo.updates  # texts that are half learned from are in no checkpoint
        if stop.reached(start.step):
            raise Preempted(start.step)

    # 2. The problems, their prompts, and their order.
    if recipe.threads is not None:
        torch.set_num_threads(recipe.threads)
    tokenizer, processor = load_tokenizer_and_processor(recipe.model.path)
    pictures = None if processor is None else PolicyPictures(processor, recipe)
    asked = ask(recipe, grpo.problems, "train", tokenizer, pictures)
    held_out = [] if grpo.held_out is None else ask(recipe, grpo.held_out, "dev", tokenizer, pictures)
    plan = plan_steps(recipe, len(asked), processes)
    if faults := launch_faults(launch, recipe, plan.accumulation):
        raise UserError("; ".join(faults))
    if fault := recipe.schedule_fault(plan.steps):
        raise UserError(fault)
    for warning in filter(None, [some_unpaid(asked), also_learned_from(asked, held_out)]):
        if is_main:
            notice(f"warning: {warning}")

    # 3. The model and the trainer. From here on no other process may write to the folder.
    # Arguments first: they start the process group, and transformers then loads only a share of sharded weights.
    arguments = make_policy_arguments(recipe, plan)
    model = load_model(recipe)
    reference = load_model(recipe).requires_grad_(False) if grpo.kl and recipe.lora is None else None
    with hold_folder(output) if is_main else nullcontext(), ExitStack() as stack:
        if is_main and (find_start(output, keys, resume) != start or finished_summary(output, keys) is not None):
            raise UserError(f"{output}: another process has written to output meanwhile; start again")
        trainer = make_policy_trainer(
            recipe, arguments, model, tokenizer, asked, plan, reference, start.seconds, pictures
        )
        in_force = settings_in_force(trainer, recipe, plan)
        try:
            targets: list[ReportTarget] = []
            if is_main:
                first_start = claim(recipe, keys, start, in_force)
                say(block_of(in_force))
                targets = stack.enter_context(reporting(recipe, first_start, start.step))
            for target in targets:
                trainer.add_callback(target.callback)
            if held_out:
                HeldOutProblems(trainer, held_out)
            if stop is not None:
                trainer.add_callback(stop)

            # 4. Learn, from the start or from the last complete checkpoint.
            trainer.train(resume_from_checkpoint=str(start.checkpoint) if start.checkpoint else None)
            if stop is not None and stop.stopped:
                raise Preempted(trainer.state.global_step)
            seconds = trainer.seconds
            if is_main and trainer.history and all(row.get(NO_SIGNAL) == 1 for row in trainer.history):
                notice(
                    "warning: in no group did two texts earn different rewards, so nothing was learned; does the model "
                    "write traces, and are prompt, plan and text those that it was trained with?"
                )

            # 5. The weights before the summary: where there is a summary, the weights are complete.
            trainer.save_final(output)
            if is_main:
                if processor is not None:
                    processor.save_pretrained(output)
                check_weights(output, sum(map(count_elements, saved_parameters(trainer.model))))
        except BaseException:
            if is_main:
                release_folder(output)
            raise
        summary = _summarize(trainer, fingerprint_hash(keys), asked, plan, seconds)
        if is_main:
            data = f"{summary.examples:,} problems, answered by itself {grpo.samples} times each time they came."
            finish_run(recipe, summary, data, reads_pictures=processor is not None)
        return summary


def _summarize(
    trainer: PolicyTrainer, recipe_hash: str, asked: list[PromptedProblem], plan: PolicyPlan, seconds: float
) -> TrainSummary:
    grpo, steps = trainer.grpo, trainer.state.global_step
    groups = trainer.recipe.batch_size // grpo.samples * grpo.updates * -(-steps // grpo.updates)
    used = plan.order[:groups]
    tokens = int(trainer.state.num_input_tokens_seen)
    parameters = list(trainer.model.parameters())
    losses = [(int(row["step"]), float(row["loss"])) for row in trainer.history]
    return TrainSummary(
        recipe_hash=recipe_hash,
        steps=steps,
        final_loss=losses[-1][1],
        losses=losses,
        history=trainer.history,
        eval_history=trainer.eval_history,
        examples=len(set(used.tolist())),
        tokens=tokens,
        trained_tokens=tokens - grpo.samples * sum(len(asked[at].prompt) for at in used),
        parameters=sum(map(count_elements, parameters)),
        trainable_parameters=sum(count_elements(parameter) for parameter in parameters if parameter.requires_grad),
        processes=plan.processes,
        seconds=round(seconds, 1),
    )
