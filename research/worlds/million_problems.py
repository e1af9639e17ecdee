"""What many problems cost: sampled, solved, checked and built into sequences on all cores of this machine.

    python -m research.worlds.million_problems [--n 10000 100000 1000000] [--world seating]
        [--suffix jsonl] [--folder F]

For each size and stage: seconds on the clock, problems a second, seconds of processor time of all processes, peak
memory of the command and of its largest worker, and the size of the file on disk. Files are removed after each size.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import psutil


class Cost(NamedTuple):
    """What a command took: seconds on the clock, seconds of processor time, and peaks of memory in MiB."""

    seconds: float
    processor: float
    command: int
    worker: int


def main() -> None:
    """Print a row for each size and stage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--world", default="seating")
    parser.add_argument("--suffix", choices=("jsonl", "parquet"), default="jsonl")
    parser.add_argument("--folder", type=Path, help="where to write (default: a temporary folder)")
    options = parser.parse_args()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{len(os.sched_getaffinity(0))} cores, load before: {load}")
    print("| problems | stage | seconds | a second | CPU seconds | MiB: command, worker | MB on disk |")
    print("|---|---|---|---|---|---|---|")
    for n in options.n:
        with tempfile.TemporaryDirectory(dir=options.folder) as place:
            measure(n, options.world, options.suffix, Path(place))


def measure(n: int, world: str, suffix: str, folder: Path) -> None:
    """Print the rows of ``n`` problems, whose files are written to ``folder``."""
    problems, traces, checked = (f"{name}.{suffix}" for name in ("problems", "traces", "checked"))
    sequences = "srt.parquet" if suffix == "parquet" else "srt/sequences.jsonl"
    stages = (
        ("generate", ["generate", world, "-n", str(n), "-o", problems], problems),
        ("solve", ["solve", problems, "-o", traces], traces),
        ("check", ["check", traces, "--problems", problems, "-o", checked], checked),
        ("build", ["build", traces, "--problems", problems, "-o", sequences.partition("/")[0]], sequences),
    )
    total = 0.0
    for stage, command, out in stages:
        cost = run(command, folder)
        total += cost.seconds
        size = (folder / out).stat().st_size / 1e6
        rate = f"{cost.seconds:,.0f} | {n / cost.seconds:,.0f} | {cost.processor:,.0f}"
        print(f"| {n:,} | {stage} | {rate} | {cost.command}, {cost.worker} | {size:,.0f} |", flush=True)
    held = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
    print(f"| {n:,} | all | {total:,.0f} | {n / total:,.0f} | | | {held:,.0f} |", flush=True)
    shutil.rmtree(folder / "srt", ignore_errors=True)


def run(command: Sequence[str], folder: Path) -> Cost:
    """What ``srt COMMAND`` in ``folder`` costs."""
    start = time.perf_counter()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, "-m", "srt", *command], cwd=folder, **quiet)
    watched = psutil.Process(process.pid)
    peaks, used = [0, 0], dict[int, float]()
    while process.poll() is None:
        try:
            for at, one in enumerate([watched, *watched.children(recursive=True)]):
                peaks[min(at, 1)] = max(peaks[min(at, 1)], one.memory_info().rss)
                times = one.cpu_times()
                used[one.pid] = times.user + times.system
        except psutil.Error:
            pass  # it has just ended
        time.sleep(0.2)
    if process.returncode:
        raise SystemExit(f"srt {' '.join(command)}: status {process.returncode}")
    return Cost(time.perf_counter() - start, sum(used.values()), peaks[0] >> 20, peaks[1] >> 20)


if __name__ == "__main__":
    main()
