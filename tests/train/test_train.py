"""Whole runs of tiny models: they learn, they resume, they launch, and they touch no network."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from safetensors.torch import load_file

from srt.io.errors import UserError
from srt.io.folder_lock import hold_folder
from train.recipe import Recipe
from train.run.resume import TrainSummary
from train.train_srt import main, train

ROOT = Path(__file__).parents[2]


def write_recipe(recipe: Recipe, path: Path) -> Path:
    path.write_text(yaml.safe_dump(recipe.model_dump(mode="json")), encoding="utf-8")
    return path


def same_weights(one: str, other: str) -> bool:
    a, b = load_file(f"{one}/model.safetensors"), load_file(f"{other}/model.safetensors")
    return a.keys() == b.keys() and all(torch.equal(a[key], b[key]) for key in a)


@pytest.mark.parametrize("lora", [None, {"r": 8, "alpha": 32}])
def test_learns(lora: dict[str, Any] | None, recipe: Callable[..., Recipe]) -> None:
    chosen = recipe(lora=lora, steps=20, learning_rate=2e-2, logging={"steps": 5})
    summary = train(chosen)
    assert summary.losses[-1][1] < summary.losses[0][1] - (0.1 if lora else 1.0)
    assert [step for step, _ in summary.losses] == [5, 10, 15, 20]
    files = {path.name for path in Path(chosen.output).iterdir()}
    assert ("adapter_model.safetensors" if lora else "model.safetensors") in files
    assert {"tokenizer.json", "manifest.json", "train.json", "chat_template.jinja"} <= files
    assert not [name for name in files if name.endswith((".bin", ".pt")) or name.startswith("checkpoint")]
    assert TrainSummary.model_validate_json((Path(chosen.output) / "train.json").read_bytes()) == summary
    assert summary.trainable_parameters < summary.parameters if lora else True
    assert 0 < summary.trained_tokens < summary.tokens


def test_gradient_checkpointing_changes_memory_and_no_loss(
    recipe: Callable[..., Recipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recomputed: list[bool] = []
    calls = torch.utils.checkpoint.checkpoint

    def counted(*args: Any, **kwargs: Any) -> Any:
        recomputed.append(True)
        return calls(*args, **kwargs)

    for module in [m for name, m in sys.modules.items() if name.startswith(("transformers.", "torch.", "accelerate."))]:
        if getattr(module, "checkpoint", None) is calls:
            monkeypatch.setattr(module, "checkpoint", counted)
    shape: dict[str, Any] = {"steps": 1, "logging": {"steps": 1}}
    plain = train(recipe(output=str(tmp_path / "plain"), **shape))
    assert not recomputed
    thrifty = train(recipe(output=str(tmp_path / "thrifty"), gradient_checkpointing=True, **shape))
    assert recomputed, "nothing was recomputed: the option did nothing"
    assert thrifty.losses == plain.losses
    assert same_weights(str(tmp_path / "plain"), str(tmp_path / "thrifty"))


def test_segments_of_gpu_memory_may_grow_unless_the_user_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"):
        monkeypatch.delenv(name, raising=False)
    assert main(["--config", "missing.yaml"]) == 2
    assert os.environ["PYTORCH_ALLOC_CONF"] == "expandable_segments:True"
    monkeypatch.delenv("PYTORCH_ALLOC_CONF")
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:128")
    assert main(["--config", "missing.yaml"]) == 2
    assert "PYTORCH_ALLOC_CONF" not in os.environ


KILLED = """
import os, sys
import train.loop.run_trainer as trainer
mark = trainer.mark_complete
def mark_or_die(checkpoint, seconds):
    if checkpoint.name == "checkpoint-8":
        os._exit(9)
    mark(checkpoint, seconds)
