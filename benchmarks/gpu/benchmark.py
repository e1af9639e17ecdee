"""Speed and memory of training on one GPU: this project and TRL, alternating in one run, with random weights.

    python -m benchmarks.gpu --case a|b|c|all [--minutes 9] [--out FILE.json] [--variants] [--tiny]

Each side trains in blocks: the model is made, warmed up, timed and freed. The sides of a case alternate, in reverse
order in the next round, so that a device that slows down affects all of them. The median over the blocks of a side is
reported.
"""

from __future__ import annotations

import argparse
import functools
import json
import logging
import math
import platform
import tempfile
import time
import warnings
from pathlib import Path
from statistics import median
from typing import Any

import torch
import transformers
from transformers import Trainer

from benchmarks.gpu.cases import CASES, OURS, TRL, Case, Settings, Side, tiny
from benchmarks.gpu.data import Data, make_data
from benchmarks.gpu.measure import GIB, WARM_UP, OutOfMemory, run_block
from benchmarks.gpu.our_side import estimated_memory, operations_per_token, our_recipe, our_trainer
from benchmarks.gpu.random_weights import made_on
from benchmarks.gpu.trl_side import trl_trainer
from srt.io.atomic_files import write_atomically
from train.models.flops import peak_flops
from train.run.run_manifest import this_attempt

_RESULTS = Path("runs/gpu")
_ROUNDS, _TIMED = 3, 8  # blocks of each side, and the most timed steps in a block
_ROUNDS_TINY, _TIMED_TINY = 1, 1


def run(arguments: list[str]) -> int:
    """The command. 0: measured; 1: a side did not fit in any of its settings; 2: no GPU and not ``--tiny``."""
    options = _parse(arguments)
    if not options.tiny and not torch.cuda.is_available():
        print("error: no GPU found; --tiny measures tiny models on the CPU")
        return 2
    _quieten()
    device = torch.device("cuda" if torch.cuda.is_available() and not options.tiny else "cpu")
    names = list(CASES) if options.case == "all" else [options.case]
    report: dict[str, Any] = {**_surroundings(arguments, device), "tiny": options.tiny, "cases": {}}
    card = "".join(letter if letter.isalnum() else "-" for letter in report["device"]["name"].lower()).strip("-")
    out = options.out or _RESULTS / f"{options.case}-{card}.json"
    ends = time.monotonic() + 60 * options.minutes
    for number, name in enumerate(names):
        case = tiny(CASES[name]) if options.tiny else CASES[name]
        if options.variants:
            case = case._replace(sides=(case.sides[0], *case.variants))
        share = (ends - time.monotonic()) / (len(names) - number)
        measured = _Measured(case, device, options.tiny, time.monotonic() + share)
        report["cases"][name] = measured.result
        measured.run(functools.partial(_write, out, report))
        _write(out, report)
        print(measured.table(), flush=True)
    print(f"written: {out}")
    return 0 if all(side["blocks"] for case in report["cases"].values() for side in case["sides"].values()) else 1


