"""Runs of a fake model over problems of our own making, in the layouts in which the benchmarks are published."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import orjson
import PIL.Image
import pytest

from eval.backends.protocol import GenerationSettings
from eval.benchmarks.benchmark_registry import import_benchmark
from eval.benchmarks.run_tables import run_tables
from eval.records.run_records import Run
from eval.run.predict import predict
from eval.run.scored_run import read_run
from eval.scoring.score import score
from srt.io.record_reader import read_records
from srt.io.records import Problem
from tests.fake_backend import FakeBackend

Reply = Callable[[str], str]


def item_of(prompt: str) -> str:
    """The name that a made-up question bears: ``item 3b``."""
    found = re.search(r"item (\w+)", prompt)
    assert found, prompt
    return found[1]


@pytest.fixture
def run_of(tmp_path: Path) -> Callable[..., Run]:
    """``run_of(benchmark, problems file, reply)``: a scored run whose model says ``reply(name)`` of an item."""

    def make(benchmark: str, problems: Path, reply: Reply, *, arm: str = "model", repeats: int = 1) -> Run:
        folder = tmp_path / "runs" / arm
        settings = GenerationSettings(temperature=0.0 if repeats == 1 else 1.0)
        backend = FakeBackend(lambda prompt: f"ANSWER: {reply(item_of(prompt))}", model=arm, reads_pictures=True)
        predict(problems, folder, backend, arm=arm, settings=settings, repeats=repeats, benchmark=benchmark)
        score(folder)
        return read_run(folder)

    return make


@pytest.fixture
def imported(tmp_path: Path) -> Callable[..., tuple[list[Problem], list[dict[str, Any]], dict[str, Any]]]:
    """``imported(benchmark, path)``: the problems that are read, the refusals, and the summary."""

    def read(name: str, path: Path, **given: Any) -> tuple[list[Problem], list[dict[str, Any]], dict[str, Any]]:
        out = tmp_path / "problems.jsonl"
        summary = import_benchmark(name, path, out, **given)
        refusals = tmp_path / "problems.refusals.jsonl"
        refused = [orjson.loads(line) for line in refusals.read_bytes().splitlines()] if refusals.exists() else []
        return list(read_records(out, Problem)), refused, summary

    return read


@pytest.fixture
def write_jsonl() -> Callable[[Path, Iterable[dict[str, Any]]], Path]:
    """``write_jsonl(path, rows)`` gives the path back."""

    def write(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))
        return path

    return write


@pytest.fixture
def draw() -> Callable[..., Path]:
    """``draw(path, shade)`` makes a small picture; another shade is another picture."""

    def make(path: Path, shade: int = 0) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        PIL.Image.new("RGB", (12, 12), (shade, shade, shade)).save(path)
        return path

    return make


@pytest.fixture
def figures() -> Callable[[dict[str, Run], str], dict[str, dict[str, Any]]]:
    """``figures(runs, title)``: the table of that title as a figure by arm and column."""

    def read(runs: dict[str, Run], title: str) -> dict[str, dict[str, Any]]:
        table = next(one for one in run_tables(runs) if one.title == title)
        return {str(row[0]): dict(zip(table.header[1:], row[1:], strict=True)) for row in table.rows}

    return read
