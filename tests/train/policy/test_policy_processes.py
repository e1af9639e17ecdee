"""The same texts and rewards give the same steps in one process, under DDP and under FSDP2."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.train.policy.conftest import Make, furthest, weights
from train.recipe import Recipe
from train.run.resume import TrainSummary

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]
SCRIPT = Path(__file__).with_name("replay_texts.py")


def launch(recipe: Recipe, config: str, script: Path = SCRIPT) -> TrainSummary:
    path = Path(recipe.output).with_suffix(".yaml")
    path.write_text(yaml.safe_dump(recipe.model_dump(mode="json")), encoding="utf-8")
    command = [sys.executable, "-m", "accelerate.commands.launch", "--config_file", f"configs/{config}.yaml"]
    done = subprocess.run(
        [*command, str(script), "--config", str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return TrainSummary.model_validate_json((Path(recipe.output) / "train.json").read_bytes())


METHODS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "full": ({}, {}),
    "adapter, first fault, kl": ({"credit": "first_fault", "kl": 0.1}, {"lora": {"r": 4, "alpha": 8}}),
}


@pytest.mark.parametrize("config", ["cpu_ddp", "cpu_fsdp2"])
@pytest.mark.parametrize("method", [*METHODS, "pictures"])
def test_processes_share_a_batch_of_texts(method: str, config: str, grpo: Make, vision: Make, tmp_path: Path) -> None:
    make = vision if method == "pictures" else grpo
    changes, top = METHODS.get(method, ({}, {}))
    one = make(changes, **top, steps=4, micro_batch=4, output=str(tmp_path / "one"))
    two = make(changes, **top, steps=4, micro_batch=2, output=str(tmp_path / "two"))
    alone, shared = launch(one, "cpu"), launch(two, config)
    first, second = ([row["grad_norm"] for row in summary.history] for summary in (alone, shared))
    assert first == pytest.approx(second, rel=1e-4)
    assert furthest(weights(one.output), weights(two.output)) < 1e-5
    assert [row["reward"] for row in alone.history] == pytest.approx(
        [row["reward"] for row in shared.history], rel=1e-6
    )
    assert (alone.tokens, alone.examples) == (shared.tokens, shared.examples)


def test_processes_sample_together_where_weights_are_sharded(grpo: Make, tmp_path: Path, others: Path) -> None:
    """Their texts end at different lengths: one that has ended goes on until the other has."""
    recipe = grpo({"held_out": str(others)}, steps=2, eval_steps=1, micro_batch=4, output=str(tmp_path / "sampled"))
    summary = launch(recipe, "cpu_fsdp2", ROOT / "train" / "train_srt.py")
    assert [row["step"] for row in summary.eval_history] == [0, 1, 2]
    assert summary.processes == 2
