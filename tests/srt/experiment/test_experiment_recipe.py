"""The recipe of an experiment: what it may extend, what does not fit together, and those that are shipped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from srt.experiment.experiment_folder import claim
from srt.experiment.experiment_reader import load_experiment
from srt.experiment.experiment_recipe import Experiment
from srt.io.errors import UserError
from tests.srt.experiment.fake_stages import BOOTHS, FakeStages, make, run


def test_settings_that_are_refused_leave_no_folder(tmp_path: Path) -> None:
    class Refusing(FakeStages):
        def check(self, experiment: Experiment, recipe: dict[str, Any]) -> None:
            raise UserError("train: stepz: no such key")

    with pytest.raises(UserError, match="stepz"):
        run(make(tmp_path), Refusing())
    with pytest.raises(UserError, match="chess"):
        run(make(tmp_path, test_problems=[{"world": "chess", "n": 1}]))
    assert not (tmp_path / "out").exists()
    run(make(tmp_path))


def test_train_extends_a_training_recipe(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(
        "seed: 3\nmodel: {path: m, hub_id: me/m, dtype: bfloat16}\nlora: {r: 8, alpha: 4}\n"
    )
    (tmp_path / "r.yaml").write_text("extends: base.yaml\ndata: d\noutput: o\nsteps: 5\n")
    experiment = {
        "name": "e",
        "output": "out",
        "arms": ["srt"],
        "train_problems": [{"world": "seating", "n": 1}],
        "test_problems": [{"world": "seating", "n": 1}],
        "model": "m",
        "train": {"extends": "r.yaml", "steps": 7, "model": {"attn": "eager"}},
    }
    path = tmp_path / "e.yaml"
    path.write_text(yaml.safe_dump(experiment))
    expected = {"model": {"dtype": "bfloat16", "attn": "eager"}, "lora": {"r": 8, "alpha": 4}, "steps": 7}
    assert load_experiment(path).train == expected
    path.write_text(yaml.safe_dump(experiment | {"train": {"extends": "gone.yaml"}}))
    with pytest.raises(UserError, match=r"gone.yaml"):
        load_experiment(path)


def test_the_experiments_of_the_repository_are_read() -> None:
    recipes = Path(__file__).parents[3] / "recipes"
    read = {path.stem: load_experiment(path) for path in recipes.glob("*.yaml")}
    seven = read["r1-distill-seating"]
    assert seven.train["lora"] == {"r": 16, "alpha": 32}
    for launch in (seven.launch, seven.eval_launch):
        assert launch is not None
        assert (recipes.parent / launch).is_file()


def test_all_weights_by_one_override() -> None:
    """As the recipe's head says."""
    path = Path(__file__).parents[3] / "recipes" / "r1-distill-seating.yaml"
    full = load_experiment(path, ["train.extends=train/r1-distill-qwen-7b-full.yaml", "seeds=[4]"])
    assert "lora" not in full.train
    assert full.train["learning_rate"] == 1e-5
    assert full.seeds == [4]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"test_problems": []}, "test_problems, benchmarks: at least one"),
        ({"arms": ["srt"], "traces": {"cot": "taught"}}, "traces: cot: no arm"),
        ({"traces": {"answer": {"teach": "openai"}}}, "traces.answer: srt teach writes"),
        ({"train": {"steps": 1, "eval_steps": 5}}, "train: eval_steps: needs held_out"),
        ({"train": {"eval_data": "x"}}, "eval_data: must be left out"),
        ({"benchmarks": [{"benchmark": "hst", "data": "x"}] * 2}, "hst is listed more than once; give each a name"),
        ({"benchmarks": [{"benchmark": "hst", "data": "x", "name": ".."}]}, r"benchmarks\.0\.name: "),
        ({"benchmarks": [{"benchmark": "hst", "data": "x", "name": "srt.sequences"}]}, r"benchmarks\.0\.name: "),
        ({"benchmarks": [{"benchmark": "hst", "data": "x", "name": "train"}]}, "train is taken"),
        ({"benchmarks": [{"benchmark": "hst", "data": "x", "name": "left_out"}]}, "left_out is taken"),
        ({"arms": ["base+cot-shots", "srt"], "evaluate": {"shots": 3}}, r"arms: base\+cot-shots: .* of cot"),
        ({"arms": ["base+srt-shots", "srt"]}, r"arms: base\+srt-shots: needs evaluate\.shots"),
        ({"evaluate": {"shots": 3}}, "evaluate: shots: no arm"),
        ({"traces": {"srt": "no/such"}}, r"traces.srt: no/such: no such file; srt teach"),
    ],
)
def test_what_does_not_fit_together_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        run(make(tmp_path, **changes))
    assert not (tmp_path / "out").exists()


