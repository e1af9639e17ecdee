"""3DSRBench: rows of one question as one problem, and its four accuracies, on photographs of our own making."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import PIL.Image
import pytest

from eval.benchmarks.benchmark_registry import chosen_options
from eval.benchmarks.definition.benchmark import Asking
from eval.benchmarks.definition.variants import FLIP, twin
from eval.benchmarks.run_tables import run_tables
from eval.benchmarks.threedsrbench import THREEDSRBENCH
from eval.run.predict import predict
from eval.run.scored_run import read_run
from eval.scoring.score import score
from srt.images.normalise import shown_picture
from srt.io.errors import UserError
from srt.io.records import Problem
from tests.fake_backend import FakeBackend

COLUMNS = ("index", "question", "A", "B", "C", "D", "answer", "image", "category", "qid")
Imported = Callable[..., tuple[list[Problem], list[dict[str, str]], dict[str, Any]]]


def picture(shade: int) -> str:
    """A picture in base64 whose left pixel has its own colour."""
    image = PIL.Image.new("RGB", (2, 1), (0, 0, 255))
    image.putpixel((0, 0), (255, shade, 0))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def row(qid: str, options: str, answer: str, image: str, index: int = 0, **changes: str) -> dict[str, str]:
    letters = dict(zip("ABCD", options.split(), strict=False))
    fields = dict.fromkeys(COLUMNS, "") | letters
    fields |= {"index": str(index), "question": f"Item {qid[:2]}: which side is the cart on?", "answer": answer}
    return fields | {"image": image, "category": "orientation_on_the_left", "qid": qid} | changes


ROWS = [
    row("Q1-0", "left right", "A", picture(1), 10),
    row("Q1-1", "right left", "B", "10", 11),
    row("Q1-flip-0", "left right", "B", "", 12),
    row("Q1-flip-1", "right left", "A", "", 13),
    row("Q2", "left right front back", "C", picture(2), 14, category="height_higher"),
]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[list[dict[str, str]]], Path]:
    def make(rows: list[dict[str, str]]) -> Path:
        path = tmp_path / "3dsrbench.tsv"
        lines = ["\t".join(COLUMNS), *("\t".join(one[column] for column in COLUMNS) for one in rows)]
        path.write_text("\n".join(lines) + "\n", "utf-8")
        return path

    return make


def test_rows_of_one_question_are_one_problem_with_its_other_forms(
    write: Callable[..., Path], imported: Imported, tmp_path: Path
) -> None:
    (first, second), refused, _ = imported("3dsrbench", write(ROWS))
    assert not refused
    assert (first.id, first.category, first.subcategory) == ("Q1", "orientation", "orientation_on_the_left")
    assert second.category == "height"
    flipped = twin(first, FLIP)
    assert flipped is not None
    assert flipped.answer is not None
    assert flipped.answer.value == ["B"]
    plain, mirror = (shown_picture(tmp_path, form.images[0]) for form in (first, flipped))
    assert [mirror.getpixel((x, 0)) for x in (0, 1)] == [plain.getpixel((x, 0)) for x in (1, 0)]
    asking = Asking("full", True, chosen_options(THREEDSRBENCH, {}))
    asked = [(one.problem.id, one.variant) for one in THREEDSRBENCH.ask([first, second], asking)]
    assert asked == [
        ("Q1", "plain"), ("Q1", "roll-1"), ("Q1", "flip"), ("Q1", "flip-roll-1"),
        ("Q2", "plain"), ("Q2", "roll-1"), ("Q2", "roll-2"), ("Q2", "roll-3"),
    ]  # fmt: skip
    vanilla = Asking("full", True, chosen_options(THREEDSRBENCH, {"rolls": "1", "flip": "off"}))
    assert [one.variant for one in THREEDSRBENCH.ask([first, second], vanilla)] == ["plain", "plain"]


def test_the_four_accuracies(write: Callable[..., Path], imported: Imported, tmp_path: Path) -> None:
    imported("3dsrbench", write(ROWS))
    runs = {}
    for arm, wanted in (("says left", "left"), ("says front", "front")):

        def reply(prompt: str, wanted: str = wanted) -> str:
            found = re.search(rf"^([A-D])\. {wanted}$", prompt, re.M)
            return f"ANSWER: {found[1] if found else 'A'}"

        folder = tmp_path / "runs" / arm
        backend = FakeBackend(reply, model=arm, reads_pictures=True)
        predict(tmp_path / "problems.jsonl", folder, backend, arm=arm, benchmark="3dsrbench")
        score(folder)
        runs[arm] = read_run(folder)
    tables = {table.title: table for table in run_tables(runs)}
    total = tables["3DSRBench"]
    assert total.header == ["arm", "vanilla", "average", "circular", "flip", "flip-circular"]
    assert total.counts == [None, 2, 2, 2, 1, 1]
    # "left" is right in both rolls of Q1 and wrong when mirrored; "A" is right in one roll of Q1, and one mirrored.
    assert total.rows == [
        ["says left", 0.5, 0.5, 0.5, 0.0, 0.0],
        ["says front", 1.0, 0.75, 0.5, 0.0, 0.0],
    ]
    assert tables["3DSRBench: circular by type"].header == ["arm", "height", "orientation"]


def test_what_is_at_fault_refuses_its_question(write: Callable[..., Path], imported: Imported) -> None:
    rows = [
        *ROWS,
        row("Q3-0", "left right", "A", picture(3), 20),
        row("Q3-1", "right left", "Z", "20", 21),
        row("Q4", "left right", "A", "", 22),
        row("Q5-1", "left right", "A", picture(5), 23),
        row("Q6", "left right", "A", "gone.jpg", 24),
        row("Q2", "left right", "A", picture(2), 25),
        row("Q7", "left", "A", picture(7), 26),
    ]
    kept, refused, _ = imported("3dsrbench", write(rows))
    assert [problem.id for problem in kept] == ["Q1"]
    faults = {one["item"]: (one["reason"], one["detail"]) for one in refused}
    assert {item: reason for item, (reason, _) in faults.items()} == {
        "Q2": "duplicate",
        "Q3": "answer_is_no_option",
        "Q4": "picture",
        "Q5": "no_question",
        "Q6": "picture",
        "Q7": "unreadable",
    }
    assert "3dsrbench.tsv:8: answer: 'Z' is not one of A, B" in faults["Q3"][1]


def test_a_table_without_a_column_is_told(tmp_path: Path, imported: Imported) -> None:
    (tmp_path / "x.tsv").write_text("index\tquestion\tA\tB\tanswer\tqid\n1\tx\ty\tz\tA\tQ\n")
    with pytest.raises(UserError, match=r"x\.tsv:2: .*'category'"):
        imported("3dsrbench", tmp_path / "x.tsv")
