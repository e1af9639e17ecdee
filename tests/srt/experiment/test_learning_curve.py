"""Learning curves: one training run through all points, filed one by one, in an order that keeps arms comparable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from srt.experiment.experiment_blocks import InitModel
from srt.experiment.experiment_folder import ExperimentFolder, claim
from srt.experiment.experiment_reader import load_experiment
from srt.experiment.experiment_recipe import Experiment
from srt.experiment.learning_curve import TestPuzzles, read_points
from srt.experiment.model_stages import Evaluation, LearningCost, RunFigures, TrainedTokens
from srt.experiment.portion import Portion
from srt.experiment.run_experiment import run_experiment
from srt.io.errors import UserError
from tests.srt.experiment.fake_stages import FakeStages

BOOTHS: dict[str, Any] = {"world": "seating", "n": 12, "spec": {"scenes": ["booth"], "names": 6}}


class CurveStages(FakeStages):
    """``train`` and ``eval`` as files: a checkpoint for each stop, and as many right answers as its weights say."""

    def __init__(self, right: str = "0110") -> None:
        super().__init__()
        self.right = right

    def check(self, experiment: Experiment, recipe: dict[str, Any]) -> None:
        assert recipe["steps"] == experiment.curve.items[-1] // 2

    def init_model(self, spec: InitModel, texts: Iterator[str], seed: int, out: Path) -> None:
        out.mkdir()

    def train(self, recipe: Path, launch: Path | None, say: Callable[[str], None], until: int | None = None) -> None:
        settings = yaml.safe_load(recipe.read_text())
        self._call(f"train {Path(settings['output']).parent.name} until {until}")
        assert until is not None, "a run that is finished cannot be made longer"
        trained = Path(settings["output"]) / f"checkpoint-{until}"
        trained.mkdir(parents=True, exist_ok=True)
        for name in ("model.safetensors", "optimizer.pt"):
            (trained / name).write_text(str(until))

    def tokens_until(self, recipe: Path, steps: Sequence[int]) -> list[TrainedTokens]:
        return [TrainedTokens(100 * step, 50 * step) for step in steps]

    def evaluate(self, evaluation: Evaluation) -> None:
        weights = evaluation.trained.model / "model.safetensors"
        self._call(f"evaluate {evaluation.arm} at {weights.read_text()}")
        assert not (evaluation.trained.model / "optimizer.pt").exists()

    def figures(self, run: Path) -> RunFigures:
        return RunFigures(self.right, 20.0, 0.25, 0.5, {"INFER contradiction": 1})

    def compare(
        self,
        runs: list[Path],
        out: Path,
        title: str,
        reporting: Mapping[str, Any],
        warning: str | None,
        learning: Sequence[LearningCost],
    ) -> str:
        raise AssertionError("curves are not compared run by run")


def make(tmp_path: Path, **changes: Any) -> Experiment:
    values: dict[str, Any] = {
        "name": "fake",
        "output": str(tmp_path / "out"),
        "arms": ["answer", "srt", "srt-ban-INFER"],
        "seeds": [0, 1],
        "train_problems": [BOOTHS],
        "test_problems": [{**BOOTHS, "n": 4}],
        "model": {"arch": "llama", "tokenizer_arms": ["answer", "srt"]},
        "curve": {"items": [2, 8]},
        "train": {"batch_size": 2, "scheduler": "constant"},
    }
    path = tmp_path / "experiment.yaml"
    path.write_text(yaml.safe_dump(values | changes))
    return load_experiment(path)


SEED_0 = [
    "train answer-0 until 1",
    "evaluate answer at 1",
    "train srt-0 until 1",
    "evaluate srt at 1",
    "evaluate srt-ban-INFER at 1",
    "train answer-0 until 4",
    "evaluate answer at 4",
    "train srt-0 until 4",
    "evaluate srt at 4",
    "evaluate srt-ban-INFER at 4",
]
ALL = [*SEED_0, *(call.replace("-0", "-1") for call in SEED_0)]


def test_all_arms_reach_a_point_before_one_goes_on(tmp_path: Path) -> None:
    stages = CurveStages()
    done = run_experiment(make(tmp_path), stages, lambda line: None)
    assert stages.calls == ALL
    points = read_points(ExperimentFolder(tmp_path / "out"))
    assert [(p.arm, p.seed, p.items) for p in points][:3] == [("answer", 0, 2), ("srt", 0, 2), ("srt-ban-INFER", 0, 2)]
    assert [(p.tokens, p.labelled_tokens) for p in points if (p.arm, p.seed) == ("srt", 1)] == [(100, 50), (400, 200)]
    assert points[0].accuracy == 0.5
    assert "| srt | 50.0 (2) | 50.0 (2) |" in done.summaries[0]
    puzzles = TestPuzzles.model_validate_json((tmp_path / "out" / "curve" / "test.json").read_bytes())
    assert len(puzzles.puzzles) == 4
    assert puzzles.training_problems == 12
    assert puzzles.trained_puzzles <= 12 <= puzzles.puzzles_at_least + 1


@pytest.mark.parametrize("dies_at", [SEED_0[3], SEED_0[7], SEED_0[9]])
def test_it_goes_on_where_it_died(dies_at: str, tmp_path: Path) -> None:
    stages = CurveStages()
    stages.dies_at = dies_at
    with pytest.raises(KeyboardInterrupt):
        run_experiment(make(tmp_path), stages, lambda line: None)
    begun, stages.dies_at = len(stages.calls), ""
    run_experiment(make(tmp_path), stages, lambda line: None)
    assert stages.calls[begun:] == ALL[ALL.index(dies_at) :]


def test_a_portion_now_and_the_rest_later(tmp_path: Path) -> None:
    stages = CurveStages()
    portion = Portion(arms=["answer", "srt"], seeds=[0], items=2)
    run_experiment(make(tmp_path), stages, lambda line: None, portion)
    assert stages.calls == SEED_0[:4]
    run_experiment(make(tmp_path), stages, lambda line: None)
    assert stages.calls[4:] == ALL[4:]
    for wrong in (Portion(arms=["cot"]), Portion(seeds=[7]), Portion(items=3)):
        with pytest.raises(UserError, match="is not one of"):
            run_experiment(make(tmp_path), stages, lambda line: None, wrong)


def test_an_arm_that_has_enough_is_not_trained_further(tmp_path: Path) -> None:
    stages = CurveStages("0111")
    run_experiment(make(tmp_path, curve={"items": [2, 8], "enough": 0.75}), stages, lambda line: None)
    assert not [call for call in stages.calls if call.endswith("4")]


def test_a_banned_operation_does_not_train_srt_further(tmp_path: Path) -> None:
    """It has its point where `srt` ends, and none after that, though it never has enough itself."""

    class BanHurts(CurveStages):
        def figures(self, run: Path) -> RunFigures:
            return replace(super().figures(run), right="0000") if "ban" in run.parent.name else super().figures(run)

    stages = BanHurts("0111")
    run_experiment(make(tmp_path, curve={"items": [2, 8], "enough": 0.75}), stages, lambda line: None)
    assert stages.calls[:5] == SEED_0[:5]
    assert not [call for call in stages.calls if call.endswith("4")]


def test_arms_and_seeds_can_be_added(tmp_path: Path) -> None:
    stages = CurveStages()
    run_experiment(make(tmp_path), stages, lambda line: None)
    stages.calls.clear()
    more = make(tmp_path, arms=["answer", "cot", "srt", "srt-ban-INFER"], seeds=[0, 1, 2])
    run_experiment(more, stages, lambda line: None)
    assert [call for call in stages.calls if call.startswith("train") and call.endswith("until 1")] == [
        f"train {run} until 1" for run in ("cot-0", "cot-1", "answer-2", "cot-2", "srt-2")
    ]
    # Not where the tokenizer would be another one.
    with pytest.raises(UserError, match="other settings of arms, model"):
        run_experiment(make(tmp_path, model={"arch": "llama"}), stages, lambda line: None)


STEADY = {"batch_size": 2, "scheduler": "constant", "warmup": 1}


def test_points_can_be_added_at_the_end(tmp_path: Path) -> None:
    stages = CurveStages()
    run_experiment(make(tmp_path, train=STEADY), stages, lambda line: None)
    stages.calls.clear()
    run_experiment(make(tmp_path, train=STEADY, curve={"items": [2, 8, 12]}), stages, lambda line: None)
    assert stages.calls[:2] == ["train answer-0 until 6", "evaluate answer at 6"]
    assert {call[-1] for call in stages.calls} == {"6"}
    for items in ([2, 8], [2, 6, 8, 12], [4, 8, 12, 16]):  # what was measured, or cannot be measured any more
        with pytest.raises(UserError, match=r"other settings of curve\.items"):
            run_experiment(make(tmp_path, train=STEADY, curve={"items": items}), stages, lambda line: None)


def test_an_experiment_without_a_curve_gets_none(tmp_path: Path) -> None:
    parts = [{"name": "a", "train_problems": [BOOTHS], "items": 4}]
    shape: dict[str, Any] = {"train_problems": None, "stages": parts, "train": STEADY}
    claim(make(tmp_path, **shape, curve=None))
    (tmp_path / "out" / "tested").mkdir()
    with pytest.raises(UserError, match="other settings of curve"):
        run_experiment(make(tmp_path, **shape, curve={"items": [4]}), CurveStages(), lambda line: None)


def test_only_the_last_point_is_measured_after_the_rate_has_fallen(tmp_path: Path) -> None:
    train = {**STEADY, "decay": 0.5}
    run_experiment(make(tmp_path, train=train, curve={"items": [2, 4, 8]}), CurveStages(), lambda line: None)
    with pytest.raises(UserError, match=r"other settings of curve\.items.*decay"):
        run_experiment(make(tmp_path, train=train, curve={"items": [2, 4, 8, 16]}), CurveStages(), lambda line: None)


@pytest.mark.parametrize("warmup", [None, 0.25])
def test_a_curve_whose_warmup_is_a_share_cannot_become_longer(warmup: float | None, tmp_path: Path) -> None:
    train = {"batch_size": 2, "scheduler": "constant"} | ({} if warmup is None else {"warmup": warmup})
    run_experiment(make(tmp_path, train=train), CurveStages(), lambda line: None)
    with pytest.raises(UserError, match=r"other settings of curve\.items.*warmup"):
        run_experiment(make(tmp_path, train=train, curve={"items": [2, 8, 12]}), CurveStages(), lambda line: None)


def test_the_last_stage_becomes_longer_with_the_curve(tmp_path: Path) -> None:
    def staged(first: int, last: int, **changes: Any) -> Experiment:
        parts = [
            {"name": name, "train_problems": [BOOTHS], "items": items} for name, items in (("a", first), ("b", last))
        ]
        points = {"curve": {"items": [2, first + last]}, "train": STEADY}
        return make(tmp_path, **({"train_problems": None, "stages": parts} | points | changes))

    class Staged(CurveStages):
        def check(self, experiment: Experiment, recipe: dict[str, Any]) -> None:
            pass

    stages = Staged()
    run_experiment(staged(4, 4), stages, lambda line: None)
    for shorter_first in (staged(2, 8, curve={"items": [2, 8, 10]}), staged(6, 2, curve={"items": [2, 8]})):
        with pytest.raises(UserError, match=r"other settings of .*stages"):
            run_experiment(shorter_first, stages, lambda line: None)
    stages.calls.clear()
    run_experiment(staged(4, 8, curve={"items": [2, 8, 12]}), stages, lambda line: None)
    assert {call[-1] for call in stages.calls} == {"6"}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"curve": {"items": [2, 3]}}, "3 is no multiple of train.batch_size, 2"),
        ({"curve": {"items": [4, 2]}}, "numbers above 0 that increase"),
        ({"train": {"batch_size": 2, "scheduler": "cosine"}}, "constant was expected"),
        ({"train": {"batch_size": 2, "scheduler": "constant", "steps": 3}}, "the last of curve.items decides"),
        ({"train": {"scheduler": "constant"}}, "batch_size"),
        ({"curve": {"items": [2, 6, 8]}, "train": {**STEADY, "decay": 2}}, "decay: begins after 4 items"),
        ({"curve": {"items": [2, 6, 8]}, "train": {**STEADY, "decay": 0.5}}, "decay: begins after 4 items"),
        ({"model": {"arch": "llama", "tokenizer_arms": ["cot"]}}, "tokenizer_arms: cot"),
    ],
)
def test_faults_are_named(changes: dict[str, Any], fault: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=fault):
        make(tmp_path, **changes)


def test_a_curve_of_one_point_may_have_any_schedule(tmp_path: Path) -> None:
    assert make(tmp_path, curve={"items": [8]}, train={"batch_size": 2, "scheduler": "cosine"}).curve is not None


def test_each_arm_goes_on_from_its_weights_in_another_experiment(tmp_path: Path) -> None:
    run_experiment(make(tmp_path), CurveStages(), lambda line: None)
    before, stages = ExperimentFolder(tmp_path / "out"), CurveStages()
    model = {"continues": str(before.root), "items": 8}
    then = make(tmp_path, name="then", output=str(tmp_path / "then"), model=model)
    run_experiment(then, stages, lambda line: None)
    assert stages.calls == ALL
    for arm in ("answer", "srt"):
        for seed in (0, 1):
            recipe = yaml.safe_load((tmp_path / "then" / "runs" / f"{arm}-{seed}" / "recipe.yaml").read_text())
            assert recipe["model"]["path"] == str(before.weights(arm, seed, 8))
    assert not list((tmp_path / "then").glob("init*"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": {"items": 4}}, "model: continues: .*answer, seed 0, after 4 items.*srt-1 after 2; 8"),
        ({"seeds": [0, 2]}, "model: continues: .*answer, seed 2, after 8 items"),
        ({"arms": ["answer", "cot"]}, "model: continues: .*cot, seed 0, after 8 items"),
        ({"model": {"continues": "nowhere"}}, "model: continues: nowhere .*none at all"),
        ({"model": {"items": "8"}}, "items"),
        ({"arms": ["base", "srt"]}, "model: continues: base"),
        ({"model": {"items": 8, "arch": "llama"}}, "model.*arch"),
    ],
)
def test_weights_that_cannot_be_continued(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    run_experiment(make(tmp_path), CurveStages(), lambda line: None)
    model = {"continues": str(tmp_path / "out"), "items": 8, **changes.get("model", {})}
    changes = {key: value for key, value in changes.items() if key != "model"}
    with pytest.raises(UserError, match=message):
        run_experiment(
            make(tmp_path, output=str(tmp_path / "then"), model=model, **changes), CurveStages(), lambda _: None
        )
    assert not (tmp_path / "then").exists()


def test_an_arm_goes_on_before_the_others_have_weights(tmp_path: Path) -> None:
    run_experiment(make(tmp_path), CurveStages(), lambda line: None, portion=Portion(arms=["srt"], seeds=[1]))
    then = {"output": str(tmp_path / "then"), "model": {"continues": str(tmp_path / "out"), "items": 8}}
    continued = make(tmp_path, **then)
    run_experiment(continued, stages := CurveStages(), lambda line: None, portion=Portion(arms=["srt"], seeds=[1]))
    assert stages.calls == ["train srt-1 until 1", "evaluate srt at 1", "train srt-1 until 4", "evaluate srt at 4"]
    with pytest.raises(UserError, match=r"model: continues: .*answer, seed 1, after 8 items"):
        run_experiment(continued, CurveStages(), lambda line: None, portion=Portion(arms=["answer"], seeds=[1]))


def test_an_adapter_is_not_continued(tmp_path: Path) -> None:
    run_experiment(make(tmp_path), CurveStages(), lambda line: None)
    (ExperimentFolder(tmp_path / "out").weights("srt", 1, 8) / "adapter_config.json").touch()
    model = {"continues": str(tmp_path / "out"), "items": 8}
    with pytest.raises(UserError, match=r"model: continues: .*adapters"):
        run_experiment(make(tmp_path, output=str(tmp_path / "then"), model=model), CurveStages(), lambda line: None)


def test_what_cannot_be_added_to_a_continued_experiment_changes_nothing(tmp_path: Path) -> None:
    run_experiment(make(tmp_path), CurveStages(), lambda line: None)
    then = {"output": str(tmp_path / "then"), "model": {"continues": str(tmp_path / "out"), "items": 8}}
    run_experiment(make(tmp_path, **then, seeds=[0]), CurveStages(), lambda line: None)
    before = (tmp_path / "then" / "experiment.json").read_bytes()
    with pytest.raises(UserError, match=r"model: continues: .*seed 5"):
        run_experiment(make(tmp_path, **then, seeds=[0, 5]), CurveStages(), lambda line: None)
    assert (tmp_path / "then" / "experiment.json").read_bytes() == before
    run_experiment(make(tmp_path, **then, seeds=[0, 1]), CurveStages(), lambda line: None)
