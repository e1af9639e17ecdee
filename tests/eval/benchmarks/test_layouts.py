"""Files in the layouts of published data sets, written by hand from their cards; the contents are invented.

Each is imported as it is, without a mapping; what must be read of each row stands beside it.
"""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any, NamedTuple

import PIL.Image
import pytest

from eval.benchmarks.benchmark_registry import import_benchmark
from srt.answers.written_form import canonical_text
from srt.io.record_reader import read_records
from srt.io.records import Problem


def png(shade: int) -> bytes:
    buffer = io.BytesIO()
    PIL.Image.new("RGB", (3, 2), (shade, 0, 0)).save(buffer, "PNG")
    return buffer.getvalue()


def base64_png(shade: int) -> str:
    return base64.b64encode(png(shade)).decode()


class Published(NamedTuple):
    """One layout: its rows in a file of ``kind``, and question, options, gold and number of pictures of each.

    ``gold`` is in the written form of answers, whose number kinds show by themselves. ``classes`` are the names of a
    ``ClassLabel`` in the column ``answer``.
    """

    kind: str
    rows: list[dict[str, Any]]
    expected: list[tuple[str, list[str], str, int]]
    classes: list[str] | None = None


PICTURE = {"bytes": png(1), "path": None}
LAYOUTS = {
    "GSM8K": Published(
        "jsonl",
        [
            {"question": "Ann has 3 boxes of 4 pens. How many pens?", "answer": "3 * 4 = <<3*4=12>>12 pens.\n#### 12"},
            {"question": "What did both cars cost?", "answer": "So much.\n#### 43,500"},
            {"question": "He earns $1,000 twice. How much?", "answer": "2 * 1000 = $<<2*1000=2000>>2000.\n#### 2,000"},
        ],
        [
            ("Ann has 3 boxes of 4 pens. How many pens?", [], "12", 0),
            ("What did both cars cost?", [], "43500", 0),
            ("He earns $1,000 twice. How much?", [], "2000", 0),
        ],
    ),
    "MATH": Published(
        "parquet",
        [
            {
                "problem": "What is half of $\\frac{2}{3}$?",
                "level": "Level 1",
                "type": "Algebra",
                "solution": "Not \\boxed{3}, but $\\frac{1}{2}\\cdot\\frac{2}{3}=\\boxed{\\frac{1}{3}}$.",
            }
        ],
        [("What is half of $\\frac{2}{3}$?", [], "\\frac{1}{3}", 0)],
    ),
    "MATH-500": Published(
        "jsonl",
        [
            {
                "problem": "Find $x$ if $2x = 7$.",
                "solution": "So $x = \\boxed{\\frac{7}{2}}$.",
                "answer": "\\frac{7}{2}",
                "subject": "Algebra",
                "level": 2,
                "unique_id": "test/algebra/1.json",
            }
        ],
        [("Find $x$ if $2x = 7$.", [], "\\frac{7}{2}", 0)],
    ),
    "MMLU": Published(
        "parquet",
        [
            {"question": "How many faces?", "subject": "geometry", "choices": ["4", "5", "6", "8"], "answer": 2},
            {"question": "What is 1 + 1?", "subject": "algebra", "choices": ["1", "2", "3", "4"], "answer": 1},
        ],
        [("How many faces?", ["4", "5", "6", "8"], "C", 0), ("What is 1 + 1?", ["1", "2", "3", "4"], "B", 0)],
        classes=["A", "B", "C", "D"],
    ),
    "MMLU as text": Published(
        "jsonl",
        [
            {"question": "How many faces?", "subject": "geometry", "choices": ["4", "5", "6", "8"], "answer": 2},
        ],
        [("How many faces?", ["4", "5", "6", "8"], "C", 0)],
    ),
    "ARC": Published(
        "parquet",
        [
            {
                "id": "Q1",
                "question": "What is hot?",
                "choices": {"text": ["ice", "fire", "snow"], "label": ["A", "B", "C"]},
                "answerKey": "B",
            },
            {
                "id": "Q2",
                "question": "How many legs has a dog?",
                "choices": {"text": ["2", "3", "4", "1"], "label": ["1", "2", "3", "4"]},
                "answerKey": "3",
            },
        ],
        [("What is hot?", ["ice", "fire", "snow"], "B", 0), ("How many legs has a dog?", ["2", "3", "4", "1"], "C", 0)],
    ),
    "CommonsenseQA": Published(
        "jsonl",
        [
            {
                "id": "c1",
                "question": "Where is bread baked?",
                "question_concept": "bread",
                "choices": {"label": ["A", "B", "C", "D", "E"], "text": ["lake", "oven", "tree", "car", "sky"]},
                "answerKey": "B",
            }
        ],
        [("Where is bread baked?", ["lake", "oven", "tree", "car", "sky"], "B", 0)],
    ),
    "MMMU": Published(
        "parquet",
        [
            {
                "id": "validation_Art_1",
                "question": "Which of <image 1> and <image 2> is older?",
                "options": "['the first', \"the artist's second\"]",
                "explanation": "",
                "image_1": PICTURE,
                "image_2": {"bytes": png(2), "path": None},
                "answer": "B",
                "question_type": "multiple-choice",
                "subfield": "History",
            },
            {
                "id": "validation_Art_2",
                "question": "How many figures does <image 1> show?",
                "options": "[]",
                "explanation": "?",
                "image_1": PICTURE,
                "image_2": None,
                "answer": "['3', 'three']",
                "question_type": "open",
                "subfield": "History",
            },
        ],
        [
            ("Which of <image 1> and <image 2> is older?", ["the first", "the artist's second"], "B", 2),
            ("How many figures does <image 1> show?", [], "3", 1),
        ],
    ),
    "MathVista": Published(
        "parquet",
        [
            {
                "pid": "1",
                "question": "Which angle is at A?",
                "image": "images/1.jpg",
                "decoded_image": PICTURE,
                "choices": ["1", "2", "3"],
                "unit": None,
                "precision": None,
                "answer": "2",
                "question_type": "multi_choice",
                "answer_type": "text",
                "metadata": {"category": "math-targeted-vqa", "task": "geometry problem solving", "split": "testmini"},
            },
            {
                "pid": "2",
                "question": "How long is AB?",
                "image": "images/2.jpg",
                "decoded_image": PICTURE,
                "choices": None,
                "unit": "cm",
                "precision": 1.0,
                "answer": "2.5",
                "question_type": "free_form",
                "answer_type": "float",
                "metadata": {"category": "general-vqa", "task": "geometry problem solving", "split": "testmini"},
            },
            {
                "pid": "3",
                "question": "How old is she?",
                "image": "images/2.jpg",
                "decoded_image": PICTURE,
                "choices": None,
                "unit": "years",
                "precision": None,
                "answer": "4",
                "question_type": "free_form",
                "answer_type": "integer",
                "metadata": {"category": "general-vqa", "task": "figure question answering", "split": "testmini"},
            },
        ],
        [
            ("Which angle is at A?", ["1", "2", "3"], "B", 1),
            ("How long is AB?", [], "2.5 cm", 1),
            ("How old is she?", [], "4", 1),
        ],
    ),
    "MathVerse": Published(
        "parquet",
        [
            {
                "sample_index": str(number),
                "problem_index": "1",
                "problem_version": version,
                "question": question,
                "image": PICTURE,
                "answer": answer,
                "question_type": kind,
                "query_wo": f"Answer what the picture asks ({number}).",
            }
            for number, (version, question, answer, kind) in enumerate(
                [
                    ("Text Lite", "Angle A is ()\nChoice:\nA:65°\nB:75°\nC:85°", "B", "multi-choice"),
                    ("Text Dominant", "Find x.", "3", "free-form"),
                    ("Vision Only", "", "C", "multi-choice"),
                ]
            )
        ],
        [
            ("Angle A is ()", ["65°", "75°", "85°"], "B", 1),
            ("Find x.", [], "3", 1),
            ("Answer what the picture asks (2).", [], "C", 1),
        ],
    ),
    "LLaVA": Published(
        "json",
        [
            {
                "id": "000000033471",
                "image": "one.png",
                "conversations": [
                    {"from": "human", "value": "<image>\nWhat colour is the bus?"},
                    {"from": "gpt", "value": "red"},
                ],
            },
            {
                "id": "2",
                "image": "two.png",
                "conversations": [
                    {
                        "from": "human",
                        "value": "Where is it?\nA. left\nB. right\nAnswer with the option's letter from the given "
                        "choices directly.\n<image>",
                    },
                    {"from": "gpt", "value": "B"},
                ],
            },
        ],
        [("What colour is the bus?", [], "red", 1), ("Where is it?", ["left", "right"], "B", 1)],
    ),
    "ShareGPT": Published(
        "json",
        [
            {
                "id": "s1",
                "conversations": [
                    {"from": "system", "value": "Be brief."},
                    {"from": "human", "value": "What is 3 times 5?"},
                    {"from": "gpt", "value": "3 times 5 makes \\boxed{15}."},
                ],
            }
        ],
        [("Be brief.\n\nWhat is 3 times 5?", [], "15", 0)],
    ),
    "VLMEvalKit": Published(
        "tsv",
        [
            {"index": 1, "hint": "Look.", "question": "Which way?", "A": "up", "B": "down", "C": "", "answer": "B",
             "category": "motion", "image": base64_png(1)},
            {"index": 1000001, "hint": "", "question": "And now?", "A": "down", "B": "None", "C": "", "answer": "A",
             "category": "motion", "image": "1"},
        ],
        [("Look.\nWhich way?", ["up", "down"], "B", 1), ("And now?", ["down", "None"], "A", 1)],
    ),
}  # fmt: skip


