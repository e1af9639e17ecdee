"""Curricula: stages follow one another in one run, which resumes in any of them, and says what is wrong in one line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from safetensors.torch import load_file
from typer.testing import CliRunner

import train.loop.run_trainer as run_trainer
from srt.cli import make_app
from srt.io.errors import UserError
from srt.io.record_writer import write_records
from srt.io.yaml_config import ConfigFaults
from tests.train.conftest import make_sequence
from train.data.batches import plan_batches
from train.data.token_cache import read_examples
from train.models.model_files import load_tokenizer, load_tokenizer_and_processor
from train.recipe import Recipe
from train.run.run_manifest import read_manifest
from train.train_srt import train

Make = Callable[..., Recipe]


class Broken(Exception):
    pass


@pytest.fixture
def staged(recipe: Make, tmp_path: Path) -> Make:
    """A run of two stages: 16 items of 12 sequences, then 24 items of 40, of which 6 are in the first too."""
    for name, numbers in (("narrow", range(12)), ("wide", range(6, 46))):
        write_records(tmp_path / f"{name}.jsonl", [make_sequence(number) for number in numbers])
    stages = [stage("narrow", tmp_path / "narrow.jsonl", 16), stage("wide", tmp_path / "wide.jsonl", 24)]

    def make(**changes: Any) -> Recipe:
        return recipe(**({"data": None, "steps": None, "stages": stages} | changes))

    return make


def stage(name: str, data: Path, items: int) -> dict[str, Any]:
    return {"name": name, "data": str(data), "items": items}


def batches(chosen: Recipe) -> list[list[str]]:
    """The problems of each step."""
    examples = read_examples(chosen, load_tokenizer(chosen.model.path))
    plan = plan_batches(chosen, examples, 1)
    return [
        [examples.problem_id(index) for micro in plan.of_step(step) for index in micro] for step in range(plan.steps)
    ]


@pytest.mark.parametrize("split", [{}, {"micro_batch": 4}, {"pack": 300}])
def test_each_stage_has_the_order_of_a_run_on_it_alone(
    split: dict[str, Any], staged: Make, recipe: Make, tmp_path: Path
) -> None:
    narrow, wide = (
        batches(recipe(data=str(tmp_path / f"{name}.jsonl"), steps=steps, **split))
        for name, steps in (("narrow", 2), ("wide", 3))
    )
    assert batches(staged(**split)) == narrow + wide
    assert len({problem for batch in narrow for problem in batch}) == 12  # 16 items: a second time through


def test_what_is_too_long_is_left_out_of_its_stage(staged: Make, tmp_path: Path) -> None:
    """Also what is too long in another arm."""
    long = make_sequence(3)
    longer = long.model_copy(
        update={"completion": [long.completion[0].model_copy(update={"content": "INFER #1 " * 90})], "spans": []}
    )
    write_records(tmp_path / "other.jsonl", [longer])
    chosen = staged(too_long="drop", other_arms=[str(tmp_path / "other.jsonl")])
    examples = read_examples(chosen, load_tokenizer(chosen.model.path))
    assert examples.sizes == (11, 40)
    assert [problem.problem_id for problem in examples.dropped] == ["p3"]
    assert "p3" not in {problem for batch in batches(chosen) for problem in batch}


@pytest.mark.parametrize("last", [1, 2, 3, 4])
def test_a_run_that_was_broken_off_in_any_stage_ends_as_one_that_was_not(
    last: int, staged: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After steps 1 (first stage), 2 (between them), 3 and 4 (second stage): the same weights, to the bit."""
    shape: dict[str, Any] = {"save_steps": 1, "scheduler": "linear", "pack": 300}
    whole, broken = (staged(output=str(tmp_path / name), **shape) for name in ("whole", "broken"))
    unbroken = train(whole)
    mark = run_trainer.mark_complete

    def mark_or_break(path: Path, seconds: float) -> None:
        if path.name == f"checkpoint-{last + 1}":
            raise Broken
        mark(path, seconds)

    with monkeypatch.context() as patch:
        patch.setattr(run_trainer, "mark_complete", mark_or_break)
        with pytest.raises(Broken):
            train(broken)
    resumed = train(broken, resume=True)
    assert [attempt.from_step for attempt in read_manifest(tmp_path / "broken").attempts] == [0, last]
    assert (resumed.steps, resumed.losses, resumed.tokens) == (5, unbroken.losses, unbroken.tokens)
    one, other = (load_file(f"{chosen.output}/model.safetensors") for chosen in (whole, broken))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_the_manifest_has_the_stages_and_another_curriculum_is_refused(
    staged: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = staged()
    train(chosen)
    assert "stage wide: steps 3 to 5, 24 items, 0.60 times through its 40 sequences\n" in capsys.readouterr().out
    keys = read_manifest(Path(chosen.output)).fingerprint
    assert (keys["stages.1.narrow.items"], keys["stages.2.wide.items"]) == (16, 24)
    hashes = [keys[f"stages.{at}.data (contents)"] for at in ("1.narrow", "2.wide")]
    card = (Path(chosen.output) / "README.md").read_text()
    assert ", ".join(f"`{digest}`" for digest in hashes) in card
    assert "data: narrow.jsonl" in card
    assert str(tmp_path) not in card
    assert chosen.stages is not None
    with pytest.raises(UserError, match=r"stages\.1\.wide\.items"):
        train(chosen.model_copy(update={"stages": chosen.stages[::-1]}), resume=True)
    write_records(tmp_path / "wide.jsonl", [make_sequence(number) for number in range(20, 60)])
    with pytest.raises(UserError, match=r"stages\.2\.wide\.data \(contents\)"):
        train(chosen, resume=True)


NARROW = {"name": "narrow", "data": "narrow.jsonl", "items": 16}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"stages": []}, "stages: the list is empty"),
        ({"stages": [NARROW | {"itmes": 4}]}, "stages.0.itmes: no such key, did you mean items?"),
        ({"stages": [{"name": "narrow", "items": 16}]}, "stages.0.data: missing"),
        ({"stages": [NARROW | {"items": 0}]}, "stages.0.items: "),
        ({"stages": [NARROW | {"items": 12}]}, "stages: narrow: items: 12 is not a multiple of batch_size = 8"),
        ({"stages": [NARROW, NARROW]}, "stages: two are named narrow"),
        ({"data": "d.jsonl"}, "stages, data: give one of them"),
        ({"steps": 6}, "stages, steps: give one of them"),
        ({"epochs": 2}, "stages, epochs: give one of them"),
        ({"stages": None, "steps": 6}, "data: missing"),
    ],
)
def test_a_bad_curriculum_is_one_line(changes: dict[str, Any], fault: str, staged: Make) -> None:
    with pytest.raises(ConfigFaults) as caught:
        staged(**changes)
    assert len(caught.value.faults) == 1, caught.value.faults
    assert caught.value.faults[0].startswith(fault)


