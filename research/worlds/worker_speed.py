"""How much faster the stages are with several processes: one against ``--workers``, on the same files, in one run.

    python -m research.worlds.worker_speed [--n 20000] [--workers 2] [--world seating]

For each stage: records a second on the clock with one process and with several, the ratio, whether the bytes are the
same, and the largest resident memory of a process of each. "Separate" is the ratio of as many commands of one process
at the same time, each on its part of the file: what the cores of this machine give programs that have nothing to do
with each other.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def main() -> None:
    """Print a row for each stage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--world", default="seating")
    options = parser.parse_args()
    print("| stage | a second, 1 process | with workers | ratio | separate | same bytes | MiB: 1, command, worker |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        one, several = Path(folder) / "one", Path(folder) / "several"
        parts = [Path(folder) / f"part-{i}" for i in range(options.workers)]
        for place in (one, several, *parts):
            place.mkdir()
        for stage, command, out in (
            ("generate", ["generate", options.world, "-n", str(options.n), "-o", "p.jsonl"], "p.jsonl"),
            ("solve", ["solve", "p.jsonl", "-o", "t.jsonl"], "t.jsonl"),
            ("check", ["check", "t.jsonl", "--problems", "p.jsonl", "-o", "c.jsonl"], "c.jsonl"),
            ("build", ["build", "t.jsonl", "--problems", "p.jsonl", "-o", "srt"], "srt/sequences.jsonl"),
        ):
            alone, memory, _ = run([*command, "--workers", "1"], one)
            shared, command_memory, worker_memory = run([*command, "--workers", str(options.workers)], several)
            if stage == "generate":
                lines = (one / out).read_bytes().splitlines(keepends=True)
                for i, part in enumerate(parts):
                    (part / out).write_bytes(b"".join(lines[i :: options.workers]))
                separate = ""
            else:
                separate = f"{alone / at_once([*command, '--workers', '1'], parts):.2f}"
            same = (one / out).read_bytes() == (several / out).read_bytes()
            speeds = f"{options.n / alone:,.0f} | {options.n / shared:,.0f} | {alone / shared:.2f} | {separate}"
            sizes = f"{memory}, {command_memory}, {worker_memory}"
            print(f"| {stage} | {speeds} | {'yes' if same else 'NO'} | {sizes} |", flush=True)


def at_once(command: Sequence[str], folders: Sequence[Path]) -> float:
    """Seconds until ``srt COMMAND`` has ended in each of ``folders``, all started at the same time."""
    start = time.perf_counter()
    started = [subprocess.Popen([sys.executable, "-m", "srt", *command], cwd=place, **QUIET) for place in folders]
    statuses = [process.wait() for process in started]
    if any(statuses):
        raise SystemExit(f"srt {' '.join(command)}: failed")
    return time.perf_counter() - start


def run(command: Sequence[str], folder: Path) -> tuple[float, int, int]:
    """Seconds of ``srt COMMAND`` in ``folder``, and the peak of memory of it and of its largest child, in MiB."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "srt", *command], cwd=folder, **QUIET)
    peaks = [0, 0]
    watched = psutil.Process(process.pid)
    while process.poll() is None:
        try:
            peaks[0] = max(peaks[0], watched.memory_info().rss)
            peaks[1] = max(peaks[1], *(child.memory_info().rss for child in watched.children(recursive=True)), 0)
        except psutil.Error:
            pass  # it has just ended
        time.sleep(0.2)
    if process.returncode:
        raise SystemExit(f"srt {' '.join(command)}: status {process.returncode}")
    return time.perf_counter() - start, peaks[0] >> 20, peaks[1] >> 20


if __name__ == "__main__":
    main()
