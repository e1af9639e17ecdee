"""TRL's own functions and trainer behave as they came, in a process in which ours have run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
import torch
import trl.kernels.chunked_logprob
import trl.trainer.utils
from datasets import Dataset
from transformers import Trainer
from trl import SFTConfig, SFTTrainer

import train.train_srt
from train.loop.fused_head import score_by_fused_head
from train.models.load_model import load_model
from train.models.model_files import load_tokenizer
from train.recipe import Recipe

OURS = Path(train.train_srt.__file__).parents[1] / "train"
TURN = {"prompt": "Where is Ann?", "completion": " Ann is in the first seat on the left."}


@pytest.fixture
def trl_trainer(recipe: Callable[..., Recipe], tmp_path: Path) -> SFTTrainer:
    chosen = recipe()
    arguments = SFTConfig(
        output_dir=str(tmp_path / "trl"), per_device_train_batch_size=2, use_cpu=True, bf16=False, report_to="none"
    )
    return SFTTrainer(
        model=load_model(chosen),
        args=arguments,
        train_dataset=Dataset.from_list([TURN] * 2),
        processing_class=load_tokenizer(chosen.model.path),
    )


@pytest.mark.parametrize(
    "owner", [trl.trainer.utils, trl.kernels.chunked_logprob, SFTTrainer, Trainer], ids=lambda owner: owner.__name__
)
def test_no_function_was_replaced_by_one_of_ours(owner: Any) -> None:
    functions = {name: value for name, value in vars(owner).items() if isinstance(value, FunctionType)}
    assert len(functions) > 3
    assert [name for name, one in functions.items() if Path(one.__code__.co_filename).is_relative_to(OURS)] == []
    assert trl.trainer.utils._use_triton is trl.kernels.chunked_logprob._use_triton


def test_only_our_own_forward_pass_answers_for_trl(trl_trainer: SFTTrainer, monkeypatch: pytest.MonkeyPatch) -> None:
    model, batch = trl_trainer.model, dict(next(iter(trl_trainer.get_train_dataloader())))
    original, kernel = trl.trainer.utils._use_triton, trl.trainer.utils._ChunkedLogProbFunction.apply
    answers: list[bool] = []
    scored: list[int] = []

    def ask(device: torch.device) -> bool:
        answers.append(original(device))
        return answers[-1]

    def count(hidden: torch.Tensor, *rest: Any) -> Any:
        scored.append(hidden.size(0))
        return kernel(hidden, *rest)

    monkeypatch.setattr(trl.trainer.utils, "_use_triton", ask)
    monkeypatch.setattr(trl.trainer.utils._ChunkedLogProbFunction, "apply", count)
    before = trl_trainer.compute_loss(model, dict(batch))
    score_by_fused_head(model, {**batch, "roles": torch.zeros_like(batch["labels"])})
    assert trl.trainer.utils._use_triton is ask
    after = trl_trainer.compute_loss(model, dict(batch))

    labelled, positions = int((batch["labels"][:, 1:] != -100).sum()), batch["labels"][:, 1:].numel()
    assert labelled < positions
    trls = labelled if answers[0] else positions
    assert scored == [trls, labelled, trls]
    assert len(answers) == 2, "our forward pass does not ask TRL"
    torch.testing.assert_close(before, after)


def test_a_forward_pass_that_fails_leaves_trl_as_it_was(trl_trainer: SFTTrainer) -> None:
    original = trl.trainer.utils._use_triton
    batch = dict(next(iter(trl_trainer.get_train_dataloader())))
    wrong = {**batch, "labels": batch["labels"][:, :-2], "roles": batch["labels"]}
    with pytest.raises((RuntimeError, IndexError)):
        score_by_fused_head(trl_trainer.model, wrong)
    assert trl.trainer.utils._use_triton is original
