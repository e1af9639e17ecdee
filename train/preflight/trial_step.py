"""Take one real step on this machine, and measure it beside the estimate. Its output is discarded."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from typing import Any, NamedTuple

import psutil  # type: ignore[import-untyped]
import torch
from transformers import PreTrainedTokenizerBase, ProcessorMixin, TrainerCallback

from train.data.batches import BatchPlan
from train.data.pairs import TokenizedPairs
from train.data.token_table import TokenizedExamples
from train.loop.pair_trainer import make_pair_trainer
from train.loop.run_trainer import RunTrainer
from train.loop.training_arguments import make_arguments
from train.loop.trl_trainer import make_trainer
from train.models.load_model import load_model
from train.models.model_files import load_family
from train.preflight.activations import LiveBytes, MicroBatchShape
from train.preflight.memory_estimate import MemoryEstimator
from train.recipe import Logging, Recipe
from train.run.launch import Cluster

_MARGIN = 1.2  # times the estimate must be free before the step is tried


class TrialStep(NamedTuple):
    """One micro-batch on ``device``. Bytes by part: ``measured``, and as they were ``estimated``."""

    device: str
    loss: float
    seconds: float
    tokens: int
    measured: dict[str, int]
    estimated: dict[str, int]


def memory_fault(estimator: MemoryEstimator, shape: MicroBatchShape) -> str | None:
    """Why the step cannot be tried on this machine, if it cannot."""
    needed = estimator.estimate(shape, Cluster(), 1).peak
    free = torch.cuda.mem_get_info()[0] if torch.cuda.is_available() else psutil.virtual_memory().available
    if needed * _MARGIN <= free:
        return None
    return f"about {needed / 1e9:.1f} GB are needed, and {free / 1e9:.1f} GB are free"


def run_trial_step(
    recipe: Recipe,
    tokenizer: PreTrainedTokenizerBase,
    processor: ProcessorMixin | None,
    examples: TokenizedExamples,
    plan: BatchPlan,
    shape: MicroBatchShape,
) -> TrialStep:
    """Load the model, and take the single step of ``plan``, whose micro-batch has ``shape``, with the real trainer.

    Raises:
        UserError: whatever training itself would raise.
    """
    with tempfile.TemporaryDirectory(prefix="srt-preflight-") as folder, _quiet():
        changes = {"output": folder, "save_steps": None, "logging": Logging(steps=1), "hub": None, "workers": 0}
        copied = recipe.model_copy(update=changes)
        arguments = make_arguments(copied, plan)
        model = load_model(copied)
        trainer: RunTrainer
        if isinstance(examples, TokenizedPairs):
            trainer = make_pair_trainer(copied, arguments, model, tokenizer, examples, plan)
        else:
            trainer = make_trainer(copied, arguments, model, tokenizer, examples, plan, processor)
        probe = _MemoryProbe(recipe, trainer.model)
        trainer.add_callback(probe)
        on_gpu = torch.cuda.is_available()
        if on_gpu:
            torch.cuda.reset_peak_memory_stats()
        trainer.train()
        if on_gpu:
            torch.cuda.synchronize()
        seconds = trainer.seconds
        # accelerate wraps the optimizer.
        optimizer: Any = getattr(trainer.optimizer, "optimizer", trainer.optimizer)
        tensors = [value for state in optimizer.state.values() for value in state.values() if torch.is_tensor(value)]
        # Without step counters, of four bytes a parameter tensor; bitsandbytes' tables of codes are shared by all.
        sizes = {tensor.data_ptr(): tensor.nbytes for tensor in tensors if tensor.dim() > 0}
        measured = {**probe.measured, "optimizer": sum(sizes.values())}
        if on_gpu:
            measured["peak"] = torch.cuda.max_memory_allocated()
        name = torch.cuda.get_device_name() if on_gpu else f"CPU, {torch.get_num_threads()} threads"
    estimator = MemoryEstimator(recipe)
    memory = estimator.estimate(shape, Cluster(), 1)
    estimated = {
        "weights": memory.weights,
        "gradients": memory.gradients,
        "optimizer": memory.optimizer,
        "activations": estimator.language_bytes_after_forward(shape),
        "peak": memory.peak - memory.overhead,
    }
    return TrialStep(name, trainer.history[-1]["loss"], seconds, shape.tokens, measured, estimated)


class _MemoryProbe(TrainerCallback):  # type: ignore[misc]
    """Measures weights, gradients, and what the language model's forward pass stores for the backward pass."""

    def __init__(self, recipe: Recipe, model: Any) -> None:
        self.measured: dict[str, int] = {}
        self._model = model
        self._live: LiveBytes | None = None
        backbone = load_family(recipe.model.path).backbone(model, "language")
        backbone.register_forward_pre_hook(self._enter)
        backbone.register_forward_hook(self._leave)

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Weights and gradients exist now, the activations are freed."""
        parameters = list(self._model.parameters())
        self.measured["weights"] = sum(map(parameter_bytes, parameters))
        self.measured["gradients"] = sum(p.grad.nbytes for p in parameters if p.grad is not None)

    def _enter(self, module: Any, args: Any) -> None:
        self._live = LiveBytes()
        self._live.__enter__()  # type: ignore[no-untyped-call]

    def _leave(self, module: Any, args: Any, out: Any) -> None:
        if self._live is not None:
            self.measured["activations"] = self._live.now
            self._live.__exit__(None, None, None)  # type: ignore[no-untyped-call]
            self._live = None


def parameter_bytes(parameter: Any) -> int:
    """Bytes of a parameter, including the scales of its blocks if it is stored in 4 bits."""
    size = int(parameter.nbytes)
    state = getattr(parameter, "quant_state", None)
    if state is not None:
        size += int(state.absmax.nbytes)
        if state.nested:
            size += int(state.state2.absmax.nbytes)
    return size


@contextlib.contextmanager
def _quiet() -> Any:
    """Discard what the trainer prints, and hide the environment variables of another launch from it."""
    # accelerate reads these, and would wait for the other processes of a launch that this step is no part of.
    kept = {name: os.environ.pop(name) for name in ("WORLD_SIZE", "RANK", "LOCAL_RANK") if name in os.environ}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        os.environ.update(kept)
