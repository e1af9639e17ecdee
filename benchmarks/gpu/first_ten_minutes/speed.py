"""Cases a and b of the benchmark: speed beside TRL as its documentation tunes it, and memory beside its estimate."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from benchmarks.gpu.cases import OURS
from benchmarks.gpu.first_ten_minutes.checks import Check, Place, judged

_TUNED = "trl-tuned"
_MEMORY = 0.1  # the estimate may be off by so much


def run_a(place: Place) -> list[Check]:
    """Text, packed."""
    return _case("a", place)


def run_b(place: Place) -> list[Check]:
    """Pictures, packed."""
    return _case("b", place)


def _case(name: str, place: Place) -> list[Check]:
    out = place.folder / f"{name}.json"
    command = [sys.executable, "-m", "benchmarks.gpu", "--case", name, "--minutes", str(place.minutes)]
    done = subprocess.run(
        [*command, "--out", str(out), *["--tiny"] * place.tiny], capture_output=True, text=True, errors="replace"
    )
    if not out.exists():
        return [Check(f"case {name}", "fail", (done.stdout + done.stderr).strip().splitlines()[-1])]
    case = json.loads(out.read_bytes())["cases"][name]
    return [_speed(name, case, place.tiny), _memory(name, case["sides"][OURS])]


def _speed(name: str, case: dict[str, Any], tiny: bool) -> Check:
    title, sides = f"case {name}: speed", case["sides"]
    missing = [side for side, record in sides.items() if not record["blocks"]]
    if missing:
        refused = [attempt["message"] for side in missing for attempt in sides[side]["did_not_fit"]]
        return Check(title, "fail", f"{', '.join(missing)}: nothing was measured; {'; '.join(refused[-1:])}", case)
    speeds = ", ".join(f"{side} {record['tokens_per_second']:,.0f}" for side, record in sides.items())
    ratio = case["ratio_to"][_TUNED]
    line = f"{speeds} tokens/s; {ratio:.2f} of {_TUNED}"
    # Tiny models on a CPU show that everything runs; their speed means nothing.
    return Check(title, "pass" if tiny or ratio >= 1 else "fail", line if tiny else f"{line} (at least 1)", case)


def _memory(name: str, ours: dict[str, Any]) -> Check:
    title = f"case {name}: memory"
    if ours.get("memory_error") is None:
        return Check(
            title, "skipped", "the peak is measured on a GPU only", {"estimated_gib": ours.get("estimated_gib")}
        )
    line = f"peak {ours['peak_allocated_gib']:.1f} GiB; the estimate of preflight is off by"
    return judged(title, abs(ours["memory_error"]), _MEMORY, line, estimated_gib=ours["estimated_gib"])
