"""Stages over shards against the same stages on one machine: the bytes and the summaries, whatever happens on the way.

The shards are worked on in this process; ``test_ray.py`` does the same on a cluster.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest
from engines import Killed, in_any_order, killed_after, whole
from input_faults import assert_faults_are_named

from srt.io.errors import UserError
from srt.io.record_lines import dump
from srt.io.record_reader import read_records
from srt.io.record_writer import open_records
from srt.io.records import Problem
from srt.language.trace import Trace
from srt.pipeline.build import build_file
from srt.pipeline.check import check_file
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file
from srt.scale.shard_folder import whole_parts
from srt.scale.sharded_generate import generate_shards
from srt.scale.sharded_stages import build_shards, check_shards, solve_shards
from srt.scale.shards import InputShard

BYTES = 4000


@pytest.fixture(scope="module")
def one_machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Problems, one of which cannot be solved; their traces; and traces of which some have no problem, or no end."""
    root = tmp_path_factory.mktemp("one")
    generate_file("seating", 60, "train", root / "p.jsonl", {})
    lines = (root / "p.jsonl").read_bytes().splitlines(keepends=True)
    spoilt = orjson.loads(lines[7])
    spoilt["question"] = "What is the capital of France?"
    lines[7] = orjson.dumps(spoilt) + b"\n"
    lines.insert(20, b"\n")
    (root / "p.jsonl").write_bytes(b"".join(lines))
    solve_file(root / "p.jsonl", root / "t.jsonl")
    traces = (root / "t.jsonl").read_bytes().splitlines(keepends=True)
    random.Random(1).shuffle(traces)
    for number, trace in enumerate(traces[:9]):
        values = orjson.loads(trace)
        if number < 4:
            values["problem_id"] = "nobody"
        else:
            values["steps"] = values["steps"][:-2]
        traces[number] = orjson.dumps(values) + b"\n"
    (root / "t2.jsonl").write_bytes(b"".join(traces))
    return root


def test_solve(one_machine: Path, tmp_path: Path) -> None:
    expected = solve_file(one_machine / "p.jsonl", tmp_path / "t.jsonl")
    assert expected.refused
    assert solve_shards(one_machine / "p.jsonl", tmp_path / "out", in_any_order, BYTES) == expected
    assert len(whole_parts(tmp_path / "out")) > 5
    assert whole(tmp_path / "out") == (tmp_path / "t.jsonl").read_bytes()
    assert whole(tmp_path / "out", "refused") == (tmp_path / "t.refusals.jsonl").read_bytes()
    assert {file.name[:8] for file in (tmp_path / "out").iterdir()} == {"part-000", "refused-", "manifest"}


def test_a_carriage_return_inside_a_record_ends_no_line(one_machine: Path, tmp_path: Path) -> None:
    given = tmp_path / "given.jsonl"
    given.write_bytes((one_machine / "p.jsonl").read_bytes().replace(b',"source"', b',\r"source"'))
    alone = solve_file(given, tmp_path / "t.jsonl")
    assert solve_shards(given, tmp_path / "out", in_any_order, BYTES) == alone
    assert whole(tmp_path / "out") == (tmp_path / "t.jsonl").read_bytes()


def test_check_and_build(one_machine: Path, tmp_path: Path) -> None:
    """Traces in any order, some without a problem; then from the folder of the stage before."""
    problems, traces = one_machine / "p.jsonl", one_machine / "t2.jsonl"
    expected = check_file(traces, problems, tmp_path / "c.jsonl")
    assert expected.skipped == {"unknown_problem": 4}
    assert expected.faults
    assert check_shards(traces, problems, tmp_path / "c", in_any_order, BYTES) == expected
    assert whole(tmp_path / "c") == (tmp_path / "c.jsonl").read_bytes()

    for keep, left_out in (("auto", 5), ("all", 0)):
        alone, shards = tmp_path / keep, tmp_path / f"shards-{keep}"
        built = build_file(tmp_path / "c.jsonl", problems, "srt", alone, keep=keep)
        sharded = build_shards(tmp_path / "c", problems, "srt", shards, in_any_order, keep=keep, shard_bytes=BYTES)
        same = ("arm", "sequences", "refused")
        assert {key: sharded.get(key) for key in same} == {key: built.get(key) for key in same}
        assert sum(sharded.get("refused", {}).values()) == left_out
        assert whole(shards) == (alone / "sequences.jsonl").read_bytes()


def test_parquet(one_machine: Path, tmp_path: Path) -> None:
    """In and out, at each stage; the records are those of JSON Lines."""
    for given, name, model in (("p.jsonl", "p.parquet", Problem), ("t2.jsonl", "t.parquet", Trace)):
        with open_records({tmp_path / name: model}) as (write,):
            for record in read_records(one_machine / given, model):
                write(dump(record))
    solved = solve_shards(tmp_path / "p.parquet", tmp_path / "s.parquet", in_any_order, BYTES)
    assert solved == solve_file(one_machine / "p.jsonl", tmp_path / "s.jsonl")
    found = [trace for part in whole_parts(tmp_path / "s.parquet") for trace in read_records(part, Trace)]
    assert found == list(read_records(tmp_path / "s.jsonl", Trace))

    problems, traces = tmp_path / "p.parquet", tmp_path / "t.parquet"
    expected = check_file(one_machine / "t2.jsonl", one_machine / "p.jsonl", tmp_path / "c.jsonl")
    assert check_shards(traces, problems, tmp_path / "c.parquet", in_any_order, BYTES) == expected
    build_shards(tmp_path / "c.parquet", problems, "srt", tmp_path / "d", in_any_order)
    build_file(tmp_path / "c.jsonl", one_machine / "p.jsonl", "srt", tmp_path / "one")
    assert whole(tmp_path / "d") == (tmp_path / "one" / "sequences.jsonl").read_bytes()


