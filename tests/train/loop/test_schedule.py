"""The learning rate at each step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from transformers import get_scheduler

from srt.io.errors import UserError
from train.data.batches import plan_batches
from train.data.token_cache import read_examples
from train.loop.training_arguments import make_arguments
from train.models.model_files import load_tokenizer_and_processor
from train.recipe import Recipe
from train.train_srt import train


@pytest.mark.parametrize("decay", [4, 0.4])
def test_the_rate_rises_stays_and_falls_in_a_line(recipe: Callable[..., Recipe], decay: float) -> None:
    assert rates(recipe(steps=10, scheduler="constant", warmup=2, decay=decay, learning_rate=1.0)) == pytest.approx(
        [0, 0.5, 1, 1, 1, 1, 1, 0.75, 0.5, 0.25]
    )


def test_before_it_falls_the_rate_is_that_of_a_run_without_decay(recipe: Callable[..., Recipe]) -> None:
    shape = {"steps": 10, "scheduler": "constant", "warmup": 2}
    assert rates(recipe(**shape, decay=3))[:7] == rates(recipe(**shape))[:7]


def test_a_decay_that_is_longer_than_the_run(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    shape = {"scheduler": "constant", "warmup": 2, "decay": 9}
    with pytest.raises(UserError, match="decay: 9 steps"):
        recipe(steps=10, **shape)
    stages = [{"name": "one", "data": recipe().data, "items": 10 * recipe().batch_size}]
    with pytest.raises(UserError, match="decay: 9 steps"):
        recipe(data=None, steps=None, stages=stages, **shape)
    with pytest.raises(UserError, match=r"^decay: 9 steps"):
        train(recipe(steps=None, epochs=0.01, output=str(tmp_path / "out"), **shape))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("decay", [0, -1, 1.5, True, "0.5", "x", float("nan"), float("inf")])
def test_a_decay_is_a_share_or_a_number_of_steps(recipe: Callable[..., Recipe], decay: object) -> None:
    with pytest.raises(UserError, match="decay"):
        recipe(steps=10, scheduler="constant", warmup=0, decay=decay)


def test_no_other_schedule_has_a_decay(recipe: Callable[..., Recipe]) -> None:
    with pytest.raises(UserError, match="decay: scheduler"):
        recipe(scheduler="cosine", decay=2)


def rates(recipe: Recipe) -> list[float]:
    """The learning rates of the steps of a run."""
    tokenizer, processor = load_tokenizer_and_processor(recipe.model.path)
    plan = plan_batches(recipe, read_examples(recipe, tokenizer, processor), 1)
    arguments = make_arguments(recipe, plan)
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=recipe.learning_rate)
    schedule = get_scheduler(
        arguments.lr_scheduler_type,
        optimizer,
        arguments.warmup_steps,
        plan.steps,
        scheduler_specific_kwargs=arguments.lr_scheduler_kwargs,
    )
    found = []
    for _ in range(plan.steps):
        found.append(schedule.get_last_lr()[0])
        optimizer.step()
        schedule.step()
    return found
