"""The steps one after another, each in a separate process, so that one that crashes does not stop the others.

bash benchmarks/gpu/first_ten_minutes.sh [--minutes 10] [--out FOLDER] [--only STEP ...] [--tiny]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

# Before torch is imported, in every process: nothing is fetched and nothing is sent.
os.environ.update(HF_HUB_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1", TRANSFORMERS_VERBOSITY="error")
os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")

# The share of the minutes that each step may take at most; the two that measure speed fill theirs.
STEPS = {"kernels": 0.1, "losses": 0.3, "case-a": 0.25, "case-b": 0.25, "profile": 0.15}
_MARGIN = 2.0  # a step is stopped when it takes so many times its share


def main() -> int:
    """0: everything passed or was skipped; 1: something failed; 2: no GPU and not ``--tiny``."""
    options = _parse()
    import torch

    if not options.tiny and not torch.cuda.is_available():
        print("error: no GPU found; --tiny runs every step with tiny models on the CPU", file=sys.stderr)
        return 2
    if options.step:
        return _run_step(options)
    device = platform.machine() if options.tiny else torch.cuda.get_device_name()
    out = options.out or Path("runs/first_ten_minutes")
    out.mkdir(parents=True, exist_ok=True)
    report: dict[str, Any] = {"device": device, "tiny": options.tiny, "steps": {}}
    for name in options.only or STEPS:
        begun = time.monotonic()
        checks = _in_a_process(name, options)
        report["steps"][name] = {"seconds": round(time.monotonic() - begun, 1), "checks": checks}
        for check in checks:
            print(f"{check['outcome']:8}{name}: {check['name']}: {check['line']}", flush=True)
        (out / "report.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    outcomes = [check["outcome"] for step in report["steps"].values() for check in step["checks"]]
    print(f"\n{'step':10}{'seconds':>8}{'pass':>6}{'fail':>6}{'skipped':>9}")
    for name, step in report["steps"].items():
        counts = [sum(check["outcome"] == kind for check in step["checks"]) for kind in ("pass", "fail", "skipped")]
        print(f"{name:10}{step['seconds']:8.0f}{counts[0]:6}{counts[1]:6}{counts[2]:9}")
    print(f"written: {out / 'report.json'}")
    return int("fail" in outcomes)


def _in_a_process(name: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Run a step and read its checks; a step that crashes or takes too long is one that failed."""
    with tempfile.TemporaryDirectory() as folder:
        result, seconds = Path(folder) / "checks.json", 60 * options.minutes * STEPS[name] * _MARGIN
        command = [sys.executable, "-m", "benchmarks.gpu.first_ten_minutes", "--step", name, "--out", folder]
        command += ["--minutes", str(options.minutes), *["--tiny"] * options.tiny]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds)
            said = (done.stdout + done.stderr).strip().splitlines()
        except subprocess.TimeoutExpired:
            said = [f"stopped after {seconds:.0f} s"]
        if result.exists():
            return json.loads(result.read_bytes())  # type: ignore[no-any-return]
        return [
            {"name": name, "outcome": "fail", "line": said[-1] if said else "it said nothing", "figures": said[-30:]}
        ]


def _run_step(options: argparse.Namespace) -> int:
    """In the process of a step: write its checks to ``checks.json`` in the folder ``--out``."""
    from benchmarks.gpu.first_ten_minutes import kernels, profile, same_losses, speed
    from benchmarks.gpu.first_ten_minutes.checks import Check, Place

    runs = {
        "kernels": kernels.run,
        "losses": same_losses.run,
        "case-a": speed.run_a,
        "case-b": speed.run_b,
        "profile": profile.run,
    }
    place = Place(options.tiny, options.out / "work", options.minutes * STEPS[options.step])
    place.folder.mkdir()
    try:
        checks = runs[options.step](place)
    except Exception as error:
        lines = traceback.format_exc().splitlines()
        checks = [Check(options.step, "fail", f"{type(error).__name__}: {error}", {"traceback": lines})]
    written = json.dumps([check._asdict() for check in checks], ensure_ascii=False, default=str)
    (options.out / "checks.json").write_text(written, encoding="utf-8")
    return 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="first_ten_minutes.sh", description="Check and measure a machine with GPUs.")
    parser.add_argument("--minutes", type=float, default=10.0, help="about how long all of it may take")
    parser.add_argument("--out", type=Path, help="folder of report.json")
    parser.add_argument("--only", nargs="+", choices=STEPS, metavar="STEP", help=f"of {', '.join(STEPS)}")
    parser.add_argument("--tiny", action="store_true", help="tiny models on the CPU, to see that every step runs")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
