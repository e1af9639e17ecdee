"""``srt build --pictures``: what a vision model is trained on, and what a text model is not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import orjson
import PIL.Image
import pytest

from srt.images.normalise import shown_picture
from srt.images.open import describe_picture, read_picture
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Image, Problem, Sequence
from srt.language.trace import Trace
from srt.pipeline.build import TraceRefusal, build_file

Write = Callable[..., None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data" / "images").mkdir(parents=True)
    for number in range(2):
        pixels = np.full((8, 9 + number, 3), number, dtype=np.uint8)
        PIL.Image.fromarray(pixels).save(tmp_path / "data" / "images" / f"{number}.png")
    images = [describe_picture(tmp_path / "data", f"images/{number}.png") for number in range(2)]
    common = {"source": "s", "split": "train", "lang": "en", "choices": {"A": "a", "B": "b"}}
    answer = Answer(kind="choice_set", value=["A"])
    problems = [
        Problem(
            id="both", question="Is <image2> it?", images=images, diagram_description="A cube.", answer=answer, **common
        ),
        Problem(id="shown", question="What?", images=images[:1], answer=answer, **common),
        Problem(id="told", question="What?", diagram_description="A cone.", answer=answer, **common),
    ]
    write_records(tmp_path / "data" / "p.jsonl", problems)
    traces = [Trace.model_validate(cot(problem.id)) for problem in problems]
    write_records(tmp_path / "data" / "t.jsonl", traces)
    return tmp_path / "data"


def cot(problem: str) -> dict[str, object]:
    return {
        "id": f"trace-{problem}",
        "problem_id": problem,
        "lang": "en",
        "kind": "cot",
        "text": "It is a.",
        "answer": "A",
    }


def made(folder: Path, out: Path, pictures: bool = True) -> list[Sequence]:
    told = build_file(folder / "t.jsonl", folder / "p.jsonl", "cot", out, pictures=pictures)
    sequences = list(read_records(out / "sequences.jsonl", Sequence))
    assert told["sequences"] == len(sequences)
    assert told.get("pictures") == (3 if pictures else None)
    return sequences


def refusals(out: Path) -> dict[str, str]:
    return {one.trace_id: one.reason for one in read_records(out / "sequences.refusals.jsonl", TraceRefusal)}


def test_pictures_take_the_place_of_the_description(folder: Path, tmp_path: Path) -> None:
    both, shown, told = made(folder, tmp_path / "vl")
    assert both.prompt[0].content.startswith("Is <image2> it?\n\nA. a\nB. b\n\nEnd with")
    assert told.prompt[0].content.startswith("A cone.\n\nWhat?")
    assert [len(sequence.images) for sequence in (both, shown, told)] == [2, 1, 0]
    # The paths are relative to the file of sequences, stay below it, and lead to the same bytes.
    for sequence in (both, shown):
        for number, image in enumerate(sequence.images):
            assert read_picture(tmp_path / "vl", image) == (folder / f"images/{number}.png").read_bytes()
    # The file and its folder can be moved together.
    shutil.move(tmp_path / "vl", tmp_path / "moved")
    assert read_picture(tmp_path / "moved", both.images[0])
    # A file of sequences above the pictures refers to them where they are.
    assert [image.path for image in made(folder, folder)[0].images] == ["images/0.png", "images/1.png"]
    assert not (folder / "sequences-pictures").exists()


def test_a_text_model_reads_the_description(folder: Path, tmp_path: Path) -> None:
    write_records(folder / "t.jsonl", [Trace.model_validate(cot(problem)) for problem in ("both", "told")])
    for sequence in made(folder, tmp_path / "text", pictures=False):
        assert sequence.images == []
        assert sequence.prompt[0].content.startswith("A c")
    write_records(folder / "t.jsonl", [Trace.model_validate(cot(problem)) for problem in ("both", "shown")])
    assert [one.problem_id for one in made(folder, tmp_path / "other", pictures=False)] == ["both"]
    assert refusals(tmp_path / "other") == {"trace-shown": "no_description"}


@pytest.mark.parametrize(
    "path",
    ["images/0.png", "images/9.png", "../images/0.png", "p.jsonl"],
    ids=["another digest", "no file", "outside", "no picture"],
)
def test_a_picture_that_is_not_the_recorded_one(path: str, folder: Path, tmp_path: Path) -> None:
    problems = list(read_records(folder / "p.jsonl", Problem))
    problems[1] = problems[1].model_copy(update={"images": [Image(path=path, sha256="0" * 64)]})
    write_records(folder / "p.jsonl", problems)
    summary = build_file(folder / "t.jsonl", folder / "p.jsonl", "cot", tmp_path / "vl", pictures=True)
    assert (summary["sequences"], summary["refused"]) == (2, {"picture": 1})
    (refusal,) = read_records(tmp_path / "vl" / "sequences.refusals.jsonl", TraceRefusal)
    assert refusal.trace_id == "trace-shown"
    assert path in refusal.detail


def test_every_trainer_sees_what_ours_shows(folder: Path, tmp_path: Path) -> None:
    sideways = PIL.Image.Exif()
    sideways[0x0112] = 6
    pixels = np.random.default_rng(0).integers(0, 256, (8, 12, 4), dtype=np.uint8)
    PIL.Image.fromarray(pixels[..., :3]).save(folder / "images" / "0.png", exif=sideways)
    PIL.Image.fromarray(pixels).save(folder / "images" / "1.png")
    images = [describe_picture(folder, f"images/{number}.png") for number in range(2)]
    problem, *_ = read_records(folder / "p.jsonl", Problem)
    write_records(folder / "p.jsonl", [problem.model_copy(update={"images": images})])
    write_records(folder / "t.jsonl", [Trace.model_validate(cot("both"))])
    build_file(folder / "t.jsonl", folder / "p.jsonl", "cot", folder, pictures=True)
    [built] = read_records(folder / "sequences.jsonl", Sequence)
    for image, original in zip(built.images, images, strict=True):
        with PIL.Image.open(folder / image.path) as plain:
            assert plain.mode == "RGB"
            assert np.array_equal(np.asarray(plain), np.asarray(shown_picture(folder, original)))


@pytest.mark.long
def test_the_command(folder: Path, tmp_path: Path) -> None:
    arguments = ["build", "t.jsonl", "--problems", "p.jsonl", "--arm", "cot", "-o", str(tmp_path / "vl"), "--json"]
    ran = subprocess.run(
        [sys.executable, "-c", "from srt.cli import main; main()", *arguments, "--pictures"],
        cwd=folder,
        capture_output=True,
    )
    assert orjson.loads(ran.stdout) == {
        "file": str(tmp_path / "vl" / "sequences.jsonl"),
        "arm": "cot",
        "sequences": 3,
        "pictures": 3,
        "pictures_copied": 2,
    }
    ran = subprocess.run(
        [sys.executable, "-c", "from srt.cli import main; main()", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0
    assert orjson.loads(ran.stdout)["refused"] == {"no_description": 1}
    ran = subprocess.run(
        [sys.executable, "-c", "from srt.cli import main; main()", *arguments, "--strict"],
        cwd=folder,
        capture_output=True,
    )
    assert ran.returncode == 1


def test_parquet_has_the_same_sequences(folder: Path, tmp_path: Path) -> None:
    lines = made(folder, tmp_path / "vl")
    summary = build_file(folder / "t.jsonl", folder / "p.jsonl", "cot", tmp_path / "vl.parquet", pictures=True)
    assert summary["file"] == str(tmp_path / "vl.parquet")
    assert [one.model_copy(update={"images": []}) for one in read_records(tmp_path / "vl.parquet", Sequence)] == [
        one.model_copy(update={"images": []}) for one in lines
    ]
    # The pictures are beside the file too, for srt train.
    for sequence in read_records(tmp_path / "vl.parquet", Sequence):
        for image in sequence.images:
            read_picture(tmp_path, image)
    with pytest.raises(UserError, match=r"vl\.jsonl: a folder for sequences\.jsonl was expected, such as "):
        build_file(folder / "t.jsonl", folder / "p.jsonl", "cot", tmp_path / "vl.jsonl")
