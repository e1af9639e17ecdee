"""The checklist of a preflight: every fault of a run at once; then what the run will be, and one real step.

Nothing is written except into a temporary folder. A check that depends on something faulty is skipped, and the others
are still done: the data, the model and the launch file of a recipe with a misspelt key are checked all the same.
"""

from __future__ import annotations

import logging
import math
import shutil
import warnings
from pathlib import Path

import torch
import transformers
from transformers import PreTrainedTokenizerBase, ProcessorMixin

from srt.io.errors import UserError
from srt.language.prompts import idle_kwargs
from train.data.batches import BatchPlan, MicroBatches, plan_batches
from train.data.data_warnings import batch_warnings, data_warnings
from train.data.encode_file import Progress
from train.data.line_checks import CountedFaults, check_lines, record_of
from train.data.pairs import TokenizedPairs
from train.data.token_cache import CachedTokens, make_encoder, read_other_arms
from train.data.token_table import TokenizedExamples
from train.data.too_long import dropped_line, fit_lengths
from train.loop.generations import choose_problems, find_problems
from train.loop.watch import overlap
from train.models.load_model import model_faults
from train.models.model_files import load_tokenizer_and_processor
from train.models.pads_instead import padded_instead
from train.preflight.before_launch import FirstChecks, data_faults, has_data
from train.preflight.data_checks import compare_prompts, encode_and_check, open_all
from train.preflight.evaluations import evaluation_figures, with_generations
from train.preflight.fallback_plans import fallback_plans, less_recomputation, plan_lines
from train.preflight.memory_estimate import (
    MemoryEstimator,
    ParameterCounts,
    heaviest_micro_batch,
    this_gpu_bytes,
)
from train.preflight.policy_checks import check_policy
from train.preflight.report import PreflightReport
from train.preflight.report_figures import batch_figures, data_figures, memory_figures, trial_figures
from train.preflight.trial_step import memory_fault, run_trial_step
from train.recipe import Recipe
from train.recipe_reader import Examined
from train.run.launch import Cluster, Launch, launch_faults, launch_notes
from train.run.resume import find_start, finished_summary
from train.run.run_manifest import fingerprint

_MOST_CHECKPOINTS = 3  # two are kept, and the next is written before the oldest is removed


def run_checklist(
    first: FirstChecks,
    *,
    gpu_bytes: float | None,
    step: bool,
    progress: Progress,
) -> PreflightReport:
    """Check everything that a recipe names, after its :func:`~train.preflight.before_launch.first_checks`.

    Args:
        first: what is known without PyTorch; its faults begin the report.
        gpu_bytes: the memory of a GPU, for a machine without one.
        step: take one real step at the end, if there is no fault.
        progress: shows how far a long check is.
    """
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    # Notes of libraries on kernels and coming versions are no faults of the recipe.
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)
    warnings.simplefilter("ignore", FutureWarning)
    report = PreflightReport(list(first.faults))
    read, recipe = first.read, first.read.recipe
    asked = recipe
    if read.knows("model.path", "pack", "max_length", "batch_size"):
        recipe, padded = padded_instead(recipe, first.launch.cluster.processes)
        read = read._replace(recipe=recipe)
        report.notes += filter(None, [padded])
    tokenizer, processor = None, None
    if read.knows("model.path"):
        # The faults of the recipe's own keys are already reported.
        found = model_faults(recipe)
        report.faults += [fault for fault in found if not read.faults or fault.startswith("model.path")]
        with report.collecting():
            loaded = load_tokenizer_and_processor(recipe.model.path)
            kwargs = recipe.chat_template_kwargs if read.knows("chat_template_kwargs") else {}
            # With a faulty template every sequence would be at fault.
            report.notes += idle_kwargs(loaded[0], kwargs, pictures=int(loaded[1] is not None))
            tokenizer, processor = loaded
    if recipe.objective.grpo is not None:
        if tokenizer is not None and not report.faults:
            check_policy(report, recipe, tokenizer, processor, first.launch)
        if not report.faults:
            with report.collecting():
                _check_output(report, asked, first.launch.cluster)
        return report
    examples, held_out = None, None
    if has_data(read) and not data_faults(recipe):
        names = [f"data of stage {stage.name}" for stage in recipe.stages or ()]
        names = names or [f"data of mix {file.data}" for file in recipe.mix or ()] or ["data"]
        checked = [
            _check_data(report, name, read._replace(recipe=part), tokenizer, processor, progress)
            for name, part in zip(names, recipe.parts(), strict=True)
        ]
        if None not in checked:
            with report.collecting():
                examples = TokenizedExamples.joined([one for one in checked if one is not None])
                examples = examples if recipe.objective.dpo is None else TokenizedPairs(examples)
    if recipe.eval_data is not None and Path(recipe.eval_data).is_file():
        evaluated = read._replace(recipe=recipe.on(recipe.eval_data))
        held_out = _check_data(report, "held-out data", evaluated, tokenizer, processor, progress)
    if examples is not None and not report.faults:
        with report.collecting():
            _check_output(report, asked, first.launch.cluster)
            _check_run(report, recipe, examples, held_out, processor, first.launch, gpu_bytes, step)
    return report


