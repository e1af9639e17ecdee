"""Made-up problems and runs for the tests of evaluation; nothing here comes from a published data set."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import PIL.Image
import pytest

from eval.backends.protocol import GenerationSettings
from eval.run.predict import predict
from eval.scoring.score import Checker, score
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem
from srt.language.trace import StepCheck, Trace, TraceCheck
from tests.fake_backend import FakeBackend

SCENES = ("booth", "hexagon", "shelf")


def _problem(number: int, **changes: object) -> Problem:
    fields: dict[str, object] = {
        "id": f"made-{number}",
        "source": "made-up",
        "split": "test",
        "lang": "zh" if number % 4 == 0 else "en",
        "question": f"Nadia sits across from Omar, item {number}. Who is left of Pia?",
        "choices": {"A": "Nadia", "B": "Omar", "C": "Pia", "D": "None of the above"},
        "answer": Answer(kind="choice_set", value=["A", "C"] if number % 3 == 0 else ["B"]),
        "meta": {"scene": SCENES[number % 3], "compass": "EW" if number % 2 else None},
    }
    return Problem.model_validate(fields | changes)


def _check(problem: Problem, trace: Trace) -> TraceCheck:
    """Proves claims that say ``true``, refutes those that say ``false``."""
    steps = tuple(
        StepCheck(support="refuted", reason="no such seat", counterexample="Nadia@S1")
        if step.claim and "false" in step.claim
        else StepCheck(support="proved")
        for step in trace.steps
    )
    return TraceCheck(steps=steps, answer=StepCheck(support="proved"))


@pytest.fixture
def blank_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plots of a comparison are laid out, and written as one pixel: to draw them takes most of its time."""
    from eval.report import plots

    pixel = io.BytesIO()
    PIL.Image.new("RGB", (1, 1)).save(pixel, format="PNG")
    monkeypatch.setattr(plots, "_png", lambda figure: pixel.getvalue())


@pytest.fixture
def make_problem() -> Callable[..., Problem]:
    """``make_problem(number, **changes)``: a made-up problem."""
    return _problem


@pytest.fixture
def fake_checker() -> Checker:
    """A checker that judges by the words of a claim."""
    return _check


@pytest.fixture
def problems_file(tmp_path: Path) -> Path:
    path = tmp_path / "problems.jsonl"
    write_records(path, [_problem(number) for number in range(30)])
    return path


@pytest.fixture
def make_run(tmp_path: Path, problems_file: Path) -> Callable[..., Path]:
    """``make_run(arm, reply)``: a scored run of a fake model that answers the item's number with ``reply(number)``."""

    def make(
        arm: str,
        reply: Callable[[int], str],
        *,
        problems: Path = problems_file,
        seed: int = 0,
        settings: GenerationSettings | None = None,
    ) -> Path:
        folder = tmp_path / "runs" / (f"{arm}-{seed}" if seed else arm)
        backend = FakeBackend(lambda prompt: reply(item_number(prompt)), model=folder.name)
        predict(problems, folder, backend, arm=arm, settings=settings)
        score(folder, checker=_check)
        return folder

    return make


def item_number(prompt: str) -> int:
    return int(prompt.split("item ")[1].split(".")[0])
