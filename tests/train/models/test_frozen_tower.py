"""A frozen vision tower costs a forward pass and nothing else, in every vision recipe that the project comes with."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from train.data.batches import plan_batches
from train.data.token_cache import read_examples
from train.loop.training_arguments import make_arguments
from train.loop.trl_trainer import make_trainer
from train.models.load_model import load_model
from train.models.model_files import load_family, load_tokenizer_and_processor
from train.recipe_reader import load_recipe

RECIPES = Path(__file__).parents[3] / "recipes" / "train"
VISION_RECIPES = sorted(path for path in RECIPES.glob("*-*.yaml") if "pictures" in (load_recipe(path).data or ""))


@pytest.mark.long
@pytest.mark.parametrize("path", VISION_RECIPES, ids=lambda path: path.stem)
def test_no_gradient_reaches_it(path: Path, vision_data: Path, vision_models: dict[str, Path], tmp_path: Path) -> None:
    changes = {
        "model.path": vision_models["internvl" if "internvl" in path.stem else "qwen2_5_vl"],
        "data": vision_data,
        "output": tmp_path / "run",
        "epochs": "null",
        "steps": 1,
        "batch_size": 4,
        "gradient_checkpointing": "true",
        "workers": 0,
        "threads": 1,
    }
    recipe = load_recipe(path, [f"{key}={value}" for key, value in changes.items()])
    recipe = recipe.model_copy(update={"chat_template_kwargs": {}})  # those of another family's template
    tokenizer, processor = load_tokenizer_and_processor(recipe.model.path)
    examples = read_examples(recipe, tokenizer, processor)
    plan = plan_batches(recipe, examples, 1)
    arguments = make_arguments(recipe, plan)
    trainer = make_trainer(recipe, arguments, load_model(recipe), tokenizer, examples, plan, processor)

    family = load_family(recipe.model.path)
    base: Any = trainer.model.get_base_model() if recipe.lora else trainer.model
    with_gradient: dict[str, bool] = {}

    def look(name: str, module: Any, inputs: Any, output: Any) -> None:
        tensors = output if isinstance(output, tuple) else (output,)
        with_gradient[name] = any(torch.is_tensor(tensor) and tensor.requires_grad for tensor in tensors)

    for name, module in base.named_modules():
        if next(module.children(), None) is None:
            module.register_forward_hook(partial(look, name))
    trainer.train()

    tower = {name: reached for name, reached in with_gradient.items() if family.part_of(name) == "vision"}
    assert len(tower) > 10
    assert not [name for name, reached in tower.items() if reached]
    assert any(reached for name, reached in with_gradient.items() if family.part_of(name) == "language")
