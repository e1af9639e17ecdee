from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pyarrow as pa
import pytest

from srt.images.open import describe_picture
from srt.io.record_writer import write_records
from srt.io.records import Answer, Image, Message, Problem, Sequence, Span
from train.data.examples import Example
from train.data.token_table import TokenizedExamples, make_batch
from train.models.init_model import init_model, sequence_texts
from train.recipe import Recipe
from train.recipe_reader import make_recipe

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


def make_pictures(number: int, folder: Path) -> list[Image]:
    """One to three pictures of different sizes for problem `number`, under `folder`; problem 5 has none."""
    noise = np.random.default_rng(number)
    images = []
    for part in range(0 if number == 5 else 1 + number % 3):
        height, width = noise.integers(30, 180, 2)
        path = f"pictures/{number}-{part}.png"
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        PIL.Image.fromarray(noise.integers(0, 256, (height, width, 3), dtype=np.uint8)).save(folder / path)
        images.append(describe_picture(folder, path))
    return images


@pytest.fixture(scope="session")
def vision_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """24 sequences with 0 to 3 pictures each, which lie beside the file."""
    folder = tmp_path_factory.mktemp("vision-data")
    sequences = [make_sequence(n).model_copy(update={"images": make_pictures(n, folder)}) for n in range(24)]
    write_records(folder / "srt.jsonl", sequences)
    return folder / "srt.jsonl"


@pytest.fixture(scope="session")
def vision_models(tmp_path_factory: pytest.TempPathFactory, data: Path) -> dict[str, Path]:
    """Tiny vision models by architecture, of about 0.1 million parameters."""
    folder = tmp_path_factory.mktemp("vision-models")
    for arch in ("qwen2_5_vl", "internvl"):
        init_model(
            arch,  # type: ignore[arg-type]
            sequence_texts([data]),
            folder / arch,
            hidden=32,
            layers=2,
            heads=2,
            vocab=400,
            initializer_range=0.05,
        )
    return {path.name: path for path in folder.iterdir()}


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory, data: Path) -> dict[str, Path]:
    """Tiny models by chat template, of the class that the template is for; `minimal` is a llama."""
    folder = tmp_path_factory.mktemp("models")
    for template in ("minimal", "qwen2.5", "r1-distill", "llama3"):
        init_model(
            "qwen2" if template in ("qwen2.5", "r1-distill") else "llama",
            sequence_texts([data]),
            folder / template,
            hidden=32,
            layers=2,
            heads=2,
            vocab=400,
            chat_template=template,  # type: ignore[arg-type]
        )
    return {path.name: path for path in folder.iterdir()}


Tokenized = Callable[[list[Example]], TokenizedExamples]


@pytest.fixture(scope="session")
def tokenized() -> Tokenized:
    """Makes a table of examples, in memory and in two parts."""

    def make(examples: list[Example]) -> TokenizedExamples:
        parts = (examples[: len(examples) // 3], examples[len(examples) // 3 :])
        batches = [make_batch(("srt", example) for example in part) for part in parts]
        return TokenizedExamples(pa.Table.from_batches(batches), Path())

    return make


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


@pytest.fixture
def vision_recipe(
    recipe: Callable[..., Recipe], vision_data: Path, vision_models: dict[str, Path]
) -> Callable[..., Recipe]:
    """As `recipe`, of the tiny Qwen2.5-VL on the sequences with pictures."""

    def make(**changes: Any) -> Recipe:
        values = {"model": {"path": str(vision_models["qwen2_5_vl"]), "attn": "eager"}, "data": str(vision_data)}
        return recipe(**(values | {"max_length": 400} | changes))

    return make


HELD_OUT = range(100, 111)


@pytest.fixture(scope="session")
def held_out(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The keys of a recipe for eleven held-out sequences and their problems."""
    folder = tmp_path_factory.mktemp("held-out")
    sequences = [make_sequence(number) for number in HELD_OUT]
    write_records(folder / "sequences.jsonl", sequences)
    write_records(folder / "problems.jsonl", [problem_of(number) for number in HELD_OUT])
    return {
        "eval_data": str(folder / "sequences.jsonl"),
        "generations": {"problems": str(folder / "problems.jsonl"), "count": 5, "max_new_tokens": 60},
    }


def problem_of(number: int) -> Problem:
    sequence = make_sequence(number)
    return Problem(
        id=sequence.problem_id,
        source="made",
        split="dev",
        lang="en",
        question=sequence.prompt[0].content,
        choices={"A": "Ana", "B": "Bo", "C": "Nobody"},
        answer=Answer(kind="choice_set", value=["ABC"[number % 3]]),
    )
