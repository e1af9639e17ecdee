"""The stages at ``s3://`` against a server of moto, over HTTP, with the credentials of the environment."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from engines import Killed, in_any_order, killed_after, whole
from test_urls import BYTES, all_stages

from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.locations import location
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file
from srt.scale.shard_folder import whole_parts
from srt.scale.sharded_generate import generate_shards
from srt.scale.sharded_stages import solve_shards

for package in ("s3fs", "moto.server"):
    pytest.importorskip(package, reason=f"NOT CHECKED: {package} is not installed, so s3:// is not tested")


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """An empty bucket."""
    import s3fs

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        environment.setenv("AWS_ACCESS_KEY_ID", "test")
        environment.setenv("AWS_SECRET_ACCESS_KEY", "test")
        environment.setenv("AWS_DEFAULT_REGION", "us-east-1")
        try:
            for _ in range(600):
                assert server.poll() is None
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            s3fs.S3FileSystem().mkdir("bucket")
            yield "s3://bucket"
        finally:
            server.kill()
            server.wait()
            s3fs.S3FileSystem.clear_instance_cache()


@pytest.mark.long
def test_all_stages(bucket: str, stages_of_one: Path, tmp_path: Path) -> None:
    all_stages(f"{bucket}/run", stages_of_one, tmp_path)


def test_a_killed_stage_goes_on(bucket: str, stages_of_one: Path) -> None:
    problems, out = location(f"{bucket}/data/p.jsonl"), location(f"{bucket}/out")
    write_atomically(problems, [(stages_of_one / "p.jsonl").read_bytes()])
    with pytest.raises(Killed):
        solve_shards(problems, out, killed_after(3), BYTES)
    with pytest.raises(UserError, match=r"has no manifest\.json"):
        whole_parts(out)
    before = [part.stat().st_mtime_ns for part in sorted(out.glob("part-*"))]
    assert len(before) == 3
    solve_shards(problems, out, in_any_order, BYTES)
    assert [part.stat().st_mtime_ns for part in sorted(out.glob("part-*"))][:3] == before
    assert whole(out) == (stages_of_one / "t.jsonl").read_bytes()


def test_no_such_bucket(bucket: str, stages_of_one: Path) -> None:
    with pytest.raises(UserError, match=r"s3://other/out/\.work/plan\.json: cannot be written: .* bucket"):
        solve_shards(stages_of_one / "p.jsonl", location("s3://other/out"), in_any_order)


@pytest.mark.slow
def test_on_ray(bucket: str, tmp_path: Path) -> None:
    """Two working processes, which find the credentials in their environment."""
    pytest.importorskip("ray")
    from srt.scale.ray_engine import ray_cluster

    problems, traces = location(f"{bucket}/ray/p"), location(f"{bucket}/ray/t")
    with ray_cluster() as run:
        made = generate_shards("seating", 300, "train", problems, {}, run, shard_draws=64)
        solved = solve_shards(problems, traces, run)
    assert made == generate_file("seating", 300, "train", tmp_path / "p.jsonl", {})
    assert solved == solve_file(tmp_path / "p.jsonl", tmp_path / "t.jsonl")
    assert whole(problems) == (tmp_path / "p.jsonl").read_bytes()
    assert whole(traces) == (tmp_path / "t.jsonl").read_bytes()
