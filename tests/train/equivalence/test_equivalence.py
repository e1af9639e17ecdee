"""Runs that must give the same losses, through the real command, with tiny models on a processor.

However a step is cut into pieces (accumulation, packing, processes, sharding) and wherever it is broken off, the same
sum is computed. Each run is held against the run of its group that takes a whole step at once in one process, and TRL's
own trainer (`plain_trl.py`, which shares no code with ours) against it too. The whole table is slow; a spread of it,
in this process where one is enough, runs with the quick tests.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
import yaml
from safetensors.torch import load_file

from train.data.batches import data_order
from train.data.examples import read_examples
from train.models.model_files import load_family, load_processor, load_tokenizer
from train.recipe import Recipe
from train.recipe_reader import make_recipe
from train.train_srt import train

ROOT = Path(__file__).parents[3]
STEPS, BATCH, LEARNING_RATE = 5, 8, 1e-2
LORA = {"r": 4, "alpha": 8}

CONTENTS = ("text", "pictures")
METHODS: dict[str, dict[str, Any]] = {
    "full": {},
    "lora": {"lora": LORA},
    "qlora": {"lora": LORA, "model": {"quantize": "nf4"}},
    # Parts of a model each in its own way: a copy of the vision tower is trained in full beside the adapters.
    "parts": {"lora": LORA, "trainable": {"vision": "full", "projector": "lora"}},
    "weighted": {"loss": {"correlate": 2.0, "infer": 0.5, "answer": 3.0, "other": 0.25}},
    "full in bfloat16": {"model": {"dtype": "bfloat16"}},
    "lora in bfloat16": {"lora": LORA, "model": {"dtype": "bfloat16"}},
    "qlora in bfloat16": {"lora": LORA, "model": {"dtype": "bfloat16", "quantize": "nf4"}},
}


class Way(NamedTuple):
    """One way to the same losses: a launch file of configs/, what differs in the recipe, the step of a kill."""

    config: str = "cpu"
    changes: dict[str, Any] = {}  # noqa: RUF012 - never changed
    killed_after: int | None = None


WHOLE = "one process, 8 at a time"
PACKED = {"pack": 128}
WAYS: dict[str, Way] = {
    WHOLE: Way(changes={"micro_batch": 8}),
    "1 x 8": Way(changes={"micro_batch": 1}),
    "DDP": Way("cpu_ddp", {"micro_batch": 2}),
    "FSDP2": Way("cpu_fsdp2", {"micro_batch": 2}),
    "ZeRO-2": Way("cpu_zero2", {"micro_batch": 2}),
    "ZeRO-3": Way("cpu_zero3", {"micro_batch": 2}),
    "packed": Way(changes=PACKED),
    "packed, DDP": Way("cpu_ddp", PACKED),
    "resumed": Way(changes={"micro_batch": 8, "save_steps": 2}, killed_after=4),
    "resumed, FSDP2": Way("cpu_fsdp2", {"micro_batch": 2, "save_steps": 2}, killed_after=4),
    "resumed, ZeRO-3": Way("cpu_zero3", {"micro_batch": 2, "save_steps": 2}, killed_after=4),
}
# Every content with every method in these ways, and TRL for all but the weighted loss, which it does not have.
EVERYWHERE = ("1 x 8", "DDP", "FSDP2", "ZeRO-2", "ZeRO-3", "packed", "resumed")
BESIDES = [
    ("text", "full", "packed, DDP"),
    ("pictures", "lora", "packed, DDP"),
    ("text", "full", "resumed, FSDP2"),
    ("text", "lora", "resumed, FSDP2"),
    ("text", "full", "resumed, ZeRO-3"),
    ("text", "lora", "resumed, ZeRO-3"),
    *(("pictures", "parts", way) for way in ("DDP", "FSDP2", "ZeRO-2", "ZeRO-3", "resumed")),
    ("pictures", "parts", "resumed, FSDP2"),
    ("pictures", "parts", "resumed, ZeRO-3"),
    ("text", "weighted", "1 x 8"),
    ("text", "weighted", "DDP"),
    ("text", "weighted", "ZeRO-3"),
    ("text", "weighted", "packed"),
    *(
        ("text", f"{method} in bfloat16", way)
        for method in ("full", "lora", "qlora")
        for way in ("FSDP2", "ZeRO-2", "ZeRO-3")
    ),
]
TABLE = [
    *((content, method, way) for content in CONTENTS for method in ("full", "lora", "qlora") for way in EVERYWHERE),
    *BESIDES,
]


class Ended(NamedTuple):
    """What a run leaves behind: for each step loss and norm of the gradient, and the folder."""

    losses: list[tuple[int, float]]
    norms: list[float]
    folder: Path


Runner = Callable[..., Ended]


@pytest.fixture(scope="session")
def base(data: Path, vision_data: Path, models: dict[str, Path], vision_models: dict[str, Path]) -> dict[str, Any]:
    return {
        "text": {"model": {"path": str(models["minimal"])}, "data": str(data), "max_length": 128},
        "pictures": {
            "model": {"path": str(vision_models["qwen2_5_vl"])},
            "data": str(vision_data),
            "max_length": 400,
        },
    }


@pytest.fixture(scope="session")
def run(base: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """Every run is made once, and compared as often as it is asked for."""
    ended: dict[tuple[str, str, str, bool], Ended] = {}

    def run_once(content: str, method: str, way: str, here: bool = False) -> Ended:
        key = (content, method, way, here)
        if key not in ended:
            folder = tmp_path_factory.mktemp("run")
            recipe = recipe_of(base[content], method, WAYS[way].changes, folder / "out")
            ended[key] = run_here(recipe) if here else launch(recipe, folder, WAYS[way])
        return ended[key]

    return run_once


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


def run_here(recipe: Recipe) -> Ended:
    train(recipe)
    return ended_in(recipe)


def launch(recipe: Recipe, folder: Path, way: Way) -> Ended:
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump(recipe.model_dump(mode="json")), encoding="utf-8")
    command = [sys.executable, "-m", "accelerate.commands.launch", "--config_file", f"configs/{way.config}.yaml"]
    command += ["train/train_srt.py", "--config", str(path)]
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


def run_plain_trl(recipe: Recipe, method: str, folder: Path) -> Ended:
    """TRL's own trainer on the sequences of each step, written to a file in their order."""
    path = recipe.model.path
    processor = load_processor(path) if load_family(path).reads_pictures else None
    examples = read_examples(recipe, load_tokenizer(path), processor)
    lines = Path(recipe.data).read_text(encoding="utf-8").splitlines()
    ordered = [lines[index] for index in data_order(examples, recipe.seed, recipe.batch_size, STEPS)]
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


