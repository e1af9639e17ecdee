"""``configs/slurm/experiment.sh`` under commands that play Slurm: three jobs in order, the second with many tasks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]

# sbatch runs a job to its end before it prints the number, and as many tasks of an array at a time as it
# may. A job whose
# dependencies have failed is not run. A task that has made the file "running" is sent the signal of --signal=B:, to the
# shell alone, and is run again if it asks for that.
SBATCH = r"""
import json, os, pathlib, re, shutil, signal, subprocess, sys, time
here = pathlib.Path(os.environ["FAKE_SLURM"])
place = next(at for at, argument in enumerate(sys.argv) if at and not argument.startswith("--"))
script, arguments = pathlib.Path(sys.argv[place]), sys.argv[place + 1:]
options = re.findall(r"^#SBATCH (--\S+)$", script.read_text(), re.M) + sys.argv[1:place]
given = dict(option[2:].partition("=")[::2] for option in options)
where, name, seconds = re.fullmatch(r"(B:)(TERM|USR1)@(\d+)", given["signal"]).groups()
assert {"requeue", "parsable"} <= given.keys() and given["open-mode"] == "append" and int(seconds) >= 60
jobs = sorted(here.glob("job-*.json"))
number = 100 * (len(jobs) + 1)
kind, _, needed = given.get("dependency", "").partition(":")
assert kind in ("", "afterok")
before = json.loads((here / f"job-{needed}.json").read_text())["status"] if needed else [0]
status = []
def start(task):
    job = str(number + 1 + (task or 0))
    environment = {**os.environ, "SLURM_JOB_ID": job}
    if task is not None:
        environment |= {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_JOB_ID": str(number)}
    with open(given["output"].replace("%j", job), "a") as out:
        shutil.copy(script, here / f"slurm_script-{job}")
        return subprocess.Popen(["bash", here / f"slurm_script-{job}", *arguments], env=environment, stdout=out,
                                stderr=out)
if not any(before):
    array = given.get("array")
    last, at_once = re.fullmatch(r"0-(\d+)(?:%(\d+))?", array).groups() if array else (None, None)
    waiting = list(range(int(last) + 1)) if array else [None]
    running, status = {}, {}
    while running or waiting:
        while waiting and len(running) < int(at_once or 1000):
            task = waiting.pop(0)
            running[task] = start(task)
        for task, shell in list(running.items()):
            if (mark := here / f"running-{number + 1 + (task or 0)}").exists():
                mark.unlink()
                shell.send_signal(getattr(signal, "SIG" + name))
            if shell.poll() is not None:
                del running[task]
                if (again := here / f"requeued-{number + 1 + (task or 0)}").exists():
                    again.unlink()
                    running[task] = start(task)
                else:
                    status[task] = shell.returncode
        time.sleep(0.05)
    status = list(status.values())
record = {"step": os.environ.get("SRT_STEP"), "status": status, "array": given.get("array")}
(here / f"job-{number}.json").write_text(json.dumps(record))
print(f"{number};cluster")
"""
SCONTROL = r"""
import os, pathlib, sys
assert sys.argv[1] == "requeue"
(pathlib.Path(os.environ["FAKE_SLURM"]) / f"requeued-{sys.argv[2]}").touch()
"""
# Notes what it was asked for; the run of srt with seed 1 is stopped once, the recipe that fails always fails.
SRT = r"""#!/bin/bash
if [[ "$*" == *--runs* ]]; then
    printf '%s\n' "--arm base --seed 0" "--arm srt --arm srt-ban-INFER --seed 0" "--arm srt --seed 1"
    exit
fi
(IFS='|'; echo "$*" >>"$FAKE_SLURM/calls")
[[ "$2" == failing.yaml && "$*" != *--prepare* ]] && exit 2
if [[ "$*" == *"--seed 1"* && ! -e "$FAKE_SLURM/stopped" ]]; then
    trap 'touch "$FAKE_SLURM/stopped"; exit 143' TERM
    touch "$FAKE_SLURM/running-$SLURM_JOB_ID"
    while true; do sleep 0.05; done
fi
exit 0
"""


def submit(folder: Path, srt: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    commands = folder / "bin"
    commands.mkdir()
    python = f"#!{sys.executable}\n"
    for name, code in (("sbatch", python + SBATCH), ("scontrol", python + SCONTROL), ("srt", srt)):
        (commands / name).write_text(code)
        (commands / name).chmod(0o755)
    given = {
        "PATH": f"{commands}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": "1",
        "FAKE_SLURM": str(commands),
    }
    return subprocess.run(
        ["bash", str(ROOT / "configs/slurm/experiment.sh"), *arguments],
        cwd=folder,
        env={**os.environ, **given, **environment},
        capture_output=True,
        text=True,
    )


def jobs(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted((folder / "bin").glob("job-*.json"))]


def test_three_jobs_and_a_task_for_each_run(tmp_path: Path) -> None:
    done = submit(tmp_path, SRT, "r.yaml", "--set", "output=with a space", AT_ONCE="2")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "prepare 100, 3 runs 200, compare 300\n"
    assert [(job["step"], job["array"], job["status"]) for job in jobs(tmp_path)] == [
        ("prepare", None, [0]),
        ("run", "0-2%2", [0, 0, 0]),
        ("compare", None, [0]),
    ]
    calls = (tmp_path / "bin/calls").read_text().splitlines()
    head, tail = "experiment|r.yaml|", "--set|output=with a space"
    assert calls[0] == f"{head}--prepare|{tail}"
    assert calls[-1] == head + tail
    assert sorted(calls[1:-1]) == sorted(
        [
            f"{head}--arm|base|--seed|0|{tail}",
            f"{head}--arm|srt|--arm|srt-ban-INFER|--seed|0|{tail}",
            *[f"{head}--arm|srt|--seed|1|{tail}"] * 2,  # it was preempted once
        ]
    )


def test_nothing_is_compared_after_a_failure(tmp_path: Path) -> None:
    done = submit(tmp_path, SRT, "failing.yaml")
    assert done.returncode == 0, done.stderr
    assert [job["status"] for job in jobs(tmp_path)] == [[0], [2, 2, 2], []]


def test_a_recipe_that_is_wrong_submits_nothing(tmp_path: Path) -> None:
    done = submit(tmp_path, "#!/bin/bash\necho no such recipe >&2\nexit 2\n", "no.yaml")
    assert (done.returncode, done.stderr) == (2, "no such recipe\n")
    assert not jobs(tmp_path)


@pytest.mark.slow
def test_a_tiny_experiment_from_problems_to_the_comparison(tmp_path: Path) -> None:
    booths = {"world": "seating", "n": 12, "spec": {"scenes": ["booth"], "names": 6}}
    options = {"hidden": 16, "layers": 1, "heads": 2, "vocab": 400}
    recipe = {
        "name": "jobs",
        "output": "out",
        "arms": ["answer", "srt"],
        "train_problems": [booths],
        "test_problems": [{**booths, "n": 4}],
        "prompt": "bare",
        "model": {"arch": "llama", "options": options},
        "train": {"steps": 2, "batch_size": 4, "learning_rate": 1e-3, "max_length": 600, "model": {"dtype": "float32"}},
        "evaluate": {"max_new_tokens": 8},
    }
    (tmp_path / "r.yaml").write_text(yaml.safe_dump(recipe))
    srt = f'#!/bin/bash\nexec {sys.executable} -m srt "$@"\n'
    done = submit(tmp_path, srt, "r.yaml")
    logs = "\n".join(path.read_text() for path in sorted(tmp_path.glob("*.log")))
    assert done.returncode == 0, done.stderr
    assert [job["status"] for job in jobs(tmp_path)] == [[0], [0, 0], [0]], logs
    last = (tmp_path / "srt-experiment-301.log").read_text()
    assert "report.html" in last
    assert "step " not in last, "nothing was left to train"
    made = [path.parent.name for path in (tmp_path / "out/tested/test").glob("*/summary.json")]
    assert sorted(made) == ["answer-0", "srt-0"]
    assert (tmp_path / "out/result.json").exists()
