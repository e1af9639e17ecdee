"""What is watched while a model trains, beside the losses of training: held-out loss and generations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow.compute as pc
from transformers import PreTrainedTokenizerBase, ProcessorMixin

from srt.io.errors import UserError
from srt.io.progress import notice, say
from train.data.collate import make_collator, padding_id
from train.data.token_table import TokenizedExamples
from train.loop.fused_head import score_by_fused_head
from train.loop.generations import HeldOutGenerations, shares, summary_line
from train.loop.held_out import EvaluationSchedule, HeldOutLoss, best_evaluation
from train.loop.reporting import ReportTarget
from train.loop.trl_trainer import TraceTrainer
from train.recipe import Recipe
from train.run.resume import checkpoint_of, is_complete


class Watch:
    """The evaluations of a run; adds itself to ``trainer``.

    ``examples`` are those of ``recipe.eval_data``. ``targets`` are what the main process reports to.

    Raises:
        UserError: no token of the examples counts in the loss, or a problem for the generations is missing.
    """

    def __init__(
        self,
        trainer: TraceTrainer,
        recipe: Recipe,
        examples: TokenizedExamples,
        tokenizer: PreTrainedTokenizerBase,
        processor: ProcessorMixin | None,
        targets: Sequence[ReportTarget],
        from_step: int,
    ) -> None:
        processes, self._targets = trainer.accelerator.num_processes, targets
        collate = make_collator(recipe, examples, trainer.model.config, padding_id(tokenizer), processor)
        self._loss = HeldOutLoss(recipe, examples, collate, trainer.weights, processes)
        self._generations: HeldOutGenerations | None = None
        if recipe.generations is not None:
            is_main = trainer.is_world_process_zero()
            self._generations = HeldOutGenerations(
                recipe, examples, tokenizer, processor, from_step=from_step, writes=is_main
            )
        self._recipe = recipe
        self._schedule = EvaluationSchedule(recipe)
        trainer.evaluation = self._evaluate
        trainer.add_callback(self._schedule)

    @property
    def stopped_early(self) -> bool:
        """Whether the run was ended before its last step."""
        return self._schedule.stopped is not None

    def best_step(self, trainer: TraceTrainer) -> int | None:
        """The step with the lowest held-out loss."""
        best = best_evaluation(trainer.state.log_history)
        return best and best.step

    def load_best(self, trainer: TraceTrainer) -> int:
        """Give the trained model the weights with the lowest held-out loss, and return their step.

        Raises:
            UserError: their checkpoint is no longer there.
        """
        step = self.best_step(trainer)
        if step is None or step == trainer.state.global_step:
            return int(trainer.state.global_step)
        checkpoint = checkpoint_of(Path(self._recipe.output), step)
        if not is_complete(checkpoint):
            raise UserError(f"{checkpoint}: the checkpoint with the lowest held-out loss is no longer there")
        trainer.load_weights(checkpoint)
        return step

    def _evaluate(self, trainer: TraceTrainer) -> dict[str, float]:
        """The held-out loss, and generations if they are due; every process must call this."""
        figures = self._loss.figures(
            trainer.accelerator,
            lambda batch: score_by_fused_head(trainer.model, trainer._prepare_inputs(batch)),
        )
        step = trainer.state.global_step
        if self._generations is not None and self._generations.is_due(step, trainer.state.max_steps):
            rows = self._generations.generate(trainer.model, trainer.accelerator, step)
            figures |= shares(rows)
            if trainer.is_world_process_zero():
                say(summary_line(rows))
                for target in self._targets:
                    target.show(step, rows)
        return figures


def warn_of_overlap(trained: TokenizedExamples, held_out: TokenizedExamples) -> None:
    """Print a warning if problems of ``held_out`` are trained on: their loss then says nothing about new problems."""
    if line := overlap(trained, held_out):
        notice(f"warning: {line}")


def overlap(trained: TokenizedExamples, held_out: TokenizedExamples) -> str | None:
    """A line if problems of ``held_out`` are trained on."""
    problems = held_out.column["problem_id"].unique()
    both = pc.sum(pc.is_in(problems, value_set=trained.column["problem_id"].unique())).as_py()
    return f"eval_data: {both} of its {len(problems)} problems are in data too" if both else None
