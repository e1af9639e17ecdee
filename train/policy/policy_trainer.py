"""The trainer of GRPO: TRL's, with our prompts, samples, rewards, credit, reference and log."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from datasets import Dataset
from torch.distributed.tensor import DTensor
from transformers import PreTrainedModel, PreTrainedTokenizerBase
from trl import GRPOConfig, GRPOTrainer
from trl.trainer.utils import add_fused_lm_head

from srt.io.errors import UserError
from train.loop.fused_head import gather_head
from train.loop.held_out import undisturbed
from train.loop.run_trainer import RunTrainer, ready
from train.objective import Grpo
from train.policy.credit import first_token_of, from_first_fault
from train.policy.monitor import PolicyMonitor
from train.policy.pictures import PolicyPictures, Shown
from train.policy.problems import PolicyPlan, PromptedProblem
from train.policy.sampling import generate_ids
from train.policy.scoring import JUDGE_SECONDS, JUDGE_SHARE, Scored, score, score_groups
from train.recipe import Recipe
from train.run.run_manifest import HELD_OUT_PROVED

_PROBLEM = "problem"


def make_policy_trainer(
    recipe: Recipe,
    arguments: GRPOConfig,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    asked: Sequence[PromptedProblem],
    plan: PolicyPlan,
    reference: PreTrainedModel | None = None,
    seconds_before: float = 0.0,
    pictures: PolicyPictures | None = None,
) -> PolicyTrainer:
    """A trainer for the steps of ``plan`` on the problems ``asked``, ready to ``train()``.

    ``reference`` is the initial model, where ``kl`` asks for one that is no adapter's base. ``seconds_before`` is the
    training time before a resumed run was killed. ``pictures`` opens those of the problems.

    Raises:
        UserError: accelerate does not shard the model as its file asks, or credit by step at sequence level.
    """
    grpo = recipe.objective.grpo
    assert grpo is not None
    if grpo.credit != "trace" and arguments.importance_sampling_level != "token":
        raise UserError(
            f"importance_sampling_level: {arguments.importance_sampling_level}: credit: {grpo.credit} needs token; at "
            "sequence level a text has one ratio, and the advantages of its tokens count only by their sum"
        )
    trainer = PolicyTrainer(
        model=model,
        reward_funcs=_unused,
        args=arguments,
        train_dataset=_rows(asked, plan),
        processing_class=tokenizer,
    )
    ready(trainer, recipe, seconds_before)
    trainer.grpo, trainer.asked, trainer.pictures = grpo, asked, pictures
    # TRL would make a reference of its own: of the same path, but not by our loader; for an adapter, a second adapter
    # that it saves beside the first.
    trainer.beta = grpo.kl
    if reference is not None:
        add_fused_lm_head(reference, temperature=grpo.temperature)
        trainer.ref_model = trainer.accelerator.prepare_model(reference.eval(), evaluation_mode=True)
    trainer.monitor = PolicyMonitor()
    trainer.add_callback(trainer.monitor)
    groups = recipe.batch_size // grpo.samples
    trainer.problems_of = lambda step: (
        [[asked[at].problem.id for at in plan.order[step * groups : (step + 1) * groups]]]
        * (plan.processes * plan.accumulation)
    )
    return trainer


class PolicyTrainer(RunTrainer, GRPOTrainer):  # type: ignore[misc]
    """TRL's GRPO. Prompts are token ids, texts are judged by :mod:`srt.rewards`, and cut ones count in nothing.

    Attributes:
        grpo: the settings.
        asked: the problems, which rows of the data set number.
        pictures: opens their pictures, if the model reads any.
        evaluation: computes the figures of an evaluation (:mod:`train.policy.held_out`).
    """

    grpo: Grpo
    asked: Sequence[PromptedProblem]
    pictures: PolicyPictures | None = None
    monitor: PolicyMonitor
    evaluation: Callable[[PolicyTrainer], dict[str, float]]
    _faults: Sequence[int] = ()
    _judge_seconds = 0.0
    _shown: Sequence[Shown] = ()

    def _tokenize_prompts(self, prompts: list[str]) -> tuple[list[list[int]], None, dict[str, Any]]:
        """The ids that were made when the run began; ``prompts`` are the numbers of their problems.

        TRL would prepare prompts and pictures with the processor again. So it hears of no picture here, and gets their
        features where it needs them (:meth:`_of_pictures`).
        """
        asked = [self.asked[int(prompt)] for prompt in prompts]
        self._shown = [one.shown for one in asked]
        return [one.prompt for one in asked], None, {}

    def _generate_single_turn(
        self, prompt_ids: list[list[int]], images: None, multimodal_fields: dict[str, Any], *args: Any, **kwargs: Any
    ) -> tuple[list[list[int]], Any]:
        """Samples by vLLM as the parent; else ours, which all processes draw together where weights are sharded.

        Raises:
            UserError: a weight is no number any more, so that nothing can be drawn.
        """
        for name, weight in self.model.named_parameters():
            held = weight.to_local() if isinstance(weight, DTensor) else weight
            if weight.requires_grad and not held.isfinite().all():
                raise UserError(
                    f"step {self.state.global_step}: {name}: a weight is infinite or not a number; start again with a "
                    "lower learning_rate, or warmup"
                )
        if self.use_vllm:
            sampled: tuple[list[list[int]], Any] = super()._generate_single_turn(
                prompt_ids, images, multimodal_fields, *args, **kwargs
            )
            return sampled
        ids = generate_ids(
            self.model,
            self.accelerator,
            prompt_ids,
            self.eos_token_ids,
            self.max_completion_length,
            self.temperature,
            self.pictures,
            self._shown,
        )
        return ids, None

    def _get_per_token_logps_and_entropies(
        self,
        model: torch.nn.Module,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        logits_to_keep: int,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """As the parent; with pictures; under FSDP2 with the head gathered, whose weight the fused head reads."""
        gather_head(model)
        if self.pictures is not None and kwargs.get("pixel_values") is None:  # of the texts that were just drawn
            kwargs |= self._of_pictures(input_ids, input_ids.size(1) - logits_to_keep)
        return super()._get_per_token_logps_and_entropies(
            model, input_ids, attention_mask, logits_to_keep, *args, **kwargs
        )

    def _of_pictures(self, ids: torch.Tensor, prompt: int) -> dict[str, Any]:
        """What TRL knows of the pictures of the texts ``ids`` [texts, tokens], whose prompts have ``prompt`` tokens."""
        assert self.pictures is not None
        features = self.pictures.features(self._shown)
        features["mm_token_type_ids"] = self.pictures.kinds(ids[:, :prompt], ids.size(1))
        on_device = {name: value.to(ids.device) for name, value in features.items()}
        return {**on_device, "num_images": [len(shown) for shown in self._shown]}

    def _calculate_rewards(
        self,
        inputs: list[dict[str, Any]],
        prompts: list[str],
        completions: list[str],
        completion_ids_list: list[list[int]],
    ) -> torch.Tensor:
        """The rewards of all processes' texts, of shape [texts, 1]; NaN for cut ones, which TRL leaves out of means.

        What TRL's reward functions cannot do: the length of a proof is compared within its group, which two processes
        may share.
        """
        started = time.perf_counter()
        scored: list[Scored] = []
        faults: list[int] = []
        ends = {*self.eos_token_ids, self._tokenizer.pad_token_id}
        for prompt, ids in zip(prompts, completion_ids_list, strict=True):
            whole = ids[-1] in ends
            text = self._tokenizer.decode(ids[:-1] if whole else ids, skip_special_tokens=True)
            earned = score(self.asked[int(prompt)], text, "stop" if whole else "length", self.grpo)
            scored.append(Scored(earned, len(ids)))
            if self.grpo.credit == "first_fault":
                fault = earned.first_fault
                faults.append(len(ids) if fault is None else first_token_of(self._tokenizer, ids, text, fault))
        self._faults = faults
        seconds = time.perf_counter() - started
        grouped = score_groups(scored, seconds, self.grpo, self.accelerator)
        self._judge_seconds += grouped.figures[JUDGE_SECONDS]
        for name, value in grouped.figures.items():
            self._metrics["train"][name].append(value)
        self.monitor.tokens += grouped.tokens
        return grouped.values[:, None]

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        """As the parent; with ``credit: first_fault`` the advantages are those of tokens, [texts, tokens]."""
        batch: dict[str, Any] = super()._generate_and_score_completions(inputs)
        if self.grpo.credit == "first_fault":
            length = batch["completion_ids"].size(1)
            batch["advantages"] = from_first_fault(batch["advantages"], self._faults, length)
        if self.pictures is not None:
            ids = torch.cat([batch["prompt_ids"], batch["completion_ids"]], dim=1)
            batch |= self._of_pictures(ids, batch["prompt_ids"].size(1))
        return batch

    def compute_loss(self, model: torch.nn.Module, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> torch.Tensor:
        """As the parent; the loss is kept, to name the batch in which it is not finite."""
        loss: torch.Tensor = super().compute_loss(model, inputs, *args, **kwargs)
        self._losses = (*self._losses, loss.detach())[-self.args.gradient_accumulation_steps :]
        return loss

    def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, float]:
        """The figures of :attr:`evaluation`, logged; every process must call this. Training goes on as without it."""
        with undisturbed(self.model, self.accelerator.device), self.compute_loss_context_manager():
            figures = self.evaluation(self)
        self.log(figures)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, figures)
        return figures

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """As the parent, with the share of the time that judging took; figures that have no value are left out."""
        if "loss" in logs:
            # TRL's clock runs while it samples, has texts judged and learns, but not during an evaluation or a save.
            logs[JUDGE_SHARE] = self._judge_seconds / max(sum(self._metrics["train"]["step_time"]), 1e-9)
            self._judge_seconds = 0.0
        super().log(logs, start_time)
        for row in self.state.log_history[-1:]:
            for name in [name for name, value in row.items() if value is None]:
                del row[name]

    @property
    def eval_history(self) -> list[dict[str, float]]:
        """A row for each evaluation."""
        return [row for row in self.state.log_history if HELD_OUT_PROVED in row]


def _rows(asked: Sequence[PromptedProblem], plan: PolicyPlan) -> Dataset:
    """A row for each group, in order; its prompt is the number of a problem, as a text."""
    return Dataset.from_dict({"prompt": [str(at) for at in plan.order.tolist()]})


def _unused(**_: Any) -> list[float]:
    """TRL asks for a reward function, of which it logs the name."""
    raise AssertionError


_unused.__name__ = "reward"
