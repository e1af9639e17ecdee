"""Where the time of a training step goes, by torch's profiler: the share of copies and casts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile
from transformers import TrainerCallback

from benchmarks.gpu.cases import CASES, tiny
from benchmarks.gpu.data import make_data
from benchmarks.gpu.first_ten_minutes.checks import Check, Place, judged
from benchmarks.gpu.measure import WARM_UP
from benchmarks.gpu.our_side import our_recipe, our_trainer
from benchmarks.gpu.random_weights import made_on

_MOST = 0.1  # of the time of a step
_STEPS = 2
_LISTED = 15


def run(place: Place) -> list[Check]:
    """Profile our side of case a, in the first of its settings that fits, after the warm-up."""
    case = tiny(CASES["a"]) if place.tiny else CASES["a"]
    data = make_data(case.model, place.folder / "data", case.problems, place.tiny)
    for settings in case.sides[0].attempts:
        recipe = our_recipe(data.folder, data.sequences, place.folder / "run", WARM_UP + _STEPS, settings)
        try:
            with made_on(place.device):
                trainer = our_trainer(recipe)
            watch = _Profiler(place.device)
            trainer.add_callback(watch)
            trainer.train()
        except torch.OutOfMemoryError:
            torch.cuda.empty_cache()
            continue
        return [_judged(watch.profiler.events(), place)]
    return [Check("profile", "fail", "the model did not fit")]


class _Profiler(TrainerCallback):
    def __init__(self, device: torch.device) -> None:
        activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (device.type == "cuda")
        self.profiler = profile(activities=activities, acc_events=True)

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.global_step == WARM_UP:
            self.profiler.start()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self.profiler.stop()


def _judged(events: Iterable[Any], place: Place) -> Check:
    times: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for event in events:
        # On a GPU the time of the kernels that an operator starts itself; on a CPU the operator's own time.
        time = event.self_cpu_time_total if place.tiny else event.self_device_time_total
        if time > 0 and "::" in event.name and not event.name.startswith("autograd::"):
            times[event.name] += time
            kinds[kind_of(event)] += time
    total = sum(times.values())
    if not total:
        return Check("profile", "fail", "the profiler saw no operator")
    shares = {kind: time / total for kind, time in kinds.most_common()}
    figures = {"shares": shares, "operators": {name: time / total for name, time in times.most_common(_LISTED)}}
    moved = shares.get("copies", 0.0) + shares.get("casts", 0.0)
    named = ", ".join(f"{kind} {share:.1%}" for kind, share in shares.items())
    return judged("profile", moved, 1.0 if place.tiny else _MOST, f"{named}; copies and casts", **figures)


def kind_of(event: Any) -> str:
    """What an operator does. A cast is a copy inside ``aten::_to_copy``, which also moves data between devices."""
    name = event.name
    if name in ("aten::copy_", "aten::_to_copy", "aten::clone", "aten::contiguous", "aten::cat", "aten::to"):
        parent = event
        while parent is not None:
            if parent.name == "aten::_to_copy":
                return "casts"
            parent = parent.cpu_parent
        return "copies"
    if any(word in name for word in ("mm", "linear", "matmul")):
        return "matrix products"
    if name == "aten::_softmax" or any(word in name for word in ("attention", "attn", "flash")):
        return "attention"
    return "other"