trainer.mark_complete = mark_or_die
from train.train_srt import main
main(["--config", sys.argv[1]])
"""


def test_resumes_as_if_unbroken(
    recipe: Callable[..., Recipe], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shape: dict[str, Any] = {"steps": 10, "save_steps": 4, "logging": {"steps": 3}, "micro_batch": 4}
    whole = recipe(output=str(tmp_path / "whole"), **shape)
    broken = recipe(output=str(tmp_path / "broken"), **shape)
    unbroken = train(whole)
    capsys.readouterr()

    path = write_recipe(broken, tmp_path / "broken.yaml")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], cwd=ROOT, env=env(), capture_output=True)
    assert killed.returncode == 9, killed.stderr.decode()
    assert (tmp_path / "broken" / "checkpoint-8" / "model.safetensors").exists(), "half-written, and to be left alone"
    with pytest.raises(UserError, match=r"broken: output .* step 4: .*--resume"):
        train(broken)
    resumed = train(broken, resume=True)
    assert f"resuming from {tmp_path / 'broken' / 'checkpoint-4'}" in capsys.readouterr().out
    assert resumed.losses == unbroken.losses
    assert resumed.tokens == unbroken.tokens
    assert resumed.recipe_hash == unbroken.recipe_hash
    assert same_weights(whole.output, broken.output)

    # A finished run returns at once, and another recipe is refused.
    before = (tmp_path / "broken" / "model.safetensors").stat().st_mtime_ns
    assert train(broken) == resumed
    assert (tmp_path / "broken" / "model.safetensors").stat().st_mtime_ns == before
    changed = broken.model_copy(update={"seed": 5, "learning_rate": 0.5})
    with pytest.raises(UserError, match=r"seed \(0 there, 5 here\), learning_rate \(0\.01 there, 0\.5 here\)"):
        train(changed)


def test_faults_leave_nothing_behind(
    recipe: Callable[..., Recipe], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = recipe(data=str(tmp_path / "no.jsonl"), model={"path": str(tmp_path / "no_model")})
    assert main(["--config", str(write_recipe(bad, tmp_path / "bad.yaml"))]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert "no.jsonl" in captured.err
    assert "no_model" in captured.err
    for changes, message in [
        ({"lora": {"targets": ["q_proj", "w_proj"]}}, "lora.targets: .* w_proj"),
        ({"batch_size": 7, "micro_batch": 2}, "batch_size"),
        ({"max_length": 10}, "max_length"),
    ]:
        with pytest.raises(UserError, match=message):
            train(recipe(**changes))
    assert not (tmp_path / "run").exists()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.txt").touch()
    with pytest.raises(UserError, match="run: output"):
        train(recipe())
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["thesis.txt"]


def test_one_process_at_a_time_writes_to_the_output(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    with (
        hold_folder(tmp_path / "run"),
        pytest.raises(UserError, match=r"/run: "),
    ):
        train(recipe(steps=1))
    assert list((tmp_path / "run").iterdir()) == []
    assert train(recipe(steps=1)).steps == 1


PARENT = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", sys.argv[1], *sys.argv[2:]])
time.sleep(600)
"""
CHILD = """
import os, sys, time
import train.train_srt as script
def train(recipe, **options):
    print(os.getpid(), flush=True)
    time.sleep(600)
script.train = train
script.main(["--config", sys.argv[1]])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such a signal")
def test_it_dies_with_its_parent_where_asked_to(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    path = write_recipe(recipe(), tmp_path / "r.yaml")
    environment = {**env(), "SRT_DIE_WITH_PARENT": "1"}
    command = [sys.executable, "-c", PARENT, CHILD, str(path)]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        try:
            until = time.monotonic() + 60  # Far too long, but for a machine that is busy.
            while alive(child) and time.monotonic() < until:
                time.sleep(0.05)
            assert not alive(child)
        finally:
            if alive(child):
                os.kill(child, signal.SIGKILL)


def alive(process: int) -> bool:
    """Whether it runs; one that died and that nobody has buried yet does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def env() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


def launch(config: str, recipe_path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "accelerate.commands.launch", "--config_file", f"configs/{config}"]
    command += ["train/train_srt.py", "--config", str(recipe_path)]
    return subprocess.run(command, cwd=ROOT, env=env(), capture_output=True, text=True, timeout=300)


def test_accelerate_launch(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    chosen = recipe(steps=2)
    done = launch("cpu.yaml", write_recipe(chosen, tmp_path / "r.yaml"))
    assert done.returncode == 0, done.stderr
    assert "step 2/2  loss " in done.stdout
    assert (Path(chosen.output) / "train.json").exists()


@pytest.mark.slow
def test_two_processes_train_as_one(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    one = train(recipe(output=str(tmp_path / "one"), micro_batch=4))
    chosen = recipe(output=str(tmp_path / "two"), micro_batch=4)
    done = launch("cpu_ddp.yaml", write_recipe(chosen, tmp_path / "r.yaml"))
    assert done.returncode == 0, done.stderr
    two = json.loads((tmp_path / "two" / "train.json").read_text())
    assert two["processes"] == 2
    for (step, loss), (other_step, other_loss) in zip(one.losses, two["losses"], strict=True):
        assert step == other_step
        assert loss == pytest.approx(other_loss, abs=1e-4)


@pytest.mark.slow
def test_two_machines_train_as_one(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    """Two launchers with a rank each, as configs/two_nodes.yaml has it, that find each other by address and port."""
    one = train(recipe(output=str(tmp_path / "one"), micro_batch=4))
    chosen = write_recipe(recipe(output=str(tmp_path / "two"), micro_batch=4), tmp_path / "r.yaml")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    machines = []
    for rank in (0, 1):
        command = [sys.executable, "-m", "accelerate.commands.launch", "--config_file", "configs/cpu_ddp.yaml"]
        command += ["--num_machines", "2", "--num_processes", "2", "--machine_rank", str(rank)]
        command += ["--main_process_ip", "127.0.0.1", "--main_process_port", str(port)]
        command += ["train/train_srt.py", "--config", str(chosen)]
        machines.append(subprocess.Popen(command, cwd=ROOT, env=env(), stderr=subprocess.PIPE, text=True))
    for machine in machines:
        _, errors = machine.communicate(timeout=300)
        assert machine.returncode == 0, errors
    two = json.loads((tmp_path / "two" / "train.json").read_text())
    assert two["processes"] == 2
    assert [loss for _, loss in two["losses"]] == pytest.approx([loss for _, loss in one.losses], rel=1e-4)


def test_no_file_in_train_hides_a_module() -> None:
    """`accelerate launch train/train_srt.py` puts train/ first on the path: its files are top-level modules there."""
    here = {path.stem for path in (ROOT / "train").glob("*.py")} - {"__init__"}
    assert not here & set(sys.stdlib_module_names)
    installed = {path.stem for folder in sys.path if "site-packages" in folder for path in Path(folder).glob("*")}
    assert not here & installed
