"""``srt compare`` over files: each is scored once, beside runs of our own, under the name of its system."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from eval.compared_files import runs_of
from eval.predictions.tables import named_columns
from eval.records.run_records import read_manifest
from srt.cli import make_app
from srt.io.errors import UserError
from srt.io.record_writer import write_records
from tests.eval.predictions.conftest import LM_EVAL, LMMS_EVAL, stacks

pytestmark = pytest.mark.usefixtures("blank_plots")
CUBES = LM_EVAL / "samples_cubes_2026-11-28T11-33-39.565496.jsonl"


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    write_records(tmp_path / "problems.jsonl", stacks(lambda number: f"made-{number}"))
    return tmp_path / "problems.jsonl"


def table(path: Path, plus: int = 2, **more: Any) -> Path:
    rows = [{"id": f"made-{number}", "prediction": str(number + plus), **more} for number in range(4)]
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def runs(given: list[Path], output: Path, problems: Path | None, **changes: Any) -> dict[str, Path]:
    """The runs by arm, in order."""
    how: dict[str, Any] = {"benchmark": None, "options": {}, "columns": {}, "policy": None}
    folders = runs_of(given, output, problems=problems, **(how | changes))
    return {read_manifest(folder).arm: folder for folder in folders}


def test_one_command_from_files_to_a_report(problems: Path, tmp_path: Path) -> None:
    several = tmp_path / "m.csv"
    lines = [
        f"made-{number},{number + plus},{name}" for name, plus in (("gpt", 2), ("gemini", 3)) for number in range(4)
    ]
    several.write_text("\n".join(["qid,said,system", *lines]))
    think = LMMS_EVAL / "20261128_193339_samples_cubes_think.jsonl"
    words = ["compare", several, CUBES, think, "--problems", problems, "-o", tmp_path / "report", "--json"]
    columns = ["--columns", 'id=qid, prediction="said",model=system']
    result = CliRunner().invoke(make_app(), [str(word) for word in (*words, *columns)])
    assert result.exit_code == 0, result.output
    found = json.loads((tmp_path / "report" / "comparison.json").read_text())
    accuracy = {arm["arm"]: arm["accuracy"]["share"] for arm in found["arms"]}
    assert accuracy == {"gpt": 1.0, "gemini": 0.0, "dummy-7b": 1.0, "vlm-7b": 1.0}
    assert {row["reference"] for row in found["differences"]} == {"gpt"}, "the first that was named"
    assert len(list((tmp_path / "report" / "runs").iterdir())) == 4


def test_what_is_scored_already_is_not_scored_again(problems: Path, tmp_path: Path) -> None:
    file = table(tmp_path / "gpt.jsonl")
    first = runs([file], tmp_path / "out", problems)["gpt"]
    times = {path.name: path.stat().st_mtime_ns for path in first.iterdir()}
    assert runs([file], tmp_path / "out", problems)["gpt"] == first
    assert {path.name: path.stat().st_mtime_ns for path in first.iterdir()} == times
    table(file, plus=3)
    second = runs([file], tmp_path / "out", problems)["gpt"]
    assert second != first
    assert first.is_dir(), "another person may have judged it"


def test_beside_a_run_problems_and_policy_are_those_of_the_run(problems: Path, tmp_path: Path) -> None:
    ours = runs([table(tmp_path / "ours.jsonl")], tmp_path / "out", problems, policy="lenient")["ours"]
    found = runs([ours, table(tmp_path / "gpt.jsonl")], tmp_path / "out", None)
    assert list(found) == ["ours", "gpt"]
    assert '"policy":"lenient"' in (found["gpt"] / "scores.jsonl").read_text()


def test_no_two_systems_have_one_name(problems: Path, tmp_path: Path) -> None:
    """Runs of one arm would count as training seeds of one model."""
    one = runs([table(tmp_path / "gpt.jsonl")], tmp_path / "out", problems)["gpt"]
    other = table(tmp_path / "b" / "theirs.jsonl", model="gpt")
    assert list(runs([one, other], tmp_path / "out", problems)) == ["gpt", "gpt (theirs.jsonl)"]
    again = table(tmp_path / "c" / "theirs.jsonl", model="gpt")
    with pytest.raises(UserError, match=r"theirs\.jsonl: 'gpt \(theirs\.jsonl\)' names another"):
        runs([one, other, again], tmp_path / "out", problems)


def test_files_of_one_model_for_each_task_are_one_run(problems: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in CUBES.read_text().splitlines()]
    for row in rows:
        del row["doc"]["qid"]
    parts = []
    for name, ids in (("a", (0, 1)), ("b", (2, 3))):
        path = tmp_path / "model-x" / f"samples_{name}_2026-11-28T11-33-39.565496.jsonl"
        path.parent.mkdir(exist_ok=True)
        # Each task counts its own documents, from 0.
        part = [row | {"doc_id": row["doc_id"] - ids[0]} for row in rows if row["doc_id"] in ids]
        path.write_text("".join(json.dumps(row) + "\n" for row in part))
        parts.append(path)
    found = runs(parts, tmp_path / "out", problems)
    assert list(found) == ["model-x"]
    summary = json.loads((found["model-x"] / "summary.json").read_text())
    assert (summary["accuracy"]["count"], summary["missing"]) == (4, 0)


def test_what_is_missing_or_too_much(problems: Path, tmp_path: Path) -> None:
    file = table(tmp_path / "gpt.jsonl")
    with pytest.raises(UserError, match=r"--problems: missing, .*gpt\.jsonl"):
        runs([file], tmp_path / "out", None)
    with pytest.raises(UserError, match=r"gone\.jsonl: no such file"):
        runs([file], tmp_path / "out", tmp_path / "gone.jsonl")
    run = runs([file], tmp_path / "out", problems)["gpt"]
    with pytest.raises(UserError, match=r"--problems .*goes with files"):
        runs([run], tmp_path / "out", problems)
    for name, message in (("gone.csv", "no such file"), ("notes.txt", r"\.eval, \.xlsx")):
        (tmp_path / "notes.txt").write_text("x")
        with pytest.raises(UserError, match=rf"{name}: .*{message}"):
            runs([tmp_path / name], tmp_path / "out", problems)
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(UserError, match=r"empty\.jsonl: no prediction"):
        runs([tmp_path / "empty.jsonl"], tmp_path / "out", problems)
    for text, message in (
        ("predicton=a", "'predicton' is not one of .*did you mean 'prediction'"),
        ("id=a,b", "id: one column was expected, not a and b"),
        ("id", "FIELD=COLUMN"),
    ):
        with pytest.raises(UserError, match=f"--columns {text}: .*{message}"):
            named_columns(text)
    assert not (tmp_path / "out" / "runs" / "empty").exists()
