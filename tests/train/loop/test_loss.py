"""The loss against TRL's and against sums written out, padded and packed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import trl.trainer.utils
import yaml
from trl import SFTTrainer

from srt.io.errors import UserError
from train.data.batches import plan_batches
from train.data.examples import IGNORED, Example, Role
from train.data.token_cache import read_examples
from train.loop import trl_trainer
from train.loop.fused_head import score_by_fused_head
from train.loop.loss import batch_weight, figures_by_role, role_weights, sum_by_role
from train.loop.monitor import not_finite
from train.loop.training_arguments import make_arguments
from train.loop.trl_trainer import TraceTrainer, make_trainer
from train.models.load_model import load_model
from train.models.model_files import load_processor, load_tokenizer
from train.recipe import LossWeights, Recipe
from train.run.resume import TrainSummary, is_complete
from train.train_srt import train

ROOT = Path(__file__).parents[3]
WEIGHTS = {"correlate": 0.5, "constrain": 2.0, "infer": 3.0, "answer": 1.5, "other": 0.25}


def build(recipe: Recipe, *, vision: bool = False) -> tuple[TraceTrainer, list[Example]]:
    processor = load_processor(recipe.model.path) if vision else None
    tokenizer: Any = processor.tokenizer if processor else load_tokenizer(recipe.model.path)  # type: ignore[attr-defined]
    examples = read_examples(recipe, tokenizer, processor)
    plan = plan_batches(recipe, examples, 1)
    arguments = make_arguments(recipe, plan)
    model = load_model(recipe)
    return make_trainer(recipe, arguments, model, tokenizer, examples, plan, processor), examples


def batch_of(trainer: TraceTrainer) -> dict[str, Any]:
    return dict(next(iter(trainer.get_train_dataloader())))


def gradients(trainer: TraceTrainer, loss: torch.Tensor) -> list[torch.Tensor]:
    trainer.model.zero_grad()
    loss.backward()
    return [p.grad.clone() for p in trainer.model.parameters() if p.grad is not None]


@pytest.mark.parametrize("shape", [{}, {"pack": 800}, {"lora": {"r": 4}}], ids=["padded", "packed", "lora"])
@pytest.mark.parametrize("pictures", [False, True], ids=["text", "pictures"])
def test_weights_of_one_give_the_loss_of_trl(
    shape: dict[str, Any], pictures: bool, recipe: Callable[..., Recipe], vision_recipe: Callable[..., Recipe]
) -> None:
    path = recipe().model.path
    chosen = vision_recipe(**shape) if pictures else recipe(**shape, model={"path": path, "attn": "auto"})
    if pictures and "pack" in shape:
        chosen = vision_recipe(**shape, model={"path": chosen.model.path, "attn": "auto"})
    trainer, _ = build(chosen, vision=pictures)
    batch = batch_of(trainer)
    batch["labels"][0, : batch["labels"].size(1) // 2] = IGNORED
    theirs_of = {name: value for name, value in batch.items() if name != "roles"}
    for count in (None, torch.tensor(77.0)):
        theirs = SFTTrainer.compute_loss(trainer, trainer.model, dict(theirs_of), num_items_in_batch=count)
        ours = trainer.compute_loss(trainer.model, dict(batch), num_items_in_batch=count)
        torch.testing.assert_close(ours, theirs)
        for mine, other in zip(gradients(trainer, ours), gradients(trainer, theirs), strict=True):
            torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("pack", [None, 800])
def test_it_is_the_sum_that_it_says(pack: int | None, recipe: Callable[..., Recipe]) -> None:
    trainer, _ = build(recipe(pack=pack, model={"path": recipe().model.path}, loss=WEIGHTS))
    batch = batch_of(trainer)
    rest = {name: value for name, value in batch.items() if name not in ("labels", "roles")}
    with torch.no_grad():
        ours = trainer.compute_loss(trainer.model, dict(batch))
        logits = trainer.model(**rest, use_cache=False).logits.double()
    total, weights, rows = 0.0, 0.0, {role: [0, 0.0, 0, 0.0] for role in Role}
    for row in range(batch["labels"].size(0)):
        for place in range(1, batch["labels"].size(1)):
            label = int(batch["labels"][row, place])
            if label == IGNORED:
                continue
            role = Role(int(batch["roles"][row, place]))
            distribution = logits[row, place - 1].softmax(-1)
            nll = -float(distribution[label].log())
            weight = WEIGHTS[role.name.lower()]
            total, weights = total + weight * nll, weights + weight
            sums = rows[role]
            sums[0] += 1
            sums[1] += nll
            sums[2] += int(distribution.argmax()) == label
            sums[3] += -float((distribution * distribution.log()).sum())
    assert float(ours) == pytest.approx(total / weights, rel=1e-5)
    assert float(batch_weight(batch, trainer.weights)) == pytest.approx(weights)
    scores = score_by_fused_head(trainer.model, batch)
    torch.testing.assert_close(
        sum_by_role(scores), torch.tensor(list(rows.values()), dtype=torch.float64), rtol=1e-5, atol=1e-5
    )
    assert all(rows[role][0] for role in (Role.OTHER, Role.CORRELATE, Role.INFER, Role.ANSWER))


@pytest.mark.parametrize("pack", [None, 800])
def test_only_labelled_tokens_are_scored(pack: int | None, recipe: Callable[..., Recipe], monkeypatch: Any) -> None:
    trainer, _ = build(recipe(pack=pack, model={"path": recipe().model.path}))
    batch, scored = batch_of(trainer), []
    kernel = trl.trainer.utils._ChunkedLogProbFunction.apply

    def count(hidden: torch.Tensor, *rest: Any) -> Any:
        scored.append(hidden.size(0))
        return kernel(hidden, *rest)

    monkeypatch.setattr(trl.trainer.utils._ChunkedLogProbFunction, "apply", count)
    trainer.compute_loss(trainer.model, dict(batch))
    assert scored == [int((batch["labels"][:, 1:] != IGNORED).sum())]
    assert scored[0] < batch["labels"].numel()


def test_a_weight_of_nothing_is_no_label(recipe: Callable[..., Recipe]) -> None:
    trainer, _ = build(recipe(loss={"infer": 0}))
    batch = batch_of(trainer)
    without = dict(batch, labels=batch["labels"].masked_fill(batch["roles"] == Role.INFER, IGNORED))
    dropped = trainer.compute_loss(trainer.model, dict(batch))
    unlabelled = trainer.compute_loss(trainer.model, without)
    torch.testing.assert_close(dropped, unlabelled)
    for mine, other in zip(gradients(trainer, dropped), gradients(trainer, unlabelled), strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("nothing", ["weights", "labels"])
def test_a_batch_that_weighs_nothing_is_a_zero(nothing: str, recipe: Callable[..., Recipe]) -> None:
    trainer, _ = build(recipe())
    batch = batch_of(trainer)
    if nothing == "weights":
        trainer.weights = torch.zeros(len(Role))
    else:
        batch["labels"].fill_(IGNORED)
    loss = trainer.compute_loss(trainer.model, dict(batch), num_items_in_batch=batch_weight(batch, trainer.weights))
    assert float(loss.detach()) == 0
    assert all(bool((gradient == 0).all()) for gradient in gradients(trainer, loss))


def test_a_prompt_weighs_nothing() -> None:
    weights = role_weights(LossWeights.model_validate(WEIGHTS))
    assert weights[Role.PROMPT] == 0
    assert {role.name.lower(): float(weights[role]) for role in Role if role is not Role.PROMPT} == WEIGHTS


def test_figures_leave_out_what_does_not_occur() -> None:
    sums = torch.zeros(len(Role), 4, dtype=torch.float64)
    sums[Role.INFER] = torch.tensor([4, 2, 1, 8])
    sums[Role.ANSWER] = torch.tensor([1, 3, 1, 0])
    assert figures_by_role(sums) == {
        "accuracy": 0.4,
        "entropy": 1.6,
        "loss/infer": 0.5,
        "accuracy/infer": 0.25,
        "entropy/infer": 2.0,
        "loss/answer": 3.0,
        "accuracy/answer": 1.0,
        "entropy/answer": 0.0,
    }


def watched(history: list[dict[str, float]]) -> list[dict[str, float]]:
    """What does not depend on time, memory or padding."""
    names = ("step", "loss", "grad_norm", "learning_rate", "accuracy", "entropy")
    return [{k: v for k, v in row.items() if k in names or "/" in k} for row in history]


def history_of(recipe: Recipe) -> list[dict[str, float]]:
    trainer, _ = build(recipe)
    trainer.train()
    return trainer.history


def test_micro_batches_and_packing_do_not_change_it(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    shape: dict[str, Any] = {
        "steps": 3,
        "logging": {"steps": 2},
        "loss": WEIGHTS,
        "model": {"path": recipe().model.path},
        "max_length": 160,
    }
    whole = history_of(recipe(output=str(tmp_path / "8"), **shape))
    assert {key for row in whole for key in row if "/" in key} == {
        f"{figure}/{role}"
        for figure in ("loss", "accuracy", "entropy")
        for role in ("correlate", "infer", "answer", "other")
    }
    assert [row["step"] for row in whole] == [2, 3]
    for name, changes in {"2": {"micro_batch": 2}, "packed": {"pack": 160}}.items():
        other = history_of(recipe(output=str(tmp_path / name), **shape, **changes))
        for mine, theirs in zip(watched(whole), watched(other), strict=True):
            assert mine == pytest.approx(theirs, rel=1e-4), name


def test_nan_stops_the_run(recipe: Callable[..., Recipe], monkeypatch: Any) -> None:
    chosen = recipe(micro_batch=1, save_steps=1, logging={"steps": 1}, steps=3)
    trainer, examples = build(chosen)
    second = {problem for micro in trainer.problems_of(1) for problem in micro}
    bad = {problem: example for example in examples if (problem := example.problem_id) in sorted(second)[:2]}

    def score(model: Any, batch: Any) -> Any:
        scores = score_by_fused_head(model, batch)
        prompts = [example.input_ids.tolist() for example in bad.values()]
        poison = torch.nan if trainer.state.global_step == 1 and batch["input_ids"][0].tolist() in prompts else 1.0
        return scores._replace(log_probs=scores.log_probs * poison)

    monkeypatch.setattr(trl_trainer, "score_by_fused_head", score)
    with pytest.raises(UserError) as caught:
        trainer.train()
    named = ", ".join(sorted(bad))
    assert str(caught.value).startswith(f"step 2: the loss is nan, in a batch with the problems {named};")
    assert "\n" not in str(caught.value)
    assert is_complete(Path(chosen.output) / "checkpoint-1")
    assert not (Path(chosen.output) / "checkpoint-2").exists()


def test_the_message_for_nan_and_infinity() -> None:
    problems = [[f"p{n}" for n in range(6)], [f"p{n}" for n in range(6, 12)]]
    assert "the loss is inf, in a batch with the problems p10, p11, p6, p7, p8, p9;" in not_finite(
        4, [1.0, float("inf")], problems
    )
    line = not_finite(4, [1.0, 2.0], problems)
    assert line.startswith("step 5: the gradient is not finite, in a batch with the problems p0, p1, p10, ")
    assert " and 4 more;" in line


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{"micro_batch": 4}, {"pack": 160}], ids=["padded", "packed"])
def test_two_processes_watch_what_one_does(
    changes: dict[str, Any], recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    shape: dict[str, Any] = {"steps": 4, "loss": WEIGHTS, "model": {"path": recipe().model.path}, "max_length": 160}
    one = train(recipe(output=str(tmp_path / "one"), **shape, **changes))
    path = tmp_path / "two.yaml"
    path.write_text(yaml.safe_dump(recipe(output=str(tmp_path / "two"), **shape, **changes).model_dump(mode="json")))
    command = [sys.executable, "-m", "accelerate.commands.launch", "--config_file", "configs/cpu_ddp.yaml"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    command += ["train/train_srt.py", "--config", str(path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stderr
    two = TrainSummary.model_validate(json.loads((tmp_path / "two" / "train.json").read_text()))
    assert two.processes == 2
    for mine, theirs in zip(watched(one.history), watched(two.history), strict=True):
        assert mine == pytest.approx(theirs, rel=1e-4)
