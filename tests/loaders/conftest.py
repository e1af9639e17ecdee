"""What the loaders are given: problems without pictures, with one and with two, in two languages, and small models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from srt.images.open import describe_picture
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem
from srt.language.trace import Trace
from srt.pipeline.build import build_file
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_file
from train.models.init_model import init_model, sequence_texts


@pytest.fixture(scope="session")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``problems.jsonl`` and ``traces.jsonl``."""
    folder = tmp_path_factory.mktemp("given")
    generate_file("seating", 6, "train", folder / "seating.jsonl", {"scenes": ["booth"], "names": 8})
    solve_file(folder / "seating.jsonl", folder / "solved.jsonl")
    noise = np.random.default_rng(0)
    for number in range(2):
        # Sides of 28 pixels and more: smaller ones are scaled up.
        pixels = noise.integers(0, 256, (56, 84 + 28 * number, 3), dtype=np.uint8)
        PIL.Image.fromarray(pixels).save(folder / f"{number}.png")
    images = [describe_picture(folder, f"{number}.png") for number in range(2)]
    common = {"source": "own", "split": "train", "choices": {"A": "a", "B": "b"}}
    answer = Answer(kind="choice_set", value=["A"])
    pictured = [
        Problem(id="two", lang="en", question="Is <image2> it?", images=images, answer=answer, **common),
        Problem(id="one", lang="zh", question="是哪一个？", images=images[:1], answer=answer, **common),
        Problem(id="told", lang="en", question="What?", diagram_description="A cone.", answer=answer, **common),
    ]
    traces = [
        Trace(id=f"t-{one.id}", problem_id=one.id, lang=one.lang, kind="cot", text="It is a.\nSo.", answer="A")
        for one in pictured
    ]
    write_records(folder / "problems.jsonl", [*pictured, *read_records(folder / "seating.jsonl", Problem)])
    write_records(folder / "traces.jsonl", [*traces, *read_records(folder / "solved.jsonl", Trace)])
    return folder


@pytest.fixture(scope="session")
def models(given: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Path]:
    """A model for text and one for pictures."""
    folder = tmp_path_factory.mktemp("models")
    build_file(given / "traces.jsonl", given / "problems.jsonl", "cot", folder, pictures=True)
    texts = list(sequence_texts([folder / "sequences.jsonl"]))
    sizes = {"hidden": 32, "layers": 2, "heads": 2, "vocab": 600}
    init_model("qwen2", texts, folder / "text", chat_template="qwen2.5", **sizes)
    init_model("qwen2_5_vl", texts, folder / "vision", **sizes)
    return {False: folder / "text", True: folder / "vision"}
