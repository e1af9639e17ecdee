"""A run that a signal stops, at whatever moment, leaves a whole checkpoint, and goes on as if nothing had happened."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch
import yaml
from safetensors.torch import load_file

import train.loop.run_trainer as run_trainer
import train.loop.trl_trainer as trl_trainer
import train.train_srt as script
from srt.io.errors import UserError
from train.loop.preemption import STOPPED
from train.recipe import Recipe
from train.run.resume import is_complete
from train.train_srt import main, train

ROOT = Path(__file__).parents[2]
SHAPE: dict[str, Any] = {"steps": 6, "logging": {"steps": 1}, "scheduler": "linear", "micro_batch": 4}


def write(recipe: Recipe, path: Path) -> str:
    path.write_text(yaml.safe_dump(recipe.model_dump(mode="json")))
    return str(path)


def weights(folder: str) -> dict[str, torch.Tensor]:
    return {name: tensor for file in Path(folder).glob("*.safetensors") for name, tensor in load_file(file).items()}


def assert_same_end(one: str, other: str) -> None:
    losses, wanted = (json.loads((Path(folder) / "train.json").read_text())["losses"] for folder in (one, other))
    assert losses == wanted
    mine, theirs = weights(one), weights(other)
    assert mine.keys() == theirs.keys()
    assert all(torch.equal(mine[name], theirs[name]) for name in mine)


def checkpoints(folder: str) -> list[str]:
    """The whole ones."""
    return sorted(path.name for path in Path(folder).glob("checkpoint-*") if is_complete(path))


# Where in a run of six steps the signal comes, and after which step the run ends; 0 where it ends before the first.
MOMENTS: dict[str, tuple[dict[str, Any], str, int]] = {
    "tokens are made": ({}, "read_examples", 0),
    "the model is loaded": ({}, "load_model", 0),
    "the first step": ({}, "step 0", 1),
    "a step": ({}, "step 3", 4),
    "a checkpoint is written": ({"save_steps": 2}, "save 2", 2),
}


def signal_at(moment: str, signals: list[signal.Signals], patch: pytest.MonkeyPatch, steps: list[int]) -> None:
    """Have this process signal itself at `moment`; `steps` gets the number of each step that is computed."""

    def send() -> None:
        for number in signals:
            os.kill(os.getpid(), number)

    step, save = trl_trainer.TraceTrainer.training_step, run_trainer.mark_complete

    def step_and_signal(self: Any, *args: Any, **kwargs: Any) -> Any:
        steps.append(self.state.global_step)
        if moment == f"step {steps[-1]}":
            send()
        return step(self, *args, **kwargs)

    def signal_and_mark(checkpoint: Path, seconds: float) -> None:
        if moment == f"save {checkpoint.name.rpartition('-')[2]}":
            send()
        save(checkpoint, seconds)

    patch.setattr(trl_trainer.TraceTrainer, "training_step", step_and_signal)
    patch.setattr(run_trainer, "mark_complete", signal_and_mark)
    if (call := getattr(script, moment, None)) is not None:
        patch.setattr(script, moment, lambda *args, **kwargs: (send(), call(*args, **kwargs))[1])


@pytest.mark.long
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_signal_at_any_moment(
    moment: str,
    recipe: Callable[..., Recipe],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    changes, where, last = MOMENTS[moment]
    shape = SHAPE | changes
    train(recipe(output=str(tmp_path / "whole"), **shape))
    broken = recipe(output=str(tmp_path / "broken"), **shape)
    path = write(broken, tmp_path / "r.yaml")
    before, steps = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGUSR1)], list[int]()
    # The second one changes nothing.
    signals = [signal.SIGTERM, signal.SIGTERM] if moment == "a step" else [signal.SIGUSR1]
    with monkeypatch.context() as patch:
        signal_at(where, signals, patch, steps)
        assert main(["--config", path]) == STOPPED == 143
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGUSR1)] == before
    assert max(steps, default=-1) == last - 1, "the step in which the signal came was the last"
    output = capsys.readouterr().out
    if last:
        assert f"stopped by a signal after step {last}: checkpoint written" in output
        assert checkpoints(broken.output) == [f"checkpoint-{last}"]
        with pytest.raises(UserError, match=rf"output .* step {last}: .*--resume"):
            train(broken)
    else:
        assert "stopped by a signal before the first step" in output
        assert not Path(broken.output).exists() or not [
            file for file in Path(broken.output).iterdir() if file.name != ".lock"
        ]
    assert main(["--config", path, "--resume"]) == 0
    assert_same_end(broken.output, str(tmp_path / "whole"))


def test_until_a_step(recipe: Callable[..., Recipe], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, stopped = (recipe(output=str(tmp_path / name), **SHAPE) for name in ("whole", "stopped"))
    train(whole)
    path = write(stopped, tmp_path / "r.yaml")
    assert main(["--config", path, "--until", "2"]) == 0
    assert "stopped after step 2: checkpoint written" in capsys.readouterr().out
    assert checkpoints(stopped.output) == ["checkpoint-2"]
    for until, last in ((2, 2), (1, 2), (4, 4)):  # a step that is done already changes nothing
        assert main(["--config", path, "--resume", "--until", str(until)]) == 0
        assert f"stopped after step {last}" in capsys.readouterr().out
    assert (Path(stopped.output) / "checkpoint-4" / "tokenizer.json").exists(), "a checkpoint can be evaluated"
    assert main(["--config", path, "--resume", "--until", "6"]) == 0  # the last
    assert checkpoints(stopped.output) == ["checkpoint-4", "checkpoint-6"]
    assert not (Path(stopped.output) / "train.json").exists()
    assert main(["--config", path, "--resume"]) == 0
    assert_same_end(stopped.output, whole.output)


STEADY: dict[str, Any] = {**SHAPE, "scheduler": "constant", "warmup": 2}


def stages_of(recipe: Recipe, last: int) -> dict[str, Any]:
    parts = [{"name": name, "data": recipe.data, "items": items} for name, items in (("first", 16), ("last", last))]
    return {"data": None, "steps": None, "stages": parts}


@pytest.mark.long
@pytest.mark.parametrize("lengthen", ["steps", "epochs", "stages"])
@pytest.mark.parametrize("until", [3, 4])
def test_a_run_that_stopped_is_made_longer(
    lengthen: str, until: int, recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    """As if it had been so long from the beginning, whether it stopped on its way or at its last step."""
    size = recipe().batch_size
    problems = len(Path(recipe().data_file).read_bytes().splitlines())
    short, long = {
        "steps": ({"steps": 4}, {"steps": 6}),
        "epochs": ({"steps": None, "epochs": 4 * size / problems}, {"steps": None, "epochs": 6 * size / problems}),
        "stages": (stages_of(recipe(), 4 * size - 16), stages_of(recipe(), 6 * size - 16)),
    }[lengthen]
    train(recipe(output=str(tmp_path / "whole"), **STEADY | long))
    changed = {
        name: recipe(output=str(tmp_path / "out"), **STEADY | part) for name, part in (("a", short), ("b", long))
    }
    paths = {name: write(part, tmp_path / f"{name}.yaml") for name, part in changed.items()}
    assert main(["--config", paths["a"], "--until", str(until)]) == 0
    assert main(["--config", paths["b"], "--resume"]) == 0
    assert_same_end(str(tmp_path / "out"), str(tmp_path / "whole"))


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"warmup": 0.25}, "longer: warmup"),
        ({"scheduler": "linear"}, "longer: scheduler"),
        ({"decay": 2}, "longer: decay"),
        ({"early_stopping": {"patience": 9}}, "longer: early_stopping"),
        ({"steps": 3}, "what differs: steps"),
        ({"seed": 1}, "seed"),
        ({"learning_rate": 1e-4}, "learning_rate"),
    ],
)
def test_no_other_run_is_made_longer(
    changes: dict[str, Any],
    fault: str,
    recipe: Callable[..., Recipe],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Steps that are done must be those of the longer run, too; and a run is not made shorter."""
    bound = ("warmup", "scheduler", "decay", "early_stopping")
    unsteady = {key: value for key, value in changes.items() if key in bound}
    if "early_stopping" in changes:
        unsteady |= {"eval_data": recipe().data, "eval_steps": 2}
        changes = unsteady
    chosen = recipe(output=str(tmp_path / "out"), **STEADY | unsteady | {"steps": 4})
    assert main(["--config", write(chosen, tmp_path / "r.yaml"), "--until", "4"]) == 0
    longer = recipe(output=str(tmp_path / "out"), **STEADY | {"steps": 6} | changes)
    assert main(["--config", write(longer, tmp_path / "r.yaml"), "--resume"]) == 2
    assert fault in capsys.readouterr().err