def assert_same_losses(run: Ended, reference: Ended, rounded: bool = False) -> None:
    """Equal to 1e-4; where the arithmetic is in bfloat16, whose steps are of 4e-3, to 2e-3."""
    assert len(reference.losses) == STEPS
    for (step, loss), (same_step, wanted) in zip(run.losses, reference.losses, strict=True):
        assert step == same_step
        assert loss == pytest.approx(wanted, rel=2e-3 if rounded else 1e-4), f"step {step}"
    assert len(run.norms) == STEPS
    assert run.norms == pytest.approx(reference.norms, rel=2e-2 if rounded else 1e-3)
    assert reference.losses[-1][1] < reference.losses[0][1] - 0.03, "nothing was learned, so nothing was compared"


def assert_same_end(run: Ended, reference: Ended, start: str) -> None:
    """The ends of two runs lie 1% of the way apart at most: Adam turns rounding into steps where gradients are tiny."""
    one, other = weights(run.folder), weights(reference.folder)
    adapted = [key for key in other if "lora_B" in key]  # they begin at zero
    before = {key: torch.zeros_like(other[key]) for key in adapted} or weights(Path(start))
    assert set(before) <= set(one)
    apart = sum(float((one[key] - other[key]).square().sum()) for key in before)
    moved = sum(float((other[key] - before[key]).square().sum()) for key in before)
    assert moved > 0
    assert (apart / moved) ** 0.5 < 0.01


def weights(folder: Path) -> dict[str, torch.Tensor]:
    files = sorted(folder.glob("*.safetensors"))
    return {key: tensor for file in files for key, tensor in load_file(file).items()}


def group(content: str, method: str) -> Any:
    """Under pytest-xdist (`--dist loadgroup`), runs that are compared with one another stay in one process."""
    return pytest.mark.xdist_group(f"{content}-{method}")


@pytest.mark.parametrize(
    ("content", "method", "way"),
    [
        pytest.param(*cell, id="-".join(cell))
        for cell in (
            ("text", "full", "1 x 8"),
            ("text", "weighted", "packed"),
            ("text", "qlora", "packed"),
            ("text", "lora", "DDP"),
            ("pictures", "lora", "1 x 8"),
            ("pictures", "full", "packed"),
            ("pictures", "lora", "FSDP2"),
        )
    ],
)
def test_a_spread_of_the_table(content: str, method: str, way: str, run: Runner, base: dict[str, Any]) -> None:
    """What one process does is done in this one, to save the time in which libraries are imported."""
    reference = run(content, method, WHOLE, here=True)
    ended = run(content, method, way, here=WAYS[way].config == "cpu")
    assert_same_losses(ended, reference)
    assert_same_end(ended, reference, base[content]["model"]["path"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "method", "way"),
    [pytest.param(*cell, id="-".join(cell), marks=group(*cell[:2])) for cell in TABLE],
)
def test_same_losses_and_weights(content: str, method: str, way: str, run: Runner, base: dict[str, Any]) -> None:
    reference = run(content, method, WHOLE)
    ended = run(content, method, way)
    rounded = method.endswith("bfloat16")
    assert_same_losses(ended, reference, rounded)
    if not rounded:  # where rounding decides a sign, Adam makes a whole step of it
        assert_same_end(ended, reference, base[content]["model"]["path"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "method"),
    [
        pytest.param(content, method, id=f"{content}-{method}", marks=group(content, method))
        for content in CONTENTS
        for method in ("full", "lora", "qlora")
    ],
)
def test_weights_of_one_give_the_losses_of_trl(
    content: str, method: str, run: Runner, base: dict[str, Any], tmp_path: Path
) -> None:
    recipe = recipe_of(base[content], method, {}, tmp_path / "unused")
    assert_same_losses(run(content, method, WHOLE), run_plain_trl(recipe, method, tmp_path))
