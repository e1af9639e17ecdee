"""``configs/slurm/train.sh`` under commands that play Slurm: a job is preempted, goes back into the queue, and ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from train.recipe import Recipe
from train.train_srt import train

ROOT = Path(__file__).parents[2]

# sbatch reads the options in the script, runs a copy of it from the present folder, sends the signal of --signal=B: to
# the shell alone as soon as the run has come to step 3, and runs the job again if it has asked for that.
SBATCH = r"""
import os, pathlib, re, shutil, signal, subprocess, sys, time
options, arguments = sys.argv[1:2], sys.argv[2:]
script = pathlib.Path(arguments[0])
options = re.findall(r"^#SBATCH (--\S+)$", script.read_text(), re.M) + options
given = dict(option[2:].partition("=")[::2] for option in options)
where, name, seconds = re.fullmatch(r"(B:)(TERM|USR1)@(\d+)", given["signal"]).groups()
assert "requeue" in given and given["open-mode"] == "append" and int(seconds) >= 60
here = pathlib.Path(os.environ["FAKE_SLURM"])
shutil.copy(script, here / "slurm_script")
environment = {**os.environ, "SLURM_JOB_ID": "71", "SLURM_JOB_NODELIST": f"n[1-{given['nodes']}]",
               "SLURM_NNODES": given["nodes"]}
log = pathlib.Path(given["output"].replace("%j", "71"))
for attempt in range(3):
    with open(log, "a") as out:
        command = ["bash", here / "slurm_script", *arguments[1:]]
        shell = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
    while attempt == 0 and shell.poll() is None:
        if "\nstep 3/" in log.read_text():
            shell.send_signal(getattr(signal, "SIG" + name))
            break
        time.sleep(0.2)
    status = shell.wait()
    if not (here / "requeued").exists():
        break
    (here / "requeued").unlink()
    (here / f"status-{attempt}").write_text(str(status))
sys.exit(status)
"""
# srun starts the command on each machine, and passes a signal on to every process that has come of it.
SRUN = r"""
import os, psutil, signal, subprocess, sys, time
options = [a for a in sys.argv[1:] if a.startswith("--")][:1]
assert options == ["--kill-on-bad-exit=1"]
nodes = range(int(os.environ["SLURM_NNODES"]))
tasks = [subprocess.Popen(sys.argv[2:], env={**os.environ, "SLURM_NODEID": str(node)}) for node in nodes]
def pass_on(number, frame):
    for task in tasks:
        if task.poll() is None:
            process = psutil.Process(task.pid)
            for each in [process, *process.children(recursive=True)]:
                each.send_signal(number)
signal.signal(signal.SIGTERM, pass_on)
while any(task.poll() is None for task in tasks):
    if any(task.poll() for task in tasks):
        time.sleep(1)
        for task in tasks:
            task.kill()
    time.sleep(0.1)
sys.exit(max(task.returncode if task.returncode >= 0 else 128 - task.returncode for task in tasks))
"""
SCONTROL = r"""
import os, pathlib, sys
if sys.argv[1:3] == ["show", "hostnames"]:
    assert sys.argv[3].startswith("n[1-")
    print("127.0.0.1\n127.0.0.2")
else:
    assert sys.argv[1:] == ["requeue", "71"]
    (pathlib.Path(os.environ["FAKE_SLURM"]) / "requeued").touch()
"""


def submit(nodes: int, recipe: Path, launch: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    commands = folder / "bin"
    commands.mkdir()
    for name, code in (("sbatch", SBATCH), ("srun", SRUN), ("scontrol", SCONTROL)):
        (commands / name).write_text(f"#!{sys.executable}\n{code}")
        (commands / name).chmod(0o755)
    (commands / "srt").write_text(f'#!/bin/bash\nexec {sys.executable} -m srt "$@"\n')
    (commands / "srt").chmod(0o755)
    path = f"{commands}:{os.environ['PATH']}"
    environment = {"PATH": path, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "FAKE_SLURM": str(commands)}
    command = ["sbatch", f"--nodes={nodes}", ROOT / "configs/slurm/train.sh", recipe, launch, *options]
    return subprocess.run(
        list(map(str, command)), cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True
    )


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [1, 2])
def test_preempted_and_finished(nodes: int, recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    shape: dict[str, Any] = {"steps": 50, "logging": {"steps": 1}, "micro_batch": 4}
    unbroken = train(recipe(output=str(tmp_path / "whole"), **shape))
    chosen = recipe(output=str(tmp_path / "to be replaced"), **shape)
    (tmp_path / "r.yaml").write_text(yaml.safe_dump(chosen.model_dump(mode="json")))
    launch = yaml.safe_load((ROOT / "configs/cpu_ddp.yaml").read_text())
    (tmp_path / "launch.yaml").write_text(yaml.safe_dump({**launch, "num_machines": nodes, "same_network": True}))
    changed = f"output={tmp_path / 'with a space'}"
    done = submit(nodes, tmp_path / "r.yaml", tmp_path / "launch.yaml", tmp_path, "--set", changed)
    log = (tmp_path / "srt-71.log").read_text()
    assert done.returncode == 0, log + done.stderr
    assert (tmp_path / "bin/status-0").read_text() == "143"
    assert not (tmp_path / "bin/status-1").exists(), "it was preempted once"
    assert "stopped by a signal after step" in log
    assert "resuming from" in log
    ended = json.loads((tmp_path / "with a space" / "train.json").read_text())
    assert ended["processes"] == 2
    assert [loss for _, loss in ended["losses"]] == pytest.approx([loss for _, loss in unbroken.losses], rel=1e-4)


@pytest.mark.slow
def test_a_job_that_fails_stays_out_of_the_queue(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    chosen = recipe(data=str(tmp_path / "no.jsonl"))
    (tmp_path / "r.yaml").write_text(yaml.safe_dump(chosen.model_dump(mode="json")))
    done = submit(1, tmp_path / "r.yaml", ROOT / "configs/cpu.yaml", tmp_path)
    assert done.returncode == 2
    assert "no.jsonl" in (tmp_path / "srt-71.log").read_text()
    assert not list((tmp_path / "bin").glob("status-*"))
