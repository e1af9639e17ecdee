"""One run shared by processes: every question is asked once, and any number of processes may continue it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from eval.backends.protocol import Generation, GenerationSettings, Request
from eval.run.predict import predict
from eval.run.sharding import Shard, logs_of, merge_shards, this_shard
from eval.scoring.score import score
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Prediction
from tests.fake_backend import FakeBackend

ROOT = Path(__file__).resolve().parents[3]
SHARE = """
import sys, types
from pathlib import Path
from tests.fake_backend import FakeBackend
module = types.ModuleType("eval.backends.transformers_backend")
module.TransformersBackend = lambda *_, **__: FakeBackend(lambda prompt: prompt[-40:] + "\\nANSWER: B", batch_size=3)
sys.modules[module.__name__] = module
from srt.cli import main
main()
"""


def rows(folder: Path) -> list[Prediction]:
    return [row for log in logs_of(folder) for row in read_records(log, Prediction)]


def share(problems: Path, run: Path, rank: int, count: int) -> tuple[int, bool]:
    backend = FakeBackend(lambda prompt: prompt[-40:] + "\nANSWER: B", batch_size=4)
    made = predict(problems, run, backend, arm="srt", shard=Shard(rank, count, rank))
    assert made.total == 30
    return made.generated, made.complete


def test_shares_make_one_run(problems_file: Path, tmp_path: Path) -> None:
    run, alone = tmp_path / "run", tmp_path / "alone"
    # 30 questions in batches of 4: eight batches, of which the last has two.
    assert share(problems_file, run, 0, 3) == (12, False)
    assert share(problems_file, run, 2, 3) == (8, False)
    assert [log.name for log in logs_of(run)] == ["predictions-0.jsonl", "predictions-2.jsonl"]
    # It goes on with two processes, then with one.
    assert share(problems_file, run, 1, 2) == (6, False)
    assert share(problems_file, run, 0, 1) == (4, True)
    assert [log.name for log in logs_of(run)] == ["predictions.jsonl"]
    share(problems_file, alone, 0, 1)
    assert sorted(map(repr, rows(run))) == sorted(map(repr, rows(alone)))


def test_who_comes_last_merges(problems_file: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"

    class Slow(FakeBackend):
        """The other process begins and ends while this one is at work."""

        def generate(self, batch: Sequence[Request], settings: GenerationSettings) -> list[Generation]:
            if not self.calls:
                assert share(problems_file, run, 1, 2) == (14, False)
                with pytest.raises(UserError, match="run: another process"):
                    share(problems_file, run, 0, 2)
                with pytest.raises(UserError, match="run: another process"):
                    share(problems_file, run, 0, 1)
                with pytest.raises(UserError, match=r"run: .*processes"):
                    score(run)
            return super().generate(batch, settings)

    backend = Slow(lambda prompt: prompt[-40:] + "\nANSWER: B", batch_size=4)
    made = predict(problems_file, run, backend, arm="srt", shard=Shard(0, 2))
    assert (made.generated, made.complete) == (16, True)
    assert [log.name for log in logs_of(run)] == ["predictions.jsonl"]
    assert len({row.key for row in rows(run)}) == len(rows(run)) == 30


def test_a_kill_while_merging_loses_nothing(problems_file: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    share(problems_file, run, 0, 2)
    share(problems_file, run, 1, 3)
    before = {row.key: row for row in rows(run)}
    one = (run / "predictions-1.jsonl").read_bytes()
    assert merge_shards(run)
    (run / "predictions-1.jsonl").write_bytes(one)  # as if killed before it was removed
    assert merge_shards(run)
    assert {row.key: row for row in rows(run)} == before
    assert len(rows(run)) == len(before)
    (run / "predictions-1.jsonl").write_bytes(one.replace(b"ANSWER: B", b"ANSWER: C"))
    with pytest.raises(UserError, match=r"predictions-1\.jsonl:1: key: .*predictions\.jsonl"):
        merge_shards(run)


def test_two_predictions_of_one_key_are_refused(problems_file: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    share(problems_file, run, 0, 1)
    log = run / "predictions.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines, lines[3]]))
    before = log.read_bytes()
    with pytest.raises(UserError, match=r"predictions\.jsonl:31: key: .*line 4"):
        share(problems_file, run, 0, 1)
    with pytest.raises(UserError, match=r"predictions\.jsonl: .*'made-3'"):
        score(run)
    assert log.read_bytes() == before


def test_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert this_shard() == Shard(0, 1, 0)
    for name, value in (("RANK", "5"), ("WORLD_SIZE", "8"), ("LOCAL_RANK", "1")):
        monkeypatch.setenv(name, value)
    shard = this_shard()
    assert (shard, shard.log) == (Shard(5, 8, 1), "predictions-5.jsonl")
    assert [batch for batch in range(24) if shard.takes(batch)] == [5, 13, 21]
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,6")
    shard.take_device()
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "6"
    monkeypatch.setenv("RANK", "8")
    with pytest.raises(UserError, match=r"RANK.*8.*WORLD_SIZE.*8"):
        this_shard()
    monkeypatch.setenv("RANK", "two")
    with pytest.raises(UserError, match="environment: RANK: "):
        this_shard()


@pytest.mark.slow
def test_accelerate_launch(problems_file: Path, tmp_path: Path) -> None:
    """Two processes of ``accelerate launch`` on a CPU; the one that ends last merges and scores."""
    script = tmp_path / "share.py"
    script.write_text(SHARE)
    launch = ["-m", "accelerate.commands.launch", "--config_file", str(ROOT / "configs" / "cpu_ddp.yaml")]
    command = [sys.executable, *launch, "--num_processes", "2", str(script)]
    arguments = ["eval", "--model", "m", "--problems", str(problems_file), "-o", str(tmp_path / "run"), "--json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert Counter(row.key for row in rows(tmp_path / "run")).most_common(1)[0][1] == 1
    assert len(rows(tmp_path / "run")) == 30
    assert (tmp_path / "run" / "scores.jsonl").is_file()
    assert '"share": "' in done.stdout
