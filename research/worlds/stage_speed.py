"""How much faster ``srt solve`` and ``srt check`` are than in an earlier checkout, on the same problems, in one run.

    git worktree add ../before 69c9b4b^                       # the commit before the first change for speed
    python -m research.worlds.stage_speed --before ../before [--n 5000] [--turns 3]

Each turn runs both checkouts with one process, one after the other, from the start of the process to the last byte.
Seconds are those of the processor, the least of the turns. Each checkout checks the traces that it has made itself.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
STAGES = {
    "solve": ["solve", "problems.jsonl", "-o", "traces.jsonl"],
    "check": ["check", "traces.jsonl", "--problems", "problems.jsonl", "-o", "checked.jsonl"],
}


def main() -> None:
    """Print a row for each stage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, required=True, help="a checkout of the earlier version")
    parser.add_argument("--world", default="seating")
    parser.add_argument("--n", type=int, default=5_000)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    print("| stage | records a second of processor time, before | now | ratio |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        problems = Path(place) / "problems.jsonl"
        cpu_seconds(HERE, ["generate", options.world, "-n", str(options.n), "-o", str(problems)], Path(place))
        folders = {checkout: Path(place) / name for name, checkout in (("before", options.before), ("now", HERE))}
        for folder in folders.values():
            folder.mkdir()
            (folder / problems.name).symlink_to(problems)
        for stage, command in STAGES.items():
            turns = [
                [cpu_seconds(checkout, [*command, "--workers", "1"], folder) for checkout, folder in folders.items()]
                for _ in range(options.turns)
            ]
            before, now = map(min, zip(*turns, strict=True))
            print(f"| {stage} | {options.n / before:,.0f} | {options.n / now:,.0f} | {before / now:.2f} |", flush=True)


def cpu_seconds(checkout: Path, command: list[str], folder: Path) -> float:
    """Processor time of ``srt COMMAND`` of ``checkout``, run in ``folder``."""
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve())}
    process = subprocess.Popen(
        [sys.executable, "-m", "srt", *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{checkout}: srt {' '.join(command)}: status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
