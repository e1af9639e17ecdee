"""The stages on a Ray cluster of two nodes on this machine, of which one dies in mid-stage.

Takes minutes: ``pip install -e .[scale]``, then ``pytest -m slow tests/srt/scale``.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_sharded_curation import made_up, same

from srt.curate import curate_file
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file
from srt.scale.ray_engine import ray_cluster
from srt.scale.shard_folder import whole_parts
from srt.scale.sharded_curation import curate_shards
from srt.scale.sharded_generate import generate_shards
from srt.scale.sharded_stages import check_shards, solve_shards

pytestmark = pytest.mark.slow

STORE = 80 * 2**20
BYTES = 20_000


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head without cores, so that all work is done on nodes that may die."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": STORE})
    made.add_node(num_cpus=1, object_store_memory=STORE)
    yield made
    made.shutdown()


def test_a_node_dies_in_mid_stage(cluster: Any, tmp_path: Path) -> None:
    problems, out = tmp_path / "p.jsonl", tmp_path / "out"
    generate_file("seating", 1000, "train", problems, {})
    expected = solve_file(problems, tmp_path / "t.jsonl")
    doomed = cluster.add_node(num_cpus=1, object_store_memory=STORE)
    killed_at: list[int] = []

    def kill() -> None:
        while len(done := list(out.glob("part-*"))) < 8:
            time.sleep(0.05)
        killed_at.append(len(done))
        cluster.remove_node(doomed, allow_graceful=False)

    killer = threading.Thread(target=kill)
    killer.start()
    with ray_cluster(cluster.address) as run:
        assert solve_shards(problems, out, run, BYTES) == expected
        killer.join()
        assert killed_at[0] < len(whole_parts(out)), "it was killed before the end"
        written = b"".join(part.read_bytes() for part in whole_parts(out))
        assert written == (tmp_path / "t.jsonl").read_bytes()
        checked = check_shards(out, problems, tmp_path / "checked", run, BYTES)
        assert (checked.traces, checked.proved) == (expected.solved, expected.solved)

        one = generate_file("seating", 300, "dev", tmp_path / "g.jsonl", {})
        assert generate_shards("seating", 300, "dev", tmp_path / "g", {}, run, shard_draws=64) == one
        made = b"".join(part.read_bytes() for part in whole_parts(tmp_path / "g"))
        assert made == (tmp_path / "g.jsonl").read_bytes()


def test_a_node_dies_in_mid_curation(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # which is not the working folder of the nodes
    problems, out, kept = Path("p.jsonl"), Path("out"), Path("one", "problems.jsonl")
    write_records(problems, made_up(tmp_path, 480, 2))
    write_records("bench.jsonl", list(read_records(problems, Problem))[::9])
    kept.parent.mkdir()
    one = curate_file(problems, kept, against=[Path("bench.jsonl")])
    doomed = cluster.add_node(num_cpus=1, object_store_memory=STORE)
    killed: list[int] = []

    def kill() -> None:
        while len(list((out / ".work").glob("pictures-*"))) < 8:
            time.sleep(0.05)
        killed.append(len(list(out.glob("part-*"))))
        cluster.remove_node(doomed, allow_graceful=False)

    killer = threading.Thread(target=kill)
    killer.start()
    with ray_cluster(cluster.address) as run:
        many = curate_shards(problems, out, run, against=[Path("bench.jsonl")], shard_bytes=BYTES, size=64)
        killer.join()
    assert killed == [0], "it was killed before the end"
    assert many | {"files": 0} == one | {"files": 0}
    assert same(out, kept)
