from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

from eval.backends.protocol import Generation, GenerationSettings, Request
from eval.records.run_records import read_manifest
from eval.run.predict import predict
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Image, Prediction, Problem
from srt.language.prompts import prompt_messages
from tests.fake_backend import FakeBackend


def rows(folder: Path) -> list[Prediction]:
    return list(read_records(folder / "predictions.jsonl", Prediction))


def test_a_run(problems_file: Path, tmp_path: Path) -> None:
    prompts: list[str] = []

    def reply(prompt: str) -> str:
        prompts.append(prompt)
        return "ANSWER: B"

    backend = FakeBackend(reply)
    summary = predict(problems_file, tmp_path / "run", backend, arm="srt", style="bare")
    assert (summary.total, summary.generated) == (30, 30)
    predictions = rows(tmp_path / "run")
    assert len({row.key for row in predictions}) == 30
    assert [row.output_tokens for row in predictions] == [10] * 30
    problems = list(read_records(problems_file, Problem))
    assert prompts == [backend.render(prompt_messages(problem, "bare"), 0) for problem in problems]
    manifest = read_manifest(tmp_path / "run")
    assert (manifest.arm, manifest.backend, manifest.style, manifest.problems.count) == ("srt", "fake", "bare", 30)


class Killed(FakeBackend):
    """Dies before its third batch."""

    batches = 0

    def generate(self, batch: Sequence[Request], settings: GenerationSettings) -> list[Generation]:
        self.batches += 1
        if self.batches > 2:
            raise KeyboardInterrupt
        return super().generate(batch, settings)


def test_a_killed_run_goes_on(problems_file: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    first = Killed(lambda prompt: prompt[-30:])
    with pytest.raises(KeyboardInterrupt):
        predict(problems_file, run, first, arm="srt")
    assert first.calls == 8
    log = run / "predictions.jsonl"
    log.write_bytes(log.read_bytes()[:-20])  # a line torn in mid-write: that one must come again
    second = FakeBackend(lambda prompt: prompt[-30:])
    assert predict(problems_file, run, second, arm="srt").generated == 23
    assert second.calls == 26, "the batch of the torn line is generated whole"
    third = FakeBackend(lambda prompt: prompt[-30:])
    assert predict(problems_file, run, third, arm="srt").generated == 0
    unbroken = tmp_path / "unbroken"
    predict(problems_file, unbroken, FakeBackend(lambda prompt: prompt[-30:]), arm="srt")
    assert sorted(map(repr, rows(run))) == sorted(map(repr, rows(unbroken)))


class Padded(FakeBackend):
    """Writes the length of the longest prompt of the batch, as padding enters the sums of a real model."""

    def generate(self, batch: Sequence[Request], settings: GenerationSettings) -> list[Generation]:
        widest = max(len(request.prompt) for request in batch)
        whole = super().generate(batch, settings)
        return [dataclasses.replace(row, text=f"{widest} of {len(batch)}") for row in whole]


def test_a_resumed_run_meets_the_same_batches(problems_file: Path, tmp_path: Path) -> None:
    run, unbroken = tmp_path / "run", tmp_path / "unbroken"
    for folder in (run, unbroken):
        predict(problems_file, folder, Padded(lambda _: "A", batch_size=7), arm="srt")
    log = run / "predictions.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:10]))
    assert predict(problems_file, run, Padded(lambda _: "A", batch_size=7), arm="srt").generated == 20
    assert rows(run) == rows(unbroken)


def test_one_process_at_a_time(problems_file: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"

    class Second(FakeBackend):
        def generate(self, batch: Sequence[Request], settings: GenerationSettings) -> list[Generation]:
            with pytest.raises(UserError, match="run: another process"):
                predict(problems_file, run, FakeBackend(lambda _: "A"), arm="srt")
            return super().generate(batch, settings)

    assert predict(problems_file, run, Second(lambda _: "A"), arm="srt").generated == 30
    assert predict(problems_file, run, FakeBackend(lambda _: "A"), arm="srt").generated == 0
    assert len(rows(run)) == 30


def test_a_folder_of_another_run_is_refused(problems_file: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    predict(problems_file, run, FakeBackend(lambda _: "A"), arm="srt")
    before = (run / "predictions.jsonl").read_bytes()
    other = FakeBackend(lambda _: "A", model="other")
    with pytest.raises(UserError, match=r"run: .*\(fingerprint, settings"):
        predict(problems_file, run, other, arm="srt", settings=GenerationSettings(max_new_tokens=5))
    write_records(problems_file, list(read_records(problems_file, Problem))[:7])
    with pytest.raises(UserError, match=r"run: .*\(problems"):
        predict(problems_file, run, FakeBackend(lambda _: "A"), arm="srt")
    assert (run / "predictions.jsonl").read_bytes() == before


def test_a_run_that_ended_before_its_first_answer_is_no_run(problems_file: Path, tmp_path: Path) -> None:
    class Unreachable(FakeBackend):
        def generate(self, batch: Sequence[Request], settings: GenerationSettings) -> list[Generation]:
            raise UserError("no server")

    run = tmp_path / "run"
    with pytest.raises(UserError, match="no server"):
        predict(problems_file, run, Unreachable(lambda _: "A", model="mistyped"), arm="srt")
    predict(problems_file, run, FakeBackend(lambda _: "A", model="right"), arm="srt")
    assert len(rows(run)) == 30
    assert read_manifest(run).fingerprint == FakeBackend(lambda _: "A", model="right").fingerprint


def test_repeats_have_keys_and_seeds_of_their_own(problems_file: Path, tmp_path: Path) -> None:
    seeds: set[int] = set()

    class Seeing(FakeBackend):
        def generate(self, batch: Sequence[Request], settings: GenerationSettings) -> list[Generation]:
            seeds.update(request.seed for request in batch)
            return super().generate(batch, settings)

    settings = GenerationSettings(temperature=0.7)
    predict(problems_file, tmp_path / "run", Seeing(lambda _: "A"), arm="srt", settings=settings, repeats=3)
    assert len({row.key for row in rows(tmp_path / "run")}) == len(seeds) == 90


def test_faults_of_the_user_leave_nothing_behind(problems_file: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    backend = FakeBackend(lambda _: "A")
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"\n")
    with pytest.raises(UserError, match=r"empty\.jsonl"):
        predict(empty, run, backend, arm="srt")
    with pytest.raises(UserError, match=r"nowhere\.jsonl"):
        predict(tmp_path / "nowhere.jsonl", run, backend, arm="srt")
    with pytest.raises(UserError, match=r"repeats 2.*temperature"):
        predict(problems_file, run, backend, arm="srt", repeats=2)
    problems = list(read_records(problems_file, Problem))
    write_records(empty, [problems[0], problems[0]])
    with pytest.raises(UserError, match=r"empty\.jsonl:2: id: "):
        predict(empty, run, backend, arm="srt")
    write_records(empty, [problems[0].model_copy(update={"images": [Image(path="a.png", sha256="0")]})])
    with pytest.raises(UserError, match=r"made-0.*diagram_description"):
        predict(empty, run, backend, arm="srt")
    assert not run.exists()
