"""The tiny models of the table, and a runner that makes each run once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from train.models.families.family_registry import find_family
from train.models.init_model import init_model, sequence_texts
from train.models.model_files import load_family, load_weights
from train.train_srt import train

sys.path.insert(0, str(Path(__file__).parent))

from cells import MODELS, WAYS
from launches import Ended, ended_in, launch, recipe_of

Base = Callable[[str, str], dict[str, Any]]
Runner = Callable[..., Ended]


@pytest.fixture(scope="session")
def base(data: Path, vision_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Base:
    """The keys of a recipe that follow from content and method: model, data and the longest sequence."""
    folder = tmp_path_factory.mktemp("equivalence-models")

    def keys(content: str, method: str) -> dict[str, Any]:
        reads_pictures = find_family(MODELS[content]["arch"]).reads_pictures
        half = method.endswith("bfloat16")
        path = folder / f"{content}{' in bfloat16' * half}"
        if not path.exists():
            shape = {"hidden": 32, "layers": 2, "heads": 2, "vocab": 400} | MODELS[content]
            spread = 0.05 if reads_pictures else 0.02
            init_model(**shape, initializer_range=spread, texts=sequence_texts([data]), output=path)
            if half:
                load_weights(str(path), load_family(str(path)), torch.bfloat16).save_pretrained(path)
        sequences, longest = (vision_data, 400) if reads_pictures else (data, 128)
        return {"model": {"path": str(path)}, "data": str(sequences), "max_length": longest}

    return keys


@pytest.fixture(scope="session")
def run(base: Base, tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """Every run is made once, and compared as often as it is asked for."""
    ended: dict[tuple[str, str, str, bool], Ended] = {}

    def run_once(content: str, method: str, way: str, here: bool = False) -> Ended:
        key = (content, method, way, here)
        if key not in ended:
            folder = tmp_path_factory.mktemp("run")
            recipe = recipe_of(base(content, method), method, WAYS[way].changes, folder / "out")
            if here:
                train(recipe)
                ended[key] = ended_in(recipe)
            else:
                ended[key] = launch(recipe, folder, WAYS[way])
        return ended[key]

    return run_once
