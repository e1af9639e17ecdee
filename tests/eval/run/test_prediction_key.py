"""The key of a prediction: every component decides it, one by one, and nothing else does.

Each test runs ``predict`` twice, with one component changed; a component that is left out of the key fails its test.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import PIL.Image
import pytest

from eval.backends.protocol import GenerationSettings
from eval.benchmarks.benchmark_registry import BENCHMARKS
from eval.benchmarks.definition.benchmark import Asking, Benchmark, Question, ask_plainly
from eval.benchmarks.plain import PROBLEMS
from eval.decoding.decode_settings import Decode
from eval.run.predict import predict
from srt.images.open import describe_picture
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Prediction, Problem
from tests.fake_backend import FakeBackend

SAMPLED = GenerationSettings(temperature=0.5)
CHANGED_SETTINGS: dict[str, Any] = {
    "max_new_tokens": 100,
    "temperature": 0.6,
    "top_p": 0.9,
    "ban": "INFER",
    "grammar": "trace",
    "seed": 1,
    "think_budget": 50,
    "min_pixels": 100,
    "max_pixels": 1000,
    "decode": Decode.model_validate("proved"),
}


def problem(folder: Path, colours: tuple[str, ...] = ("red", "blue"), **changes: Any) -> Problem:
    """A problem with a picture of each of ``colours``, under the same file names whatever the colours."""
    images = []
    for number, colour in enumerate(colours):
        folder.mkdir(exist_ok=True)
        PIL.Image.new("RGB", (8, 8), colour).save(folder / f"{number}.png")
        images.append(describe_picture(folder, f"{number}.png"))
    fields: dict[str, Any] = {"id": "p", "source": "s", "split": "test", "lang": "en", "question": "Who?"}
    gold = Answer(kind="text", value="Bo")
    return Problem.model_validate({**fields, "answer": gold, "images": images, **changes})


def keys(
    folder: Path,
    asked: Problem,
    backend: FakeBackend | None = None,
    settings: GenerationSettings = SAMPLED,
    **given: Any,
) -> list[str]:
    """The keys of a run in ``folder``, which holds the pictures of ``asked``."""
    write_records(folder / "problems.jsonl", [asked])
    backend = backend or FakeBackend(lambda _: "ANSWER: Bo", reads_pictures=True)
    predict(folder / "problems.jsonl", folder / "run", backend, **{"arm": "srt", "settings": settings, **given})
    return [row.key for row in read_records(folder / "run" / "predictions.jsonl", Prediction)]


@pytest.fixture
def base(tmp_path: Path) -> str:
    """The key that the tests compare with."""
    [key] = keys(tmp_path / "base", problem(tmp_path / "base"))
    return key


def test_the_same_prediction_has_the_same_key(base: str, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert keys(other, problem(other), arm="another name") == [base]


@pytest.mark.parametrize("colours", [("red", "green"), ("blue", "red"), ("red",), ("red", "blue", "blue")])
def test_pictures(base: str, tmp_path: Path, colours: tuple[str, ...]) -> None:
    """Same text and file names, other bytes, another order, or another number of pictures."""
    assert keys(tmp_path / "other", problem(tmp_path / "other", colours)) != [base]


@pytest.mark.parametrize("field", GenerationSettings.model_fields)
def test_each_setting(tmp_path: Path, field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval.run.predict.is_of_a_world", lambda _: True)
    settings = SAMPLED.model_copy(update={field: CHANGED_SETTINGS[field]})
    asked = problem(tmp_path / "one")
    problem(tmp_path / "other")
    assert keys(tmp_path / "one", asked) != keys(tmp_path / "other", asked, settings=settings)


def test_a_setting_that_came_later_changes_no_key_where_it_is_not_used() -> None:
    assert "decode" not in SAMPLED.model_dump(mode="json")


def test_problem_id_and_prompt(base: str, tmp_path: Path) -> None:
    for name, changes in {"id": {"id": "q"}, "prompt": {"question": "Who else?"}}.items():
        assert keys(tmp_path / name, problem(tmp_path / name, **changes)) != [base], name
    assert keys(tmp_path / "style", problem(tmp_path / "style"), style="bare") != [base]


def test_back_end_and_model(base: str, tmp_path: Path) -> None:
    class Other(FakeBackend):
        name = "other"

    asked = problem(tmp_path / "name")
    assert keys(tmp_path / "name", asked, Other(lambda _: "A", reads_pictures=True)) != [base]
    problem(tmp_path / "model")
    assert keys(tmp_path / "model", asked, FakeBackend(lambda _: "A", model="other", reads_pictures=True)) != [base]


def test_variant(base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(problems: Sequence[Problem], asking: Asking) -> Iterator[Question]:
        return (ask_plainly(one, asking, "x") for one in problems)

    named = Benchmark(name="named", about="", read=PROBLEMS.read, ask=ask)
    monkeypatch.setitem(BENCHMARKS, "named", named)
    assert keys(tmp_path / "other", problem(tmp_path / "other"), benchmark="named") != [base]


def test_repeat(base: str, tmp_path: Path) -> None:
    first, second = keys(tmp_path / "other", problem(tmp_path / "other"), repeats=2)
    assert (first == base, second == base) == (True, False)