def _check_data(
    report: PreflightReport,
    section: str,
    read: Examined,
    tokenizer: PreTrainedTokenizerBase | None,
    processor: ProcessorMixin | None,
    progress: Progress,
) -> TokenizedExamples | None:
    """Check a data file; without tokenizer, only that it can be read. Returns its examples, if there are any."""
    recipe, faults = read.recipe, CountedFaults()
    if tokenizer is None or not read.knows("pictures", "think", "chat_template_kwargs"):
        check_lines(recipe.data_file, faults, record_of(recipe))
        report.faults += faults.lines()
        return None
    try:
        encoder = make_encoder(recipe, tokenizer, processor)
    except UserError as error:
        check_lines(recipe.data_file, faults, record_of(recipe))
        report.faults += [*faults.lines(), str(error)]
        return None
    examples = encode_and_check(recipe, CachedTokens.of(recipe, encoder), encoder, faults, progress)
    if examples is None:
        report.faults += faults.lines()
        return None
    if processor is not None:
        open_all(examples, encoder.root, faults, progress)
    compared = compare_prompts(recipe.data_file, encoder, processor, faults)
    report.faults += faults.lines()
    if read.knows("max_length", "too_long", "other_arms"):
        with report.collecting():
            examples = fit_lengths(recipe, examples, read_other_arms(recipe, tokenizer, processor))
    report.notes += data_warnings(recipe, examples)
    report.tokenizer = tokenizer
    report.picture_token = None if encoder.pictures is None else encoder.pictures.image_token_id
    figures = data_figures(examples, processor)
    if line := dropped_line(recipe, examples):
        figures["left out"] = line
    report.figures[section] = {**figures, "prompts compared with evaluation": compared}
    if not report.shown:
        # The shortest, a middle one and the longest.
        ordered = examples.lengths.argsort(kind="stable")
        report.shown = [examples[ordered[at]] for at in sorted({0, len(ordered) // 2, len(ordered) - 1})]
    return examples


def _check_run(
    report: PreflightReport,
    recipe: Recipe,
    examples: TokenizedExamples,
    held_out: TokenizedExamples | None,
    processor: ProcessorMixin | None,
    launch: Launch,
    gpu_bytes: float | None,
    step: bool,
) -> None:
    """Check what needs valid keys and records: batches, output folder, disk, memory, and one step.

    Raises:
        UserError: the sequences do not go into batches, or a problem for the generations is missing.
    """
    cluster = launch.cluster
    plan = plan_batches(recipe, examples, cluster.processes)
    report.faults += launch_faults(launch, recipe, plan.accumulation)
    report.notes += launch_notes(launch, recipe)
    if fault := recipe.schedule_fault(plan.steps):
        report.faults.append(fault)
    report.notes += batch_warnings(recipe, examples, plan.steps)
    report.figures["run"] = batch_figures(recipe, examples, plan)
    if held_out is not None:
        report.figures["run"] |= evaluation_figures(recipe, held_out, plan)
        report.notes += filter(None, [overlap(examples, held_out)])
        if recipe.generations is not None:
            find_problems(recipe, choose_problems(held_out, recipe.generations.count))
    estimator = MemoryEstimator(recipe)
    report.faults += _disk_faults(recipe, estimator.counts)
    members, shape = heaviest_micro_batch(plan, examples, recipe)
    memory = estimator.estimate(shape, cluster, plan.accumulation)
    if held_out is not None:
        memory = with_generations(memory, recipe, held_out, cluster.processes)
    report.memory = memory
    section = f"memory on each GPU, estimated ({cluster.method}, {cluster.processes} processes)"
    report.figures[section] = memory_figures(memory, shape)
    gpu_bytes = this_gpu_bytes() if gpu_bytes is None else gpu_bytes
    if gpu_bytes is not None and memory.peak > gpu_bytes:
        report.faults.append(
            f"memory: about {memory.peak / 1e9:.1f} GB are needed on each GPU, but it has {gpu_bytes / 1e9:.1f}; "
            "see below for what would fit"
        )
        report.fallback_plans = plan_lines(fallback_plans(recipe, shape, cluster, plan.accumulation), gpu_bytes)
    elif gpu_bytes is not None and (faster := less_recomputation(recipe, shape, cluster, plan.accumulation, gpu_bytes)):
        report.notes.append(
            f"faster: with {faster.keys}, about {faster.memory.peak / 1e9:.1f} GB are needed on each GPU, "
            f"which has {gpu_bytes / 1e9:.1f}"
        )
    if not recipe.model.liger and torch.cuda.is_available():
        report.notes.append(
            "model.liger: true computes norms, SwiGLU and rotary positions with Liger's kernels (pip install "
            "'srt-traces[liger]'): less memory and time by its authors' figures, not measured here"
        )
    if not step or report.faults:
        return
    if reason := memory_fault(estimator, shape):
        report.notes.append(f"the step was not tried on this machine: {reason}")
        return
    assert report.tokenizer is not None
    with report.collecting("one step: "):
        single = BatchPlan(MicroBatches.of([members]), accumulation=1, processes=1)
        report.trial = trial = run_trial_step(recipe, report.tokenizer, processor, examples, single, shape)
        report.figures["one step on this device"] = trial_figures(trial)
        if not math.isfinite(trial.loss):
            raise UserError(f"the loss is {trial.loss}; check model.dtype and the model's weights")


def _check_output(report: PreflightReport, recipe: Recipe, cluster: Cluster) -> None:
    output = Path(recipe.output)
    # The hash of a large model takes a while, and an empty folder needs none.
    used = output.is_dir() and any(output.iterdir())
    keys = fingerprint(recipe, cluster.processes, cluster.sharding) if used else {}
    if used and finished_summary(output, keys) is not None:
        report.notes.append(f"{output}: output holds this run, finished: srt train would do nothing")
    elif (checkpoint := find_start(output, keys, True).checkpoint) is not None:
        report.notes.append(f"{output}: output holds this run unfinished; --resume continues from {checkpoint}")


def _disk_faults(recipe: Recipe, counts: ParameterCounts) -> list[str]:
    """A line if the disk of the output folder has too little free space for the run.

    Written are checkpoints (weights and the moments of the optimizer) and the final weights; with an adapter, only what
    is trained. Tokenizer, logs and curves are small and not counted.
    """
    weights = 4 * (counts.trained if recipe.lora else counts.all)
    checkpoints = (
        _MOST_CHECKPOINTS * (weights + counts.optimizer)
        if recipe.save_steps is not None or recipe.load_best_model_at_end
        else 0
    )
    needed = weights + checkpoints
    output = Path(recipe.output).absolute()
    free = shutil.disk_usage(next(path for path in (output, *output.parents) if path.exists())).free
    if needed <= free:
        return []
    return [
        f"output: about {needed / 1e9:.1f} GB will be written to {recipe.output}, but {free / 1e9:.1f} GB are free "
        f"(up to {_MOST_CHECKPOINTS} checkpoints, and the final weights)"
    ]
