"""Runs of a scripted model on booths: for each problem the texts that it samples, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from eval.backends.protocol import GenerationSettings
from eval.run.predict import predict
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.language.prompts import prompt_messages
from srt.language.text import linearize
from srt.pipeline.sample import sample_problems
from srt.worlds.world_registry import world_of
from tests.fake_backend import CLOSE, OPEN, FakeBackend

Texts = Callable[[Problem], Sequence[str]]
MakeRun = Callable[..., Path]


@pytest.fixture(scope="session")
def booths() -> list[Problem]:
    return sample_problems("seating", 6, 0, "train", {"scenes": ["booth"]})


def proof(problem: Problem) -> str:
    world = world_of(problem)
    assert world is not None
    return linearize(world.solve(problem))


def false(problem: Problem) -> str:
    """Its proof with another answer, which the steps refute."""
    text, _, letters = proof(problem).rpartition(": ")
    return f"{text}: {next(letter for letter in problem.choices if letter not in letters)}"


@pytest.fixture
def make_run(tmp_path: Path, booths: list[Problem]) -> MakeRun:
    """``make_run(name, texts)``: a run in which each problem gets the texts ``texts(problem)``."""

    def make(name: str, texts: Texts, problems: Sequence[Problem] = booths, seed: int = 0, arm: str = "srt") -> Path:
        path = tmp_path / "problems.jsonl" if problems is booths else tmp_path / f"{name}.problems.jsonl"
        write_records(path, problems)
        waiting: dict[str, Iterator[str]] = {}
        for problem in problems:
            [message] = prompt_messages(problem, "bare", pictures=False)
            waiting[f"{OPEN}{message.content}{CLOSE}"] = iter(texts(problem))
        predict(
            path,
            tmp_path / name,
            FakeBackend(lambda prompt: next(waiting[prompt])),
            arm=arm,
            style="bare",
            settings=GenerationSettings(max_new_tokens=4000, temperature=1.0, seed=seed),
            repeats=len(texts(problems[0])),
        )
        return tmp_path / name

    return make
