"""The probe of an experiment: what it asks, what all arms start from, and where the experiment ends."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from srt.experiment.experiment_blocks import InitModel
from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.experiment_recipe import Experiment
from srt.experiment.model_stages import Evaluation, RunFigures, TrainedModel, TrainedTokens
from srt.experiment.run_experiment import run_experiment
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Problem, Sequence
from srt.worlds.views.views_world import ViewsWorld
from tests.srt.experiment.fake_stages import FakeStages, make, run

VIEWS: dict[str, Any] = {
    "world": "views",
    "spec": {"kinds": ["FPBI"], "nets": False, "style": "cells", "options_share": 0},
}


class Reader(FakeStages):
    """Reads ``right`` of a hundred places."""

    def __init__(self, right: int) -> None:
        super().__init__()
        self.right = right
        self.asked: list[Evaluation] = []

    def reads_pictures(self, model: Path | InitModel) -> bool:
        return True

    def evaluate(self, evaluation: Evaluation) -> None:
        self.asked.append(evaluation)
        super().evaluate(evaluation)

    def train(self, recipe: Path, *rest: Any, **more: Any) -> None:
        super().train(recipe, *rest, **more)
        (Path(yaml.safe_load(recipe.read_text())["output"]) / "weights").touch()

    def figures(self, run: Path) -> RunFigures:
        return RunFigures("1" * self.right + "0" * (100 - self.right), 1.0, 0.0, 0.0, {})


def probed(tmp_path: Path, **changes: Any) -> Experiment:
    return make(
        tmp_path,
        train_problems=[{**VIEWS, "n": 5}],
        test_problems=[{**VIEWS, "n": 4}],
        model={"arch": "qwen2_5_vl"},
        probe={"asked_of_each": 2, "asked": 7, "train": {"steps": 3}},
        **changes,
    )


def test_every_arm_starts_from_what_has_learned_to_read(tmp_path: Path) -> None:
    stages = Reader(95)
    _, calls, said = run(probed(tmp_path, held_out=1, train={"steps": 1, "eval_steps": 1}), stages)
    assert calls[:7] == [
        "check",
        "init 0",
        "train probe-0",
        "evaluate answer-0 with runs/probe-0/model",
        "train answer-0",
        "train srt-0",
        "evaluate base-0 with runs/probe-0/model",
    ]
    assert "probe, seed 0: 95 of 100 places of unseen pictures are read correctly (95.0%)" in said
    folder = ExperimentFolder(tmp_path / "out")
    recipes = {
        name: yaml.safe_load((folder.run(name, 0) / "recipe.yaml").read_text()) for name in ("probe", "answer", "srt")
    }
    start = str(folder.model("probe", 0))
    assert recipes["answer"]["model"]["path"] == recipes["srt"]["model"]["path"] == start
    assert recipes["probe"]["model"]["path"] == str(tmp_path / "out" / "init-0")
    assert recipes["probe"]["steps"] == 3
    assert not {"eval_data", "eval_steps"} & recipes["probe"].keys()
    # The tokenizer knows the questions of the probe.
    assert any("front b2?" in text for text in stages.texts)


class CurveReader(Reader):
    """The same, for learning curves."""

    def check(self, experiment: Experiment, recipe: dict[str, Any]) -> None:
        assert recipe["steps"] == 1

    def train(self, recipe: Path, launch: Any, say: Any, until: int | None = None) -> None:
        if until is None:
            super().train(recipe, launch, say)
        else:
            output = Path(yaml.safe_load(recipe.read_text())["output"])
            (output / f"checkpoint-{until}").mkdir(parents=True, exist_ok=True)

    def tokens_until(self, recipe: Path, steps: Any) -> list[TrainedTokens]:
        return [TrainedTokens(step, step) for step in steps]

    def evaluate(self, evaluation: Evaluation) -> None:
        self.asked.append(evaluation)


@pytest.mark.parametrize("lora", [None, {"r": 4}])
def test_arms_of_a_curve_are_evaluated_from_the_probe_with_the_pictures_of_training(lora: Any, tmp_path: Path) -> None:
    train = {"batch_size": 2, "scheduler": "constant", "pictures": {"max_pixels": 784}}
    shape: dict[str, Any] = {"arms": ["base", "srt"], "curve": {"items": [2]}}
    experiment = probed(tmp_path, train=train | ({} if lora is None else {"lora": lora}), **shape)
    stages = CurveReader(95)
    run(experiment, stages)
    folder = ExperimentFolder(tmp_path / "out")
    probe, kept = folder.model("probe", 0), folder.weights("srt", 0, 2)
    _, base, srt = stages.asked  # the first asks the probe
    assert base.trained == TrainedModel(probe)
    assert srt.trained == (TrainedModel(kept) if lora is None else TrainedModel(probe, kept))
    assert [one.settings["max_pixels"] for one in stages.asked] == [784, 784, 784]


def test_arms_of_all_seeds_start_from_a_shared_probe(tmp_path: Path) -> None:
    experiment = probed(tmp_path, seeds=[3, 4])
    assert experiment.probe is not None
    shared = experiment.probe.model_copy(update={"shared": True})
    _, calls, _ = run(experiment.model_copy(update={"probe": shared}), Reader(95))
    assert [call for call in calls if "train" in call] == [
        "train probe-3",
        *(f"train {arm}-{seed}" for seed in (3, 4) for arm in ("answer", "srt")),
    ]
    assert [call for call in calls if call.startswith("evaluate base")] == ["evaluate base-3 with runs/probe-3/model"]
    folder = ExperimentFolder(tmp_path / "out")
    for seed in (3, 4):
        recipe = yaml.safe_load((folder.run("srt", seed) / "recipe.yaml").read_text())
        assert recipe["model"]["path"] == str(folder.model("probe", 3))


def test_places_of_the_pictures_of_training_are_trained_on_and_those_of_the_test_are_asked(tmp_path: Path) -> None:
    run(probed(tmp_path), Reader(100))
    folder = ExperimentFolder(tmp_path / "out")
    asked = list(read_records(folder.test("probe"), Problem))
    pictures = {image.path: one for one in read_records(folder.test("test"), Problem) for image in one.images}
    assert len(asked) == 7
    for one in asked:
        assert one.images[0].path in pictures
        assert (folder.data / one.images[0].path).is_file()
        assert one.group_id == pictures[one.images[0].path].group_id
    trained = list(read_records(folder.sequences("probe"), Sequence))
    problems = list(read_records(folder.train, Problem))
    alone = [one for one in trained if len(one.spans) == 1]
    together = [one for one in trained if len(one.spans) > 1]
    # Some questions stand alone, so that the model learns to stop after an answer.
    assert Counter(one.images[0].path for one in alone) == {one.images[0].path: 3 for one in problems}
    assert sorted(one.images[0].path for one in together) == sorted(one.images[0].path for one in problems)
    answers = {one.images[0].path: dict(ViewsWorld.extras.figures.readings(one)) for one in problems}
    for one in trained:
        text = one.completion[0].content
        first, *others = text.split("\n")
        read = {one.prompt[0].content.removesuffix(" ..."): first.removeprefix("ANSWER: ")}
        read |= dict(line.rsplit(" ", 1) for line in others)
        right = {question: str(answer) for question, answer in answers[one.images[0].path].items()}
        assert read.items() <= right.items()
        assert len(read) == (1 if one in alone else len(right))
        assert one.prompt[0].content.endswith(" ...") == (one in together)
        assert [text[span.start : span.end] for span in one.spans] == list(read.values())
    assert not {image.path for one in trained for image in one.images} & pictures.keys()


def test_what_cannot_read_is_not_trained_further(tmp_path: Path) -> None:
    stages = Reader(94)
    with pytest.raises(UserError, match=r"probe, seed 0: 94 of 100 places .* \(94.0%\); 95% are needed before an arm"):
        run(probed(tmp_path), stages)
    assert not [call for call in stages.calls if call.startswith("train") and "probe" not in call]
    # More is asked of nobody: the same command ends at the same place.
    with pytest.raises(UserError, match="94 of 100"):
        run(probed(tmp_path), stages)
    assert stages.calls.count("train probe-0") == 1


def test_a_probe_of_problems_without_pictures_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    booths = {"world": "seating", "n": 3, "spec": {"scenes": ["booth"], "names": 6}}
    experiment = make(
        tmp_path,
        train_problems=[booths],
        test_problems=[booths],
        model={"arch": "qwen2_5_vl"},
        probe={"train": {"steps": 3}},
    )
    with pytest.raises(UserError, match="probe: no problem of the world seating shows a picture"):
        run(experiment, Reader(100))
    assert not experiment.output.exists()


@pytest.mark.parametrize("changes", [{"model": "models/some"}, {"test_problems": [], "benchmarks": []}])
def test_a_probe_needs_a_new_model_and_pictures_to_ask_about(changes: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"probe: needs a new model \(model: \{arch: ...\}\) and test_problems"):
        make(tmp_path, **{"model": {"arch": "qwen2_5_vl"}, "probe": {}} | changes)


def test_a_probe_of_a_text_model_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    experiment, stages = make(tmp_path, model={"arch": "llama"}, probe={}), FakeStages()
    with pytest.raises(UserError, match=r"^my\.yaml: probe: the model reads no pictures"):
        run_experiment(experiment, stages, print, recipe=Path("my.yaml"))
    assert stages.calls == ["check"]
    assert not experiment.output.exists()
