"""SolidGeo: markers, options in the text, answers with explanations; what is refused is named."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import PIL.Image
import pytest

from srt.corpora import import_file
from srt.corpora.corpus_reader import ImportRefusal
from srt.images.open import read_picture
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Answer, Problem
from tests.published_copies import copy_in

ITEM: dict[str, Any] = {
    "question": "The left view is ( )\n\n<ImageHere>\nA.\n\n<ImageHere>\nB.\n\n<ImageHere>\nC.\n\n<ImageHere>\n\n##",
    "choices": [],
    "image": ["images\\1.jpg", "images\\2.jpg", "images\\1.jpg", "images\\2.jpg"],
    "answer": "B\n\n[Analysis] Look from the left.",
    "solution": ["Two columns.\n\n<image_3>", "So B."],
    "answer_type": "choice",
    "problem_type": ["Multi-view Projection", "Measurement of Solid Geometric Forms"],
    "complexity_level": "Level 1",
    "source": "made up",
    "qa_id": 7,
}
PLAIN = ITEM | {"question": "求圆柱的体积。\n<ImageHere>", "image": ["images\\1.jpg"], "answer_type": "single-step"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data" / "images").mkdir(parents=True)
    for number in (1, 2):
        PIL.Image.new("RGB", (20, 10 * number), "white").save(tmp_path / "data" / "images" / f"{number}.jpg")
    return tmp_path / "data"


def imported(folder: Path, *items: dict[str, Any]) -> tuple[list[Problem], list[ImportRefusal], dict[str, Any]]:
    rows = {str(number): item for number, item in enumerate(items)}
    (folder / "SolidGeo.json").write_bytes(orjson.dumps(rows))
    out = folder.parent / "problems.jsonl"
    summary = import_file("solidgeo", folder / "SolidGeo.json", out)
    refusals = folder.parent / "problems.refusals.jsonl"
    refused = list(read_records(refusals, ImportRefusal)) if refusals.exists() else []
    return list(read_records(out, Problem)), refused, summary


def test_a_choice_item(folder: Path) -> None:
    [problem], refused, summary = imported(folder, ITEM)
    assert problem.question == "The left view is ( )\n\n<image1>"
    assert problem.choices == {"A": "<image2>", "B": "<image3>", "C": "<image4>"}
    assert problem.answer == Answer(kind="choice_set", value=["B"])
    assert problem.solution == "Two columns.\n\n\n\nSo B."
    assert (problem.lang, problem.category, problem.id) == ("en", "Multi-view Projection", "solidgeo-0")
    assert problem.meta["answer"] == ITEM["answer"]
    assert problem.meta["notes"] == ["placeholder_choices"]
    assert [image.path for image in problem.images] == [f"data/images/{n}.jpg" for n in (1, 2, 1, 2)]
    assert all(read_picture(folder.parent, image) for image in problem.images)
    assert not refused
    assert summary == {
        "problems": 1,
        "category": {"Multi-view Projection": 1},
        "notes": {"placeholder_choices": 1},
    }


def test_numbers_units_and_the_explanation_as_solution(folder: Path) -> None:
    item = PLAIN | {"answer": "$12 \\pi \\mathrm{~cm}^{3}$\n【解析】底面积乘高。", "solution": []}
    [problem], _, _ = imported(folder, item)
    assert problem.answer == Answer(kind="expression", value="12 \\pi", unit="cm^3")
    assert (problem.lang, problem.solution) == ("zh", "底面积乘高。")


def test_options_that_are_listed_are_taken_from_the_text(folder: Path) -> None:
    item = PLAIN | {
        "question": "Which edge? A. 3 cm\n B. 4 cm\n C. 5 cm\n",
        "choices": ["3 cm", "4 cm", "5 cm"],
        "answer": "C",
        "answer_type": "choice",
    }
    table = item | {"question": "$\\text { A. } 3 & \\text { B. } 4 & \\text { C. } 5$", "choices": ["} 3"]}
    listed, unread = imported(folder, item, table)[0]
    assert (listed.question, listed.choices["B"]) == ("Which edge?", "4 cm")
    assert (unread.question, unread.choices) == (table["question"], {}), "a table is left as it is"


@pytest.mark.parametrize(
    ("change", "reason", "said"),
    [
        ({"answer": "见解析"}, "no_answer", "answer: '见解析'"),
        ({"answer": "长" * 400}, "no_answer", "answer: '长长"),
        ({"answer": 3}, "unreadable", "question, answer"),
        ({"image": ["images\\9.jpg"]}, "picture", "9.jpg: no such file"),
        ({"image": ["..\\secret.jpg"]}, "picture", "secret"),
        ({"question": "", "image": []}, "no_question", "there is no picture"),
        ({"question": "x" * 30_000}, "unreadable", "30000 characters"),
    ],
)
def test_what_is_refused_is_named(folder: Path, change: dict[str, Any], reason: str, said: str) -> None:
    problems, [refusal], summary = imported(folder, PLAIN | {"answer": "5"}, PLAIN | change)
    assert (len(problems), refusal.item, refusal.reason) == (1, "solidgeo-1", reason)
    assert said in refusal.detail
    assert summary["refused"] == {f"problem {reason}": 1}


def test_a_choice_item_whose_answer_is_no_letter_is_refused(folder: Path) -> None:
    _, [refusal], _ = imported(folder, ITEM, ITEM | {"answer": "12"})
    assert refusal.reason == "answer_is_no_option"


def test_faults_of_the_file_are_one_line(folder: Path) -> None:
    for content, named in (
        (b"[1]", r"SolidGeo\.json: item 0: .*int"),
        (b'"x"', r"SolidGeo\.json: .*str"),
        (b"{", "JSON"),
    ):
        (folder / "SolidGeo.json").write_bytes(content)
        with pytest.raises(UserError, match=named):
            import_file("solidgeo", folder, folder.parent / "p.jsonl")
    with pytest.raises(UserError, match="--lang"):
        import_file("solidgeo", folder, folder.parent / "p.jsonl", lang="en")
    assert not (folder.parent / "p.jsonl").exists()


def test_hostile_options_are_read_at_once(folder: Path) -> None:
    start = time.process_time()
    for text in (" A." * 6000, "A." + " " * 19_000, "A. x\n" * 4000, "<ImageHere>" * 1800):
        imported(folder, ITEM | {"question": text}, PLAIN | {"answer": "5"})
    assert time.process_time() - start < 8


def test_the_real_sample(tmp_path: Path) -> None:
    folder = copy_in("SRT_SOLIDGEO")
    total = len(orjson.loads((folder / "SolidGeo.json").read_bytes()))
    summary = import_file("solidgeo", folder, tmp_path / "problems.jsonl")
    assert summary["problems"] + sum(summary.get("refused", {}).values()) == total
    assert summary["problems"] >= 0.95 * total
    problems = list(read_records(tmp_path / "problems.jsonl", Problem))
    kinds = Counter(problem.answer.kind for problem in problems if problem.answer)
    assert kinds["text"] < 0.1 * total
    assert all(read_picture(tmp_path, image) for problem in problems for image in problem.images)


def test_items_that_are_not_independent_share_a_group(folder: Path) -> None:
    """Forms of one MathVerse problem, the same text and pictures, and a chain of both; another picture is another."""
    verse = PLAIN | {"source": "MathVerse"}
    forms = [verse | {"question": text, "qa_id": number} for text, number in (("all", 428), ("less", 430), ("", 431))]
    items = [
        *forms,  # 428 and 430 are of problem 86, 431 of 87
        PLAIN | {"question": " 求圆柱的体积。 \n<ImageHere>", "qa_id": 99},
        PLAIN | {"qa_id": 429},  # the index of another source says nothing
        PLAIN | {"image": ["images\\2.jpg"]},
        verse | {"qa_id": 429},  # as text and picture of items 3 and 4, and as form of items 0 and 1
    ]
    problems, _, _ = imported(folder, *items)
    first = "solidgeo-0"
    assert [problem.group_id for problem in problems] == [first, first, None, first, first, None, first]


def test_the_rows_of_the_published_file_are_three_forms_of_119_problems() -> None:
    """The rule by rows and the rule by MathVerse's index give the same groups on the real sample."""
    file = copy_in("SRT_SOLIDGEO") / "SolidGeo.json"
    rows = {int(key): row for key, row in orjson.loads(file.read_bytes()).items()}
    verse = {row: item["qa_id"] for row, item in rows.items() if item["source"] == "MathVerse"}
    assert len(verse) >= 18
    assert all(row < 3 * 119 for row in verse)
    assert len({(number - 1) // 5 - row % 119 for row, number in verse.items()}) == 1
