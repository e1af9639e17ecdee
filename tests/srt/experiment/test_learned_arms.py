"""Arms that go on from ``srt``: one start, shared samples, rounds, and a control that takes as many tokens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from srt.experiment.model_stages import Evaluation, LearningCost
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Pair, Prediction, Sequence
from srt.worlds.world_registry import world_of
from tests.srt.experiment.fake_stages import FakeStages, make, run

LEARN: dict[str, Any] = {
    "problems": 4,
    "samples": 2,
    "rounds": 2,
    "train": {"steps": 3, "learning_rate": 0.1},
    "dpo": {"beta1": 0.5},
}
LEARN |= {"grpo": {"objective": {"grpo": {"samples": 4}}}}
ARMS = ["srt", "srt+more", "srt+rft", "srt+rft-guided", "srt+dpo", "srt+grpo-first-fault"]


class LearningStages(FakeStages):
    """Every sample has 10 tokens of prompt and 20 of text; a step trains on 100."""

    def __init__(self) -> None:
        super().__init__()
        self.sampled: list[tuple[str, str, dict[str, Any]]] = []  # run, model, settings

    def train(self, recipe: Path, launch: Path | None, say: Callable[[str], None], until: int | None = None) -> None:
        settings = yaml.safe_load(recipe.read_text())
        output = Path(settings["output"])
        if (output / "train.json").exists():
            return
        assert (Path(settings["model"]["path"]) / "weights").exists()
        grpo = settings.get("objective", {}).get("grpo")
        assert Path(grpo["problems"] if grpo else settings["data"]).exists()
        self._call(f"train {output.parent.relative_to(output.parents[3])}")
        output.mkdir(parents=True)
        (output / "weights").touch()
        steps = settings["steps"]
        (output / "train.json").write_bytes(orjson.dumps({"steps": steps, "tokens": 100 * steps, "seconds": 2.0}))

    def evaluate(self, evaluation: Evaluation) -> None:
        if "tested" not in evaluation.out.parts:
            if (evaluation.out / "predictions.jsonl").exists():
                return
            root = next(path for path in evaluation.out.parents if path.name == "out")
            model = str(evaluation.trained.model.relative_to(root))
            self.sampled.append((str(evaluation.out.relative_to(root)), model, evaluation.settings))
            common = {"key": "k", "text": "t", "finish_reason": "stop", "seconds": 0.5}
            rows = [
                Prediction(problem_id=problem, repeat=repeat, input_tokens=10, output_tokens=20, **common)
                for problem in read_problems(evaluation.problems)
                for repeat in range(evaluation.settings["repeats"])
            ]
            evaluation.out.mkdir()
            write_records(evaluation.out / "predictions.jsonl", rows)
            return
        super().evaluate(evaluation)

    def harvest(self, run: Path, out: Path, most: int) -> None:
        problems = read_problems(run.with_name(f"{run.name}.problems.jsonl")).values()
        worlds = [world_of(problem) for problem in problems]
        write_records(out, [world.solve(problem) for world, problem in zip(worlds, problems, strict=True) if world])

    def pairs(self, run: Path, out: Path, most: int) -> None:
        out.write_text(f"{most}")


def test_all_start_from_one_model(tmp_path: Path) -> None:
    experiment = make(tmp_path, arms=ARMS, learn=LEARN, train={"steps": 1, "pack": 64})
    stages = LearningStages()
    _, calls, said = run(experiment, stages)
    out = tmp_path / "out"
    trained = [call.removeprefix("train ") for call in calls if call.startswith("train")]
    rounds = [f"{arm}-0/round-{number}" for arm in ("srt+rft", "srt+rft-guided", "srt+dpo") for number in (1, 2)]
    assert [name.partition("runs/")[2] for name in trained] == [
        "srt-0",
        *rounds,
        "srt+grpo-first-fault-0/round-1",
        "srt+more-0/round-1",
    ]
    # The first round of all samples from srt; srt+rft and srt+dpo share it.
    assert [(run, model) for run, model, _ in stages.sampled] == [
        ("runs/srt-0/samples", "runs/srt-0/model"),
        ("runs/srt+rft-0/round-2/samples", "runs/srt+rft-0/round-1/model"),
        ("runs/srt-0/guided", "runs/srt-0/model"),
        ("runs/srt+rft-guided-0/round-2/guided", "runs/srt+rft-guided-0/round-1/model"),
        ("runs/srt+dpo-0/round-2/samples", "runs/srt+dpo-0/round-1/model"),
    ]
    assert [settings.get("decode") for _, _, settings in stages.sampled] == [None, None, "proved", "proved", None]
    # Four problems a round, of six: the second round begins with the fifth.
    asked = [list(read_problems(out / f"{run}.problems.jsonl")) for run, _, _ in stages.sampled[:2]]
    everything = list(read_problems(out / "data" / "train.jsonl"))
    assert asked == [everything[:4], [*everything[4:], *everything[:2]]]
    recipes = {arm: _recipe(out, arm) for arm in ARMS[1:]}
    assert {arm: Path(recipe["model"]["path"]).parents[0].name for arm, recipe in recipes.items()} == dict.fromkeys(
        ARMS[1:], "srt-0"
    )
    assert all(recipe["learning_rate"] == 0.1 for recipe in recipes.values())
    assert (recipes["srt+dpo"]["objective"], recipes["srt+dpo"]["beta1"]) == ({"dpo": {}}, 0.5)
    grpo = recipes["srt+grpo-first-fault"]["objective"]["grpo"]
    assert list(read_problems(grpo.pop("problems"))) == everything
    shared = {"prompt": "bare", "plan": "needed", "text": "claims", "temperature": 1.0}
    assert grpo == {**shared, "samples": 4, "credit": "first_fault"}
    assert "pack" not in recipes["srt+dpo"]
    assert recipes["srt+rft"]["pack"] == 64
    sequences = list(read_records(Path(recipes["srt+rft"]["data"]), Sequence))
    assert [sequence.problem_id for sequence in sequences] == asked[0]
    # srt+rft: 2 rounds of 8 samples with 30 tokens, and of 3 steps with 100.
    assert recipes["srt+more"]["steps"] == round((2 * 8 * 30 + 2 * 300) / 100)
    assert "srt+rft, seed 0: after srt 480 tokens were read and sampled in 8 s, and 600 trained on in 4 s" in said
    costs = {cost.arm: cost for cost in stages.learning}
    assert list(costs) == ARMS[1:]
    figures = {"sampled": 480, "trained": 600, "sampling_seconds": 8, "training_seconds": 4}
    assert costs["srt+rft"] == LearningCost(arm="srt+rft", **figures)
    assert (costs["srt+more"].sampled, costs["srt+grpo-first-fault"].sampled) == (0, 300)
    tested = [call for call in calls if call.startswith("evaluate")]
    assert tested[1:3] == [
        "evaluate srt+more-0 with runs/srt+more-0/round-1/model",
        "evaluate srt+rft-0 with runs/srt+rft-0/round-2/model",
    ]
    assert calls[-1] == "compare " + " ".join(f"{arm}-0" for arm in ARMS)


@pytest.mark.parametrize("dies_at", ["train runs/srt+rft-0/round-2", "train runs/srt+more-0/round-1"])
def test_it_goes_on_in_the_round_where_it_died(dies_at: str, tmp_path: Path) -> None:
    stages, changes = LearningStages(), {"arms": ["srt", "srt+more", "srt+rft"], "learn": LEARN}
    stages.dies_at = dies_at
    with pytest.raises(KeyboardInterrupt):
        run(make(tmp_path, **changes), stages)
    stages.dies_at = ""
    begun, sampled = len(stages.calls), len(stages.sampled)
    run(make(tmp_path, **changes), stages)
    assert stages.calls[begun + 1] == dies_at
    assert len(stages.sampled) == sampled == 2


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"arms": ["srt", "srt+rft"]}, "learn"),
        ({"learn": LEARN}, "learn: no arm"),
        ({"arms": ["srt+rft"], "learn": LEARN}, "srt, which must"),
        ({"arms": ["srt", "srt+more"], "learn": LEARN}, r"srt\+more"),
        ({"arms": ["srt", "srt+rft"], "learn": {**LEARN, "train": {}}}, "learn: train: steps"),
        (
            {"arms": ["srt", "srt+rft"], "learn": {**LEARN, "train": {"steps": 1, "model": {"path": "x"}}}},
            r"learn\.train: model\.path",
        ),
        (
            {"arms": ["srt", "srt+rft"], "learn": {**LEARN, "train": {"steps": 1, "objective": "dpo"}}},
            r"learn\.train: objective",
        ),
        ({"arms": ["srt", "srt+rft"], "learn": LEARN, "train": {"steps": 1, "lora": {"r": 2}}}, r"train\.lora"),
    ],
)
def test_what_contradicts_itself(changes: dict[str, Any], key: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=key):
        make(tmp_path, **changes)


def test_a_round_of_more_problems_than_there_are_is_refused_before_training(tmp_path: Path) -> None:
    stages = LearningStages()
    with pytest.raises(UserError, match=r"learn\.problems: 9,999"):
        run(make(tmp_path, arms=["srt", "srt+rft"], learn={**LEARN, "problems": 9_999}), stages)
    assert not [call for call in stages.calls if call.startswith("train")]


def test_what_the_report_has_of_several_seeds_is_their_mean(tmp_path: Path) -> None:
    stages = LearningStages()
    run(make(tmp_path, arms=["srt", "srt+rft"], learn=LEARN, seeds=[0, 1, 2]), stages)
    assert [(cost.runs, cost.trained) for cost in stages.learning] == [(3, 600)]


def test_their_recipes_are_checked_before_anything_is_trained(tmp_path: Path) -> None:
    stages = LearningStages()
    asked: dict[str, dict[str, Any]] = {}

    def preflight(recipe: Path, launch: Path | None) -> list[str]:
        given = yaml.safe_load(recipe.read_text())
        asked[recipe.parents[1].name.removesuffix("-0")] = given
        return ["too long"] if "dpo" in given.get("objective", {}) else []

    stages.preflight = preflight  # type: ignore[method-assign]
    changes = {"arms": ARMS, "learn": LEARN}
    for _ in range(2):  # what was refused is looked at again
        asked.clear()
        with pytest.raises(UserError, match=r"srt\+dpo: cannot be trained; srt\+dpo: too long"):
            run(make(tmp_path, **changes), stages)
        assert set(asked) == {"runs", *ARMS[1:]}
    assert not [call for call in stages.calls if call.startswith("train")]
    models = {given["model"]["path"] for given in asked.values()}
    assert len(models) == 1, "initial weights stand for those of srt"
    pairs = list(read_records(Path(asked["srt+dpo"]["data"]), Pair))
    assert len(pairs) == 5
    grpo = asked["srt+grpo-first-fault"]["objective"]["grpo"]
    assert len(read_problems(grpo["problems"])) == 6
    # Once a round is trained, the output folder holds it, from other weights.
    stages.preflight = LearningStages.preflight.__get__(stages)  # type: ignore[method-assign]
    run(make(tmp_path, **changes), stages)
    said = run(make(tmp_path, **changes), stages)[2]
    assert not [line for line in said if line.startswith("preflight")]


@pytest.mark.parametrize(
    ("key", "changes"),
    [
        ("train: hub", {"arms": ["srt", "srt+rft"], "learn": LEARN, "train": {"steps": 1, "hub": "me/model"}}),
        ("train: hub", {"seeds": [0, 1], "train": {"steps": 1, "hub": "me/model"}}),
        (r"learn\.grpo: hub", {"arms": ["srt", "srt+grpo"], "learn": {**LEARN, "grpo": {"hub": "me/model"}}}),
    ],
)
def test_several_models_are_not_uploaded_under_one_name(key: str, changes: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UserError, match=key):
        make(tmp_path, **changes)
    assert make(tmp_path, arms=["srt"], train={"steps": 1, "hub": "me/model"}).train["hub"]


def _recipe(out: Path, arm: str) -> dict[str, Any]:
    recipe: dict[str, Any] = yaml.safe_load((out / "runs" / f"{arm}-0" / "round-1" / "recipe.yaml").read_text())
    return recipe
