"""Stages over shards at URLs against the same stages on one machine: the bytes and the summaries, through any kill."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import fsspec
import pyarrow.fs
import pytest
from engines import Killed, in_any_order, killed_after, whole
from fsspec import AbstractFileSystem
from fsspec.implementations.arrow import ArrowFSWrapper
from object_stores import STORES
from test_sharded_curation import made_up

from srt.curate import curate_file
from srt.io.errors import UserError
from srt.io.locations import Location, listed, location
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.language.trace import Trace
from srt.pipeline.check import check_file
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file
from srt.scale.shard_folder import whole_parts
from srt.scale.sharded_curation import curate_shards
from srt.scale.sharded_generate import generate_shards
from srt.scale.sharded_stages import build_shards, check_shards, solve_shards

BYTES = 4000


@pytest.fixture(autouse=True)
def empty_stores() -> Iterator[None]:
    yield
    for store in STORES.values():
        store.objects.clear()
        store.sent.clear()
        store.dies_after = None


@pytest.fixture(params=sorted(STORES))
def store(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def as_object(store: str, file: Path) -> Location:
    """The file, at a URL."""
    at = location(f"{store}://data/{file.name}")
    fsspec.filesystem(store).put_file(str(file), f"data/{file.name}")
    return at


def all_stages(root: str, one: Path, here: Path) -> None:
    """All stages below the URL ``root``; the folders ``here`` have what one machine wrote."""
    at = location(root)
    made = generate_shards("seating", 40, "train", at / "p", {}, in_any_order, shard_draws=16)
    assert made == generate_file("seating", 40, "train", here / "p.jsonl", {})
    solved = solve_shards(at / "p", at / "t.parquet", in_any_order, BYTES)
    assert solved == solve_file(one / "p.jsonl", here / "t.jsonl")
    checked = check_shards(at / "t.parquet", at / "p", at / "c", in_any_order, BYTES)
    assert checked == check_file(one / "t.jsonl", one / "p.jsonl")
    built = build_shards(at / "c", at / "p", "srt", at / "d", in_any_order, shard_bytes=BYTES)
    assert built == {"folder": f"{root}/d", "arm": "srt", "sequences": 40}
    for folder, file in (("p", "p.jsonl"), ("c", "c.jsonl"), ("d", "d/sequences.jsonl")):
        assert whole(at / folder) == (one / file).read_bytes()
        names = {name.split("-")[0] for name in listed(at / folder)}
        assert names <= {"part", "refused", "manifest.json"}
    traces = [trace for part in whole_parts(at / "t.parquet") for trace in read_records(part, Trace)]
    assert traces == list(read_records(one / "t.jsonl", Trace))


def test_all_stages(store: str, stages_of_one: Path, tmp_path: Path) -> None:
    all_stages(f"{store}://bucket/run", stages_of_one, tmp_path)


def test_from_files_to_urls_and_back(store: str, stages_of_one: Path, tmp_path: Path) -> None:
    """A file at a URL is cut as one on disk; traces here, problems there."""
    problems = as_object(store, stages_of_one / "p.jsonl")
    solve_shards(problems, tmp_path / "t", in_any_order, BYTES)
    assert len(whole_parts(tmp_path / "t")) > 5
    assert whole(tmp_path / "t") == (stages_of_one / "t.jsonl").read_bytes()
    checked = location(f"{store}://bucket/c")
    check_shards(tmp_path / "t", problems, checked, in_any_order, BYTES)
    assert whole(checked) == (stages_of_one / "c.jsonl").read_bytes()
    build_shards(checked, stages_of_one / "p.jsonl", "srt", tmp_path / "d", in_any_order, shard_bytes=BYTES)
    assert whole(tmp_path / "d") == (stages_of_one / "d" / "sequences.jsonl").read_bytes()
    made = generate_shards("seating", 9, "train", tmp_path / "g", {}, in_any_order, [problems], shard_draws=16)
    assert made.collisions


def test_a_killed_stage_goes_on(store: str, stages_of_one: Path) -> None:
    problems, out = as_object(store, stages_of_one / "p.jsonl"), location(f"{store}://bucket/out")
    with pytest.raises(Killed):
        solve_shards(problems, out, killed_after(3), BYTES)
    with pytest.raises(UserError, match=r"has no manifest\.json"):
        whole_parts(out)
    with pytest.raises(UserError, match=r"out: .*not the same: shard_bytes"):
        solve_shards(problems, out, in_any_order, 2 * BYTES)
    asked: list[int] = []

    def note(what: str, work: Callable[[int], None], numbers: Sequence[int]) -> None:
        asked.extend(numbers)
        in_any_order(what, work, numbers)

    solve_shards(problems, out, note, BYTES)
    assert asked
    assert {0, 1, 2}.isdisjoint(asked)
    assert whole(out) == (stages_of_one / "t.jsonl").read_bytes()
    solve_shards(problems, out, killed_after(0), BYTES)  # it has ended


def test_killed_while_any_file_is_sent(store: str, stages_of_one: Path) -> None:
    """Also generate, whose steps leave several files for each shard: what was sent by half never counts."""
    at, files = location(f"{store}://bucket/run"), STORES[store]

    def stages() -> None:
        generate_shards("seating", 40, "train", at / "p", {}, in_any_order, shard_draws=32)
        solve_shards(at / "p", at / "t", in_any_order, BYTES)

    for attempt in range(200):
        files.dies_after = len(files.sent) + attempt % 6  # a shard of solve is done after four
        try:
            stages()
        except Killed:
            assert not (at / "t" / "manifest.json").exists()
            continue
        break
    assert whole(at / "p") == (stages_of_one / "p.jsonl").read_bytes()
    assert whole(at / "t") == (stages_of_one / "t.jsonl").read_bytes()
    assert not any(".tmp" in name or ".work" in name for name in files.objects)


def test_what_is_there_is_left_alone(store: str, stages_of_one: Path, tmp_path: Path) -> None:
    problems = as_object(store, stages_of_one / "p.jsonl")
    with pytest.raises(UserError, match=r"data: has other files \(p\.jsonl\)"):
        solve_shards(stages_of_one / "p.jsonl", location(f"{store}://data"), in_any_order)
    with pytest.raises(UserError, match=r"p\.jsonl: a folder was expected, this is a file"):
        solve_shards(stages_of_one / "p.jsonl", problems, in_any_order)
    out = location(f"{store}://bucket/out")
    solve_shards(problems, out, in_any_order, BYTES)
    as_object(store, stages_of_one / "p.jsonl")  # written anew: another version
    with pytest.raises(UserError, match="not the same: inputs"):
        solve_shards(problems, out, in_any_order, BYTES)
    STORES[store].objects["bucket/out/part-00001.jsonl"] = (b"torn", 0)
    with pytest.raises(UserError, match=rf"{store}://bucket/out/part-00001\.jsonl: is missing, or was changed"):
        check_shards(out, problems, tmp_path / "c", in_any_order)


def test_faults_name_the_url(store: str, stages_of_one: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"{store}://data/absent: no such file"):
        solve_shards(location(f"{store}://data/absent"), tmp_path / "o1", in_any_order)
    lines = (stages_of_one / "p.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "twice.jsonl").write_bytes(b"".join([*lines, lines[3]]))
    twice = as_object(store, tmp_path / "twice.jsonl")
    with pytest.raises(UserError, match=rf"{twice}:41: id: .* is at {twice}:4 already"):
        solve_shards(twice, tmp_path / "o2", in_any_order, BYTES)


def test_pictures_need_folders(tmp_path: Path) -> None:
    url = location("objects://bucket/out")
    with pytest.raises(UserError, match="objects://bucket/out: the problems of views have pictures"):
        generate_shards("views", 9, "train", url, {}, in_any_order)
    for places in ((url, tmp_path / "out"), (tmp_path / "doubled.jsonl", url)):
        with pytest.raises(UserError, match="objects://bucket/out: --pictures"):
            build_shards(tmp_path / "t", places[0], "srt", places[1], in_any_order, pictures=True)


def test_curation_reads_urls(tmp_path: Path, stages_of_one: Path) -> None:
    problems = list(read_records(stages_of_one / "p.jsonl", Problem))
    write_records(
        tmp_path / "doubled.jsonl", [*problems, *(one.model_copy(update={"id": f"{one.id}+"}) for one in problems)]
    )
    (tmp_path / "one").mkdir()
    bench = as_object("objects", stages_of_one / "p.jsonl")
    one = curate_file(tmp_path / "doubled.jsonl", tmp_path / "one" / "k.jsonl", against=[stages_of_one / "p.jsonl"])
    at = as_object("objects", tmp_path / "doubled.jsonl")
    out = tmp_path / "out"
    many = curate_shards(at, out, in_any_order, against=[bench], shard_bytes=BYTES, size=16)
    assert many["dropped"] == one["dropped"] > 0
    assert whole(out) == (tmp_path / "one" / "k.jsonl").read_bytes()
    with pytest.raises(UserError, match="writes to a folder"):
        curate_shards(at, location("objects://bucket/out"), in_any_order)
    write_records(tmp_path / "shown.jsonl", made_up(tmp_path, 20, 2))
    shown = as_object("objects", tmp_path / "shown.jsonl")
    with pytest.raises(UserError, match=rf"{shown}:\d+: images"):
        curate_shards(shown, tmp_path / "no", in_any_order)


def test_a_file_url_is_a_path() -> None:
    assert location("file:///data/p.jsonl") == Path("/data/p.jsonl")
    assert location("data/p.jsonl") == Path("data/p.jsonl")


class ArrowFiles(ArrowFSWrapper):
    """The class behind ``hdfs://``, over the files of this machine."""

    protocol = "hdfs"
    _parent = AbstractFileSystem._parent  # which a path asks the class for

    def __init__(self, **options: Any) -> None:
        super().__init__(fs=pyarrow.fs.LocalFileSystem(), **options)


def test_the_file_system_behind_hdfs(stages_of_one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules["fsspec.registry"]._registry, "hdfs", ArrowFiles)
    (tmp_path / "here").mkdir()
    all_stages(f"hdfs://{tmp_path}/there", stages_of_one, tmp_path / "here")
