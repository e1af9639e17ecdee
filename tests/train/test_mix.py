"""A mix of files: shares by weight, the order of each file, resumed as unbroken, and faults in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from srt.cli import make_app
from srt.io.errors import UserError
from srt.io.record_writer import write_records
from srt.io.yaml_config import ConfigFaults
from tests.train.conftest import make_sequence
from tests.train.test_resume import Broken, break_off_at, same_weights
from train.data.batches import plan_batches
from train.data.token_cache import read_examples
from train.models.model_files import load_tokenizer
from train.recipe import Recipe
from train.run.run_manifest import read_manifest
from train.train_srt import train

Make = Callable[..., Recipe]
FEW, MANY = range(12), range(100, 140)


@pytest.fixture
def mixed(recipe: Make, tmp_path: Path) -> Make:
    """A run on 12 sequences and 40 others, three of these to one of those."""
    for name, numbers in (("few", FEW), ("many", MANY)):
        write_records(tmp_path / f"{name}.jsonl", [make_sequence(number) for number in numbers])
    mix = [{"data": str(tmp_path / f"{name}.jsonl"), "weight": weight} for name, weight in (("few", 1), ("many", 3))]

    def make(**changes: Any) -> Recipe:
        return recipe(**({"data": None, "mix": mix} | changes))

    return make


def batches(chosen: Recipe, processes: int = 1) -> list[list[str]]:
    """The problems of each step."""
    examples = read_examples(chosen, load_tokenizer(chosen.model.path))
    plan = plan_batches(chosen, examples, processes)
    return [
        [examples.problem_id(index) for micro in plan.of_step(step) for index in micro] for step in range(plan.steps)
    ]


def of_few(problem: str) -> bool:
    return int(problem[1:]) in FEW


def test_each_step_has_its_shares_and_each_file_its_order(mixed: Make, recipe: Make, tmp_path: Path) -> None:
    steps = batches(mixed(steps=12))
    assert [sum(map(of_few, step)) for step in steps] == [2] * 12
    seen = [problem for step in steps for problem in step]
    assert set(Counter(filter(of_few, seen)).values()) == {2}  # 24 places, 12 sequences
    alone = batches(recipe(data=str(tmp_path / "many.jsonl"), steps=9))
    passed = [{problem for step in some for problem in step if not of_few(problem)} for some in (steps[:6], alone[:4])]
    assert len(passed[0]) == 36 > len(passed[1]) == 32
    assert passed[1] < passed[0]


def test_uneven_shares_are_met_within_one_place(mixed: Make) -> None:
    chosen = mixed(steps=20)
    assert chosen.mix is not None
    shares = (0.37, 0.63)
    uneven = [file.model_copy(update={"weight": share}) for file, share in zip(chosen.mix, shares, strict=True)]
    seen = [problem for step in batches(chosen.model_copy(update={"mix": tuple(uneven)})) for problem in step]
    for end in range(8, 161, 8):  # the order within a step is by length
        assert abs(sum(map(of_few, seen[:end])) - 0.37 * end) <= 1


@pytest.mark.parametrize("split", [{"micro_batch": 2}, {"pack": 300}])
def test_processes_and_packing_change_no_step(split: dict[str, Any], mixed: Make) -> None:
    whole = [sorted(step) for step in batches(mixed())]
    assert [sorted(step) for step in batches(mixed(**split), 2)] == whole
    assert batches(mixed(steps=9))[:6] == batches(mixed())


def test_a_resumed_run_ends_as_one_that_was_not(
    mixed: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, broken = (mixed(output=str(tmp_path / name), save_steps=2, steps=4) for name in ("whole", "broken"))
    train(whole)
    assert "few.jsonl: 8 items, 0.67 times through its 12 sequences\n" in capsys.readouterr().out
    with monkeypatch.context() as patch:
        break_off_at("checkpoint-4", patch)
        with pytest.raises(Broken):
            train(broken)
    train(broken, resume=True)
    assert same_weights(whole.output, broken.output, "model.safetensors")
    keys = read_manifest(Path(whole.output)).fingerprint
    assert (keys["mix.1.weight"], keys["mix.2.weight"]) == (1, 3)
    assert keys["mix.1.data (contents)"] != keys["mix.2.data (contents)"]
    card = (Path(whole.output) / "README.md").read_text()
    assert "data: few.jsonl" in card
    assert str(tmp_path) not in card
    assert whole.mix is not None
    heavier = whole.mix[0].model_copy(update={"weight": 2.0})
    with pytest.raises(UserError, match=r"mix\.1\.weight"):
        train(whole.model_copy(update={"mix": (heavier, whole.mix[1])}))


FILE = {"data": "few.jsonl", "weight": 1}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"mix": []}, "mix: the list is empty"),
        ({"mix": [{"data": "few.jsonl"}]}, "mix.0.weight: missing"),
        ({"mix": [FILE | {"weight": 0}]}, "mix.0.weight: "),
        ({"mix": [FILE, FILE]}, "mix: few.jsonl: is there twice"),
        ({"data": "d.jsonl"}, "mix, data: give one of them"),
        ({"steps": None, "stages": [{"name": "a", "data": "d.jsonl", "items": 8}]}, "mix, stages: give one of them"),
        ({"steps": None, "epochs": 2}, "mix, epochs: "),
        ({"steps": None}, "steps: missing"),
    ],
)
def test_a_bad_mix_is_one_line(changes: dict[str, Any], fault: str, mixed: Make) -> None:
    with pytest.raises(ConfigFaults) as caught:
        mixed(**changes)
    assert len(caught.value.faults) == 1, caught.value.faults
    assert caught.value.faults[0].startswith(fault)


def test_preflight_names_a_missing_file(mixed: Make, tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"
    values = mixed().model_dump(mode="json", exclude_none=True)
    values["mix"][1]["data"] = "absent.jsonl"
    path.write_text(yaml.safe_dump(values))
    bad = CliRunner().invoke(make_app(), ["preflight", str(path), "--json", "--no-step"])
    assert bad.exit_code == 2
    assert "mix: data: no such file: absent.jsonl" in bad.output
