from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from srt.jsonl import write_records
from srt.records import Message, Sequence, Span
from train.init_model import init_model, sequence_texts
from train.recipe import Recipe, make_recipe

NAMES = ["Ana", "Bo", "Cleo", "Dan", "Eli"]


def make_sequence(number: int) -> Sequence:
    a, b = NAMES[number % 5], NAMES[(number * 3 + 1) % 5]
    step = f"CORRELATE (1): right({a}) = {b}"
    last = f"INFER #1: ? = {b}@S{number % 7}"
    answer = f"ANSWER: {'ABC'[number % 3]}"
    at = len(step) + 1
    return Sequence(
        problem_id=f"p{number}",
        trace_id=f"t{number}",
        arm="srt",
        lang="en",
        prompt=[Message(role="user", content=f"(1) {b} is right of {a}. Who is {number}?\nA {a}; B {b}; C Nobody")],
        completion=[Message(role="assistant", content=f"{step}\n{last}\n{answer}")],
        spans=[
            Span(start=0, end=len(step), label="CORRELATE"),
            Span(start=at, end=at + len(last), label="INFER"),
            Span(start=at + len(last) + 1, end=at + len(last) + 1 + len(answer), label="ANSWER"),
        ],
    )


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "srt.jsonl"
    write_records(path, [make_sequence(number) for number in range(40)])
    return path


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory, data: Path) -> dict[str, Path]:
    """Tiny models by chat template; `minimal` is a llama, the others are of the class that the template is for."""
    folder = tmp_path_factory.mktemp("models")
    for template in ("minimal", "qwen2.5", "r1-distill"):
        init_model(
            "llama" if template == "minimal" else "qwen2",
            sequence_texts([data]),
            folder / template,
            hidden=32,
            layers=2,
            heads=2,
            vocab=400,
            chat_template=template,  # type: ignore[arg-type]
        )
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture
def recipe(tmp_path: Path, data: Path, models: dict[str, Path]) -> Callable[..., Recipe]:
    def make(**changes: Any) -> Recipe:
        values: dict[str, Any] = {
            "model": {"path": str(models["minimal"]), "attn": "eager"},
            "data": str(data),
            "output": str(tmp_path / "run"),
            "steps": 6,
            "batch_size": 8,
            "learning_rate": 1e-2,
            "max_length": 200,
            "logging": {"steps": 2},
            "threads": 1,
        }
        return make_recipe(values | changes)

    return make
