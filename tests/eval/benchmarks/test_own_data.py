"""A user's own problems in each format that people have: what is kept, and what is named."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from srt.io.errors import UserError

ROWS = [
    {
        "id": "1",
        "question": "item 1: who?",
        "A": "this",
        "B": "that",
        "answer": "A",
        "split": "train",
        "category": "x",
    },
    {"id": "2", "question": "item 2: who?", "A": "this", "B": "that", "answer": "B", "split": "test", "category": "y"},
]


def _written(folder: Path, kind: str) -> Path:
    """:data:`ROWS`, and a column that nothing reads, in one of the formats."""
    import datasets

    rows = [{**row, "notes": "n"} for row in ROWS]
    if kind in (",", ";", "|", "\t"):
        lines = [kind.join(f'"{cell}"' for cell in one) for one in (rows[0], *(row.values() for row in rows))]
        (folder / "mine.csv").write_text("\n".join(lines) + "\n")
        return folder / "mine.csv"
    table = datasets.Dataset.from_list(rows)
    if kind == "parquet":
        table.to_parquet(folder / "mine.parquet")
        return folder / "mine.parquet"
    if kind == "saved":
        table.save_to_disk(folder / "saved")
        return folder / "saved"
    # As a hub has them: parts by name, and no column that says the split.
    for row in rows:
        part = datasets.Dataset.from_list([{name: cell for name, cell in row.items() if name != "split"}])
        (folder / "hub" / "data").mkdir(parents=True, exist_ok=True)
        part.to_parquet(folder / "hub" / "data" / f"{row['split']}-00000-of-00001.parquet")
    return folder / "hub"


@pytest.mark.parametrize("kind", [",", ";", "|", "\t", "parquet", "saved", "hub"])
def test_each_format_keeps_split_and_category_and_names_what_is_not_read(
    kind: str, tmp_path: Path, imported: Any
) -> None:
    problems, refused, summary = imported("plain", _written(tmp_path, kind))
    assert refused == []
    found = {one.id: (one.split, one.category, one.choices, one.answer.value) for one in problems}
    assert found == {
        row["id"]: (row["split"], row["category"], {"A": "this", "B": "that"}, [row["answer"]]) for row in ROWS
    }
    assert summary["columns that are not read"] == "notes"


def test_pictures_of_a_dataset_are_its_bytes(tmp_path: Path, imported: Any, draw: Any) -> None:
    import datasets

    picture = draw(tmp_path / "one.png").read_bytes()
    row = {"id": "1", "question": "item 1?", "answer": "3", "picture": {"bytes": picture, "path": None}}
    datasets.Dataset.from_list([row]).save_to_disk(tmp_path / "saved")
    problems, refused, _ = imported("plain", tmp_path / "saved")
    assert refused == []
    assert problems[0].images[0].sha256 == hashlib.sha256(picture).hexdigest()


def test_the_number_of_a_class_is_read_as_its_name(tmp_path: Path, imported: Any) -> None:
    import datasets

    rows = [{"question": f"item {n}?", "choices": ["4", "5", "6"], "answer": n % 3, "topic": 1} for n in range(4)]
    table = datasets.Dataset.from_list([*rows, {**rows[0], "question": "item 9?", "answer": -1}])
    for names, file in ((["A", "B", "C"], "letters"), (["0", "1", "2"], "places")):
        named = table.cast_column("answer", datasets.ClassLabel(names=names))
        named.cast_column("topic", datasets.ClassLabel(names=["x", "y"])).save_to_disk(tmp_path / file)
        problems, refused, _ = imported("plain", tmp_path / file)
        assert [one.answer.value for one in problems] == [["A"], ["B"], ["C"], ["A"]]
        assert [(row["item"], row["reason"]) for row in refused] == [("own-5", "no_answer")]  # -1: not known


def test_folders_as_a_hub_has_them(tmp_path: Path, imported: Any, write_jsonl: Any, draw: Any) -> None:
    draw(tmp_path / "hub" / "one.png")
    row = {"question": "item 1?", "answer": "3", "picture": "one.png"}
    write_jsonl(tmp_path / "hub" / "train.jsonl", [row])
    write_jsonl(tmp_path / "hub" / "test.jsonl", [{**row, "question": "item 2?"}])
    write_jsonl(tmp_path / "hub" / "notes.jsonl", [{"text": "of another kind"}])
    problems, refused, _ = imported("plain", tmp_path / "hub")
    assert refused == []
    assert [(one.split, one.question, len(one.images)) for one in problems] == [
        ("test", "item 2?", 1),
        ("train", "item 1?", 1),
    ]


def test_a_folder_of_pictures_with_metadata(tmp_path: Path, imported: Any, write_jsonl: Any, draw: Any) -> None:
    for number, split in enumerate(("train", "test")):
        draw(tmp_path / "hub" / split / "one.png", number)
        row = {"file_name": "one.png", "question": f"item {number}?", "answer": "3"}
        write_jsonl(tmp_path / "hub" / split / "metadata.jsonl", [row, {**row, "file_name": "../../../x.png"}])
    problems, refused, _ = imported("plain", tmp_path / "hub")
    assert [(one.split, len(one.images)) for one in problems] == [("test", 1), ("train", 1)]
    assert problems[0].images != problems[1].images
    assert [row["reason"] for row in refused] == ["picture", "picture"]


def test_of_several_configurations_one_is_asked_for(tmp_path: Path, imported: Any) -> None:
    import datasets

    row = {"question": "item 1?", "answer": "1 + 2.\n#### 3"}
    (tmp_path / "hub" / "main").mkdir(parents=True)
    datasets.Dataset.from_list([row]).to_parquet(tmp_path / "hub" / "main" / "test-00000-of-00001.parquet")
    problems, _, _ = imported("plain", tmp_path / "hub")
    assert [(one.split, one.answer.value) for one in problems] == [("test", 3)]
    (tmp_path / "hub" / "socratic").mkdir()
    datasets.Dataset.from_list([row]).to_parquet(tmp_path / "hub" / "socratic" / "test-00000-of-00001.parquet")
    with pytest.raises(UserError, match="main, socratic"):
        imported("plain", tmp_path / "hub")


def test_a_folder_without_data_and_a_broken_file_are_named(tmp_path: Path, imported: Any) -> None:
    (tmp_path / "x.parquet").write_text("no")
    with pytest.raises(UserError, match=r"x\.parquet: not a Parquet file"):
        imported("plain", tmp_path / "x.parquet")
