"""The micro-batches of an optimizer step: one at a time on the device, with pixels in the type of the arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import accelerate.data_loader
import pytest
import torch

from train.data.batches import plan_batches
from train.data.collate import MEMBERS, PaddedCollator, make_collator
from train.data.token_cache import read_examples
from train.loop.training_arguments import make_arguments
from train.loop.trl_trainer import TraceTrainer, make_trainer
from train.models.load_model import load_model
from train.models.model_files import load_tokenizer_and_processor
from train.recipe import PartPolicy, Recipe


def test_a_micro_batch_is_moved_when_the_one_before_is_done(
    vision_recipe: Callable[..., Recipe], monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = vision_recipe(steps=2, batch_size=6, micro_batch=2)
    tokenizer, processor = load_tokenizer_and_processor(recipe.model.path)
    examples = read_examples(recipe, tokenizer, processor)
    plan = plan_batches(recipe, examples, 1)
    assert plan.accumulation == 3
    arguments = make_arguments(recipe, plan)
    trainer = make_trainer(recipe, arguments, load_model(recipe), tokenizer, examples, plan, processor)
    events: list[str] = []

    def recorded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            events.append(name)
            return function(*args, **kwargs)

        return call

    send = accelerate.data_loader.send_to_device
    monkeypatch.setattr(accelerate.data_loader, "send_to_device", recorded("moved", send))
    for name, method in (("moved", "_prepare_inputs"), ("computed", "compute_loss")):
        monkeypatch.setattr(TraceTrainer, method, recorded(name, getattr(TraceTrainer, method)))
    trainer.train()
    assert events == ["moved", "computed"] * 6


@pytest.mark.long
@pytest.mark.parametrize("arch", ["qwen2_5_vl", "internvl"])
@pytest.mark.parametrize("vision", ["frozen", "full"])
def test_pixels_in_bfloat16_change_no_loss_and_no_gradient(
    arch: str, vision: PartPolicy, vision_recipe: Callable[..., Recipe], vision_models: dict[str, Any]
) -> None:
    spec = {"path": str(vision_models[arch]), "dtype": "bfloat16"}
    recipe = vision_recipe(model=spec, trainable={"vision": vision, "projector": "full"})
    tokenizer, processor = load_tokenizer_and_processor(recipe.model.path)
    examples = read_examples(recipe, tokenizer, processor)
    model: Any = load_model(recipe).train()
    collator = make_collator(recipe, examples, model.config, 0, processor)
    assert isinstance(collator, PaddedCollator)
    assert collator.pictures is not None
    grads = []
    for dtype in (torch.bfloat16, torch.float32):
        collator.pictures._dtype = dtype
        batch = collator([{MEMBERS: [0, 1, 2, 3]}])
        assert batch["pixel_values"].dtype == dtype
        del batch["roles"]
        with torch.autocast("cpu", torch.bfloat16):
            loss = model(**batch, use_cache=False).loss
        loss.backward()
        grads.append([loss.detach(), *(p.grad for p in model.parameters() if p.grad is not None)])
        model.zero_grad()
    assert len(grads[0]) == len(grads[1]) > 10
    assert all(torch.equal(one, other) for one, other in zip(*grads, strict=True))
    in_float32 = make_collator(vision_recipe(model={**spec, "dtype": "float32"}), examples, model.config, 0, processor)
    for members in ([0, 1, 2], [0]):
        assert in_float32([{MEMBERS: members}])["pixel_values"].dtype == torch.float32
