"""``srt experiment RECIPE --tiny``: the whole recipe in minutes on a CPU. Its figures mean nothing.

Every stage is the real one. What is replaced: the model by a small one of the same architecture with random weights,
the teachers by a stand-in that asks nobody, a MathSpatial that is not there by a few drawn boxes. There are a handful
of problems, a few steps, one seed and one process; nothing leaves the machine. ``tiny`` in the recipe overrides any of
it, key by key.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import orjson

from srt.experiment.experiment_blocks import SOLVED, InitModel
from srt.experiment.experiment_models import initial_model
from srt.experiment.experiment_reader import parse_experiment
from srt.experiment.experiment_recipe import Experiment
from srt.experiment.rehearsal.drawn_mathspatial import draw_mathspatial
from srt.io.errors import UserError
from srt.io.yaml_config import merged

TITLE = "TINY REHEARSAL, figures mean nothing"
_TRAIN, _TEST, _HELD_OUT = 24, 8, 4
_DRAWN = {"benchmark": _TEST + 2, "corpus": _TRAIN + 2}
_MODEL = {"hidden": 32, "layers": 2, "heads": 2, "vocab": 1024}
_TRAINING: dict[str, Any] = {
    "epochs": None, "steps": 4, "batch_size": 4, "micro_batch": None, "save_steps": 2, "threads": 1, "workers": 0,
    "hub": None, "too_long": "drop", "logging": {"steps": 2, "report_to": []}, "decay": None, "model": {"liger": False},
}  # fmt: skip
_ITEMS = 8
"""Of each stage, and between the points of a curve."""
_PROBE: dict[str, Any] = {"asked": 8, "enough": 0, "train": {"steps": 2}}
_ASKING: dict[str, Any] = {"max_new_tokens": 48, "batch_size": 8, "threads": 1}
_KEPT_OF_EVALUATE = ("repeats", "policy", "temperature", "top_p", "shots")
_TEACHING = "openai"
"""The config whose prompts and rounds are rehearsed where traces come from a folder that is not there."""


def tiny_experiment(experiment: Experiment) -> Experiment:
    """The rehearsal of ``experiment``, in a folder beside its own. Draws the problems that are not there.

    Raises:
        UserError: the architecture of its model is not known, or the recipe's ``tiny`` has a fault.
    """
    values = experiment.model_dump(mode="json", exclude_unset=True)
    output = experiment.output.with_name(f"{experiment.output.name}-tiny")
    drawn = output.with_name(f"{output.name}-drawn")
    train = {key: value for key, value in experiment.train.items() if key not in ("early_stopping", "generations")}
    training = merged(train, _TRAINING | ({"eval_steps": 2} if "eval_steps" in train else {}))
    stages = [
        {**stage, "train_problems": [_source(one, _TRAIN, drawn) for one in stage["train_problems"]], "items": _ITEMS}
        for stage in values.get("stages") or ()
    ]
    points = min(len(stages) or 2, len(experiment.curve.items)) if experiment.curve else 0
    before = max(len(stages) - points, 0)  # the last point is at the end of the last stage
    if experiment.curve is not None or stages:  # which decide how long a run is
        training = {key: value for key, value in training.items() if key not in ("steps", "epochs")}
    changes: dict[str, Any] = {
        "name": f"{TITLE}: {experiment.name}",
        "output": str(output),
        "seeds": experiment.seeds[:1],
        "train_problems": [_source(one, _TRAIN, drawn) for one in values.get("train_problems") or ()] or None,
        "stages": stages or None,
        "test_problems": [_source(source, _TEST, drawn) for source in values.get("test_problems", [])],
        "benchmarks": [_benchmark(test, drawn) for test in values.get("benchmarks", [])],
        "traces": {name: [_traces(one) for one in sources] for name, sources in values.get("traces", {}).items()},
        "held_out": min(experiment.held_out, _HELD_OUT) if experiment.held_out else None,
        "model": _model(experiment),
        "train": training,
        # Random weights prove nothing that could be learned from.
        "arms": [arm for arm in experiment.arms if arm not in experiment.learned_arms],
        "learn": None,
        "curve": {"items": [_ITEMS * (before + at + 1) for at in range(points)]} if experiment.curve else None,
        "probe": _PROBE if experiment.probe else None,
        "launch": None,
        "eval_launch": None,
        "parallel": 2,
        "evaluate": {**{k: v for k, v in experiment.evaluate.items() if k in _KEPT_OF_EVALUATE}, **_ASKING},
    }
    changed = merged({**values, **changes}, {key: value for key, value in experiment.tiny.items() if key != "model"})
    return parse_experiment({**changed, "tiny": {}}, "tiny")


def _model(experiment: Experiment) -> dict[str, Any]:
    """A small model with random weights, of the architecture that the recipe names or the model's folder has."""
    chosen = experiment.tiny.get("model")
    if isinstance(chosen, dict):
        return merged({"options": _MODEL}, chosen)
    if isinstance(experiment.model, InitModel):
        return merged(experiment.model.model_dump(), {"options": _MODEL})
    start = initial_model(experiment, (experiment.trained_arms or experiment.arms)[0], experiment.seeds[0])
    try:
        arch = orjson.loads((start / "config.json").read_bytes())["model_type"]
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(
            f"tiny.model: {start} is not there, so say which small model to make, as in "
            "tiny: {model: {arch: qwen2}}"
        ) from None
    return {"arch": arch, "options": _MODEL}


def _source(source: dict[str, Any], most: int, drawn: Path) -> dict[str, Any]:
    """A source with at most so many problems, with drawn ones instead of MathSpatial where that is missing."""
    source = {**source, "n": min(source.get("n") or most, most)}
    return _at_hand(source, "path", drawn) if source.get("corpus") == "mathspatial" else source


def _benchmark(test: dict[str, Any], drawn: Path) -> dict[str, Any]:
    test = {**test, "n": min(test.get("n") or _TEST, _TEST)}
    return _at_hand(test, "data", drawn) if test.get("benchmark") == "mathspatial" else test


def _at_hand(source: dict[str, Any], key: str, drawn: Path) -> dict[str, Any]:
    path = Path(os.path.expandvars(source[key]))
    if path.exists():
        return source
    if not drawn.exists():
        draw_mathspatial(drawn, _DRAWN)
    return {**source, key: str(drawn / ("benchmark" if path.name.lower() == "benchmark" else "corpus")), "needs": None}


def _traces(source: Any) -> Any:
    """Traces of a folder that is not there are taught, by the stand-in."""
    return source if source == SOLVED or isinstance(source, dict) or Path(source).exists() else {"teach": _TEACHING}
