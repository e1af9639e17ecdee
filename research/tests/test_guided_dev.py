"""Files of guided decoding for dev items: a made-up run in which the texts are ours, and only the model is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from research.decoding.cells import Cell, WrittenText
from research.decoding.guided_decoding import Study
from research.space2025 import guided_dev as command
from research.tests.test_space2025_predictions import DEV, LABELLED, RECIPE
from srt.experiment.learning_curve import CurvePoint
from srt.io.errors import UserError
from srt.io.problem_files import read_problems
from srt.io.record_reader import read_rows
from srt.io.record_writer import write_records
from srt.io.records import Problem

SHELF = DEV[0].model_copy(update={"id": "spr-en-dev-2", "question": "?", "meta": {"scene": "shelf"}})
ITEMS = (DEV[0], SHELF, *DEV[1:])
ANSWERS = {"spr-en-dev-1": "B", "spr-en-dev-2": "A", "spr-en-dev-3": "A, B", "spr-en-dev-4": "D"}


def written(problem: Problem) -> WrittenText:
    """A text with the answer of ``ANSWERS``; that of the last item does not end."""
    right = problem.answer is not None and problem.answer.value == ANSWERS[problem.id].split(", ")
    return WrittenText(
        problem_id=problem.id,
        text=f"ANSWER: {ANSWERS[problem.id]}",
        ended=problem.id != "spr-en-dev-4",
        output_tokens=7,
        kept_tokens=5,
        lines=1,
        refused=0,
        right=right,
        proved=right,
        certified=None,
    )


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an experiment with a point of ``srt``; its study asks nothing and files one way."""
    root = tmp_path / "run"
    for name in ("curve", "data"):
        (root / name).mkdir(parents=True)
    (root / "experiment.json").write_bytes(orjson.dumps(RECIPE))
    write_records(root / "data" / "test.jsonl", LABELLED)
    numbers: dict[str, Any] = {"tokens": 0, "labelled_tokens": 0, "output_tokens": 1, "proved": 0, "first_wrong": {}}
    points = [CurvePoint(test="test", arm="srt", seed=3, items=each, right="0111", **numbers) for each in (16, 8)]
    write_records(root / "curve" / "points.jsonl", points)
    (root / "curve" / "weights" / "srt-3" / "16").mkdir(parents=True)
    (root / "curve" / "weights" / "srt-3" / "16" / "model.safetensors").touch()

    def imported(corpus: str, path: Path, out: Path) -> None:
        assert (corpus, path) == ("space2025", tmp_path / "spr_en_dev.jsonl")
        write_records(out, [item.model_copy(update={"answer": None}) for item in ITEMS])

    def run(study: Study) -> str:
        assert study.models == (root / "curve" / "weights" / "srt-3" / "16",)
        problems = list(read_problems(study.problems).values())
        assert problems[: study.tune] == LABELLED[: study.tune]
        cells = study.output / "cells" / "model-0"
        cells.mkdir(parents=True)
        texts = [written(problem) for problem in problems[study.tune :]][::-1]
        for name in ("tune-greedy-seed-0", "proved-2-seed-0"):
            (cells / f"{name}.json").write_bytes(Cell(made_by={}, seconds=1, texts=texts).model_dump_json().encode())
        (study.output / "guided_decoding.json").write_bytes(b"{}")
        return "the table"

    monkeypatch.setenv("TOYS", str(tmp_path))
    monkeypatch.setattr("research.space2025.figures.import_file", imported)
    monkeypatch.setattr(command, "run", run)
    monkeypatch.setattr(command, "TUNE", len(LABELLED))
    return root


def test_every_dev_item_has_a_line_and_a_place_in_the_masks(root: Path, tmp_path: Path) -> None:
    """The gold of ``right`` is the solver's, so an item that it refuses is never right; a text cut off says nothing."""
    assert command.guided_dev(root, [], tmp_path / "results") == "the table"
    filed = tmp_path / "results" / "toys" / "guided"
    assert {path.name for path in filed.iterdir()} == {"guided_decoding.json", "masks.json", "proved-2-seed-0.jsonl"}
    rows = {row["id"]: row["answer"] for _, row in read_rows(filed / "proved-2-seed-0.jsonl")}
    assert list(rows) == [item.id for item in ITEMS]
    assert [*rows.values()][:3] == [["B"], ["A"], ["A", "B"]]
    masks = orjson.loads((filed / "masks.json").read_bytes())
    assert masks == {
        "proved-2-seed-0": {"right": "1010", "proved": "1010", "certified": "0000", "output_tokens": [7, 7, 7, 7]}
    }


def test_an_experiment_without_traces_is_refused(root: Path) -> None:
    points = root / "curve" / "points.jsonl"
    points.write_bytes(points.read_bytes().replace(b'"srt"', b'"cot"'))
    with pytest.raises(UserError, match=r"curve/points\.jsonl"):
        command.guided_dev(root, [])
