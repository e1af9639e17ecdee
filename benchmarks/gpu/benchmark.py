"""Speed and memory of training on one GPU: ours and TRL's, in one run, by turns, on weights made on the spot.

    python -m benchmarks.gpu --case a|b|c|all [--minutes 9] [--out FILE.json] [--tiny]

Each side trains in blocks: the model is made, warmed up, timed and taken down. The blocks of a case's sides alternate,
and back again in the next round, so that a device that slows down slows all of them. What is reported of a side is the
median over its blocks.
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
from typing import Any

import torch
import transformers
from transformers import Trainer

from benchmarks.gpu.cases import CASES, OURS, TRL, Case, Settings, Side, tiny
from benchmarks.gpu.data import Data, make_data
from benchmarks.gpu.measure import GIB, WARM_UP, Block, OutOfMemory, median, run_block
from benchmarks.gpu.our_side import estimated_memory, operations_of_a_token, our_recipe, our_trainer
from benchmarks.gpu.random_weights import made_on
from benchmarks.gpu.trl_side import trl_trainer
from srt.jsonl import write_atomically
from train.flops import peak_flops
from train.stamp import this_attempt

_RESULTS = Path("benchmarks/results/gpu")
_ROUNDS, _TIMED = 3, 8  # blocks of each side, and the most steps that are timed in one
_ROUNDS_TINY, _TIMED_TINY = 1, 1


def run(arguments: list[str]) -> int:
    """The command. 0: measured; 1: a side of a case fitted in none of its settings; 2: no GPU, and not ``--tiny``."""
    options = _parse(arguments)
    if not options.tiny and not torch.cuda.is_available():
        print("error: no GPU is seen; --tiny measures tiny models on the processor")
        return 2
    _quieten()
    device = torch.device("cuda" if torch.cuda.is_available() and not options.tiny else "cpu")
    names = list(CASES) if options.case == "all" else [options.case]
    report: dict[str, Any] = {**_surroundings(arguments, device), "tiny": options.tiny, "cases": {}}
    out = options.out or _RESULTS / f"{options.case}-{_slug(report['device']['name'])}.json"
    ends = time.monotonic() + 60 * options.minutes
    for number, name in enumerate(names):
        case = tiny(CASES[name]) if options.tiny else CASES[name]
        share = (ends - time.monotonic()) / (len(names) - number)
        measured = _Measured(case, device, options.tiny, time.monotonic() + share)
        report["cases"][name] = measured.result
        measured.run(functools.partial(_write, out, report))
        _write(out, report)
        print(measured.table(), flush=True)
    print(f"written: {out}")
    return 0 if all(side["blocks"] for case in report["cases"].values() for side in case["sides"].values()) else 1


class _Measured:
    """One case as it is measured; ``result`` grows block by block, so that a run that is killed leaves what it had."""

    def __init__(self, case: Case, device: torch.device, small: bool, deadline: float) -> None:
        self._case, self._device, self._tiny, self._deadline = case, device, small, deadline
        self._attempt = {side.name: 0 for side in case.sides}
        sides = {side.name: {"about": side.about, "did_not_fit": [], "blocks": []} for side in case.sides}
        self.result: dict[str, Any] = {"about": case.about, "published": case.published, "goal": case.goal}
        self.result |= {"data": None, "sides": sides}

    def run(self, save: Any) -> None:
        """Measure all sides, in as many rounds as there is time for, and at least one."""
        with tempfile.TemporaryDirectory() as folder:
            started = time.monotonic()
            data = make_data(self._case.model, Path(folder) / "data", self._case.problems, self._tiny)
            self.result["data"] = {**data.about, "seconds_to_make": round(time.monotonic() - started, 1)}
            rounds = _ROUNDS_TINY if self._tiny else _ROUNDS
            turns = [side for turn in range(rounds) for side in self._case.sides[:: -1 if turn % 2 else 1]]
            longest: dict[str, float] = {}
            for left, side in zip(range(len(turns), 0, -1), turns, strict=True):
                begun = time.monotonic()
                # A block takes its setup and its warm-up in any case: none is begun that would end far too late.
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
        told = self.result["sides"][side.name]
        most = _TIMED_TINY if self._tiny else _TIMED
        while self._attempt[side.name] < len(side.attempts):
            settings = side.attempts[self._attempt[side.name]]
            build = functools.partial(self._build, side, data, folder, WARM_UP + most, settings)
            with made_on(self._device):
                block = run_block(build, self._device, deadline, most)
            if isinstance(block, OutOfMemory):
                told["did_not_fit"].append({"settings": settings, "message": block.message})
                self._attempt[side.name] += 1
                continue
            told["settings"] = settings
            told["blocks"].append(_block_record(block))
            print(f"case {self._case.name}, {side.name}: {block.tokens_per_second:,.0f} tokens/s", flush=True)
            return

    def _build(self, side: Side, data: Data, folder: Path, steps: int, settings: Settings) -> Trainer:
        if side.trainer == "ours":
            return our_trainer(our_recipe(data.folder, data.sequences, folder / "run", steps, settings))
        return trl_trainer(data.folder, data.sequences, folder / "trl", steps, settings)

    def _predict(self, side: Side, data: Data, folder: Path) -> None:
        """What preflight says of our memory, and the arithmetic that a token of this data needs, of whichever side."""
        told = self.result["sides"][side.name]
        if not told["blocks"]:
            return
        steps = WARM_UP + (_TIMED_TINY if self._tiny else _TIMED)
        recipe = our_recipe(data.folder, data.sequences, folder / "run", steps, told["settings"])
        parts = estimated_memory(recipe)
        told["estimated_gib"] = {name: round(size / GIB, 3) for name, size in parts.items()}
        self.result["operations_of_a_token"] = operations_of_a_token(recipe)

    def _summarise(self) -> None:
        """Medians of each side so far, and the ratios of ours to the others."""
        sides = self.result["sides"]
        for told in sides.values():
            if told["blocks"]:
                told["tokens_per_second"] = round(median([block["tokens_per_second"] for block in told["blocks"]]), 1)
                told["padding"] = round(median([block["padding"] for block in told["blocks"]]), 4)
                peaks = [block["peak_allocated_gib"] for block in told["blocks"]]
                told["peak_allocated_gib"] = None if None in peaks else max(peaks)
                self._derive(told)
        ours = sides[OURS].get("tokens_per_second")
        self.result["ratio_to"] = {
            name: round(ours / told["tokens_per_second"], 3)
            for name, told in sides.items()
            if name != OURS and ours and told.get("tokens_per_second")
        }

    def _derive(self, told: dict[str, Any]) -> None:
        """Arithmetic done a second, against what the device could do, and the error of the estimated memory."""
        if needed := self.result.get("operations_of_a_token"):
            told["tflops"] = round(told["tokens_per_second"] * needed / 1e12, 6 if self._tiny else 1)
            peak = peak_flops(torch.cuda.get_device_name()) if self._device.type == "cuda" else None
            told["mfu"] = peak and round(told["tokens_per_second"] * needed / peak, 4)
        if "estimated_gib" in told and told["peak_allocated_gib"]:
            # What the driver holds for itself is in the estimate, for it must fit, and not in what torch allocated.
            expected = told["estimated_gib"]["peak"] - told["estimated_gib"]["overhead"]
            told["memory_error"] = round(expected / told["peak_allocated_gib"] - 1, 4)

    def table(self) -> str:
        """The case as a few lines for a terminal."""
        lines = [f"case {self._case.name}: {self._case.about}"]
        lines.append(f"  {'side':10} {'tokens/s':>9} {'TFLOP/s':>8} {'padding':>8} {'peak GiB':>9} {'blocks':>7}")
        for name, told in self.result["sides"].items():
            speed, padding = told.get("tokens_per_second", math.nan), told.get("padding", math.nan)
            peak, work = told.get("peak_allocated_gib"), told.get("tflops", math.nan)
            held = "-" if peak is None else f"{peak:.1f}"
            blocks = len(told["blocks"])
            lines.append(f"  {name:10} {speed:9,.0f} {work:8.1f} {padding:8.1%} {held:>9} {blocks:7}")
        if (error := self.result["sides"][OURS].get("memory_error")) is not None:
            lines.append(f"  preflight's estimate of our peak memory is off by {error:+.1%}")
        lines += [f"  ours / {name}: {ratio:.2f}" for name, ratio in self.result.get("ratio_to", {}).items()]
        if self._case.goal is not None and not self._tiny and TRL in self.result.get("ratio_to", {}):
            lines.append(f"  goal: ours / {TRL} at least {self._case.goal}")
        return "\n".join(lines)


def _block_record(block: Block) -> dict[str, Any]:
    return {
        **block._asdict(),
        "steps": [step._asdict() for step in block.steps],
        "tokens_per_second": round(block.tokens_per_second, 1),
        "padding": round(block.padding, 4),
    }


def _surroundings(arguments: list[str], device: torch.device) -> dict[str, Any]:
    """Date, command, revision, versions and device."""
    under = this_attempt().model_dump(mode="json")
    told = {key: under[key] for key in ("time", "code", "python", "cuda", "versions")}
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
    return {**told, "command": " ".join(["python -m benchmarks.gpu", *arguments]), "device": about}


def _write(out: Path, report: dict[str, Any]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, [json.dumps(report, indent=1, ensure_ascii=False).encode() + b"\n"])


def _slug(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name.lower()).strip("-")


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
    parser.add_argument("--out", type=Path, help="where the figures go (by default benchmarks/results/gpu/)")
    parser.add_argument("--tiny", action="store_true", help="tiny models of the same classes, on the processor")
    return parser.parse_args(arguments)
