"""``srt build --format``: which row each trainer gets. ``tests/loaders`` asks the real loaders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest

from srt.images.open import describe_picture
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem
from srt.language.trace import Trace
from srt.pipeline.build import TraceRefusal, build_file
from srt.trainers.format_registry import FORMATS

ASKED = "Is <image2> it?\n\nA. a\nB. b\n\nEnd with a line 'ANSWER: ' and the letters of all right options, as in "
ASKED += "'ANSWER: A' or 'ANSWER: A, C'."
WRITTEN = "It is a.\nANSWER: A"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    for number in range(2):
        PIL.Image.fromarray(np.full((8, 9 + number, 3), number, dtype=np.uint8)).save(folder / f"{number}.png")
    images = [describe_picture(folder, f"{number}.png") for number in range(2)]
    write(
        folder,
        Problem(id="two", question="Is <image2> it?", images=images, diagram_description="A cube.", **COMMON),
        Problem(id="none", question="What?", **COMMON),
    )
    return folder


COMMON: dict[str, Any] = {
    "source": "own",
    "split": "train",
    "lang": "en",
    "choices": {"A": "a", "B": "b"},
    "answer": Answer(kind="choice_set", value=["A"]),
}


def write(folder: Path, *problems: Problem, text: str = "It is a.") -> None:
    write_records(folder / "p.jsonl", problems)
    traces = [
        Trace(id=f"t-{one.id}", problem_id=one.id, lang="en", kind="cot", text=text, answer="A") for one in problems
    ]
    write_records(folder / "t.jsonl", traces)


def made(folder: Path, out: Path, name: str, **options: Any) -> dict[str, Any]:
    return build_file(folder / "t.jsonl", folder / "p.jsonl", "cot", out, format=name, **options)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


ROWS: dict[str, dict[str, Any]] = {
    "messages": {
        "messages": [
            {"role": "user", "content": f"<image><image>{ASKED}"},
            {"role": "assistant", "content": WRITTEN},
        ]
    },
    "sharegpt": {
        "conversations": [
            {"from": "human", "value": f"<image><image>{ASKED}"},
            {"from": "gpt", "value": WRITTEN},
        ]
    },
    "alpaca": {"instruction": f"<image><image>{ASKED}", "input": "", "output": WRITTEN},
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_with_pictures(name: str, folder: Path, tmp_path: Path) -> None:
    summary = made(folder, tmp_path / "out", name, pictures=True)
    assert (summary["sequences"], summary["pictures"]) == (2, 2)
    first, second = lines(tmp_path / "out" / "cot.jsonl")
    paths = first.pop("images")
    assert first == {**ROWS[name], "problem_id": "two", "trace_id": "t-two"}
    shown = [(tmp_path / "out" / path).read_bytes() for path in paths]
    assert shown == [(folder / f"{number}.png").read_bytes() for number in range(2)]
    # Every row of the file has the column.
    assert second["images"] == []
    info = json.loads((tmp_path / "out" / "dataset_info.json").read_text())["cot"]
    assert info["file_name"] == "cot.jsonl"
    assert info["columns"]["images"] == "images"
    assert set(info["columns"].values()) <= {*first, "images"}
    assert ("tags" in info) == (name != "alpaca")
    assert len(info.get("tags", range(7))) == 7


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("out", ["out", "cot.parquet"])
def test_without_pictures_there_is_no_such_column(name: str, out: str, folder: Path, tmp_path: Path) -> None:
    from datasets import load_dataset

    file = Path(made(folder, tmp_path / out, name)["file"])
    kind = "parquet" if file.suffix == ".parquet" else "json"
    rows: Any = load_dataset(kind, data_files=str(file), split="train", cache_dir=str(tmp_path / "cache"))
    assert set(rows.column_names) == {*ROWS[name], "problem_id", "trace_id"}
    assert "A cube." in json.dumps(rows[0])
    assert "<image>" not in json.dumps(rows[:])
    assert "images" not in json.loads((file.parent / "dataset_info.json").read_text())["cot"]["columns"]


@pytest.mark.parametrize("name", ["trl", *ROWS, "verl", "trl-grpo"])
def test_datasets_opens_the_pictures_of_parquet(name: str, folder: Path, tmp_path: Path) -> None:
    from datasets import load_dataset

    file = made(folder, tmp_path / "x.parquet", name, pictures=True)["file"]
    rows: Any = load_dataset("parquet", data_files=file, split="train", cache_dir=str(tmp_path / "cache"))
    assert [[picture.size for picture in row["images"]] for row in rows] == [[(9, 8), (10, 8)], []]


def test_verl_has_the_gold_answer_and_the_problem(folder: Path, tmp_path: Path) -> None:
    from datasets import load_dataset

    file = made(folder, tmp_path / "out", "verl", pictures=True)["file"]
    assert file == str(tmp_path / "out" / "cot.parquet")
    row: Any = load_dataset("parquet", data_files=file, split="train", cache_dir=str(tmp_path / "cache"))[0]
    assert row["prompt"] == [{"role": "user", "content": f"<image><image>{ASKED}"}]
    assert (row["data_source"], row["reward_model"]) == ("own", {"style": "rule", "ground_truth": "A"})
    problem = Problem.model_validate_json(row["extra_info"]["problem"])
    assert problem == next(read_records(folder / "p.jsonl", Problem))
    assert WRITTEN not in json.dumps({key: row[key] for key in ("prompt", "extra_info")})


@pytest.mark.parametrize("tag", ["<image>", "<video>", "<audio>"])
@pytest.mark.parametrize("place", ["prompt", "completion"])
def test_a_tag_in_a_text_is_refused(tag: str, place: str, folder: Path, tmp_path: Path) -> None:
    question, text = (f"What is {tag}?", "It is a.") if place == "prompt" else ("What?", f"It is {tag}.")
    write(folder, Problem(id="tagged", question=question, **COMMON), text=text)
    with pytest.raises(UserError, match=f"t-tagged: {place}: .*{tag}"):
        made(folder, tmp_path / "out", "messages")
    assert not (tmp_path / "out").exists()
    assert made(folder, tmp_path / "ours", "trl")["sequences"] == 1


def test_verl_refuses_what_has_no_gold_answer(folder: Path, tmp_path: Path) -> None:
    unknown = Problem(id="unknown", question="What?", **{**COMMON, "answer": None})
    write(folder, Problem(id="known", question="What?", **COMMON), unknown)
    assert made(folder, tmp_path / "v.parquet", "verl")["refused"] == {"format": 1}
    (refusal,) = read_records(tmp_path / "v.refusals.jsonl", TraceRefusal)
    assert (refusal.trace_id, refusal.detail.split(": ")[:2]) == ("t-unknown", ["problem unknown", "answer"])


def test_entries_of_other_data_sets_stay(folder: Path, tmp_path: Path) -> None:
    info = tmp_path / "out" / "dataset_info.json"
    info.parent.mkdir()
    info.write_text('{"theirs": {"hf_hub_url": "a/b"}}')
    made(folder, info.parent, "sharegpt")
    made(folder, info.parent / "other.parquet", "alpaca")
    assert list(json.loads(info.read_text())) == ["theirs", "cot", "other"]
    for broken in ("{", "[]"):
        info.write_text(broken)
        before = sorted(info.parent.iterdir())
        with pytest.raises(UserError, match=r"dataset_info\.json: "):
            made(folder, info.parent / "third.parquet", "alpaca")
        assert (info.read_text(), sorted(info.parent.iterdir())) == (broken, before)


def test_an_unknown_format(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="sharegpt"):
        made(folder, tmp_path / "out", "sharegtp")
    assert not (tmp_path / "out").exists()


def test_each_format_can_be_asked_for() -> None:
    assert list(FORMATS) == ["trl", *ROWS, "verl", "trl-grpo"]
