"""One real step on the device that there is, what it took, and the estimate beside it; the output is thrown away."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import time
from typing import Any, NamedTuple

import psutil  # type: ignore[import-untyped]
import torch
from transformers import PreTrainedTokenizerBase, ProcessorMixin, TrainerCallback

from train.activations import LiveBytes, Load, language_backbone
from train.batches import BatchPlan
from train.examples import Example
from train.load_model import load_architecture, load_model
from train.memory import Cluster, Memory, MemoryModel
from train.recipe import Logging, Recipe
from train.run_folder import Start
from train.trl_trainer import make_arguments, make_trainer

_SPARE = 1.2  # of the estimate, that must be free before the step is tried


class Trial(NamedTuple):
    """What one micro-batch took on ``device``. Bytes by part: ``measured``, and as they were ``estimated``."""

    device: str
    loss: float
    seconds: float
    tokens: int
    measured: dict[str, int]
    estimated: dict[str, int]

    def errors(self) -> dict[str, float]:
        """How far the estimate is off, by part: 0.05 is 5% too high."""
        return {name: self.estimated[name] / size - 1 for name, size in self.measured.items() if size}


def no_room(memory: Memory, load: Load, words: int) -> str | None:
    """Why the step cannot be tried here, if it cannot."""
    if torch.cuda.is_available():
        free, need = torch.cuda.mem_get_info()[0], memory.peak
    else:
        # No fused head on a processor: the logits of the trained tokens, their softmax, and gradients of both.
        free, need = psutil.virtual_memory().available, memory.peak + 16 * load.trained * words
    if need * _SPARE <= free:
        return None
    return f"about {need / 1e9:.1f} GB are needed, and {free / 1e9:.1f} GB are free"


def try_step(
    recipe: Recipe,
    tokenizer: PreTrainedTokenizerBase,
    processor: ProcessorMixin | None,
    examples: list[Example],
    members: list[int],
    load: Load,
) -> Trial:
    """Load the model, and take one optimizer step on the micro-batch of ``members``, through the real trainer.

    Raises:
        UserError: what training itself would raise.
    """
    with tempfile.TemporaryDirectory(prefix="srt-preflight-") as folder, _quiet():
        copied = recipe.model_copy(
            update={
                "output": folder,
                "steps": 1,
                "epochs": None,
                "save_steps": None,
                "logging": Logging(steps=1),
                "hub": None,
                "workers": 0,
            }
        )
        plan = BatchPlan([members], 1, 1)
        arguments = make_arguments(copied, plan, 1)
        model = load_model(copied)
        trainer = make_trainer(
            copied, arguments, model, tokenizer, examples, plan, 1, Start(None, 0.0), processor=processor
        )
        look = _Look(recipe, trainer.model)
        trainer.add_callback(look)
        on_gpu = torch.cuda.is_available()
        if on_gpu:
            torch.cuda.reset_peak_memory_stats()
        began = time.monotonic()
        trainer.train()
        if on_gpu:
            torch.cuda.synchronize()
        seconds = time.monotonic() - began
        history = [row for row in trainer.state.log_history if "loss" in row]
        measured = {**look.measured, "optimizer": _state_bytes(trainer.optimizer)}
        if on_gpu:
            measured["peak"] = torch.cuda.max_memory_allocated()
        name = torch.cuda.get_device_name() if on_gpu else f"processor, {torch.get_num_threads()} threads"
    return Trial(name, float(history[-1]["loss"]), seconds, load.tokens, measured, _estimated(recipe, load))


class _Look(TrainerCallback):  # type: ignore[misc]
    """Looks at the step from within: weights, gradients, and what the language model's forward pass keeps."""

    def __init__(self, recipe: Recipe, model: Any) -> None:
        self.measured: dict[str, int] = {}
        self._model = model
        backbone = language_backbone(model, load_architecture(recipe.model.path))
        self._live: LiveBytes | None = None
        backbone.register_forward_pre_hook(self._enter)
        backbone.register_forward_hook(self._leave)

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Weights and gradients are there, the activations are gone."""
        parameters = list(self._model.parameters())
        self.measured["weights"] = sum(map(_parameter_bytes, parameters))
        self.measured["gradients"] = sum(p.grad.nbytes for p in parameters if p.grad is not None)

    def _enter(self, module: Any, args: Any) -> None:
        self._live = LiveBytes()
        self._live.__enter__()  # type: ignore[no-untyped-call]

    def _leave(self, module: Any, args: Any, out: Any) -> None:
        if self._live is not None:
            self.measured["activations"] = self._live.now
            self._live.__exit__(None, None, None)  # type: ignore[no-untyped-call]
            self._live = None


def _parameter_bytes(parameter: Any) -> int:
    """A parameter, and where it is held in 4 bits the scales of its blocks."""
    size = int(parameter.nbytes)
    state = getattr(parameter, "quant_state", None)
    if state is not None:
        size += int(state.absmax.nbytes)
        if state.nested:
            size += int(state.state2.absmax.nbytes)
    return size


def _state_bytes(optimizer: Any) -> int:
    """The moments of AdamW; its counters of steps, four bytes a parameter tensor, are left out."""
    held = getattr(optimizer, "optimizer", optimizer).state.values()
    return sum(v.nbytes for state in held for v in state.values() if isinstance(v, torch.Tensor) and v.dim() > 0)


def _estimated(recipe: Recipe, load: Load) -> dict[str, int]:
    model = MemoryModel(recipe)
    memory = model.estimate(load, Cluster(), 1)
    return {
        "weights": memory.weights,
        "gradients": memory.gradients,
        "optimizer": memory.optimizer,
        "activations": model.kept_by_language(load),
        "peak": memory.peak - memory.overhead,
    }


@contextlib.contextmanager
def _quiet() -> Any:
    """No line of the trainer's on standard output, and no other launch's variables in its sight."""
    kept = {name: os.environ.pop(name) for name in ("WORLD_SIZE", "RANK", "LOCAL_RANK") if name in os.environ}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        os.environ.update(kept)
