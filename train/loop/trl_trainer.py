"""The trainer on sequences: TRL's, with our loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import torch
from datasets import Dataset
from transformers import PreTrainedModel, PreTrainedTokenizerBase, ProcessorMixin
from trl import SFTConfig, SFTTrainer

from train.data.batches import BatchPlan
from train.data.collate import MEMBERS, make_collator, padding_id
from train.data.examples import Role
from train.data.token_table import TokenizedExamples
from train.loop.fused_head import score_by_fused_head
from train.loop.held_out import undisturbed
from train.loop.loss import batch_weight, figures_by_role, role_weights, sum_by_role, weighted_loss
from train.loop.run_trainer import RunTrainer, prepared
from train.recipe import Recipe


def make_trainer(
    recipe: Recipe,
    arguments: SFTConfig,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    examples: TokenizedExamples,
    plan: BatchPlan,
    processor: ProcessorMixin | None = None,
    seconds_before: float = 0.0,
) -> TraceTrainer:
    """A trainer for the steps of ``plan``, ready to ``train()``.

    ``processor`` is that of a model that reads pictures; ``seconds_before`` is the training time before a resumed run
    was killed.

    Raises:
        UserError: accelerate does not shard the model as its file asks.
    """
    trainer = TraceTrainer(
        model=model,
        args=arguments,
        train_dataset=Dataset(pa.table({MEMBERS: plan.micro_batches.to_arrow()})),
        data_collator=make_collator(recipe, examples, model.config, padding_id(tokenizer), processor),
        processing_class=tokenizer,
    )
    trainer.host_weights = role_weights(recipe.loss)
    trainer.weights = trainer.host_weights.to(trainer.accelerator.device)
    return prepared(trainer, recipe, examples, plan, seconds_before)


class TraceTrainer(RunTrainer, SFTTrainer):  # type: ignore[misc]
    """TRL's trainer with the loss of :mod:`train.loop.loss`.

    Attributes:
        weights: the weight of each role in the loss, and ``host_weights`` the same in main memory.
        evaluation: computes the figures of an evaluation (:mod:`train.loop.watch`).
    """

    weights: torch.Tensor
    host_weights: torch.Tensor
    evaluation: Callable[[TraceTrainer], dict[str, float]]

    # Read by the Trainer: the loss of a micro-batch is already divided by the weight of the whole batch.
    loss_is_scaled_for_ga = True
    _sums: torch.Tensor | float = 0.0  # by role, since the last log

    def compute_loss(
        self,
        model: torch.nn.Module,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """This micro-batch's part of ``sum(w * nll) / sum(w)`` over the whole batch (:mod:`train.loop.loss`).

        ``num_items_in_batch`` is the sum of the weights of the batch, by default that of ``inputs`` alone. Scores by
        role are added up for the log. With weights of 1 this is TRL's own loss.
        """
        total: torch.Tensor = batch_weight(inputs, self.weights) if num_items_in_batch is None else num_items_in_batch
        scores = score_by_fused_head(model, inputs)
        loss = weighted_loss(scores, self.weights, total)
        if num_items_in_batch is None:
            return loss
        # Added up on the device, and read at the next log: reading a number waits for everything queued before it.
        self._sums += sum_by_role(scores)
        self._losses += (loss.detach(),)
        # The weight is that of all processes, but DDP, FSDP and DeepSpeed average the gradients over processes.
        return loss * int(self.accelerator.num_processes)

    def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, float]:
        """The figures of :attr:`evaluation`, logged; every process must call this. Training goes on as without it."""
        with undisturbed(self.model, self.accelerator.device), self.compute_loss_context_manager():
            figures = self.evaluation(self)
        self.log(figures)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, figures)
        return figures

    def _get_num_items_in_batch(self, batch_samples: list[Any], device: torch.device) -> torch.Tensor | None:
        """The sum of the label weights of an optimizer step on all processes; the Trainer would count the labels."""
        self._losses = ()
        if not batch_samples:
            return None
        total = torch.stack([batch_weight(batch, self.host_weights) for batch in batch_samples]).sum()
        reduced: torch.Tensor = self.accelerator.reduce(total.to(device), "sum")
        return reduced

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """As the parent, with the figures by role for each loss; every process must call this."""
        if "loss" in logs:
            mine = torch.as_tensor(self._sums).flatten().to(self.accelerator.device)
            everyone = self.accelerator.gather(mine[None])
            logs |= figures_by_role(everyone.sum(dim=0).view(len(Role), -1))
            self._sums = 0.0
        super().log(logs, start_time)
