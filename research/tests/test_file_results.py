"""Filing the results of an experiment: of learning curves, and of one without, such as the demos."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import orjson
import pytest

from research import families, file_results
from research.tests.toy_results import ARMS, PUZZLES, points
from srt.experiment.model_stages import RunFigures, TrainedTokens
from srt.experiment.rehearsal.tiny_experiment import TITLE
from srt.io.errors import UserError
from srt.io.record_writer import write_records
from srt.io.records import Prediction, Problem

COMMAND = '{"attempts": [{"command": "python %strain/train_srt.py --config recipe.yaml"}]}'
RECIPE: dict[str, Any] = {
    "name": "toys", "output": "x", "arms": ["base", *ARMS], "seeds": [0, 1, 2],
    "model": {"arch": "llama"}, "train_problems": [{"world": "seating", "n": 1}],
    "test_problems": [{"world": "seating", "n": 1}], "train": {"batch_size": 8, "steps": 500},
}  # fmt: skip
CURVE = {"curve": {"items": [1000, 4000]}, "train": {"batch_size": 8, "scheduler": "constant"}}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an experiment, and where its results are filed: ``filed`` beside it."""
    monkeypatch.setattr(families, "RESULTS", tmp_path / "filed")
    root = tmp_path / "run"
    (root / "data").mkdir(parents=True)
    manifest = root / "runs" / "srt-0" / "model" / "manifest.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text(COMMAND % "/home/ann/srt/")
    (root / "experiment.json").write_bytes(orjson.dumps(RECIPE))
    problems = [
        Problem(id=f"q{at}", source="made-up", split="test", lang="en", question="?", group_id=f"g{puzzle}")
        for at, puzzle in enumerate(PUZZLES)
    ]
    write_records(root / "data" / "test.jsonl", problems)
    write_records(root / "data" / "train.jsonl", problems[:7])
    return root


def test_a_curve_is_filed_in_portions(run: Path) -> None:
    (run / "experiment.json").write_bytes(orjson.dumps(RECIPE | CURVE))
    (run / "curve").mkdir()
    written = list(points())
    for portion in (written[:5], written[5:]):
        write_records(run / "curve" / "points.jsonl", portion)
        file_results.main([str(run)])
    (family,) = families.read_families(families.RESULTS)
    assert sorted(map(str, family.points)) == sorted(map(str, written))
    assert family.test.puzzles == PUZZLES
    # No folder of the machine that it was measured on is named.
    assert orjson.loads((run.parent / "filed" / "toys" / "runs.json").read_bytes()) == {
        "srt-0": orjson.loads(COMMAND % "")
    }


def test_what_the_models_wrote_at_the_end_is_filed(run: Path) -> None:
    (run / "experiment.json").write_bytes(orjson.dumps(RECIPE | CURVE))
    for items, said in ((1000, "early"), (4000, "ANSWER: B")):
        folder = run / "curve" / "test" / "srt-1" / str(items)
        folder.mkdir(parents=True)
        row = Prediction(key="k", problem_id="q0", text=said, finish_reason="stop", seconds=0.1)
        write_records(folder / "predictions.jsonl", [row])
    write_records(run / "curve" / "points.jsonl", list(points()))
    file_results.main([str(run)])
    (filed,) = families.RESULTS.glob("*/outputs/*")
    assert filed.name == "srt-1.jsonl.gz"
    assert orjson.loads(gzip.decompress(filed.read_bytes())) == {"problem_id": "q0", "text": "ANSWER: B"}


def test_nothing_that_was_written_on_a_published_corpus_is_filed(run: Path) -> None:
    corpus = {"corpus": "space2025", "path": "$TOYS/spr_en_train.jsonl"}
    (run / "experiment.json").write_bytes(orjson.dumps(RECIPE | CURVE | {"test_problems": [corpus]}))
    folder = run / "curve" / "test" / "srt-1" / "4000"
    folder.mkdir(parents=True)
    row = Prediction(key="k", problem_id="q0", text="ANSWER: B", finish_reason="stop", seconds=0.1)
    write_records(folder / "predictions.jsonl", [row])
    write_records(run / "curve" / "points.jsonl", list(points()))
    file_results.main([str(run)])
    assert list(families.RESULTS.glob("*/points.jsonl"))
    assert not list(families.RESULTS.glob("*/outputs"))


def test_an_experiment_without_a_curve_has_a_point_for_each_evaluation(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("base-0", "srt-0"):
        (run / "tested" / "test" / name).mkdir(parents=True)
    (run / "runs" / "srt-0" / "recipe.yaml").touch()
    asked: list[tuple[Path, Any]] = []

    def tokens_until(_: object, recipe: Path, steps: list[int]) -> list[TrainedTokens]:
        asked.append((recipe, steps))
        return [TrainedTokens(900, 600)]

    figures = RunFigures(right="10" * 100, output_tokens=31.5, proved=0.25, computed=0.0, first_wrong={"INFER leap": 2})
    monkeypatch.setattr(file_results.TrainAndEval, "tokens_until", tokens_until)
    monkeypatch.setattr(file_results.TrainAndEval, "figures", lambda _, path: figures)
    file_results.main([str(run)])
    family = families.read_family(next(families.RESULTS.iterdir()))
    assert families.read_families(families.RESULTS) == []  # It has no curve.
    assert asked == [(run / "runs" / "srt-0" / "recipe.yaml", [500])]
    assert [(p.arm, p.items, p.tokens, p.accuracy) for p in family.points] == [
        ("base", 0, 0, 0.5), ("srt", 4000, 900, 0.5),
    ]  # fmt: skip
    assert family.test.puzzles == PUZZLES
    assert family.test.trained_puzzles == 4


def test_a_folder_without_results_is_named(run: Path) -> None:
    with pytest.raises(UserError, match=f"{run}: tested/test"):
        file_results.file_results(run)
    with pytest.raises(UserError, match="nothing"):
        file_results.file_results(run.parent / "nothing")
    (run / "experiment.json").write_bytes(orjson.dumps(RECIPE | {"name": f"{TITLE}: toys"}))
    with pytest.raises(UserError, match=r"name: .*rehearsal"):
        file_results.file_results(run)
    assert not families.RESULTS.exists()


def test_filed_runs_name_no_folder_of_a_machine() -> None:
    for path in families.RESULTS.glob("*/runs.json"):
        assert b" /" not in path.read_bytes(), path.parent.name
