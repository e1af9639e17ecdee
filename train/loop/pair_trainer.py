"""The trainer on pairs: TRL's DPO (Rafailov et al., arXiv 2305.18290, 2023), on tokens that we make.

The loss of an optimizer step is the mean over its pairs of ``-log sigmoid(beta * margin)``, and ``sft`` times the mean
negative log-likelihood of the tokens of their chosen sides. ``margin`` is how much more the model prefers the chosen
side than the reference does: the difference of the two differences of log-probabilities. What both sides begin with
cancels in it.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import torch
from datasets import Dataset
from transformers import PreTrainedModel, PreTrainedTokenizerBase
from trl import DPOConfig, DPOTrainer

from train.data.batches import BatchPlan
from train.data.collate import MEMBERS, padding_id
from train.data.pairs import PairCollator, TokenizedPairs, chosen_tokens
from train.loop.fused_head import labelled_positions_only
from train.loop.run_trainer import RunTrainer, prepared
from train.models.load_model import load_reference
from train.recipe import Recipe

_REFERENCE = "ref"  # TRL's name of the copy of an adapter


def make_pair_trainer(
    recipe: Recipe,
    arguments: DPOConfig,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    pairs: TokenizedPairs,
    plan: BatchPlan,
    seconds_before: float = 0.0,
) -> PairTrainer:
    """A trainer for the steps of ``plan``, ready to ``train()``; as :func:`~train.loop.trl_trainer.make_trainer`.

    The reference is the model with its adapter turned off, or, without adapters, a copy of the initial weights.
    """
    trainer = PairTrainer(
        model=model,
        ref_model=None if recipe.lora is not None else load_reference(recipe),
        args=arguments,
        train_dataset=Dataset(pa.table({MEMBERS: plan.micro_batches.to_arrow()})),
        data_collator=PairCollator(pairs, padding_id(tokenizer)),
        processing_class=tokenizer,
    )
    if recipe.lora is not None:
        # TRL takes an adapter that it is given for a trained one, and copies it as the reference. Ours begins at zero.
        trainer.model.delete_adapter(_REFERENCE)
    trainer.micro_batches = plan.accumulation * plan.processes
    return prepared(trainer, recipe, pairs, plan, seconds_before)


class PairTrainer(RunTrainer, DPOTrainer):  # type: ignore[misc]
    """TRL's trainer, for which a step is the same however its pairs are split.

    Attributes:
        micro_batches: how many micro-batches a step has, over all processes.
    """

    micro_batches: int
    loss_weights: list[Any]  # of the sum that TRL minimizes, in the order of loss_type

    def _prepare_dataset(self, dataset: Dataset, *args: Any, **kwargs: Any) -> Dataset:
        """``dataset`` itself: TRL would render the texts with the chat template, which may cut a trace."""
        return dataset

    def compute_loss(
        self,
        model: torch.nn.Module,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """The loss of a micro-batch, of which the Trainer takes the mean over those of a step.

        ``num_items_in_batch`` counts the chosen tokens of the step. TRL takes their mean within a micro-batch, where
        each token of a short one would count more.
        """
        dpo = self.recipe.objective.dpo
        if dpo is not None and dpo.sft and num_items_in_batch is not None:
            share = chosen_tokens(inputs) / num_items_in_batch
            self.loss_weights = [1.0, dpo.sft * self.micro_batches * share]
        with labelled_positions_only():
            loss: torch.Tensor = self._compute_loss(model, inputs, return_outputs=False)
        self._losses += (loss.detach(),)
        return loss

    def _get_num_items_in_batch(self, batch_samples: list[Any], device: torch.device) -> torch.Tensor | None:
        """The chosen tokens of an optimizer step on all processes."""
        self._losses = ()
        if not batch_samples:
            return None
        total = torch.stack([chosen_tokens(batch) for batch in batch_samples]).sum()
        reduced: torch.Tensor = self.accelerator.reduce(total.to(device), "sum")
        return reduced