@pytest.mark.parametrize("n", [10, 64, 90])
def test_generate(n: int, tmp_path: Path) -> None:
    """A small family: many draws are not new. With problems to keep out, and pictures."""
    spec = {"kinds": ["GPC"], "largest": 2, "highest": 3, "min_cubes": 1, "options_share": 0}
    (tmp_path / "one").mkdir()
    generate_file("views", 5, "train", tmp_path / "no.jsonl", spec)
    one = generate_file("views", n, "train", tmp_path / "one" / "problems.jsonl", spec, [tmp_path / "no.jsonl"])
    made = generate_shards(
        "views", n, "train", tmp_path / "many", spec, in_any_order, [tmp_path / "no.jsonl"], shard_draws=16
    )
    assert made == one
    assert one.duplicates or n < 64
    assert whole(tmp_path / "many") == (tmp_path / "one" / "problems.jsonl").read_bytes()


@pytest.mark.parametrize("count", [0, 1, 4])
def test_a_killed_stage_goes_on(count: int, one_machine: Path, tmp_path: Path) -> None:
    expected = solve_file(one_machine / "p.jsonl", tmp_path / "t.jsonl")
    with pytest.raises(Killed):
        solve_shards(one_machine / "p.jsonl", tmp_path / "out", killed_after(count), BYTES)
    with pytest.raises(UserError, match=r"has no manifest\.json"):
        whole_parts(tmp_path / "out")
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "out").glob("part-*")}
    assert len(before) == count
    asked: list[int] = []

    def note(what: str, work: Callable[[int], None], numbers: Sequence[int]) -> None:
        asked.extend(numbers)
        in_any_order(what, work, numbers)

    assert solve_shards(one_machine / "p.jsonl", tmp_path / "out", note, BYTES) == expected
    assert set(range(count)).isdisjoint(asked)
    assert {file: file.stat().st_mtime_ns for file in before} == before
    assert whole(tmp_path / "out") == (tmp_path / "t.jsonl").read_bytes()
    assert solve_shards(one_machine / "p.jsonl", tmp_path / "out", killed_after(0), BYTES) == expected, "it has ended"


def test_a_lost_part_is_made_again(one_machine: Path, tmp_path: Path) -> None:
    with pytest.raises(Killed):
        solve_shards(one_machine / "p.jsonl", tmp_path / "out", killed_after(4), BYTES)
    (tmp_path / "out" / "part-00001.jsonl").unlink()
    (tmp_path / "out" / "part-00002.jsonl").write_bytes(b"torn")
    solve_shards(one_machine / "p.jsonl", tmp_path / "out", in_any_order, BYTES)
    assert whole(tmp_path / "out") == (one_machine / "t.jsonl").read_bytes()


def test_a_shard_is_named_by_its_first_line_or_row() -> None:
    named = [str(InputShard(Path(file), 0, 2, 9)) for file in ("p.jsonl", "p.parquet")]
    assert named == ["p.jsonl: the part from line 9 on", "p.parquet: the part from row 9 on"]


def test_a_shard_that_kills_its_process(one_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: Any) -> None:
        raise Killed

    def again_and_again(what: str, work: Callable[[int], None], numbers: Sequence[int]) -> None:
        while True:
            try:
                work(numbers[0])
                return
            except Killed:
                continue

    monkeypatch.setattr("srt.scale.sharded_stages.run_batch", die)
    with pytest.raises(UserError, match=r"p\.jsonl: the part from line 1 on: its process was killed 5 times"):
        solve_shards(one_machine / "p.jsonl", tmp_path / "out", again_and_again, 10**9)


def test_faults(one_machine: Path, tmp_path: Path) -> None:
    whole_file = one_machine / "p.jsonl"
    assert_faults_are_named(lambda file, out: solve_shards(file, out, in_any_order, BYTES), whole_file, tmp_path)
    problems = tmp_path / "p.jsonl"
    lines = whole_file.read_bytes().splitlines(keepends=True)
    problems.write_bytes(b"".join([*lines[:9], lines[9].replace(b'"question"', b'"questoin"')]))
    with pytest.raises(UserError, match=r"p\.jsonl:10: "):
        solve_shards(problems, tmp_path / "o1", in_any_order, BYTES)
    solve_shards(whole_file, tmp_path / "o2", in_any_order, BYTES)
    with pytest.raises(UserError, match=r"o2: .*not the same: shard_bytes"):
        solve_shards(whole_file, tmp_path / "o2", in_any_order, 2 * BYTES)
    (tmp_path / "o2" / "part-00000.jsonl").write_bytes(b"")
    with pytest.raises(UserError, match=r"part-00000\.jsonl: is missing, or was changed"):
        check_shards(tmp_path / "o2", whole_file, tmp_path / "o3", in_any_order)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--engine", "spark"], "spark"),
        (["--address", "auto"], "--address: goes with --engine ray"),
        (["--engine", "ray", "--workers", "2"], "--workers: does not go with --engine ray"),
        (["--engine", "ray", "--keep-going"], "--keep-going: does not go with --engine ray"),
    ],
)
def test_options_that_do_not_go_together(
    options: list[str], words: str, one_machine: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from srt.cli import main

    arguments = ["srt", "solve", str(one_machine / "p.jsonl"), "-o", str(one_machine / "out"), *options]
    monkeypatch.setattr("sys.argv", arguments)
    with pytest.raises(SystemExit, match="2"):
        main()
    assert words in capsys.readouterr().err
    assert not (one_machine / "out").exists()
