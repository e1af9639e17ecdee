from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file

from srt.io.problem_files import read_problems
from srt.io.record_writer import write_records
from srt.io.records import FinishReason, Problem
from srt.rewards import Reward
from tests.train.conftest import make_pictures, problem_of
from train.objective import Grpo
from train.policy.problems import PromptedProblem
from train.recipe import Recipe
from train.recipe_reader import make_recipe

Make = Callable[..., Recipe]
ENDS = range(100, 160)


@pytest.fixture(scope="session")
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("problems") / "problems.jsonl"
    made = [problem_of(number) for number in range(7)]
    made[3] = made[3].model_copy(update={"question": f"{made[3].question} Say who it is."})
    write_records(path, made)
    return path


@pytest.fixture(scope="session")
def ending(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny Llama; so many of its tokens end a text that one with random weights gets to an end."""
    path = tmp_path_factory.mktemp("ending") / "model"
    shutil.copytree(models["minimal"], path)
    settings = json.loads((path / "generation_config.json").read_text())
    settings["eos_token_id"] = [settings["eos_token_id"], *ENDS]
    (path / "generation_config.json").write_text(json.dumps(settings))
    return path


@pytest.fixture
def others(problems: Path, tmp_path: Path) -> Path:
    """Problems that none of ``problems`` is."""
    path = tmp_path / "others.jsonl"
    changed = [
        one.model_copy(update={"id": f"other {one.id}", "question": f"Once more: {one.question}"})
        for one in read_problems(problems).values()
    ]
    write_records(path, changed)
    return path


@pytest.fixture
def grpo(problems: Path, ending: Path, tmp_path: Path) -> Make:
    """Makes a recipe of two steps of eight texts, four to a problem; changes go to the block ``grpo`` or to the top."""

    def make(changes: dict[str, Any] | None = None, **top: Any) -> Recipe:
        block = {"problems": str(problems), "samples": 4, "max_new_tokens": 24, **(changes or {})}
        values: dict[str, Any] = {
            "model": {"path": str(ending), "attn": "eager"},
            "output": str(tmp_path / "run"),
            "steps": 2,
            "batch_size": 8,
            "learning_rate": 1e-3,
            "scheduler": "constant",
            "warmup": 0,
            "max_length": 200,
            "logging": {"steps": 1},
            "threads": 1,
            "objective": {"grpo": block},
        }
        return make_recipe(values | top)

    return make


@pytest.fixture(scope="session")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seven problems with one to three pictures of several sizes, which lie beside their file."""
    folder = tmp_path_factory.mktemp("shown")
    made = []
    for number in range(7):
        images = make_pictures(4 * number + 1 + number % 3, folder)
        made.append(problem_of(number).model_copy(update={"images": images}))
    assert {len(one.images) for one in made} == {1, 2, 3}
    write_records(folder / "problems.jsonl", made)
    return folder / "problems.jsonl"


@pytest.fixture(scope="session")
def seeing(vision_models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny Qwen2.5-VL; so many of its tokens end a text that one with random weights gets to an end."""
    path = tmp_path_factory.mktemp("seeing") / "model"
    shutil.copytree(vision_models["qwen2_5_vl"], path)
    settings = json.loads((path / "generation_config.json").read_text())
    settings["eos_token_id"] = [settings["eos_token_id"], *ENDS]
    (path / "generation_config.json").write_text(json.dumps(settings))
    return path


@pytest.fixture
def vision(grpo: Make, shown: Path, seeing: Path) -> Make:
    """As ``grpo``, with that model and those problems."""

    def make(changes: dict[str, Any] | None = None, **top: Any) -> Recipe:
        values = {"model": {"path": str(seeing), "attn": "eager"}, "max_length": 400, **top}
        return grpo({"problems": str(shown), **(changes or {})}, **values)

    return make


def earned(value: float, fault: int | None = 0, *, cut: bool = False) -> Reward:
    return Reward(
        value=value, code="gap", right=False, proved_and_right=False, prefix=value, first_fault=fault, cut=cut
    )


def by_letters(
    asked: PromptedProblem | Problem | None, text: str, finish_reason: FinishReason, grpo: Grpo | None
) -> Reward:
    """A reward that texts of random weights differ in; the second half of each is at fault."""
    return earned(sum(text.count(letter) for letter in "aeiou") / 10, len(text) // 2, cut=finish_reason == "length")


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("train.policy.policy_trainer.score", by_letters)
    monkeypatch.setattr("train.policy.held_out.score", by_letters)


def weights(folder: str | Path) -> dict[str, Any]:
    """The weights in a folder; FSDP2 writes a head that is tied to the embeddings as well."""
    [file] = Path(folder).glob("*.safetensors")
    return {name: weight for name, weight in load_file(file).items() if name != "lm_head.weight"}


def furthest(one: dict[str, Any], other: dict[str, Any]) -> float:
    assert one.keys() == other.keys()
    return max(float((one[name] - other[name]).abs().max()) for name in one)