@pytest.mark.parametrize("step", ["0", "-3", "x"])
def test_a_step_to_stop_after_is_one_from_1_on(step: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--config", "r.yaml", "--until", step])
    assert "--until" in capsys.readouterr().err


def test_a_finished_run_is_not_made_longer(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    train(recipe(output=str(tmp_path / "out"), **STEADY | {"steps": 4}))
    with pytest.raises(UserError, match=r"what differs: steps .*finished"):
        train(recipe(output=str(tmp_path / "out"), **STEADY), resume=True)


def test_a_signal_after_the_last_step_does_not_undo_it(
    recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = recipe(output=str(tmp_path / "out"), **SHAPE)
    save = trl_trainer.TraceTrainer.save_final

    def signal_and_save(self: Any, output: Path) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        save(self, output)

    monkeypatch.setattr(trl_trainer.TraceTrainer, "save_final", signal_and_save)
    assert main(["--config", write(chosen, tmp_path / "r.yaml")]) == 0
    assert (tmp_path / "out" / "train.json").exists()


SLOW_DISK = """
import os, time
replace = os.replace
def slowly(source, target, **options):
    if str(target).endswith("whole.json"):
        time.sleep(4)
    return replace(source, target, **options)
os.replace = slowly
"""


class Running:
    """A command with a disk on which a checkpoint takes four seconds; its launcher is told to wait for one."""

    def __init__(self, command: list[str], folder: Path, **environment: str) -> None:
        (folder / "sitecustomize.py").write_text(SLOW_DISK)
        environment |= {"PYTHONPATH": f"{folder}:{ROOT}", "OMP_NUM_THREADS": "1"}
        self.output = list[str]()
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "TORCH_ELASTIC_SHUTDOWN_TIMEOUT": "1", **environment},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def until(self, start: str) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.output.append(line)
            if line.startswith(start):
                return
        raise AssertionError(f"it ended before {start!r}: {''.join(self.output)}")

    def processes(self) -> list[psutil.Process]:
        parent = psutil.Process(self._process.pid)
        return [parent, *parent.children(recursive=True)]

    def send(self, number: signal.Signals, *, to_all: bool = False) -> None:
        for process in self.processes()[: None if to_all else 1]:
            process.send_signal(number)

    def status(self) -> int:
        assert self._process.stdout is not None
        self.output += self._process.stdout.readlines()
        return self._process.wait(timeout=120)


def srt_train(recipe: str, config: str | None, *options: str) -> list[str]:
    launch = ["--accelerate", f"configs/{config}.yaml"] if config else []
    return [sys.executable, "-m", "srt", "train", recipe, *launch, *options]


def check_kill(config: str | None, broken: Recipe, whole: Recipe, folder: Path, *, to_all: bool = False) -> None:
    """Stop a run by a signal to `srt train` alone, or to every process there is; resume it; compare the ends."""
    assert Running(srt_train(write(whole, folder / "whole.yaml"), config), folder).status() == 0
    path = write(broken, folder / "broken.yaml")
    running = Running(srt_train(path, config), folder)
    running.until("step 3/")
    running.send(signal.SIGTERM, to_all=to_all)
    if to_all:
        time.sleep(1)
        running.send(signal.SIGTERM, to_all=True)
    assert running.status() == STOPPED, "".join(running.output)
    assert "stopped by a signal after step" in running.output[-1], "".join(running.output)
    assert len(checkpoints(broken.output)) == 1
    assert not list(Path(broken.output).glob("train.json"))
    resumed = Running(srt_train(path, config, "--resume"), folder)
    assert resumed.status() == 0, "".join(resumed.output)
    assert any(line.startswith("resuming from") for line in resumed.output)
    assert_same_end(broken.output, whole.output)


@pytest.mark.slow
@pytest.mark.parametrize("config", [None, "cpu", "cpu_ddp", "cpu_fsdp2"])
def test_srt_train_stops_and_goes_on(config: str | None, recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    shape = SHAPE | {"steps": 60}
    check_kill(
        config, recipe(output=str(tmp_path / "broken"), **shape), recipe(output=str(tmp_path / "o"), **shape), tmp_path
    )


@pytest.mark.slow
@pytest.mark.parametrize("config", ["cpu", "cpu_ddp"])
def test_a_signal_to_all_processes_of_a_job(config: str, vision_recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    """As Slurm sends it: also to the launcher and to the processes that open pictures, and more than once."""
    shape = SHAPE | {"steps": 40, "workers": 1, "lora": {"r": 4, "dropout": 0.2}}
    whole, broken = (vision_recipe(output=str(tmp_path / name), **shape) for name in ("whole", "broken"))
    check_kill(config, broken, whole, tmp_path, to_all=True)


@pytest.mark.slow
def test_a_signal_before_the_training_processes_are_there(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    chosen = recipe(output=str(tmp_path / "out"), **SHAPE)
    running = Running(srt_train(write(chosen, tmp_path / "r.yaml"), "cpu_ddp"), tmp_path)
    while len(running.processes()) < 2:  # the launcher has started, and imports what it needs
        time.sleep(0.05)
    running.send(signal.SIGUSR1)
    assert running.status() == STOPPED, "".join(running.output)
    assert "before the first step" in running.output[-1]


@pytest.mark.slow
@pytest.mark.parametrize("grace", ["1", "60"])
def test_the_launcher_alone_waits_as_long_as_it_is_told(
    grace: str, recipe: Callable[..., Recipe], tmp_path: Path
) -> None:
    chosen = recipe(output=str(tmp_path / "out"), **(SHAPE | {"steps": 60}))
    command = [sys.executable, "-m", "accelerate.commands.launch", "--config_file", "configs/cpu_ddp.yaml"]
    command += ["train/train_srt.py", "--config", write(chosen, tmp_path / "r.yaml")]
    running = Running(command, tmp_path, TORCH_ELASTIC_SHUTDOWN_TIMEOUT=grace)
    running.until("step 3/")
    running.send(signal.SIGTERM)
    assert running.status() == 1
    assert len(checkpoints(chosen.output)) == (grace == "60")


def test_a_short_grace_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TORCHELASTIC_RUN_ID", "TORCH_ELASTIC_SHUTDOWN_TIMEOUT", "PET_SHUTDOWN_TIMEOUT", "SRT_STATUS_FILE"):
        monkeypatch.delenv(name, raising=False)
    assert script.grace_note() is None
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "1")
    assert "TORCH_ELASTIC_SHUTDOWN_TIMEOUT" in (script.grace_note() or "")
    monkeypatch.setenv("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", "600")
    assert script.grace_note() is None
