"""The loss on held-out sequences during training, early stopping by it, and the choice of the best checkpoint.

Nothing here changes the weights that a step leaves: the model is evaluated without dropout and without gradients, and
random state and mode are as before afterwards (:func:`undisturbed`). Which evaluation was the best, and how many came
after it, follows from the log alone, which a checkpoint contains: a resumed run decides as an uninterrupted one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch
from accelerate import Accelerator
from datasets import Dataset
from torch.utils.data import DataLoader
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from srt.io.errors import UserError
from srt.io.progress import say
from train.data.batches import MicroBatches
from train.data.collate import MEMBERS, Collator
from train.data.examples import Role
from train.data.packing import pack_steps
from train.data.token_table import TokenizedExamples
from train.loop.loss import TokenScores, figures_by_role, sum_by_role
from train.recipe import Recipe
from train.run.run_manifest import HELD_OUT_LOSS


class HeldOutLoss:
    """The loss of held-out ``examples``, in micro-batches like those of training.

    ``weights`` are those of the roles in the loss; ``workers`` open pictures.

    Raises:
        UserError: no token of the examples counts in the loss.
    """

    def __init__(
        self, recipe: Recipe, examples: TokenizedExamples, collate: Collator, weights: torch.Tensor, processes: int
    ) -> None:
        by_role = examples.tokens_by_role().astype(np.float64)
        by_role[Role.PROMPT] = 0
        self._weights = weights.detach().cpu().double()
        if not float(self._weights @ torch.from_numpy(by_role)):
            raise UserError(f"eval_data: {recipe.eval_data}: none of its tokens counts in the loss")
        self._micro_batches = held_out_batches(recipe, examples, processes)
        self._collate, self._workers = collate, recipe.workers

    def figures(
        self, accelerator: Accelerator, score: Callable[[dict[str, torch.Tensor]], TokenScores]
    ) -> dict[str, float]:
        """``eval_loss``, weighted like that of training, and figures that are not: ``eval_loss/infer`` and so on.

        Every process must call this with its own ``score``, which is given micro-batches on the device.
        """
        process, processes = accelerator.process_index, accelerator.num_processes
        rounds = -(-len(self._micro_batches) // processes)
        # Where weights are sharded, all processes must compute at the same time: one without a micro-batch of its own
        # computes the first again, and does not count it.
        own = [
            self._micro_batches[at] if at < len(self._micro_batches) else None
            for at in range(process, rounds * processes, processes)
        ]
        rows = Dataset.from_dict({MEMBERS: [self._micro_batches[0] if members is None else members for members in own]})
        loader = DataLoader(rows, batch_size=1, collate_fn=self._collate, num_workers=self._workers)
        sums = torch.zeros(len(Role), 4, dtype=torch.float64, device=accelerator.device)
        for members, batch in zip(own, loader, strict=True):
            scores = score(batch)
            # All have computed this round; only real micro-batches count.
            if members is not None:
                sums += sum_by_role(scores)
        sums = accelerator.reduce(sums, "sum").cpu()
        counts, losses = sums[:, 0], sums[:, 1]
        loss = float(self._weights @ losses) / float(self._weights @ counts)
        return {HELD_OUT_LOSS: loss} | {f"eval_{name}": value for name, value in figures_by_role(sums).items()}


def held_out_batches(recipe: Recipe, examples: TokenizedExamples, processes: int) -> MicroBatches:
    """Indices into ``examples`` by micro-batch: packed or padded, and of the size, as in training. Longest first."""
    order = np.argsort(-examples.lengths, kind="stable")
    if recipe.pack is not None:
        members, sizes = pack_steps(order[None], examples.lengths, recipe.pack, 1)
        return MicroBatches(members[0], np.cumsum([0, *sizes[0]]))
    size = recipe.micro_batch or max(recipe.batch_size // processes, 1)
    return MicroBatches(order, np.array([*range(0, len(order), size), len(order)]))


class Best(NamedTuple):
    """The best of the evaluations so far: the ``step`` after which it was, its ``loss``, and how many came after it."""

    step: int
    loss: float
    since: int


def best_evaluation(log: Iterable[dict[str, Any]], threshold: float = 0.0) -> Best | None:
    """The best evaluation in a trainer's ``log``; a better loss is lower by more than ``threshold``."""
    best: Best | None = None
    for row in log:
        if HELD_OUT_LOSS not in row:
            continue
        if best is None or best.loss - row[HELD_OUT_LOSS] > threshold:
            best = Best(int(row["step"]), float(row[HELD_OUT_LOSS]), 0)
        else:
            best = best._replace(since=best.since + 1)
    return best


class EvaluationSchedule(TrainerCallback):  # type: ignore[misc]
    """Asks for evaluations, keeps the best checkpoint, and stops early, as the recipe says.

    Attributes:
        stopped: the best evaluation of a run that was stopped early.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self.stopped: Best | None = None

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Ask for an evaluation, and for the loss of training beside it."""
        assert self._recipe.eval_steps is not None
        if state.global_step % self._recipe.eval_steps == 0 or state.global_step >= state.max_steps:
            control.should_evaluate = control.should_log = True

    def on_evaluate(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Ask for a checkpoint of the best model, or for the end."""
        best, stopping = best_evaluation(state.log_history), self._recipe.early_stopping
        if best is None:
            return
        if self._recipe.load_best_model_at_end:
            state.best_metric, state.best_global_step = best.loss, best.step
            control.should_save = control.should_save or best.since == 0
        # The threshold is about patience alone: the best step is that of the lowest loss.
        counted = best_evaluation(state.log_history, stopping.threshold) if stopping else None
        if stopping and counted and counted.since >= stopping.patience and state.global_step < state.max_steps:
            self.stopped = best
            control.should_training_stop = True
            # A run that is killed from here on must decide this again: nothing continues from this step.
            control.should_save = False
            if state.is_world_process_zero:
                say(
                    f"stopped early after step {state.global_step}: the held-out loss has not been below that of step "
                    f"{counted.step} ({counted.loss:.4f})"
                    + (f" by more than {stopping.threshold:g}" if stopping.threshold else "")
                    + f" for {counted.since} evaluations"
                )


@contextmanager
def undisturbed(model: torch.nn.Module, device: torch.device) -> Iterator[None]:
    """Evaluation mode without gradients; mode and random state are those from before at the end."""
    training = model.training
    devices = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices), torch.no_grad():
        model.eval()
        try:
            yield
        finally:
            model.train(training)
