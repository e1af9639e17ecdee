"""Seconds of processor time until a command answers when there is nothing to do, or what it needs is not there.

    python -m benchmarks.startup [--runs 5] [--folder FOLDER]

Each command runs in a fresh process; the figure is the least of the runs, user and system time of the process and its
children, so that a busy machine changes it little. FOLDER keeps the finished runs that are started again (a tiny
experiment, made in minutes); without it they are made in a temporary folder.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

_EXPERIMENT = ("experiment", "demo", "--tiny", "--set", "output=demo")
_EVALUATION = (
    *("eval", "--model", "demo-tiny/init-0", "--problems", "demo-tiny/data/test.jsonl", "-o", "evaluated"),
    *("--prompt", "bare", "--max-new-tokens", "16"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        _make_finished_runs(folder)
        print("| command | seconds | exit status |\n|---|---:|---:|")
        for name, command in _commands().items():
            timed = [_run(command, folder) for _ in range(options.runs)]
            print(f"| {name} | {min(seconds for seconds, _ in timed):.2f} | {timed[0][1]} |", flush=True)


def _commands() -> dict[str, list[str]]:
    """What is measured, by the name that the table gives it."""
    return {
        "`srt --version`": _srt("--version"),
        "`srt --help`": _srt("--help"),
        "`from srt import solve`": [sys.executable, "-c", "from srt import solve"],
        "`srt preflight nothere.yaml`": _srt("preflight", "nothere.yaml"),
        "`srt train` of a model that is not there": _srt("train", "no_model.yaml"),
        "the same with `--accelerate`": _srt("train", "no_model.yaml", "--accelerate", "configs/cpu.yaml"),
        "`srt train` of a finished run": _srt("train", "finished.yaml"),
        "`srt eval` of a model that is not there": _srt(*_EVALUATION[:2], "nothere", *_EVALUATION[3:]),
        "`srt eval` of a finished run": _srt(*_EVALUATION),
        "`srt experiment` of a finished experiment": _srt(*_EXPERIMENT),
    }


def _make_finished_runs(folder: Path) -> None:
    for command in (_EXPERIMENT, _EVALUATION):
        subprocess.run(_srt(*command), cwd=folder, check=True, stdout=sys.stderr)
    recipe = yaml.safe_load((folder / "demo-tiny/runs/srt-0/recipe.yaml").read_text("utf-8"))
    (folder / "finished.yaml").write_text(yaml.safe_dump(recipe), "utf-8")
    without = {**recipe, "model": {**recipe["model"], "path": "nothere"}}
    (folder / "no_model.yaml").write_text(yaml.safe_dump(without), "utf-8")


def _srt(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "srt", *arguments]


def _run(command: list[str], folder: Path) -> tuple[float, int]:
    """The processor time of ``command`` in ``folder``, in seconds, and its exit status."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    status = subprocess.run(command, cwd=folder, capture_output=True).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, status


if __name__ == "__main__":
    main()
