"""Warnings about data that trains, but is unlikely to be meant."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from srt.cli import make_app
from srt.io.record_writer import write_records
from srt.io.records import Sequence
from tests.train.conftest import make_pictures, make_sequence
from train.data.data_warnings import batch_warnings, data_warnings
from train.data.token_cache import read_examples
from train.models.model_files import load_tokenizer_and_processor
from train.recipe import Recipe
from train.train_srt import train


def warnings_of(recipe: Recipe, sequences: list[Sequence]) -> list[str]:
    write_records(Path(recipe.data), sequences)
    return data_warnings(recipe, read_examples(recipe, *load_tokenizer_and_processor(recipe.model.path)))


def test_repeated_sequences_are_counted(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    made = recipe(data=str(tmp_path / "data.jsonl"))
    once = [make_sequence(number) for number in range(12)]
    renamed = once[4].model_copy(update={"problem_id": "another"})
    other_trace = once[5].model_copy(update={"trace_id": "another"})
    assert warnings_of(made, [*once, renamed]) == []
    assert warnings_of(made, [*once, once[3], once[3], other_trace, renamed]) == [
        f"{made.data}: 3 of 16 sequences repeat another one of the same problem token for token, and weigh more for it"
    ]


def test_other_pictures_are_no_repetition(vision_recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    made = vision_recipe(data=str(tmp_path / "data.jsonl"))
    shown = make_sequence(1).model_copy(update={"images": make_pictures(1, tmp_path)[:1]})
    turned = shown.images[0].model_copy(update={"sha256": "0" * 64})
    assert warnings_of(made, [shown, shown.model_copy(update={"images": [turned]})]) == []
    assert len(warnings_of(made, [shown, shown])) == 1


def test_answers_of_several_traces_are_alike(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    answers = [make_sequence(1).model_copy(update={"arm": "answer", "trace_id": f"t{at}"}) for at in range(4)]
    assert warnings_of(recipe(data=str(tmp_path / "data.jsonl")), answers) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"epochs": 5, "steps": None, "batch_size": 128},
            r"its 16 sequences .*128: the run has 1 step and 8 epochs, not 5;",
        ),
        ({"steps": 2, "batch_size": 24}, r"its 16 sequences .*24: a step goes through them 1\.5 times; .*at most 16$"),
    ],
)
def test_fewer_sequences_than_a_batch_are_said(
    recipe: Callable[..., Recipe],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, Any],
    said: str,
) -> None:
    """In the preflight and when training begins; held-out data may be few."""
    for name in ("data", "held-out"):
        write_records(tmp_path / f"{name}.jsonl", [make_sequence(number) for number in range(16)])
    keys = {"data": str(tmp_path / "data.jsonl"), "eval_data": str(tmp_path / "held-out.jsonl"), "eval_steps": 1}
    made = recipe(**keys, **changes)
    train(made)
    warned = [line for line in capsys.readouterr().err.splitlines() if "batch_size" in line]
    values = made.model_dump(mode="json", exclude_none=True) | {"output": str(tmp_path / "new")}
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(values))
    done = CliRunner().invoke(make_app(), ["preflight", str(tmp_path / "recipe.yaml"), "--no-step"])
    (note,) = (line for line in done.stdout.splitlines() if line.startswith("note: ") and "batch_size" in line)
    assert warned == [note.replace("note", "warning", 1)]
    assert re.search(said, note)


def test_as_many_sequences_as_a_batch_are_enough(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    made = recipe(data=str(tmp_path / "data.jsonl"), batch_size=16)
    write_records(Path(made.data), [make_sequence(number) for number in range(16)])
    examples = read_examples(made, *load_tokenizer_and_processor(made.model.path))
    assert batch_warnings(made, examples, 6) == []


def test_training_warns_of_several_arms(
    recipe: Callable[..., Recipe], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sequences = [make_sequence(number) for number in range(20)]
    mixed = [s.model_copy(update={"arm": "cot"}) if at < 5 else s for at, s in enumerate(sequences)]
    write_records(tmp_path / "data.jsonl", mixed)
    train(recipe(data=str(tmp_path / "data.jsonl"), steps=1))
    line = "its sequences are of 2 arms (cot 5, srt 15), and all are trained on"
    assert f"warning: {tmp_path / 'data.jsonl'}: {line}\n" in capsys.readouterr().err


def test_preflight_notes_them(recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    made = recipe(data=str(tmp_path / "data.jsonl"))
    write_records(Path(made.data), [make_sequence(number % 8) for number in range(20)])
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(made.model_dump(mode="json", exclude_none=True)))
    result = CliRunner().invoke(make_app(), ["preflight", str(tmp_path / "recipe.yaml"), "--no-step"])
    assert f"note: {made.data}: 12 of 20 sequences repeat another one of the same problem" in result.stdout