def test_a_copied_recipe_finds_what_it_extends_and_prefers_the_users(tmp_path: Path) -> None:
    copied = tmp_path / "mine.yaml"
    copied.write_text((Path(__file__).parents[3] / "recipes" / "r1-distill-seating.yaml").read_text())
    assert load_experiment(copied).train["lora"] == {"r": 16, "alpha": 32}
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "r1-distill-qwen-7b-lora.yaml").write_text("steps: 5\n")
    assert load_experiment(copied).train["steps"] == 5
    copied.write_text("extends: demo\nseeds: [3]\n")
    assert (load_experiment(copied).name, load_experiment(copied).seeds) == ("demo", [3])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"train_problems": [{"problem": "p.jsonl"}]},
            "one of the keys world, corpus, problems was expected, not problem",
        ),
        ({"seeds": [True]}, r"seeds\.0: a whole number was expected, not True"),
        ({"seeds": [-1]}, r"seeds\.0: a number greater than or equal to 0 was expected"),
        ({"name": ""}, "name: a text that is not empty was expected"),
        ({"held_out": 2}, r"held_out: needs train\.eval_steps"),
        ({"model": "Qwen/Qwen2.5-VL-7B-Instruct"}, r"^model: Qwen/.*: no such folder; .*hf download Qwen"),
        (
            {"train_problems": [{"problems": "gone.jsonl"}]},
            r"^train_problems\.0\.problems: gone\.jsonl: no such file or",
        ),
        (
            {"test_problems": [{"corpus": "plain", "path": "${SRT_UNSET}/x"}]},
            r"^test_problems\.0\.path: .*SRT_UNSET is not",
        ),
        (
            {"benchmarks": [{"benchmark": "solidgeo", "data": "gone.json"}]},
            r"^benchmarks\.0\.data: gone\.json: no such",
        ),
        (
            {"plan": "running", "train_problems": [{"world": "views", "n": 2}]},
            r"^plan: .*'running'.* views offers needed \(train_problems\.0\.world\)",
        ),
        (
            {"text": "anchored", "train_problems": [{"world": "views", "n": 2}]},
            r"^text: .*'anchored'.* views offers claims, assertions \(train_problems\.0\.world\)",
        ),
    ],
)
def test_faults_that_are_found_before_anything_is_written(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message):
        run(make(tmp_path, **changes))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"plan": "read-as-used"}, "plan: plan 'read-as-used': .*405b85f"),
        ({"text": "restated"}, "text: .*'restated': .*405b85f.* anchored"),
        ({"text": "anchord"}, r"text: .*'anchord' .did you mean 'anchored'"),
        ({"plan": "read-as-turn"}, r"plan: .*'read-as-turn' .did you mean 'read-as-turns'"),
    ],
)
def test_a_plan_or_a_style_that_no_world_offers_any_more(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    (tmp_path / "old.yaml").write_text(yaml.safe_dump({"extends": "demo", **changes}))
    with pytest.raises(UserError, match=message) as caught:
        load_experiment(tmp_path / "old.yaml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("place", ["file/out", "/proc/out"])
def test_an_output_that_cannot_be_made_is_one_line(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=r"out: (a folder was expected|cannot be made)"):
        run(make(tmp_path, output=str(tmp_path / place)))


def test_a_folder_of_other_settings_names_them_down_to_the_key(tmp_path: Path) -> None:
    run(make(tmp_path))
    with pytest.raises(UserError, match=r"other settings of evaluate\.repeats, train\.steps; give another output"):
        run(make(tmp_path, train={"steps": 2}, evaluate={"repeats": 2}))


@pytest.mark.parametrize("changes", [{"train": {"stepz": 2}}, {"evaluate": {"tempratur": 1}}])
def test_settings_that_are_mended_are_checked_before_they_are_written(changes: dict[str, Any], tmp_path: Path) -> None:
    class Reading(FakeStages):
        def check(self, experiment: Experiment, recipe: dict[str, Any]) -> None:
            if faults := {*recipe, *experiment.evaluate} & {"stepz", "tempratur"}:
                raise UserError(f"{faults}: no such key")

    claim(make(tmp_path))
    before = (tmp_path / "out" / "experiment.json").read_bytes()
    with pytest.raises(UserError, match=r"stepz|tempratur"):
        run(make(tmp_path, **changes), Reading())
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["experiment.json"]
    assert (tmp_path / "out" / "experiment.json").read_bytes() == before


@pytest.mark.parametrize("key", ["launch", "eval_launch"])
def test_launch_files_are_looked_for_first(key: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=rf"^{key}: gone\.yaml: no such accelerate file"):
        run(make(tmp_path, **{key: "gone.yaml"}))
    assert not (tmp_path / "out").exists()


def test_another_eval_launch_is_looked_for_where_an_experiment_goes_on(tmp_path: Path) -> None:
    stages = FakeStages()
    stages.dies_at = "train answer-0"
    with pytest.raises(KeyboardInterrupt):
        run(make(tmp_path), stages)
    with pytest.raises(UserError, match=r"^eval_launch: gone\.yaml: no such accelerate file"):
        run(make(tmp_path, eval_launch="gone.yaml"), stages := FakeStages())
    assert stages.calls == []


def test_settings_of_training_may_be_mended_until_something_is_trained(tmp_path: Path) -> None:
    """Data and initial weights are kept, which may have taken hours."""
    stages = FakeStages()
    stages.faults = {"srt-0": ["max_length: 1 of 6 sequences has more than 8 tokens"]}
    with pytest.raises(UserError, match="max_length"):
        run(make(tmp_path), stages)
    made = {file: file.stat().st_mtime_ns for file in (tmp_path / "out" / "data").glob("*.jsonl")}
    assert made
    with pytest.raises(UserError, match="other settings of train_problems; give another output"):
        run(make(tmp_path, train_problems=[BOOTHS | {"n": 7}]), stages)
    stages.faults = {}
    run(make(tmp_path, train={"steps": 2}, evaluate={"repeats": 2}), stages)
    assert {file: file.stat().st_mtime_ns for file in made} == made
    assert stages.calls.count("init 0") == 1
    held = orjson.loads((tmp_path / "out" / "experiment.json").read_bytes())
    assert (held["train"], held["evaluate"]) == ({"steps": 2}, {"repeats": 2})
    with pytest.raises(UserError, match=r"other settings of train\.steps"):
        run(make(tmp_path, train={"steps": 3}, evaluate={"repeats": 2}), stages)
