"""Filing the study of noisy teachers, and its tables, of results that we chose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from research import families
from research.families import Family, read_family
from research.teaching import noisy_results, noisy_teacher
from research.teaching.noisy_results import Kept, read_cells, slopes
from research.teaching.noisy_teacher import Study, run
from srt.experiment.learning_curve import CurvePoint, TestPuzzles
from srt.io.errors import UserError
from srt.io.record_reader import read_records

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
    kept = [Kept(arm="srt", noise=noise, keep="all", read=9, kept=9, erred=0) for noise in shares]
    points = [
        CurvePoint(
            test="test", arm=one.name, seed=seed, items=9, tokens=1, labelled_tokens=1, right=masked(shares[one.noise]),
            output_tokens=1.0, proved=0.5, first_wrong={}, proved_each="01" * 5, certified_each="1" * 10,
        )
        for one in kept
        for seed in (0, 1)
    ]  # fmt: skip
    test = TestPuzzles(puzzles=list(range(10)), training_problems=1, trained_puzzles=1, puzzles_at_least=1)
    family = Family("noise", {"arms": [one.name for one in kept]}, points, test, [])
    assert slopes(family, kept, "srt", "all") == pytest.approx([-1.0, -1.0])
    assert slopes(family, kept, "srt", "verified") == []
    shown = noisy_results.tables(family, kept)
    assert "| srt | all | -10.0 [-10.0, -10.0] | -10.0, -10.0 |" in shown
    # Of nine right answers every second is proved.
    assert "| srt | clean | all | 90.0 [90.0, 90.0] | 90.0, 90.0 | 40.0 | 90.0 |" in shown


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
    assert filed == {"settings.json", "kept.jsonl", "points.jsonl", "test.json", "runs.json", "outputs"}
    family, (measured, kept) = read_family(folder), read_cells(study.output)
    assert sorted(family.points, key=str) == sorted(measured.points, key=str)
    assert family.arms == measured.arms == [one.name for one in kept]
    assert len(family.points) == 10 == len(list((folder / "outputs").iterdir()))
    assert {len(point.right) for point in family.points} == {3}
    assert len(orjson.loads((folder / "runs.json").read_bytes())) == 10
    noisy_results.file_cells(study.output)
    assert read_family(folder).points == family.points
    noisy_results.main([])
    assert noisy_results.accuracy_table(family, kept) in capsys.readouterr().out


def test_what_is_measured_is_not_measured_again(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noisy_teacher, "train", None)
    monkeypatch.setattr(noisy_teacher, "run_evaluation", None)
    assert "| cot | rule 0.3 | verified |" in run(study)


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
    (tmp_path / "study.json").write_bytes(b'{"seeds": [0]}')
    with pytest.raises(UserError, match=r"points\.jsonl"):
        noisy_results.file_cells(tmp_path)
