"""``srt dataset``: what is published, read by ``datasets`` and ``huggingface_hub``, which find it on a hub too."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from srt.checking import check
from srt.io.errors import UserError
from srt.io.records import Problem, Refusal
from srt.language.trace import Trace
from srt.pipeline.solve import solve_one
from srt.publish.dataset_card import CHECKSUMS
from srt.publish.dataset_recipe import read_dataset_recipe
from srt.publish.dataset_rows import COLUMNS, DatasetRow
from srt.publish.make_dataset import make_dataset
from srt.publish.parquet_shards import ParquetShards

ROOT = Path(__file__).resolve().parents[3]
SMALL: dict[str, Any] = {
    "name": "small",
    "license": "apache-2.0",
    "description": "Small: a test.",
    "splits": {
        "train": [
            {"world": "views", "n": 6, "spec": {"lang": "zh"}},
            {"world": "seating", "n": 4, "spec": {"scenes": ["booth"]}},
        ],
        "test": [{"world": "views", "n": 3}],
    },
}


def recipe(folder: Path, **changes: Any) -> Path:
    path = folder / "small.yaml"
    path.write_text(yaml.safe_dump(SMALL | changes, sort_keys=False))
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("made")
    summary = make_dataset(recipe(folder), folder / "small")
    assert sorted(path.name for path in folder.iterdir()) == ["small", "small.yaml"]
    return folder / "small", summary


def loaded(folder: Path, cache: Path) -> Any:
    from datasets import load_dataset

    return load_dataset(str(folder), cache_dir=str(cache))


def test_datasets_reads_the_folder(made: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    folder, summary = made
    splits = loaded(folder, tmp_path)
    assert {name: len(rows) for name, rows in splits.items()} == {"train": 10, "test": 3}
    assert (summary["train"], summary["test"], summary["refused"]) == (10, 3, 0)
    rows = splits["train"]
    assert rows.column_names == list(COLUMNS) == list(DatasetRow.model_fields)
    assert [len(row["images"]) for row in rows] == [1] * 6 + [0] * 4
    assert all(min(picture.size) > 20 for row in rows for picture in row["images"])
    assert summary["pictures"] == 9
    assert {row["lang"] for row in rows} == {"en", "zh"}


def test_every_row_is_proved_again(made: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    for rows in loaded(made[0], tmp_path).values():
        for row in rows:
            problem, trace = Problem.model_validate_json(row["problem"]), Trace.model_validate_json(row["proof"])
            assert check(problem, trace).proved
            assert (problem.id, problem.question) == (row["id"], row["question"])
            [message] = row["completion"]
            for text in (message["content"], row["prose"]):
                assert text.rpartition(": ")[2] == row["answer"] == trace.answer
            assert message["content"] != row["prose"]
            assert row["question"] in row["prompt"][0]["content"]
            assert row["answer"] not in {option["text"] for option in row["options"]} or not row["options"]


def test_the_header_is_what_the_hub_reads(made: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    from datasets.info import DatasetInfosDict
    from datasets.utils.metadata import MetadataConfigs
    from huggingface_hub import DatasetCard

    card = DatasetCard.load(made[0] / "README.md")
    card.data.to_yaml()
    assert (card.data.license, card.data.language) == ("apache-2.0", ["en", "zh"])
    assert card.data.size_categories == ["n<1K"]
    [config] = MetadataConfigs.from_dataset_card_data(card.data).values()
    assert [one["path"] for one in config["data_files"]] == ["data/train-*", "data/test-*"]
    info = DatasetInfosDict.from_dataset_card_data(card.data)["default"]
    rows = loaded(made[0], tmp_path)
    assert info.features == rows["train"].features
    assert {name: split.num_examples for name, split in info.splits.items()} == {"train": 10, "test": 3}
    stored = sum(path.stat().st_size for path in (made[0] / "data").iterdir())
    assert info.download_size == stored
    for said in ("all 13 problems", "srt dataset", "-o small", "SHA256SUMS"):
        assert said in card.text


def test_checksums(made: tuple[Path, dict[str, Any]]) -> None:
    lines = (made[0] / CHECKSUMS).read_text().splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    there = [path for path in made[0].rglob("*") if path.is_file() and path.name != CHECKSUMS]
    assert sums == {
        path.relative_to(made[0]).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in there
    }
    assert (made[0].stat().st_mode & 0o777) == 0o755


@pytest.mark.long
def test_workers_change_nothing(made: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    make_dataset(recipe(tmp_path), tmp_path / "small", workers=2)
    names = [line.split("  ") for line in (tmp_path / "small" / CHECKSUMS).read_text().splitlines()]
    data = [pair for pair in names if pair[1].startswith("data/")]
    assert data == [line.split("  ") for line in (made[0] / CHECKSUMS).read_text().splitlines()][1:]


def test_text_alone_has_no_column_of_pictures(tmp_path: Path) -> None:
    splits = {"dev": [{"world": "routes", "n": 3}]}
    make_dataset(recipe(tmp_path, splits=splits), tmp_path / "routes")
    rows = loaded(tmp_path / "routes", tmp_path / "cache")["dev"]
    assert rows.column_names == [name for name in COLUMNS if name != "images"]
    assert "`images`" not in (tmp_path / "routes" / "README.md").read_text()


def test_shards(made: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    from datasets import load_dataset

    rows = loaded(made[0], tmp_path / "cache")["test"].remove_columns("images")
    lines = [json.dumps(row).encode() + b"\n" for row in rows]
    shards = ParquetShards(tmp_path, "test", DatasetRow, None, shard_bytes=1)
    shards.write(lines[0] * 1000 + lines[1] * 1000)
    shards.write(lines[2])
    names = [path.name for path in shards.finish()]
    assert names == ["test-00000-of-00002.parquet", "test-00001-of-00002.parquet"]
    files = [str(tmp_path / name) for name in names]
    read: Any = load_dataset("parquet", data_files=files, split="train", cache_dir=str(tmp_path / "cache"))
    assert len(read) == 2001
    assert read[2000]["id"] == rows[2]["id"]


def test_nothing_is_left_of_a_run_that_failed(tmp_path: Path) -> None:
    few = {"train": [{"world": "routes", "n": 3}, {"world": "routes", "n": 9, "spec": {"longest": 99, "grid": 1}}]}
    with pytest.raises(UserError):
        make_dataset(recipe(tmp_path, splits=few), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["small.yaml"]


def test_two_sources_that_are_the_same(tmp_path: Path) -> None:
    twice = {"dev": [{"world": "routes", "n": 2}] * 2}
    with pytest.raises(UserError, match=r"splits: dev: problem .* twice"):
        make_dataset(recipe(tmp_path, splits=twice), tmp_path / "out")


def test_another_problem_takes_the_place_of_one_that_is_not_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def solve(problem: Problem, plan: str = "needed") -> Trace | Refusal:
        asked.append(problem.id)
        if len(asked) == 1:
            return Refusal(problem_id=problem.id, reason="no_world", detail="?")
        solved = solve_one(problem, plan)
        assert isinstance(solved, Trace)
        # The second lacks a step that others build on.
        return solved.model_copy(update={"steps": solved.steps[1:]}) if len(asked) == 2 else solved

    monkeypatch.setattr("srt.pipeline.solve.solve_one", solve)
    summary = make_dataset(recipe(tmp_path, splits={"dev": [{"world": "routes", "n": 100}]}), tmp_path / "out")
    assert (summary["dev"], summary["refused"]) == (100, 2)
    card = (tmp_path / "out" / "README.md").read_text()
    assert "no_world 1, " in card
    assert re.search(r"(refuted|not_proved) 1\.", card)


def test_a_folder_that_is_there_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine").touch()
    for place, why in ((out, "new folder"), (tmp_path / "no" / "out", "does not exist")):
        with pytest.raises(UserError, match=f"{place.name}: .*{why}"):
            make_dataset(recipe(tmp_path), place)
    assert [path.name for path in out.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"license": "Apache 2"}, "license"),
        ({"splits": {}}, "splits"),
        ({"splits": {"valid": SMALL["splits"]["test"]}}, "splits"),
        ({"splits": {"test": [{"world": "views"}]}}, r"splits\.test\.0\.n"),
    ],
)
def test_faults_of_a_recipe(changes: dict[str, Any], key: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=rf"small\.yaml: {key}"):
        make_dataset(recipe(tmp_path, **changes), tmp_path / "out")


@pytest.mark.parametrize("world", ["seating", "views", "routes"])
def test_the_shipped_recipes(world: str) -> None:
    found = read_dataset_recipe(Path(world))
    assert found.name == f"{world}-proofs"
    assert sum(source.n for sources in found.splits.values() for source in sources) == 10_000
    assert {source.world for sources in found.splits.values() for source in sources} == {world}
    assert (ROOT / "recipes" / "dataset" / f"{world}.yaml").is_file()
