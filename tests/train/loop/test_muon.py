"""Muon beside AdamW: which weights each has, that they are the library's own, and what they cannot be with."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pytest
import torch
from torch.optim import AdamW, Muon
from transformers import AutoModelForCausalLM, PreTrainedModel

from srt.io.errors import UserError
from train.loop.muon import MuonWithAdamW, hidden_matrices
from train.recipe import Recipe

SETTINGS = {"muon_learning_rate": 0.02, "learning_rate": 0.003, "betas": (0.9, 0.98), "eps": 1e-8, "weight_decay": 0.1}


@pytest.fixture
def two(models: dict[str, Path]) -> list[PreTrainedModel]:
    """The same model twice."""
    return [AutoModelForCausalLM.from_pretrained(models["minimal"]) for _ in range(2)]


def step(model: PreTrainedModel, *optimizers: torch.optim.Optimizer) -> None:
    ids = torch.arange(40).view(2, 20) + 5
    model(input_ids=ids, labels=ids).loss.backward()
    for optimizer in optimizers:
        optimizer.step()
        optimizer.zero_grad()


def test_matrices_of_layers_are_muons_and_the_rest_is_adamws(two: list[PreTrainedModel]) -> None:
    ours, theirs = two
    both = MuonWithAdamW(ours, **SETTINGS)
    inside = [p for name, p in theirs.named_parameters() if "_proj.weight" in name]
    vectors = [p for name, p in theirs.named_parameters() if "norm" in name or "bias" in name]
    ends = [theirs.get_input_embeddings().weight]
    assert len(hidden_matrices(ours)) == len(inside) == 7 * ours.config.num_hidden_layers
    muon = Muon(inside, lr=0.02, weight_decay=0.1)
    groups = [{"params": ends, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    adamw = AdamW(groups, lr=0.003, betas=(0.9, 0.98), fused=True)
    for _ in range(3):
        step(ours, both)
        step(theirs, adamw, muon)
    for (name, one), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(one, other, msg=name)


def test_a_scheduler_and_a_saved_state_reach_both(two: list[PreTrainedModel]) -> None:
    whole, resumed = two
    first = MuonWithAdamW(whole, **SETTINGS)
    schedule = torch.optim.lr_scheduler.LambdaLR(first, lambda at: 0.5**at)
    step(whole, first)
    schedule.step()
    assert [group["lr"] for group in first.param_groups] == [0.0015, 0.0015, 0.01]
    resumed.load_state_dict(whole.state_dict())
    second = MuonWithAdamW(resumed, **SETTINGS)
    second.load_state_dict(deepcopy(first.state_dict()))
    for _ in range(2):
        step(whole, first)
        step(resumed, second)
    for one, other in zip(whole.parameters(), resumed.parameters(), strict=True):
        assert torch.equal(one, other)


def test_adapters_cannot_be_trained_with_it(recipe: Callable[..., Recipe]) -> None:
    with pytest.raises(UserError, match="optimizer, lora"):
        recipe(optimizer="muon", muon_learning_rate=0.02, lora={"r": 4})


def test_its_rate_and_its_name_come_together(recipe: Callable[..., Recipe]) -> None:
    for half in ({"optimizer": "muon"}, {"muon_learning_rate": 0.02}):
        with pytest.raises(UserError, match="muon_learning_rate: "):
            recipe(**half)


@pytest.mark.parametrize("rate", [0, -0.1, 1, True, "inf", float("nan")])
def test_a_rate_is_between_0_and_1(rate: object, recipe: Callable[..., Recipe]) -> None:
    with pytest.raises(UserError, match="muon_learning_rate"):
        recipe(optimizer="muon", muon_learning_rate=rate)
