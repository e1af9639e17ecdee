"""What the trainers of all objectives share: optimizer, schedule, checkpoints, final weights, clock and log."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch.distributed.tensor import DTensor
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader
from transformers import PreTrainedModel, PrinterCallback, Trainer, TrainerControl
from transformers.integrations.deepspeed import deepspeed_load_checkpoint
from transformers.trainer_utils import rotate_checkpoints

from srt.io.errors import UserError
from train.data.batches import BatchPlan
from train.data.token_table import TokenizedExamples
from train.loop.monitor import MEMORY, Monitor, PlannedWork, memory_gib, not_finite
from train.loop.optimizers import make_optimizer
from train.loop.preemption import load_through_signals
from train.loop.schedule import schedule
from train.loop.sharding import check_sharding, reduce_in_float32, save_in_one_piece
from train.models.flops import count_flops, peak_flops
from train.models.model_files import apply_umask, read_config
from train.models.plain_adapter import first_factors, load_trained_factors, saved_as_plain, with_first_factors
from train.recipe import Recipe
from train.run.resume import checkpoint_of, mark_complete, with_new_names
from train.run.run_manifest import HELD_OUT_LOSS
from train.run.saved_weights import cast_weights, check_shards, record_dtype

_KEPT_CHECKPOINTS = 2  # among them that of the best model, if it is needed at the end

T = TypeVar("T", bound="RunTrainer")


def prepared(
    trainer: T, recipe: Recipe, examples: TokenizedExamples, plan: BatchPlan, seconds_before: float = 0.0
) -> T:
    """``trainer``, made for the steps of ``plan``, ready to ``train()`` as ``recipe`` says.

    ``seconds_before`` is the training time before a resumed run was killed.

    Raises:
        UserError: accelerate does not shard the model as its file asks.
    """
    ready(trainer, recipe, seconds_before)
    planned = PlannedWork(examples, plan, count_flops(trainer.model), packed=recipe.pack is not None)
    half_on_gpu = torch.cuda.is_available() and recipe.model.dtype == "bfloat16"
    peak = peak_flops(torch.cuda.get_device_name()) if half_on_gpu else None
    trainer.monitor = Monitor(planned, peak and peak * plan.processes)
    trainer.add_callback(trainer.monitor)
    trainer.problems_of = lambda step: [[examples.problem_id(at) for at in micro] for micro in plan.of_step(step)]
    return trainer


def ready(trainer: RunTrainer, recipe: Recipe, seconds_before: float = 0.0) -> None:
    """As :func:`prepared`, for a trainer whose monitor and plan are its own."""
    check_sharding(trainer)
    reduce_in_float32(trainer)
    trainer.final_dtype = read_config(recipe.model.path).dtype or torch.float32
    trainer.recipe = recipe
    if recipe.lora is not None and recipe.lora.init is not None:
        trainer.first_factors = first_factors(trainer.model)
    trainer.remove_callback(PrinterCallback)
    trainer.seconds_before = seconds_before


class RunTrainer(Trainer):  # type: ignore[misc]
    """The part of a trainer that does not depend on what is minimized; the class beside it, one of TRL's, does that.

    It sends nothing over the network, marks checkpoints as complete, and stops at NaN and infinity.

    Attributes:
        monitor: times the steps.
        problems_of: the problems in each micro-batch of an optimizer step (the first is 0), over all processes.
        recipe: that of the run.
        first_factors: those of an adapter that starts from the weights (:mod:`train.models.plain_adapter`).
        seconds_before: the training time before the run was killed and resumed.
        final_dtype: the dtype of the final weights, which is that of the base model.
    """

    monitor: Monitor
    problems_of: Callable[[int], list[list[str]]]
    control: TrainerControl
    recipe: Recipe
    optimizer: torch.optim.Optimizer | None
    lr_scheduler: LambdaLR | None
    first_factors: dict[str, torch.Tensor] | None = None
    seconds_before = 0.0
    final_dtype: torch.dtype

    _started = 0.0
    _losses: tuple[torch.Tensor, ...] = ()  # of this step's micro-batches on this process
    _saves_final = False

    def train(self, *args: Any, **kwargs: Any) -> Any:
        """As the parent does; the clock of :attr:`seconds` starts here."""
        self._started = time.monotonic()
        return super().train(*args, **kwargs)

    @property
    def seconds(self) -> float:
        """Time in the training loop, including that before a kill."""
        return self.seconds_before + time.monotonic() - self._started

    def save_final(self, output: Path) -> None:
        """Write the final model (or adapter) and the tokenizer into ``output``; every process must call this.

        A whole model is written in :attr:`final_dtype`; adapters stay in float32, and so do checkpoints.
        """
        save_in_one_piece(self)
        self._saves_final = isinstance(self.model, PreTrainedModel)
        self.save_model(str(output))
        self.accelerator.wait_for_everyone()
        if self.is_world_process_zero():
            # The Trainer pickles its arguments. They are not needed, and nobody should load a pickle.
            (output / "training_args.bin").unlink(missing_ok=True)

    def create_optimizer(self, model: PreTrainedModel | None = None) -> torch.optim.Optimizer:
        """As the parent, but with Muon or the groups of LoRA+ if the recipe asks for them."""
        if self.optimizer is None:
            trained = self.model if model is None else model
            library = self.get_optimizer_cls_and_kwargs(self.args, trained)
            self.optimizer = make_optimizer(self.recipe, trained, library)
        optimizer: torch.optim.Optimizer = super().create_optimizer(model)
        return optimizer

    def create_scheduler(self, num_training_steps: int, optimizer: torch.optim.Optimizer | None = None) -> LambdaLR:
        """The learning rate by :mod:`train.loop.schedule`; the parent's first step would have a rate of 0."""
        if self.lr_scheduler is None:
            made = optimizer or self.optimizer
            assert made is not None
            self.lr_scheduler = LambdaLR(made, schedule(self.recipe, num_training_steps))
            self._created_lr_scheduler = True
        return self.lr_scheduler

    def get_train_dataloader(self) -> DataLoader[Any]:
        """As the parent, but a step's micro-batches wait in main memory, until ``_prepare_inputs`` moves each."""
        loader: DataLoader[Any] = super().get_train_dataloader()
        loader.device = None
        return loader

    def _prepare_input(self, data: Any) -> Any:
        """As the parent, without waiting for the work that is queued on the GPU."""
        if isinstance(data, torch.Tensor):
            data = data.to(self.args.device, non_blocking=True)
        return super()._prepare_input(data)

    def _get_grad_norm(self, model: torch.nn.Module, grad_norm: Any = None) -> Any:
        """As the parent. The optimizer has not stepped yet (under DeepSpeed it has), and nothing has been saved.

        Raises:
            UserError: the norm, which is the same on all processes, is not finite. DeepSpeed reports -1 then.
        """
        norm = super()._get_grad_norm(model, grad_norm)
        norm = norm.full_tensor() if isinstance(norm, DTensor) else norm
        if norm is not None and not 0 <= float(norm) < math.inf:
            # From [processes x micro-batches] to the order of the plan, in which the processes alternate.
            losses = self.accelerator.gather(torch.stack(self._losses))
            by_micro = losses.view(self.accelerator.num_processes, -1).T.flatten().tolist()
            raise UserError(not_finite(self.state.global_step, by_micro, self.problems_of(self.state.global_step)))
        return norm

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """As the parent, with further figures for each loss; every process must call this."""
        if "loss" in logs:
            memory = torch.tensor([memory_gib(self.accelerator.device)], dtype=torch.float64)
            logs |= self.monitor.figures(self.state.global_step, self.state.max_steps)
            logs[MEMORY] = float(self.accelerator.gather(memory.to(self.accelerator.device)).max())
        super().log(logs, start_time)

    def floating_point_ops(self, inputs: Any) -> int:
        """Not counted here but in :mod:`train.models.flops`: the parent visits all modules for each micro-batch."""
        return 0

    @property
    def history(self) -> list[dict[str, float]]:
        """A row for each line on the console, with all figures, from the first step on."""
        return [with_new_names(row) for row in self.state.log_history if "loss" in row]

    @property
    def eval_history(self) -> list[dict[str, float]]:
        """A row for each evaluation."""
        return [row for row in self.state.log_history if HELD_OUT_LOSS in row]

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: torch.nn.Module | None = None) -> None:
        """As the parent, but the weights of a model without adapter are read by its own class, and none may be missing.

        A vision model is saved under the names of its published form, which differ from those of its modules. The
        parent compares names literally and skips what it does not find: the run would continue from the initial
        weights.
        """
        full = self.model if model is None else model
        if self.first_factors is not None and not self.is_deepspeed_enabled:
            load_trained_factors(full, Path(resume_from_checkpoint))
            return
        if not isinstance(full, PreTrainedModel) or self.is_fsdp_enabled or self.is_deepspeed_enabled:
            super()._load_from_checkpoint(resume_from_checkpoint, model)
            return
        saved = type(full).from_pretrained(
            resume_from_checkpoint, dtype=torch.float32, use_safetensors=True, local_files_only=True
        )
        full.load_state_dict(saved.state_dict())

    def _save(self, output_dir: str | None = None, state_dict: dict[str, torch.Tensor] | None = None) -> None:
        """As the parent, with the rights of the umask; final weights are cast to :attr:`final_dtype`.

        An adapter that starts from the weights is written as a plain one.
        """
        is_final = self._saves_final and self.args.should_save
        if is_final:
            state_dict = dict(self.model.state_dict()) if state_dict is None else state_dict
            cast_weights(state_dict, self.final_dtype)
        if self.first_factors is not None and self.args.should_save:
            trained = self.model.state_dict() if state_dict is None else state_dict
            with saved_as_plain(self.model):
                super()._save(output_dir, with_first_factors(trained, self.first_factors))
        else:
            super()._save(output_dir, state_dict)
        if self.args.should_save:
            apply_umask(Path(output_dir or self.args.output_dir))
        if is_final:
            # The parent has written the dtype of the weights in memory into the config.
            record_dtype(self.model.config, self.final_dtype)
            self.model.config.save_pretrained(output_dir)

    def load_weights(self, checkpoint: Path) -> None:
        """Go back to the weights of a checkpoint of this run, after training; every process must call this."""
        if self.is_deepspeed_enabled:
            strict = isinstance(self.model, PreTrainedModel)  # with an adapter, a checkpoint has what is trained
            deepspeed_load_checkpoint(self.model_wrapped, str(checkpoint), load_module_strict=strict)
        else:
            self._load_from_checkpoint(str(checkpoint), self.model_wrapped if self.is_fsdp_enabled else None)

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        """As the parent; then the checkpoint is marked as complete.

        Raises:
            UserError: shards of other machines are not in the folder.
        """
        super()._save_checkpoint(model, trial)
        self.accelerator.wait_for_everyone()
        if self.is_world_process_zero():
            output = Path(self.args.output_dir)
            checkpoint = checkpoint_of(output, self.state.global_step)
            check_shards(checkpoint)
            mark_complete(checkpoint, self.seconds)
            # Not earlier: until the new checkpoint is complete, a killed run needs the old ones.
            best = self.state.best_global_step and str(checkpoint_of(output, self.state.best_global_step))
            rotate_checkpoints(str(output), _KEPT_CHECKPOINTS, best)

    def _get_dataloader(self, *args: Any, **kwargs: Any) -> DataLoader[Any]:
        loader: DataLoader[Any] = super()._get_dataloader(*args, **kwargs)
        load_through_signals(loader)
        return loader

    def _send_telemetry(self) -> None:
        """Does nothing: TRL would report each run to its makers, unless an environment variable forbids it."""

    def create_model_card(self, *args: Any, **kwargs: Any) -> None:
        """Does nothing: TRL's card would cite its papers and say nothing about the training."""
