"""Runs of the real command with tiny models, and of TRL's own trainer on the same sequences."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import torch
import yaml
from cells import BATCH, LEARNING_RATE, LORA, METHODS, STEPS, Way
from safetensors.torch import load_file

from train.data.batches import data_order
from train.data.token_cache import read_examples
from train.models.model_files import load_family, load_processor, load_tokenizer
from train.recipe import Recipe
from train.recipe_reader import make_recipe

ROOT = Path(__file__).parents[3]
GRADIENTS = "gradients.safetensors"


class Ended(NamedTuple):
    """What a run leaves behind: for each step loss and norm of the gradient, and the folder."""

    losses: list[tuple[int, float]]
    norms: list[float]
    folder: Path


def recipe_of(base: dict[str, Any], method: str, changes: dict[str, Any], output: Path) -> Recipe:
    common = {
        "output": str(output),
        "steps": STEPS,
        "batch_size": BATCH,
        "learning_rate": LEARNING_RATE,
        "logging": {"steps": 1},
        "threads": 1,
    }
    values = {**base, **common, **METHODS[method], **changes}
    values["model"] = {**base["model"], **METHODS[method].get("model", {})}
    if values.get("pack"):
        values["pack"] = max(values["pack"], values["max_length"])
    return make_recipe(values)


def launch(recipe: Recipe, folder: Path, way: Way) -> Ended:
    """Run the recipe; the gradients of its first step come to lie in `folder`."""
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump(recipe.model_dump(mode="json")), encoding="utf-8")
    command = [sys.executable, "-m", "accelerate.commands.launch", "--config_file", f"configs/{way.config}.yaml"]
    if way.processes is not None:
        command += ["--num_processes", str(way.processes)]
    command += [str(Path(__file__).with_name("record_gradients.py")), str(folder / GRADIENTS), "--config", str(path)]
    if way.killed_after is not None:
        kill_after_step(command, way.killed_after)
        assert not (Path(recipe.output) / "train.json").exists(), "it was done before it was killed"
        command.append("--resume")
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ("resuming from" in done.stdout) == (way.killed_after is not None)
    return ended_in(recipe)


def kill_after_step(command: list[str], step: int) -> None:
    """Start the command, and kill it with all its processes as soon as it has told of `step`."""
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as running:
        assert running.stdout is not None
        told = next((line for line in running.stdout if line.startswith(f"step {step}/")), None)
        os.killpg(running.pid, signal.SIGKILL)
    assert told is not None, "it ended before it was killed"


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": "1",
        "DS_ACCELERATOR": "cpu",
        # A launcher that is killed must not leave processes that hold what the next run waits for.
        "SRT_DIE_WITH_PARENT": "1",
        # DeepSpeed compiles a part of itself once. Two environments in one cache would take turns in building it anew.
        "TORCH_EXTENSIONS_DIR": str(Path(sys.prefix) / "torch_extensions"),
    }


def ended_in(recipe: Recipe) -> Ended:
    summary = json.loads((Path(recipe.output) / "train.json").read_text())
    norms = [row["grad_norm"] for row in summary.get("history", ()) if "grad_norm" in row]
    return Ended([(step, loss) for step, loss in summary["losses"]], norms, Path(recipe.output))


def weights(folder: Path) -> dict[str, torch.Tensor]:
    files = sorted(folder.glob("*.safetensors"))
    return {key: tensor for file in files for key, tensor in load_file(file).items()}


def run_plain_trl(recipe: Recipe, method: str, folder: Path) -> Ended:
    """TRL's own trainer on the sequences of each step, written to a file in their order."""
    path = recipe.model.path
    processor = load_processor(path) if load_family(path).reads_pictures else None
    examples = read_examples(recipe, load_tokenizer(path), processor)
    lines = Path(recipe.data).read_text(encoding="utf-8").splitlines()
    ordered = [lines[index] for index in data_order(examples, recipe.seed, recipe.batch_size, STEPS).ravel()]
    sequences = folder / "ordered.jsonl"
    sequences.write_text("\n".join(ordered), encoding="utf-8")
    (folder / "pictures").symlink_to(Path(recipe.data).parent / "pictures")
    settings = {"method": method, "lora": {"r": LORA["r"], "lora_alpha": LORA["alpha"]}, "seed": recipe.seed}
    settings |= {"steps": STEPS, "batch_size": BATCH, "learning_rate": LEARNING_RATE}
    (folder / "settings.json").write_text(json.dumps(settings))
    script, losses = Path(__file__).with_name("plain_trl.py"), folder / "losses.json"
    arguments = [path, sequences, folder / "settings.json", losses]
    command = [sys.executable, str(script), *map(str, arguments)]
    quiet = {**environment(), "HF_HUB_OFFLINE": "1", "TRL_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}
    done = subprocess.run(command, env=quiet, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(losses.read_text())
    return Ended([(step, loss) for step, loss, _ in rows], [norm for _, _, norm in rows], folder)
