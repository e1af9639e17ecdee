"""How many held-out problems the policy in training proves, greedily."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from accelerate.utils import gather_object
from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from srt.judging.judgement import Code
from srt.rewards import Reward
from train.loop.held_out import EvaluationSchedule
from train.policy.problems import PromptedProblem
from train.policy.sampling import generate_ids
from train.policy.scoring import score
from train.run.run_manifest import HELD_OUT_PROVED

if TYPE_CHECKING:
    from train.policy.policy_trainer import PolicyTrainer


class HeldOutProblems(TrainerCallback):  # type: ignore[misc]
    """Has ``trainer`` answer the problems ``asked`` before its first step, every ``eval_steps`` and after the last."""

    def __init__(self, trainer: PolicyTrainer, asked: Sequence[PromptedProblem]) -> None:
        self._trainer, self._asked = trainer, asked
        self._at_once = trainer.args.per_device_train_batch_size * trainer.args.steps_per_generation
        trainer.evaluation = self._figures
        trainer.add_callback(EvaluationSchedule(trainer.recipe))
        trainer.add_callback(self)

    def on_step_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: object
    ) -> None:
        """Ask before the first step: what was there to begin with."""
        if state.global_step == 0:
            self._trainer.evaluate()

    def _figures(self, trainer: PolicyTrainer) -> dict[str, float]:
        """The shares of each verdict, of right answers and of proofs that are right; tokens a text."""
        accelerator, count = trainer.accelerator, len(self._asked)
        process, processes = accelerator.process_index, accelerator.num_processes
        rounds = -(-count // (self._at_once * processes))
        rows: list[tuple[Reward, int]] = []
        for start in range(0, rounds * self._at_once * processes, self._at_once * processes):
            own = range(start + process, min(start + self._at_once * processes, count), processes)
            # A process without a problem of its own takes part all the same, as others may need its share of weights.
            members = [self._asked[at] for at in own or range(1)]
            texts = generate_ids(
                trainer.model,
                accelerator,
                [one.prompt for one in members],
                trainer.eos_token_ids,
                trainer.grpo.max_new_tokens,
                temperature=0.0,
                pictures=trainer.pictures,
                shown=[one.shown for one in members],
            )
            for asked, ids in zip(members[: len(own)], texts, strict=False):
                whole = ids[-1] in trainer.eos_token_ids
                text = trainer._tokenizer.decode(ids[:-1] if whole else ids, skip_special_tokens=True)
                rows.append((score(asked, text, "stop" if whole else "length", trainer.grpo), len(ids)))
        rewards = [(reward, tokens) for reward, tokens in gather_object(rows)]
        # A cut text proves nothing, whatever stands in it.
        figures = {
            HELD_OUT_PROVED: sum(one.proved_and_right and not one.cut for one, _ in rewards) / count,
            "eval_right": sum(one.right is True and not one.cut for one, _ in rewards) / count,
            "eval_output_tokens": sum(tokens for _, tokens in rewards) / count,
        }
        return figures | {
            f"eval_code/{code}": sum(one.code == code for one, _ in rewards) / count for code in get_args(Code)
        }