class _Measured:
    """Measures one case; ``result`` grows block by block, so that a killed run leaves what was measured."""

    def __init__(self, case: Case, device: torch.device, small: bool, deadline: float) -> None:
        self._case, self._device, self._tiny, self._deadline = case, device, small, deadline
        self._attempt = {side.name: 0 for side in case.sides}
        sides = {side.name: {"about": side.about, "did_not_fit": [], "blocks": []} for side in case.sides}
        self.result: dict[str, Any] = {"about": case.about, "published": case.published, "goal": case.goal}
        self.result |= {"data": None, "sides": sides}

    def run(self, save: Any) -> None:
        """Measure all sides, in as many rounds as there is time for, but at least one."""
        with tempfile.TemporaryDirectory() as folder:
            started = time.monotonic()
            data = make_data(self._case.model, Path(folder) / "data", self._case.problems, self._tiny)
            self.result["data"] = {**data.about, "seconds_to_make": round(time.monotonic() - started, 1)}
            rounds = _ROUNDS_TINY if self._tiny else _ROUNDS
            turns = [side for turn in range(rounds) for side in self._case.sides[:: -1 if turn % 2 else 1]]
            longest: dict[str, float] = {}
            for left, side in zip(range(len(turns), 0, -1), turns, strict=True):
                begun = time.monotonic()
                # A block needs its setup and warm-up in any case: do not start one that would end far too late.
                if side.name in longest and begun + longest[side.name] > self._deadline:
                    continue
                self._block(side, data, Path(folder), begun + max(self._deadline - begun, 0) / left)
                if side.trainer == "ours" and side.name not in longest:
                    self._predict(side, data, Path(folder))
                longest[side.name] = max(longest.get(side.name, 0), time.monotonic() - begun)
                self._summarise()
                save()

    def _block(self, side: Side, data: Data, folder: Path, deadline: float) -> None:
        """One block of ``side``, in the first of its settings that the device can hold."""
        record = self.result["sides"][side.name]
        most = _TIMED_TINY if self._tiny else _TIMED
        while self._attempt[side.name] < len(side.attempts):
            settings = side.attempts[self._attempt[side.name]]
            build = functools.partial(self._build, side, data, folder, WARM_UP + most, settings)
            with made_on(self._device):
                block = run_block(build, self._device, deadline, most)
            if isinstance(block, OutOfMemory):
                record["did_not_fit"].append({"settings": settings, "message": block.message})
                self._attempt[side.name] += 1
                continue
            record["settings"] = settings
            rates = {"tokens_per_second": round(block.tokens_per_second, 1), "padding": round(block.padding, 4)}
            record["blocks"].append({**block._asdict(), "steps": [step._asdict() for step in block.steps], **rates})
            print(f"case {self._case.name}, {side.name}: {block.tokens_per_second:,.0f} tokens/s", flush=True)
            return

    def _build(self, side: Side, data: Data, folder: Path, steps: int, settings: Settings) -> Trainer:
        if side.trainer == "ours":
            recipe = our_recipe(data.folder, data.sequences, folder / "run", steps, settings)
            return our_trainer(recipe, casts=side.casts)
        return trl_trainer(data.folder, data.sequences, folder / "trl", steps, settings)

    def _predict(self, side: Side, data: Data, folder: Path) -> None:
        """Record preflight's estimate of our memory, and the operations that a token of this data needs."""
        record = self.result["sides"][side.name]
        if not record["blocks"]:
            return
        steps = WARM_UP + (_TIMED_TINY if self._tiny else _TIMED)
        recipe = our_recipe(data.folder, data.sequences, folder / "run", steps, record["settings"])
        parts = estimated_memory(recipe)
        record["estimated_gib"] = {name: round(size / GIB, 3) for name, size in parts.items()}
        self.result["operations_of_a_token"] = operations_per_token(recipe)

    def _summarise(self) -> None:
        """Update the medians of each side, and the ratios of ours to the others."""
        sides = self.result["sides"]
        for record in sides.values():
            if record["blocks"]:
                for key, digits in (("tokens_per_second", 1), ("padding", 4)):
                    record[key] = round(median(block[key] for block in record["blocks"]), digits)
                peaks = [block["peak_allocated_gib"] for block in record["blocks"]]
                record["peak_allocated_gib"] = None if None in peaks else max(peaks)
                self._derive(record)
        ours = sides[OURS].get("tokens_per_second")
        self.result["ratio_to"] = {
            name: round(ours / record["tokens_per_second"], 3)
            for name, record in sides.items()
            if name != OURS and ours and record.get("tokens_per_second")
        }

    def _derive(self, record: dict[str, Any]) -> None:
        """Add operations a second, as a share of the peak, and the error of the estimated memory."""
        if needed := self.result.get("operations_of_a_token"):
            record["tflops"] = round(record["tokens_per_second"] * needed / 1e12, 6 if self._tiny else 1)
            peak = peak_flops(torch.cuda.get_device_name()) if self._device.type == "cuda" else None
            record["mfu"] = peak and round(record["tokens_per_second"] * needed / peak, 4)
        if "estimated_gib" in record and record["peak_allocated_gib"]:
            # The driver's own memory is part of the estimate, but not of what torch allocated.
            expected = record["estimated_gib"]["peak"] - record["estimated_gib"]["overhead"]
            record["memory_error"] = round(expected / record["peak_allocated_gib"] - 1, 4)

    def table(self) -> str:
        """The case as a few lines for a terminal."""
        lines = [f"case {self._case.name}: {self._case.about}"]
        lines.append(f"  {'side':18} {'tokens/s':>9} {'TFLOP/s':>8} {'padding':>8} {'peak GiB':>9} {'blocks':>7}")
        for name, record in self.result["sides"].items():
            speed, padding = record.get("tokens_per_second", math.nan), record.get("padding", math.nan)
            peak, work = record.get("peak_allocated_gib"), record.get("tflops", math.nan)
            allocated = "-" if peak is None else f"{peak:.1f}"
            blocks = len(record["blocks"])
            lines.append(f"  {name:18} {speed:9,.0f} {work:8.1f} {padding:8.1%} {allocated:>9} {blocks:7}")
        if (error := self.result["sides"][OURS].get("memory_error")) is not None:
            lines.append(f"  preflight's estimate of our peak memory is off by {error:+.1%}")
        lines += [f"  ours / {name}: {ratio:.2f}" for name, ratio in self.result.get("ratio_to", {}).items()]
        if self._case.goal is not None and not self._tiny and TRL in self.result.get("ratio_to", {}):
            lines.append(f"  goal: ours / {TRL} at least {self._case.goal}")
        return "\n".join(lines)


def _surroundings(arguments: list[str], device: torch.device) -> dict[str, Any]:
    """Date, command, revision, versions and device."""
    under = this_attempt().model_dump(mode="json")
    record = {key: under[key] for key in ("time", "code", "python", "cuda", "versions")}
    about: dict[str, Any] = {"type": device.type, "name": platform.processor() or platform.machine()}
    if device.type == "cuda":
        card = torch.cuda.get_device_properties(device)
        about = {
            "type": "cuda",
            "name": card.name,
            "memory_gib": round(card.total_memory / GIB, 2),
            "capability": f"{card.major}.{card.minor}",
            "multiprocessors": card.multi_processor_count,
        }
    return {**record, "command": " ".join(["python -m benchmarks.gpu", *arguments]), "device": about}


def _write(out: Path, report: dict[str, Any]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, [json.dumps(report, indent=1, ensure_ascii=False).encode() + b"\n"])


def _quieten() -> None:
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    logging.getLogger("accelerate").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore")


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--case", choices=[*CASES, "all"], required=True, help="see benchmarks/gpu/README.md")
    parser.add_argument("--minutes", type=float, default=9.0, help="what all cases of the call may take together")
    parser.add_argument("--out", type=Path, help="where the figures go (by default runs/gpu/)")
    parser.add_argument("--variants", action="store_true", help="ours against variants of ours, not against TRL")
    parser.add_argument("--tiny", action="store_true", help="tiny models of the same classes, on the CPU")
    return parser.parse_args(arguments)
