"""Filing the study of noisy teachers, and its tables, of results that we chose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from research import families
from research.teaching import noisy_results
from research.teaching.noisy_results import Cell, Kept, read_cells, slopes
from research.teaching.noisy_teacher import Study, run
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records

TINY: dict[str, Any] = {
    "problems": {
        "world": "seating",
        "n": 40,
        "spec": {"scenes": ["booth"], "names": 6, "variety": 1, "split_by": "meaning"},
    },
    "test": 3,
    "items": 8,
    "seeds": [0],
    "slips": [0.5],
    "plan": "running",
    "text": "anchored",
    "model": {"hidden": 16, "layers": 1, "heads": 2, "vocab": 512, "pieces": "placements"},
    "train": {"batch_size": 4, "learning_rate": 1e-3, "max_length": 512, "threads": 1},
    "max_new_tokens": 8,
    "batch_size": 3,
}


def masked(share: float) -> str:
    return "1" * round(10 * share) + "0" * (10 - round(10 * share))


def test_the_slope_is_that_of_the_line() -> None:
    shares = {"clean": 0.9, "slips 0.1": 0.8, "slips 0.3": 0.6, "slips 0.5": 0.4, "rule 0.3": 0.1}
    cells = [
        Cell(arm="srt", noise=noise, keep="all", seed=seed, right=masked(right), proved="01" * 5, certified="")
        for noise, right in shares.items()
        for seed in (0, 1)
    ]
    assert slopes(cells, "srt", "all") == pytest.approx([-1.0, -1.0])
    assert slopes(cells, "srt", "verified") == []
    assert "| srt | all | -10.0 [-10.0, -10.0] | -10.0, -10.0 |" in noisy_results.slope_table(cells)
    # Of nine right answers every second is proved.
    assert "| srt | clean | all | 90.0 [90.0, 90.0] | 90.0, 90.0 | 40.0 |  |" in noisy_results.accuracy_table(cells)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study of ten runs that took two steps each."""
    study = Study(output=tmp_path_factory.mktemp("noise") / "study", **TINY)
    assert "| cot | rule 0.3 | verified |" in run(study)
    return study


def test_what_is_filed_says_what_was_measured(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(families, "RESULTS", tmp_path)
    folder = noisy_results.file_cells(study.output)
    filed = {path.name for path in folder.iterdir()}
    assert filed == {"settings.json", "kept.jsonl", "cells.jsonl", "runs.json", "outputs"}
    cells = list(read_records(folder / "cells.jsonl", Cell))
    assert sorted(cells, key=str) == sorted((cell for cell, _ in read_cells(study.output, [0])), key=str)
    assert len(cells) == 10 == len(list((folder / "outputs").iterdir()))
    assert {len(cell.right) for cell in cells} == {3}
    assert len(orjson.loads((folder / "runs.json").read_bytes())) == 10
    before = (folder / "cells.jsonl").read_bytes()
    noisy_results.file_cells(study.output)
    assert (folder / "cells.jsonl").read_bytes() == before
    noisy_results.main([])
    assert noisy_results.accuracy_table(cells) in capsys.readouterr().out


def test_a_verified_cell_has_no_text_with_the_error(study: Study) -> None:
    kept = list(read_records(study.output / "data" / "kept.jsonl", Kept))
    assert {one.kept for one in kept} == {8}
    assert all(one.erred == 0 for one in kept if one.arm == "srt" and one.keep == "verified")


def test_a_folder_with_other_settings_is_left_alone(study: Study) -> None:
    with pytest.raises(UserError, match="items"):
        run(study.model_copy(update={"items": 12}))
    with pytest.raises(UserError, match="seeds"):
        run(study.model_copy(update={"seeds": (7,)}))


def test_a_folder_without_a_study_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"study\.json"):
        noisy_results.file_cells(tmp_path)
    (tmp_path / "data").mkdir()
    write_records(tmp_path / "data" / "kept.jsonl", [])
    (tmp_path / "study.json").write_bytes(b'{"seeds": [0]}')
    with pytest.raises(UserError, match="tested"):
        noisy_results.file_cells(tmp_path)
