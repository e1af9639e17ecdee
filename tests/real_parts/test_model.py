"""A pretrained model in bfloat16 where fixtures have random weights in float32: training, merging, evaluation.

Its head is tied to its embedding, its padding is its end of sequence, and its chat template adds a system prompt.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
import torch
import yaml
from safetensors.torch import load_file

from eval.conformance.check_backend import check_backend
from eval.conformance.check_settings import CheckSettings
from srt.io.record_reader import read_records
from srt.io.records import Prediction
from srt.pipeline.build import build_file
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file

pytestmark = [pytest.mark.slow, pytest.mark.real_model]


@pytest.fixture(scope="module")
def recipe(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recipe of three steps with LoRA, on twelve sequences."""
    folder = tmp_path_factory.mktemp("real")
    generate_file("routes", 12, "train", folder / "problems.jsonl", {})
    solve_file(folder / "problems.jsonl", folder / "traces.jsonl")
    build_file(folder / "traces.jsonl", folder / "problems.jsonl", "srt", folder / "data")
    keys = {
        "model": {"path": str(model), "dtype": "bfloat16"},
        "data": str(folder / "data" / "sequences.jsonl"),
        "output": str(folder / "run"),
        "lora": {"r": 4, "alpha": 8},
        "learning_rate": 1e-3,
        "steps": 3,
        "batch_size": 2,
        "max_length": 768,
    }
    (folder / "recipe.yaml").write_text(yaml.safe_dump(keys))
    return folder / "recipe.yaml"


@pytest.fixture(scope="module")
def adapter(recipe: Path) -> Path:
    """The adapter of that recipe."""
    subprocess.run([sys.executable, "-m", "srt", "train", recipe], check=True)
    return recipe.parent / "run"


def test_preflight_finds_nothing(srt: Any, recipe: Path) -> None:
    done = srt("preflight", recipe, "--json")
    assert done.status == 0, done.out + done.err


def test_a_merged_model_is_the_adapted_one(
    srt: Any, model: Path, adapter: Path, problems: Path, tmp_path: Path
) -> None:
    """In bfloat16 a merge rounds: tokens may part at ties, and the head stays tied."""
    done = srt("merge", adapter, "--model", model, "-o", tmp_path / "merged", "--json")
    assert done.status == 0, done.out + done.err
    merged = load_file(tmp_path / "merged" / "model.safetensors")
    assert {tensor.dtype for tensor in merged.values()} == {torch.bfloat16}
    assert "lm_head.weight" not in merged
    settings = {"problems": problems, "prompts": 4, "max_new_tokens": 16, "output": tmp_path / "check.json"}
    adapted = CheckSettings(model=model, adapter=adapter, against="transformers", dtype="bfloat16", **settings)
    found = check_backend(adapted)
    assert (found.same_prompt_tokens, found.right_counts, found.failed) == (4, 4, 0)
    assert found.behind is not None
    assert found.behind < 0.5
    plain = check_backend(
        CheckSettings(model=tmp_path / "merged", against="transformers", dtype="bfloat16", **settings)
    )
    assert plain.reference.dtype == "float32"
    first = [row.texts[0][:20] for row in found.rows]
    assert sum(one == row.texts[0][:20] for one, row in zip(first, plain.rows, strict=True)) >= 3


def test_the_adapter_changes_what_the_model_writes(
    srt: Any, model: Path, adapter: Path, problems: Path, tmp_path: Path
) -> None:
    texts = {}
    for name, more in (("base", ()), ("adapted", ("--adapter", adapter))):
        words = ("--problems", problems, "--model", model, "-o", tmp_path / name, "--max-new-tokens", 16)
        done = srt("eval", *words, *more, "--json")
        assert done.status == 0, done.err
        assert orjson.loads((tmp_path / name / "run.json").read_bytes())["model"]["dtype"] == "float32"
        rows = list(read_records(tmp_path / name / "predictions.jsonl", Prediction))
        assert all((row.finish_reason == "length") == (row.output_tokens == 16) for row in rows)
        texts[name] = [row.text for row in rows]
    assert texts["base"] != texts["adapted"]
