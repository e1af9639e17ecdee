"""The one file that knows TRL and the Trainer under it."""

from __future__ import annotations

import time
from itertools import accumulate
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from torch.nn.functional import cross_entropy
from transformers import (
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PrinterCallback,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)
from trl import SFTConfig, SFTTrainer

from train.batches import BatchPlan
from train.collate import MEMBERS, PaddedCollator
from train.examples import IGNORED, Example
from train.recipe import Recipe
from train.run_folder import Start, mark_whole

_TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
_SCHEDULERS = {"constant": "constant_with_warmup", "linear": "linear", "cosine": "cosine"}


def make_trainer(
    recipe: Recipe,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    examples: list[Example],
    plan: BatchPlan,
    steps: int,
    start: Start,
) -> TraceTrainer:
    """A trainer that takes ``steps`` optimizer steps through ``examples`` as ``plan`` says, ready to ``train()``."""
    on_gpu = torch.cuda.is_available()
    arguments = SFTConfig(
        output_dir=recipe.output,
        max_steps=steps,
        # One item of the dataset is a whole micro-batch.
        per_device_train_batch_size=1,
        gradient_accumulation_steps=plan.accumulation,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type=_SCHEDULERS[recipe.scheduler],
        warmup_steps=round(recipe.warmup * steps),
        weight_decay=recipe.weight_decay,
        adam_beta2=recipe.adam_beta2,
        max_grad_norm=1.0,
        optim="adamw_torch_fused",
        seed=recipe.seed,
        bf16=recipe.model.dtype == "bfloat16",
        activation_checkpointing=recipe.gradient_checkpointing,
        logging_steps=recipe.logging.steps,
        report_to="none" if recipe.logging.wandb == "off" else "wandb",
        save_strategy="no" if recipe.save_steps is None else "steps",
        save_steps=recipe.save_steps or steps,
        # Two, because an old checkpoint is removed before the new one is marked as whole.
        save_total_limit=2,
        disable_tqdm=True,
        use_cpu=not on_gpu,
        dataloader_pin_memory=on_gpu,
        # The order is ours, and so are tokens and labels: TRL must neither shuffle, tokenize, cut nor drop.
        train_sampling_strategy="sequential",
        max_length=None,
        dataset_kwargs={"skip_prepare_dataset": True},
        remove_unused_columns=False,
    )
    trainer = TraceTrainer(
        model=model,
        args=arguments,
        train_dataset=Dataset.from_dict({MEMBERS: plan.micro_batches}),
        data_collator=PaddedCollator(examples, tokenizer.pad_token_id),
        processing_class=tokenizer,
        peft_config=_lora(recipe),
        callbacks=[_Console(_tokens_by_step(examples, plan, steps))],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.seconds_before = start.seconds
    return trainer


class TraceTrainer(SFTTrainer):  # type: ignore[misc]
    """TRL's trainer, silent towards the network, whose checkpoints say when they are whole."""

    seconds_before = 0.0
    _started = 0.0

    def train(self, *args: Any, **kwargs: Any) -> Any:
        """As the parent does; the clock of :attr:`seconds` starts here."""
        self._started = time.monotonic()
        return super().train(*args, **kwargs)

    @property
    def seconds(self) -> float:
        """Time in the training loop, that before a kill included."""
        return self.seconds_before + time.monotonic() - self._started

    def save_final(self, output: Path) -> None:
        """Write the final model (or adapter) and the tokenizer into ``output``; every process must call this."""
        self.save_model(str(output))
        self.accelerator.wait_for_everyone()
        if self.is_world_process_zero():
            # The Trainer pickles its arguments beside the weights. Nobody needs them, and nobody should load a pickle.
            (output / "training_args.bin").unlink(missing_ok=True)

    def compute_loss(
        self,
        model: torch.nn.Module,
        inputs: dict[str, torch.Tensor],
        return_outputs: bool = False,
        num_items_in_batch: torch.Tensor | int | None = None,
    ) -> Any:
        """The mean negative log-likelihood of the labelled tokens of the whole batch, over all micro-batches.

        On an accelerator this is TRL's, whose fused head never holds the logits of a large vocabulary. On a processor
        that head computes every position, and entropies besides: a third of the time of a small model. There the logits
        are taken from the first labelled position on, which gives the same number.
        """
        inputs.pop("roles")
        if self.accelerator.device.type != "cpu" or return_outputs:
            return super().compute_loss(model, inputs, return_outputs, num_items_in_batch)
        labels = inputs["labels"]
        first = int((labels != IGNORED).any(dim=0).int().argmax())
        targets = labels[:, max(first, 1) :]
        logits = model(
            input_ids=inputs["input_ids"],
            attention_mask=inputs["attention_mask"],
            logits_to_keep=targets.size(1) + 1,
            use_cache=False,
        ).logits[:, :-1]
        total = cross_entropy(logits.flatten(0, 1).float(), targets.flatten(), ignore_index=IGNORED, reduction="sum")
        if num_items_in_batch is None:
            return total / (targets != IGNORED).sum().clamp(min=1)
        # The count is of all processes, and DDP takes the mean of their gradients.
        return total / num_items_in_batch * self.accelerator.num_processes

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        super()._save_checkpoint(model, trial)
        self.accelerator.wait_for_everyone()
        if self.is_world_process_zero():
            mark_whole(Path(self.args.output_dir) / f"checkpoint-{self.state.global_step}", self.seconds)

    def _send_telemetry(self) -> None:
        """TRL reports each run to its makers, unless an environment variable forbids it. We do not."""

    def create_model_card(self, *args: Any, **kwargs: Any) -> None:
        """None: it would name TRL's papers and nothing of what was trained."""


class _Console(TrainerCallback):  # type: ignore[misc]
    """One line every ``logging.steps`` steps. ``tokens`` are those of each step, padding left out."""

    def __init__(self, tokens: list[int]) -> None:
        self._tokens = [0, *accumulate(tokens)]
        self._last: tuple[int, float] = (0, 0.0)

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Start the clock."""
        self._last = (state.global_step, time.monotonic())

    def on_step_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        """Log at the last step, and with each checkpoint: a resumed run then has the losses of an unbroken one."""
        if control.should_save or state.global_step >= state.max_steps:
            control.should_log = True

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, float] | None = None,
        **kwargs: Any,
    ) -> None:
        """Print the line."""
        if not logs or "loss" not in logs or not state.is_world_process_zero:
            return
        step, now = state.global_step, time.monotonic()
        tokens = self._tokens[step] - self._tokens[self._last[0]]
        speed = tokens / max(now - self._last[1], 1e-9)
        left = (state.max_steps - step) * (now - self._last[1]) / max(step - self._last[0], 1)
        print(
            f"step {step}/{state.max_steps}  loss {logs['loss']:.4f}  {speed:,.0f} tokens/s  {left / 60:.1f} min left",
            flush=True,
        )
        self._last = (step, now)


def _tokens_by_step(examples: list[Example], plan: BatchPlan, steps: int) -> list[int]:
    lengths = [len(example.input_ids) for example in examples]
    return [sum(lengths[index] for micro in plan.of_step(step) for index in micro) for step in range(steps)]


def _lora(recipe: Recipe) -> Any:
    if recipe.lora is None:
        return None
    from peft import LoraConfig  # a second to import, and full fine-tuning does not need it

    return LoraConfig(
        r=recipe.lora.r,
        lora_alpha=recipe.lora.alpha,
        lora_dropout=recipe.lora.dropout,
        target_modules=list(recipe.lora.targets or _TARGETS),
        task_type="CAUSAL_LM",
    )