def written(folder: Path, layout: Published) -> Path:
    """The file of ``layout``."""
    folder.mkdir()
    for shade, name in enumerate(("one.png", "two.png"), 5):
        (folder / name).write_bytes(png(shade))
    path = folder / f"items.{layout.kind}"
    if layout.kind == "parquet":
        import datasets

        table = datasets.Dataset.from_list(layout.rows)
        if layout.classes:
            table = table.cast_column("answer", datasets.ClassLabel(names=layout.classes))
        table.to_parquet(path)
    elif layout.kind == "tsv":
        lines = [layout.rows[0].keys(), *(row.values() for row in layout.rows)]
        path.write_text("\n".join("\t".join(map(str, line)) for line in lines) + "\n", "utf-8")
    else:
        items = [json.dumps(row, ensure_ascii=False) for row in layout.rows]
        path.write_text("\n".join(items) if layout.kind == "jsonl" else f"[{', '.join(items)}]", "utf-8")
    return path


@pytest.mark.parametrize("name", LAYOUTS)
def test_each_layout_is_read_without_a_mapping(name: str, tmp_path: Path) -> None:
    layout = LAYOUTS[name]
    summary = import_benchmark("plain", written(tmp_path / "data", layout), tmp_path / "problems.jsonl")
    found = [
        (one.question, list(one.choices.values()), canonical_text(one.answer), len(one.images))
        for one in read_records(tmp_path / "problems.jsonl", Problem)
        if one.answer is not None
    ]
    assert found == layout.expected
    assert "refused" not in summary
    assert summary["read as"][0].startswith(f"{name.removesuffix(' as text')}: ")
