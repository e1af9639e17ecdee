"""What a preflight checks of a recipe that says ``objective: grpo``: the problems and their prompts, and the plan.

Memory is not estimated and no step is tried: that of sampling is not in the estimate of a step on sequences.
"""

from __future__ import annotations

from transformers import PreTrainedTokenizerBase, ProcessorMixin

from train.policy.arguments import policy_faults
from train.policy.pictures import PolicyPictures
from train.policy.problems import also_learned_from, ask, plan_steps, some_unpaid
from train.preflight.report import PreflightReport
from train.recipe import Recipe
from train.run.launch import Launch, launch_faults, launch_notes

_NOT_CHECKED = (
    "objective: grpo: memory was not estimated and no step was tried; the first line of the run shows what a step takes"
)


def check_policy(
    report: PreflightReport,
    recipe: Recipe,
    tokenizer: PreTrainedTokenizerBase,
    processor: ProcessorMixin | None,
    launch: Launch,
) -> None:
    """Add to ``report`` what is wrong with the run of ``recipe``, and what it will be."""
    grpo = recipe.objective.grpo
    assert grpo is not None
    report.faults += policy_faults(recipe, launch.cluster)
    if report.faults:
        return
    with report.collecting():
        pictures = None if processor is None else PolicyPictures(processor, recipe)
        asked = ask(recipe, grpo.problems, "train", tokenizer, pictures)
        held_out = [] if grpo.held_out is None else ask(recipe, grpo.held_out, "dev", tokenizer, pictures)
        report.notes += filter(None, [some_unpaid(asked), also_learned_from(asked, held_out)])
        plan = plan_steps(recipe, len(asked), launch.cluster.processes)
        report.faults += launch_faults(launch, recipe, plan.accumulation)
        report.notes += launch_notes(launch, recipe)
        if fault := recipe.schedule_fault(plan.steps):
            report.faults.append(fault)
        report.figures["policy"] = {
            "problems": f"{len(asked):,}, {len(held_out):,} held out",
            "longest prompt": f"{max(len(one.prompt) for one in (*asked, *held_out)):,} tokens",
            "steps": f"{plan.steps:,} of {recipe.batch_size // grpo.samples} problems x {grpo.samples} texts",
            "micro-batches a step": f"{plan.accumulation} of {plan.micro_batch} texts in each process",
        }
    report.notes.append(_NOT_CHECKED)
