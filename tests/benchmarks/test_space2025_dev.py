"""Predictions for dev items: of the last point, a line for every item, only those that were selected are asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from benchmarks import space2025_dev
from eval.scoring.official_answers import OfficialAnswers
from srt.experiment.learning_curve import CurvePoint
from srt.experiment.model_stages import Evaluation
from srt.io.errors import UserError
from srt.io.jsonl import read_rows, write_records
from srt.io.records import Answer, Problem

TRAIN = {"batch_size": 8, "scheduler": "constant"}
RECIPE: dict[str, Any] = {
    "name": "toys", "output": "x", "arms": ["srt"], "seeds": [3], "model": {"arch": "llama"}, "train": TRAIN,
    "train_problems": [{"world": "seating", "n": 1}], "curve": {"items": [8, 16]},
    "test_problems": [{"corpus": "space2025", "path": "$TOYS/spr_en_train.jsonl", "where": {"scene": "booth"}}],
}  # fmt: skip


def problem(number: int) -> Problem:
    scene = "booth" if number % 2 else "shelf"
    return Problem(
        id=f"spr-en-dev-{number}", source="space2025", split="dev", lang="en", question="Where?", meta={"scene": scene}
    )


def test_a_line_for_every_item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "run"
    (root / "curve").mkdir(parents=True)
    (root / "experiment.json").write_bytes(orjson.dumps(RECIPE))
    sizes = {"puzzles": [0, 1, 2, 3], "training_problems": 9, "trained_puzzles": 3, "puzzles_at_least": 3}
    (root / "curve" / "test.json").write_bytes(orjson.dumps(sizes))
    numbers: dict[str, Any] = {"tokens": 0, "labelled_tokens": 0, "output_tokens": 1, "proved": 0, "first_wrong": {}}
    write_records(
        root / "curve" / "points.jsonl",
        [
            CurvePoint(test="test", arm="srt", seed=3, items=items, right=right, **numbers)
            for items, right in ((16, "0111"), (8, "0001"))
        ],
    )
    asked: list[Evaluation] = []

    def imported(corpus: str, path: Path, out: Path) -> None:
        assert (corpus, path) == ("space2025", tmp_path / "spr_en_dev.jsonl")
        write_records(out, map(problem, range(1, 6)))

    def answered(folder: Path, problems: Path) -> OfficialAnswers:
        return OfficialAnswers({}, {"spr-en-dev-3": Answer(kind="choice_set", value=["B", "C"])})

    monkeypatch.setenv("TOYS", str(tmp_path))
    monkeypatch.setattr(space2025_dev, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(space2025_dev, "import_file", imported)
    monkeypatch.setattr(space2025_dev, "official_answers", answered)
    monkeypatch.setattr(space2025_dev.TrainAndEval, "evaluate", lambda _, evaluation: asked.append(evaluation))
    space2025_dev.predict_dev(root)
    (evaluation,) = asked
    assert evaluation.trained.model == root / "curve" / "weights" / "srt-3" / "16"
    assert [row["id"] for _, row in read_rows(evaluation.problems)] == [f"spr-en-dev-{n}" for n in (1, 3, 5)]
    written = [row for _, row in read_rows(tmp_path / "results" / "toys" / "srt-3.jsonl")]
    assert [row["answer"] for row in written] == [[], [], ["B", "C"], [], []]
    assert all(row.keys() == {"id", "answer"} for row in written)
    figures = orjson.loads((tmp_path / "results" / "toys" / "figures.json").read_bytes())["figures"]["srt-3"]
    assert figures["right of them"][0] == 0.75
    assert (figures["dev items"], figures["asked"], figures["answered"]) == (5, 3, 1)
    (root / "experiment.json").write_bytes(orjson.dumps(RECIPE | {"test_problems": RECIPE["train_problems"]}))
    with pytest.raises(UserError, match="no training file of SpaCE2025"):
        space2025_dev.predict_dev(root)
