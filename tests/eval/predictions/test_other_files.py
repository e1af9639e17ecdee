"""VLMEvalKit's files, Inspect's logs, tables with other names for their columns."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eval.export import export
from eval.scoring.arm_summary import ArmSummary
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Prediction
from tests.eval.predictions.conftest import stacks

Scored = Callable[..., ArmSummary]


def as_vlmevalkit(**changes: Any) -> list[dict[str, Any]]:
    """The rows of ``MODEL_DATASET.xlsx``: the columns of the data set, and the prediction (``inference.py``)."""
    return [
        {
            "index": number, "question": f"How many cubes are in stack {number}?", "answer": str(number + 2),
            "category": "count", "prediction": f"ANSWER: {number + 2}", **changes,
        }
        for number in range(4)
    ]  # fmt: skip


def write_tsv(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    with open(path, "w", encoding="utf-8", newline="") as file:  # as pandas.to_csv writes it
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_json(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(json.dumps(rows, indent=4))
    return path


@pytest.mark.parametrize("write", [write_tsv, write_json])
@pytest.mark.parametrize("ids", [str, lambda number: str(number + 1), lambda number: f"q{number}"])
def test_vlmevalkit_by_its_index_or_by_the_place(
    write: Callable[..., Path], ids: Callable[[int], str], scored: Scored, tmp_path: Path
) -> None:
    rows = as_vlmevalkit()
    rows[3]["prediction"] = "Failed to obtain answer via API."
    file = write(tmp_path / "VLM-7B" / f"VLM-7B_Cubes.{'tsv' if write is write_tsv else 'json'}", rows)
    summary = scored(file, stacks(ids))
    assert (summary.accuracy.count, summary.accuracy.right, summary.statuses) == (4, 3, {"error": 1, "ok": 3})


def test_a_spreadsheet_with_numbers_as_ids(scored: Scored, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    rows = as_vlmevalkit()
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append([float(row["index"]), *list(row.values())[1:]])
    book.save(tmp_path / "VLM-7B_Cubes.xlsx")
    assert scored(tmp_path / "VLM-7B_Cubes.xlsx", stacks(str)).accuracy.right == 4
    (tmp_path / "torn.xlsx").write_bytes((tmp_path / "VLM-7B_Cubes.xlsx").read_bytes()[:2000])
    with pytest.raises(UserError, match=r"torn\.xlsx: not a spreadsheet"):
        scored(tmp_path / "torn.xlsx", stacks(str))


def test_what_is_not_installed_is_named_with_its_format(
    scored: Scored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("openpyxl", "inspect_ai", "inspect_ai.log"):
        monkeypatch.setitem(sys.modules, name, None)
    for name, message in (
        ("a.xlsx", "VLMEvalKit.*pip install openpyxl"),
        ("a.eval", "Inspect.*pip install inspect_ai"),
    ):
        (tmp_path / name).write_bytes(b"PK")
        with pytest.raises(UserError, match=rf"{name}: .*{message}"):
            scored(tmp_path / name, stacks(str))


def test_a_pickle_is_not_opened(scored: Scored, tmp_path: Path) -> None:
    (tmp_path / "VLM_Cubes.pkl").write_bytes(b"cos\nsystem\n(S'touch owned'\ntR.")
    with pytest.raises(UserError, match=r"VLM_Cubes\.pkl: VLMEvalKit predictions: .*PRED_FORMAT"):
        scored(tmp_path / "VLM_Cubes.pkl", stacks(str))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda row: row.pop("prediction"), r"item 3: VLMEvalKit predictions: no column 'prediction'"),
        (lambda row: row.pop("index"), r"item 3: VLMEvalKit predictions: no column 'index'"),
        (lambda row: row.update(prediction=["2"]), r"item 3: prediction: a text was expected, not list"),
    ],
)
def test_faults_of_vlmevalkit(
    change: Callable[[dict[str, Any]], object], message: str, scored: Scored, tmp_path: Path
) -> None:
    rows = as_vlmevalkit()
    change(rows[2])
    with pytest.raises(UserError, match=message):
        scored(write_json(tmp_path / "a.json", rows), stacks(str))


@pytest.mark.parametrize("to", ["lm-eval", "vlmevalkit", "inspect"])
@pytest.mark.usefixtures("inspect_stand_in")
def test_our_own_export_is_read_back(to: str, scored: Scored, tmp_path: Path) -> None:
    """With what failed, what was cut off, tokens and repeats, as far as the format has them."""
    rows = [
        {"id": f"q{number}", "prediction": text, "repeat": repeat, "finish_reason": reason, "output_tokens": 7,
         "input_tokens": 20}
        for number in range(4)
        for repeat, (text, reason) in enumerate([
            (f"ANSWER: {number + 2}", "stop"),
            ("", "error") if number == 1 else ("I count", "length") if number == 2 else ("ANSWER: 77", "stop"),
        ])
    ]  # fmt: skip
    problems = stacks(lambda number: f"q{number}")
    summary = scored(write_json(tmp_path / "gpt-9.json", rows), problems)
    files = [file for file in export(tmp_path / "run", to, tmp_path / to) if "results" not in file.name]
    if to == "vlmevalkit":  # a file for each repeat, after the data set
        for number, file in enumerate(files[1:]):
            again = scored(file, problems, output=tmp_path / file.stem)
            assert again.accuracy.right == (4, 0)[number]
            assert again.statuses == ({"ok": 4}, {"ok": 2, "truncated": 1, "error": 1})[number]
        return
    again = scored(files[0], problems, output=tmp_path / "again")
    assert (again.accuracy, again.statuses, again.repeats) == (summary.accuracy, summary.statuses, 2)
    assert again.output_tokens == summary.output_tokens


@pytest.mark.usefixtures("inspect_stand_in")
def test_inspect_numbers_samples_without_ids_from_1(scored: Scored, tmp_path: Path) -> None:
    def sample(number: int, **changes: Any) -> dict[str, Any]:
        reply = {"message": {"content": f"ANSWER: {number + 2}"}, "stop_reason": "stop"}
        asked = f"How many cubes are in stack {number}?"
        made = {"id": number + 1, "epoch": 1, "input": asked, "target": str(number + 2), "output": {"choices": [reply]}}
        return made | changes

    samples = [
        sample(0),
        sample(1, output={"choices": [{"message": {"content": "I cou"}, "stop_reason": "max_tokens"}]}),
        sample(2, error={"message": "lost"}, output={"choices": []}),
        sample(3, invalidation={"reason": "the tool was broken"}),
    ]
    log = {"version": 2, "status": "success", "eval": {"model": "openai/gpt-9"}, "samples": samples}
    (tmp_path / "log.json").write_text(json.dumps(log))
    summary = scored(tmp_path / "log.json", stacks(str))
    assert summary.statuses == {"ok": 1, "truncated": 1, "error": 2}
    rows = {row.problem_id: row.text for row in read_records(tmp_path / "run" / "predictions.jsonl", Prediction)}
    assert rows == {"0": "ANSWER: 2", "1": "I cou", "2": "", "3": ""}
    (tmp_path / "empty.json").write_text(json.dumps(log | {"samples": None, "status": "error"}))
    with pytest.raises(UserError, match=r"empty\.json: Inspect log: no samples in it \(status error"):
        scored(tmp_path / "empty.json", stacks(str))


def test_a_true_log_of_inspect(scored: Scored, tmp_path: Path) -> None:
    """Written by its own package, as a zip: two epochs, of which one is right."""
    inspect_log = pytest.importorskip("inspect_ai.log")
    scored(write_json(tmp_path / "a.json", [{"id": f"q{n}", "prediction": "ANSWER: 2"} for n in range(4)]),
           stacks(lambda number: f"q{number}"))  # fmt: skip
    [ours] = export(tmp_path / "run", "inspect", tmp_path / "log")
    inspect_log.write_eval_log(inspect_log.read_eval_log(str(ours)), str(tmp_path / "log.eval"), format="eval")
    again = scored(tmp_path / "log.eval", stacks(lambda number: f"q{number}"), output=tmp_path / "again")
    assert (again.accuracy.right, again.accuracy.count) == (1, 4)


def test_other_names_of_columns(scored: Scored, tmp_path: Path) -> None:
    rows = [{"pid": f"q{n}", "Model output": f"{n + 2}", "model": "gpt-9"} for n in range(4)]
    file = write_json(tmp_path / "a.json", rows)
    problems = stacks(lambda number: f"q{number}")
    names = {"id": "pid", "prediction": "Model output"}
    assert scored(file, problems, columns=names).accuracy.right == 4
    with pytest.raises(UserError, match=r"no column 'id'; .*pid, Model output, model \(--columns id=NAME"):
        scored(file, problems)
    with pytest.raises(UserError, match=r"no column 'qid' \(--columns id=qid\); this file has pid"):
        scored(file, problems, columns=names | {"id": "qid"})
    with pytest.raises(UserError, match=r"columns: only the back end file reads this"):
        scored(file, problems, columns=names, backend="server", predictions=None, model="m", base_url="http://h/v1")
    with pytest.raises(UserError, match=r"columns: 'predicton' is not one of .*did you mean 'prediction'"):
        scored(file, problems, columns={"predicton": "Model output"})


def test_the_answers_of_several_models_need_a_choice(scored: Scored, tmp_path: Path) -> None:
    rows = [{"id": f"q{n}", "prediction": str(n + plus), "model": name} for n in range(4) for name, plus in
            (("good", 2), ("bad", 3))]  # fmt: skip
    file = write_json(tmp_path / "a.json", rows)
    problems = stacks(lambda number: f"q{number}")
    with pytest.raises(UserError, match=r"a\.json: model: the answers of good, bad; .*--model.*srt compare"):
        scored(file, problems)
    assert scored(file, problems, model="bad").accuracy.right == 0
    assert scored(file, problems, model="good", output=tmp_path / "good").accuracy.right == 4
    rows[3]["model"] = ""
    with pytest.raises(UserError, match=r"item 4: model: empty"):
        scored(write_json(tmp_path / "b.json", rows), problems, model="good")
