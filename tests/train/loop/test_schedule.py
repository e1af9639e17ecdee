"""The learning rate at each step."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import get_scheduler

from srt.io.errors import UserError
from train.loop.schedule import schedule
from train.recipe import Recipe
from train.train_srt import train


@pytest.mark.parametrize("decay", [4, 0.4])
def test_the_rate_rises_stays_and_falls_in_a_line(recipe: Callable[..., Recipe], decay: float) -> None:
    assert rates(recipe(steps=10, scheduler="constant", warmup=2, decay=decay, learning_rate=1.0)) == pytest.approx(
        [0.5, 1, 1, 1, 1, 1, 1, 0.75, 0.5, 0.25]
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


LAST = {"min_learning_rate": 0.1, "learning_rate": 1.0}


@pytest.mark.parametrize("warmup", [0, 1, 3])
@pytest.mark.parametrize(
    ("changes", "theirs", "settings"),
    [
        ({"scheduler": "cosine"}, "cosine", {}),
        ({"scheduler": "linear"}, "linear", {}),
        ({"scheduler": "constant"}, "constant_with_warmup", {}),
        ({"scheduler": "cosine", **LAST}, "cosine_with_min_lr", {"min_lr_rate": 0.1}),
        ({"scheduler": "constant", "decay": 4}, "warmup_stable_decay", {"num_decay_steps": 4, "decay_type": "linear"}),
    ],
)
def test_it_is_transformers_own_without_the_step_at_rate_0(
    changes: dict[str, Any], theirs: str, settings: dict[str, Any], warmup: int, recipe: Callable[..., Recipe]
) -> None:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    rate = get_scheduler(theirs, optimizer, max(warmup, 1), 11, scheduler_specific_kwargs=settings).lr_lambdas[0]
    chosen = recipe(steps=10, warmup=warmup, **changes)
    shares = [rate / chosen.learning_rate for rate in rates(chosen)]
    assert shares == pytest.approx([rate(step) for step in range(1, 11)])
    assert shares[0] > 0


@pytest.mark.parametrize("changes", [{"scheduler": "linear"}, {"scheduler": "constant", "decay": 4}])
def test_it_falls_to_the_smallest_rate(changes: dict[str, Any], recipe: Callable[..., Recipe]) -> None:
    chosen = recipe(steps=10, warmup=0, **LAST, **changes)
    assert schedule(chosen, 10)(10) == pytest.approx(0.1)
    assert min(rates(chosen)) > 0.1
    assert rates(chosen)[-1] - 0.1 == pytest.approx(rates(chosen)[-2] - rates(chosen)[-1])


def test_the_first_step_trains(recipe: Callable[..., Recipe]) -> None:
    summary = train(recipe(steps=3, warmup=3, learning_rate=0.03, logging={"steps": 1}))
    assert [row["learning_rate"] for row in summary.history] == pytest.approx([0.01, 0.02, 0.03])


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"min_learning_rate": 0.01}, "min_learning_rate: 0.01 is not below"),
        ({"min_learning_rate": 0.001, "scheduler": "constant"}, "min_learning_rate: scheduler"),
    ],
)
def test_a_smallest_rate_that_is_never_reached(
    changes: dict[str, Any], key: str, recipe: Callable[..., Recipe]
) -> None:
    with pytest.raises(UserError, match=key):
        recipe(**changes)


def rates(recipe: Recipe) -> list[float]:
    """The learning rates of the steps of a run."""
    assert recipe.steps is not None
    share = schedule(recipe, recipe.steps)
    return [recipe.learning_rate * share(step) for step in range(recipe.steps)]
