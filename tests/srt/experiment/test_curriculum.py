"""An experiment with stages: the problems of each, the same in every arm, and a training recipe that follows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from srt.experiment.experiment_folder import ExperimentFolder
from srt.experiment.model_stages import Evaluation
from srt.experiment.rehearsal.tiny_experiment import tiny_experiment
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem, Sequence
from srt.pipeline.generate import generate_file
from tests.srt.experiment.fake_stages import BOOTHS, FakeStages, make, run

HEXAGONS: dict[str, Any] = {"world": "seating", "n": 5, "spec": {"scenes": ["hexagon-out"], "names": 8}}
STAGES = [
    {"name": "narrow", "train_problems": [BOOTHS], "items": 8},
    {"name": "wide", "train_problems": [BOOTHS, HEXAGONS], "items": 16},
]
TRAIN = {"batch_size": 8}


class CurriculumStages(FakeStages):
    """Those of an experiment without a file ``data``."""

    def __init__(self) -> None:
        super().__init__()
        self.recipes: dict[str, Any] = {}

    def check(self, experiment: Any, recipe: dict[str, Any]) -> None:
        assert not {"data", "steps", "epochs"} & recipe.keys()

    def train(self, recipe: Path, launch: Any, say: Any, until: int | None = None) -> None:
        settings = yaml.safe_load(recipe.read_text())
        self.recipes[recipe.parent.name] = settings
        Path(settings["output"]).mkdir(exist_ok=True)

    def evaluate(self, evaluation: Evaluation) -> None:
        pass


def problems(path: Path) -> list[str]:
    return [problem.id for problem in read_records(path, Problem)]


def trained(path: Path) -> list[str]:
    return [sequence.problem_id for sequence in read_records(path, Sequence)]


def test_every_arm_has_the_problems_of_each_stage(tmp_path: Path) -> None:
    stages = CurriculumStages()
    run(make(tmp_path, train_problems=None, stages=STAGES, train={**TRAIN, "eval_steps": 2}, held_out=2), stages)
    folder = ExperimentFolder(tmp_path / "out")
    narrow, wide = (problems(folder.stage(name)) for name in ("narrow", "wide"))
    assert (len(narrow), len(wide)) == (6, 11)
    assert narrow == wide[:6]
    assert problems(folder.train) == wide  # each once, though six are in both
    held_out = trained(folder.held_out("srt"))
    assert len(held_out) == 2
    for arm in ("answer", "srt"):
        left = {name: [one for one in ids if one not in held_out] for name, ids in (("narrow", narrow), ("wide", wide))}
        assert {name: trained(folder.sequences(arm, name)) for name in left} == left
        assert trained(folder.sequences(arm)) == left["wide"]
        assert stages.recipes[f"{arm}-0"]["stages"] == [
            {"name": "narrow", "items": 8, "data": str(folder.sequences(arm, "narrow"))},
            {"name": "wide", "items": 16, "data": str(folder.sequences(arm, "wide"))},
        ]


def test_no_stage_has_a_problem_of_the_test(tmp_path: Path) -> None:
    generate_file("seating", 6, "train", tmp_path / "booths.jsonl", BOOTHS["spec"])
    held = list(read_records(tmp_path / "booths.jsonl", Problem))
    write_records(tmp_path / "test.jsonl", held[:2])
    tests = [{"problems": str(tmp_path / "test.jsonl")}]
    run(make(tmp_path, train_problems=None, stages=STAGES, train=TRAIN, test_problems=tests), CurriculumStages())
    folder = ExperimentFolder(tmp_path / "out")
    tested = {problem.group_id for problem in held[:2]}
    for name in ("narrow", "wide"):
        assert not tested & {problem.group_id for problem in read_records(folder.stage(name), Problem)}


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"stages": []}, "stages: the list is empty"),
        ({"stages": None}, "train_problems, stages: give one of them"),
        ({"train_problems": [BOOTHS]}, "train_problems, stages: give one of them"),
        ({"stages": [STAGES[0] | {"itmes": 3}]}, r"stages\.0\.itmes: no such key"),
        ({"stages": [{"name": "narrow", "items": 8}]}, r"stages\.0\.train_problems: missing"),
        ({"stages": [STAGES[0] | {"train_problems": []}]}, r"stages\.0\.train_problems: "),
        ({"stages": [STAGES[0], STAGES[0]]}, "stages: narrow is listed more than once"),
        ({"stages": [STAGES[0] | {"name": "a/b"}]}, r"stages\.0\.name: "),
        ({"train": TRAIN | {"steps": 3}}, "train: steps: the items of the stages decide this"),
        ({"train": TRAIN | {"stages": []}}, "stages: must be left out, because the experiment sets it"),
        (
            {"curve": {"items": [8, 16]}, "train": TRAIN | {"scheduler": "constant"}},
            r"stages: have 24 items together, but curve\.items ends at 16",
        ),
    ],
)
def test_a_bad_curriculum_is_one_line(changes: dict[str, Any], fault: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=fault) as caught:
        make(tmp_path, **({"train_problems": None, "stages": STAGES, "train": TRAIN} | changes))
    assert "; " not in str(caught.value).removesuffix("; give each stage its name, train_problems and items")


def test_a_stage_without_problems_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SRT_TEST_CORPUS", raising=False)
    empty = {"name": "real", "train_problems": [{**BOOTHS, "needs": "SRT_TEST_CORPUS"}], "items": 8}
    with pytest.raises(UserError, match="stages: real: train_problems: no source has a problem"):
        run(make(tmp_path, train_problems=None, stages=[STAGES[0], empty], train=TRAIN), CurriculumStages())


def test_its_rehearsal_has_all_stages(tmp_path: Path) -> None:
    many = {**BOOTHS, "n": 80000}
    stages = [{**stage, "train_problems": [many], "items": 16000} for stage in STAGES]
    train = {**TRAIN, "scheduler": "constant"}
    curve = {"items": [8000, 16000, 32000]}
    tiny = tiny_experiment(make(tmp_path, train_problems=None, stages=stages, curve=curve, train=train))
    assert tiny.curve is not None
    assert tiny.stages is not None
    assert [(stage.name, stage.items) for stage in tiny.stages] == [("narrow", 8), ("wide", 8)]
    assert [stage.train_problems[0].n for stage in tiny.stages] == [24, 24]
    assert tiny.curve.items == [8, 16]
