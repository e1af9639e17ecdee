"""An evaluation that is finished answers from its folder; one of which anything has changed is looked at again."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from eval.evaluation import run_evaluation
from eval.run.eval_recipe import EvalRecipe
from tests.fake_backend import FakeBackend


@pytest.fixture
def evaluate(
    problems_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Callable[..., dict[str, Any]], list[str]]:
    """Evaluates a model folder, and which back ends were made for it."""
    made: list[str] = []

    def make(model: str, adapter: Path | None, **settings: object) -> FakeBackend:
        made.append(model)
        return FakeBackend(lambda prompt: "ANSWER: B")

    module = SimpleNamespace(TransformersBackend=make)
    monkeypatch.setitem(sys.modules, "eval.backends.transformers_backend", module)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text("{}")
    given = {"model": str(tmp_path / "model"), "problems": problems_file, "output": tmp_path / "run", "arm": "srt"}
    return lambda **more: run_evaluation(EvalRecipe.model_validate(given | more)), made


def test_a_finished_evaluation_makes_no_back_end(
    evaluate: tuple[Callable[..., dict[str, Any]], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    run, made = evaluate
    first = run()
    capsys.readouterr()
    assert run() == first
    assert len(made) == 1
    assert "finished" in capsys.readouterr().err


@pytest.mark.parametrize("changed", ["model/config.json", "run/predictions.jsonl", "run/scores.jsonl"])
def test_a_changed_file_is_looked_at(
    changed: str, evaluate: tuple[Callable[..., dict[str, Any]], list[str]], tmp_path: Path
) -> None:
    run, made = evaluate
    first = run()
    os.utime(tmp_path / changed, ns=(1, 1))
    assert run() == first
    assert len(made) == 2


def test_another_setting_is_looked_at(evaluate: tuple[Callable[..., dict[str, Any]], list[str]]) -> None:
    run, made = evaluate
    run()
    run(policy="lenient")
    assert len(made) == 2


def test_without_its_end_a_run_is_not_finished(
    evaluate: tuple[Callable[..., dict[str, Any]], list[str]], tmp_path: Path
) -> None:
    run, made = evaluate
    run()
    (tmp_path / "run" / "summary.json").unlink()
    run()
    assert len(made) == 2
    assert (tmp_path / "run" / "summary.json").exists()
