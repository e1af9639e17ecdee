"""The optimizers of a recipe: each is the library's, with its settings, and resumes to the bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from srt.io.errors import UserError
from tests.train.test_resume import check
from train.data.batches import BatchPlan, MicroBatches, plan_batches
from train.data.token_cache import read_examples
from train.loop.training_arguments import make_arguments
from train.loop.trl_trainer import TraceTrainer, make_trainer
from train.models.init_model import init_model, sequence_texts
from train.models.load_model import load_model, model_faults
from train.models.model_files import load_tokenizer
from train.preflight.activations import MicroBatchShape
from train.preflight.trial_step import run_trial_step
from train.recipe import Recipe
from train.recipe_reader import make_recipe
from train.run.run_manifest import read_manifest
from train.train_srt import train

Make = Callable[..., Recipe]


@pytest.fixture(scope="module")
def wide(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with matrices of 4,096 values and more: bitsandbytes keeps the moments of smaller ones in float32."""
    folder = tmp_path_factory.mktemp("wide")
    init_model("llama", sequence_texts([data]), folder, hidden=64, layers=1, heads=2, vocab=400)
    return folder


def build_trainer(recipe: Recipe) -> TraceTrainer:
    tokenizer = load_tokenizer(recipe.model.path)
    examples = read_examples(recipe, tokenizer)
    plan = plan_batches(recipe, examples, 1)
    return make_trainer(recipe, make_arguments(recipe, plan), load_model(recipe), tokenizer, examples, plan)


@pytest.mark.parametrize(
    ("optimizer", "kind"),
    [("adamw", torch.optim.AdamW), ("adamw_8bit", "AdamW"), ("adafactor", "Adafactor"), ("muon", "MuonWithAdamW")],
)
def test_each_is_the_librarys(optimizer: str, kind: Any, recipe: Make) -> None:
    changes = {"muon_learning_rate": 0.02} if optimizer == "muon" else {}
    made: Any = build_trainer(recipe(optimizer=optimizer, **changes)).create_optimizer()
    assert type(made).__name__ == kind if isinstance(kind, str) else type(made) is kind
    if optimizer == "adamw_8bit":
        assert type(made).__module__.startswith("bitsandbytes")
        assert made.args.optim_bits == 8
        assert not made.is_paged


def test_its_settings_reach_it(recipe: Make) -> None:
    chosen = recipe(beta1=0.8, beta2=0.95, eps=1e-6, max_grad_norm=0.25, weight_decay=0.3, neftune=5.0)
    trainer = build_trainer(chosen)
    groups = trainer.create_optimizer().param_groups
    assert {(group["betas"], group["eps"]) for group in groups} == {((0.8, 0.95), 1e-6)}
    assert trainer.args.max_grad_norm == 0.25
    assert trainer.neftune_noise_alpha == 5.0


def test_the_old_name_of_beta2_is_read(recipe: Make) -> None:
    values = recipe().model_dump(mode="json", exclude_none=True)
    del values["beta2"]
    assert make_recipe(values | {"adam_beta2": 0.95}).beta2 == 0.95
    with pytest.raises(UserError, match="beta2: is also given under its old name adam_beta2"):
        make_recipe(values | {"adam_beta2": 0.95, "beta2": 0.9})


