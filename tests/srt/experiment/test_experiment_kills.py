"""``srt experiment``, the real thing: processes, kills, and a report that is the same byte for byte."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
BOOTHS: dict[str, Any] = {"world": "seating", "n": 6, "spec": {"scenes": ["booth"], "names": 6}}
TINY: dict[str, Any] = {
    "name": "tiny",
    "arms": ["base", "answer", "srt"],
    "train_problems": [{**BOOTHS, "n": 200}],
    "test_problems": [{**BOOTHS, "n": 40}],
    "prompt": "bare",
    "parallel": 2,
    "model": {"arch": "llama", "options": {"hidden": 32, "layers": 1, "heads": 2, "vocab": 400}},
    "train": {
        "steps": 6,
        "save_steps": 2,
        "batch_size": 8,
        "learning_rate": 0.01,
        "max_length": 400,
        "threads": 1,
        "logging": {"steps": 2},
        "model": {"attn": "eager"},
    },
    "evaluate": {"max_new_tokens": 24, "batch_size": 10, "threads": 1},
}
# When to kill: as soon as something matches in the output folder.
MOMENTS = [
    "data/solved.jsonl",
    "data/srt.sequences.jsonl",
    "init-0",
    "runs/*-0/model/manifest.json",
    "runs/*-0/model/checkpoint-4/whole.json",
    "runs/srt-0/model/train.json",
    "tested/test/base-0/predictions.jsonl",
    "tested/test/srt-0/predictions.jsonl",
    "report",
]


def start(recipe: Path, log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", "from srt.cli import main; main()", "experiment", str(recipe)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    with open(log, "ab") as file:
        return subprocess.Popen(command, cwd=recipe.parent, env=env, stdout=file, stderr=file)


def alive(folder: Path) -> list[str]:
    """The command lines of processes that name ``folder`` (those that are dead and not buried have none)."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = process.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in command:
            found.append(command)
    return found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_kills_change_nothing(tmp_path: Path) -> None:
    reports = {}
    for name in ("whole", "broken"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "e.yaml").write_text(yaml.safe_dump(TINY | {"output": str(tmp_path / name / "out")}))
    recipe, log = tmp_path / "whole" / "e.yaml", tmp_path / "whole" / "log"
    assert start(recipe, log).wait(timeout=600) == 0, log.read_text()
    reports["whole"] = (tmp_path / "whole" / "out" / "report" / "report.md").read_bytes()

    recipe, log, out = tmp_path / "broken" / "e.yaml", tmp_path / "broken" / "log", tmp_path / "broken" / "out"
    killed = []
    for moment in MOMENTS:
        if any(out.glob(moment)):
            continue
        process = start(recipe, log)
        deadline = time.monotonic() + 300
        while not any(out.glob(moment)) and process.poll() is None:
            assert time.monotonic() < deadline, (moment, log.read_text())
            time.sleep(0.005)
        ran_out = process.poll()
        trainers = len(alive(out))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert ran_out is None, (moment, log.read_text())
        killed.append((moment, trainers))
        deadline = time.monotonic() + 60
        while alive(tmp_path / "broken") and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not alive(tmp_path / "broken"), "a trainer outlived the experiment"
    print("killed at (moment, trainers that ran):", killed)
    assert len(killed) >= 5
    assert any(trainers for _, trainers in killed), "no kill fell into a training"
    assert start(recipe, log).wait(timeout=600) == 0, log.read_text()
    assert "resuming from" in log.read_text()
    assert (out / "report" / "report.md").read_bytes() == reports["whole"]
    for arm in ("answer", "srt"):
        weights = [tmp_path / name / "out/runs" / f"{arm}-0/model/model.safetensors" for name in ("whole", "broken")]
        assert weights[0].read_bytes() == weights[1].read_bytes()
    # A finished experiment that is run again says the same.
    shutil.rmtree(out / "report")
    assert start(recipe, log).wait(timeout=600) == 0, log.read_text()
    assert (out / "report" / "report.md").read_bytes() == reports["whole"]
