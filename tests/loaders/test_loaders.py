"""The files of ``srt build --format`` in the hands of the real loaders: ``make test-loaders``.

Each loader is in an environment of its own below ``SRT_LOADERS``: the pins of all of them exclude ours. What it makes
of a row is compared with our own prompt and completion, letter by letter and pixel by pixel.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from transformers import AutoProcessor, AutoTokenizer

from srt.images.normalise import shown_picture
from srt.io.record_reader import read_records
from srt.io.records import Problem, Sequence
from srt.language.prompts import render_prompt
from srt.pipeline.build import build_file

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent
ROWS = 9
FORMATS = ("messages", "sharegpt", "alpaca")


class Case(NamedTuple):
    format: str
    suffix: str
    pictures: bool


CASES = [Case(name, *way) for name in FORMATS for way in [("jsonl", False), ("jsonl", True), ("parquet", True)]]


def python_of(loader: str) -> str:
    folder = os.environ.get("SRT_LOADERS")
    path = Path(folder or "", loader, "bin", "python").absolute()
    if folder is None or not path.exists():
        pytest.skip(f"no environment of {loader}: make test-loaders makes it")
    return str(path)


def rows_of(loader: str, *arguments: str, at: Path, **environment: str) -> list[dict[str, Any]]:
    """The rows that ``loader`` makes."""
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(at / "hf"), "MODELSCOPE_CACHE": str(at / "ms"), "PYTHONPATH": ""}
    ran = subprocess.run(
        [python_of(loader), "-P", str(HERE / f"read_with_{loader}.py"), *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **offline, **environment},
        cwd=at,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert "Skipping this abnormal example" not in ran.stderr
    rows = [json.loads(line.removeprefix("ROW ")) for line in ran.stdout.splitlines() if line.startswith("ROW ")]
    print(f"{loader} {arguments}: {len(rows)} rows; the first:", json.dumps(rows[0], ensure_ascii=False, indent=2))
    return rows


def built(given: Path, out: Path, case: Case) -> tuple[Path, list[Sequence]]:
    """The file in the format of ``case``, and the same rows as our own sequences."""
    files = given / "traces.jsonl", given / "problems.jsonl", "cot"
    summary = build_file(*files, out / f"data.{case.suffix}" if case.suffix == "parquet" else out, **_how(case))
    build_file(*files, out / "ours", pictures=case.pictures)
    return Path(summary["file"]), list(read_records(out / "ours" / "sequences.jsonl", Sequence))


def _how(case: Case) -> dict[str, Any]:
    return {"format": case.format, "pictures": case.pictures}


def compare(rows: list[dict[str, Any]], sequences: list[Sequence], model: Path, root: Path, case: Case) -> None:
    """Each row is what we train on: the text of prompt and completion, and the pixels."""
    template = (AutoProcessor if case.pictures else AutoTokenizer).from_pretrained(model)
    assert len(rows) == len(sequences) == (ROWS if case.pictures else ROWS - 2)
    assert sum(len(sequence.images) for sequence in sequences) == (3 if case.pictures else 0)
    for row, sequence in zip(rows, sequences, strict=True):
        prompt = render_prompt(template, sequence.prompt, len(sequence.images))
        completion = sequence.completion[0].content
        # A processor repeats the placeholder for each patch.
        text = re.sub(r"(<\|image_pad\|>)+", r"\1", row["text"])
        assert text.removesuffix("\n") == f"{prompt}{completion}<|im_end|>"
        assert row["trained"].removesuffix("\n") == f"{completion}<|im_end|>"
        shown = [shown_picture(root, image) for image in sequence.images]
        assert row["pictures"] == [hashlib.sha256(picture.tobytes()).hexdigest() for picture in shown]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case)))
def test_llama_factory(case: Case, given: Path, models: dict[bool, Path], tmp_path: Path) -> None:
    file, sequences = built(given, tmp_path, case)
    template = "qwen2_vl" if case.pictures else "qwen"
    rows = rows_of("llama_factory", str(file.parent), file.stem, str(models[case.pictures]), template, at=tmp_path)
    compare(rows, sequences, models[case.pictures], tmp_path / "ours", case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case)))
def test_swift(case: Case, given: Path, models: dict[bool, Path], tmp_path: Path) -> None:
    file, sequences = built(given, tmp_path, case)
    kinds = ("qwen2_5_vl", "qwen2_5_vl") if case.pictures else ("qwen2", "qwen2_5")
    arguments = (str(file), str(models[case.pictures]), *kinds)
    rows = rows_of("swift", *arguments, at=tmp_path, ROOT_IMAGE_DIR=str(file.parent))
    compare(rows, sequences, models[case.pictures], tmp_path / "ours", case)


@pytest.mark.parametrize("pictures", [False, True])
def test_verl_reinforcement(pictures: bool, given: Path, models: dict[bool, Path], tmp_path: Path) -> None:
    file, sequences = built(given, tmp_path, Case("verl", "", pictures))
    rows = rows_of("verl", "rl", str(file), str(models[pictures]), at=tmp_path)
    template = (AutoProcessor if pictures else AutoTokenizer).from_pretrained(models[pictures])
    problems = {problem.id: problem for problem in read_records(given / "problems.jsonl", Problem)}
    assert len(rows) == len(sequences) == (ROWS if pictures else ROWS - 2)
    for row, sequence in zip(rows, sequences, strict=True):
        problem = problems[sequence.problem_id]
        assert row["text"] == render_prompt(template, sequence.prompt, len(sequence.images))
        assert row["trained"] == sequence.completion[0].content.rpartition(": ")[2]
        assert row["data_source"] == problem.source
        assert Problem.model_validate(row["problem"]) == problem
        shown = [shown_picture(given, image) for image in problem.images] if pictures else []
        assert row["pictures"] == [hashlib.sha256(picture.tobytes()).hexdigest() for picture in shown]


@pytest.mark.parametrize("pictures", [False, True])
def test_verl_fine_tuning(pictures: bool, given: Path, models: dict[bool, Path], tmp_path: Path) -> None:
    case = Case("messages", "parquet", pictures)
    file, sequences = built(given, tmp_path, case)
    rows = rows_of("verl", "sft", str(file), str(models[pictures]), at=tmp_path)
    template = (AutoProcessor if pictures else AutoTokenizer).from_pretrained(models[pictures])
    assert [row["pictures"] for row in rows] == [len(sequence.images) for sequence in sequences]
    for row, sequence in zip(rows, sequences, strict=True):
        completion = sequence.completion[0].content
        prompt = render_prompt(template, sequence.prompt, len(sequence.images))
        assert re.sub(r"(<\|image_pad\|>)+", r"\1", row["text"]).rstrip("\n") == f"{prompt}{completion}<|im_end|>"
        assert row["trained"].rstrip("\n") == f"{completion}<|im_end|>"