@pytest.mark.parametrize(
    "changes",
    [
        {"optimizer": "adamw_8bit"},
        {"optimizer": "adafactor"},
        {"lora": {"r": 8, "plus_ratio": 16, "rslora": True}},
        {"neftune": 5.0},
    ],
    ids=["8-bit", "adafactor", "lora-plus", "neftune"],
)
def test_a_resumed_run_ends_as_one_that_was_not(
    changes: dict[str, Any], wide: Path, recipe: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(recipe, tmp_path, monkeypatch, model={"path": str(wide), "attn": "eager"}, **changes)


def test_moments_in_8_bits_are_counted(wide: Path, recipe: Make) -> None:
    chosen = recipe(optimizer="adamw_8bit", model={"path": str(wide), "attn": "eager"})
    tokenizer = load_tokenizer(chosen.model.path)
    examples, plan = read_examples(chosen, tokenizer), BatchPlan(MicroBatches.of([[0, 1]]), 1, 1)
    trial = run_trial_step(chosen, tokenizer, None, examples, plan, MicroBatchShape(2, 100, 50))
    assert trial.measured["optimizer"] == trial.estimated["optimizer"]
    trained = sum(weight.numel() for weight in load_model(chosen).parameters())
    assert trial.measured["optimizer"] < 0.8 * 8 * trained  # embeddings stay in float32


def test_groups_of_lora_plus(recipe: Make) -> None:
    chosen = recipe(lora={"r": 4, "plus_ratio": 16}, weight_decay=0.1, optimizer="adafactor", learning_rate=0.01)
    trainer = build_trainer(chosen)
    optimizer = trainer.create_optimizer()
    names = {id(weight): name for name, weight in trainer.model.named_parameters()}
    for group in optimizer.param_groups:
        factors = {names[id(weight)].split(".")[-3] for weight in group["params"]}
        assert factors == {"lora_A" if group["lr"] == 0.01 else "lora_B"}
        assert group["lr"] == pytest.approx(0.01 if factors == {"lora_A"} else 0.16)
        assert group["weight_decay"] == 0.1
    assert [len(group["params"]) for group in optimizer.param_groups] == [14, 14]


def test_noise_is_of_training_alone(recipe: Make, held_out: dict[str, Any]) -> None:
    """The loss that is trained on has it, an evaluation and the weights have not."""
    watched = {"eval_data": held_out["eval_data"], "eval_steps": 1, "logging": {"steps": 1}, "learning_rate": 1e-12}
    plain, noisy = (
        train(recipe(steps=1, neftune=neftune, output=f"{recipe().output}-{neftune}", **watched))
        for neftune in (None, 50.0)
    )
    assert abs(plain.losses[0][1] - noisy.losses[0][1]) > 1e-4
    assert plain.eval_history[0]["eval_loss"] == pytest.approx(noisy.eval_history[0]["eval_loss"], abs=1e-6)
    one, other = (load_file(f"{recipe().output}-{neftune}/model.safetensors") for neftune in (None, 50.0))
    assert one.keys() == other.keys()
    assert all(torch.allclose(one[name], other[name], atol=1e-9) for name in one)


def test_what_is_in_force_and_in_the_manifest(recipe: Make, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = recipe(steps=1, optimizer="adafactor", max_grad_norm=0.5, lora={"r": 4, "plus_ratio": 16})
    train(chosen)
    assert "gradient norm at most 0.5, optimizer adafactor" in capsys.readouterr().out
    manifest = read_manifest(Path(chosen.output))
    assert manifest.attempts[0].in_force["optimizer"] == "adafactor"
    for key in ("optimizer", "beta1", "beta2", "eps", "max_grad_norm", "min_learning_rate", "neftune"):
        assert key in manifest.fingerprint
    assert {"lora.plus_ratio", "lora.rslora", "lora.init"} <= manifest.fingerprint.keys()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize("name", ["paged_adamw", "paged_adamw_8bit"])
def test_pages_need_a_gpu(name: str, recipe: Make) -> None:
    assert [fault.split(": ")[:2] for fault in model_faults(recipe(optimizer=name))] == [["optimizer", name]]


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"optimizer": "adafactor", "beta2": 0.9}, "beta2: is of AdamW"),
        ({"neftune": 5.0, "pack": 200}, "neftune, pack"),
        ({"lora": {"init": "pissa", "dora": True}}, "lora.init, lora.dora"),
        ({"lora": {"init": "olora"}, "model": {"path": "m", "quantize": "nf4"}}, "lora.init: olora"),
        ({"lora": {"plus_ratio": 16}, "trainable": {"vision": "full"}}, "lora.plus_ratio: trainable.vision"),
        ({"lora": {"plus_ratio": 0.5}}, "lora.plus_ratio: "),
        ({"max_grad_norm": 0}, "max_grad_norm: "),
    ],
)
def test_what_cannot_be_combined(changes: dict[str, Any], key: str, recipe: Make) -> None:
    with pytest.raises(UserError, match=key):
        recipe(**changes)