def test_preflight(staged: Make, tmp_path: Path) -> None:
    path = tmp_path / "recipe.yaml"

    def preflight(chosen: Recipe) -> Any:
        path.write_text(yaml.safe_dump(chosen.model_dump(mode="json", exclude_none=True)))
        return CliRunner().invoke(make_app(), ["preflight", str(path), "--json", "--no-step"])

    sound = preflight(staged())
    assert sound.exit_code == 0, sound.output
    found = json.loads(sound.stdout)
    assert [found[f"data of stage {name}"]["sequences"] for name in ("narrow", "wide")] == [12, 40]
    assert found["run"]["steps"] == 5
    assert found["run"]["stage 1"] == "narrow: steps 1 to 2, 16 items, 1.33 times through its 12 sequences"
    stages = [NARROW | {"data": str(tmp_path / "narrow.jsonl")}, NARROW | {"name": "wide", "data": "absent.jsonl"}]
    bad = preflight(staged(stages=stages, max_length=20))
    assert bad.exit_code == 2
    assert "stages: wide: data: no such file: absent.jsonl" in bad.output


def test_pictures_of_stages_are_in_one_folder(vision_recipe: Make, vision_data: Path, tmp_path: Path) -> None:
    shutil.copytree(vision_data.parent, tmp_path / "copy")
    for second, fits in ((vision_data, True), (tmp_path / "copy" / vision_data.name, False)):
        stages = [stage("one", vision_data, 8), stage("two", second, 8)]
        chosen = vision_recipe(data=None, steps=None, stages=stages)
        tools = load_tokenizer_and_processor(chosen.model.path)
        if fits:
            joined, alone = read_examples(chosen, *tools), read_examples(chosen.parts()[0], *tools)
            assert joined[len(alone) + 2].pictures == alone[2].pictures != ()
        else:
            with pytest.raises(UserError, match="stages, mix: data with pictures must be in one folder"):
                read_examples(chosen, *tools)
