"""SpaCE2025: all five subtasks are read, and faults are named by file, line and field."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import orjson
import pytest

from srt.corpora import import_file, read_corpus
from srt.corpora.space2025 import write_predictions
from srt.io.errors import RecordError, UserError
from srt.io.record_reader import read_records
from srt.io.records import Answer, Problem

ITEM = {
    "id": "spr-en-train-1",
    "instruction": "Choose.",
    "text": "Booth: Ann, Bob, Cal, Dee.\n(1) Bob is right of Ann;\n(2) Dee is right of Cal.",
    "question": "() faces Ann.",
    "options": {"A": "Bob", "B": "Cal", "C": "Dee", "D": "None of the above"},
    "answer": ["C"],
}
PLAIN = {"id": "jsi-demo-3", "instruction": "判断。", "text": "他在桌子上面。", "answer": "正确"}


def write(folder: Path, *rows: object) -> Path:
    path = folder / "items.jsonl"
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return path


def test_an_item_of_each_shape(tmp_path: Path) -> None:
    rse = {"id": "rse-test-7", "instruction": "比较。", "text1": "甲在前。", "text2": "甲在后。"}
    rsr = {"id": "rsr-test-2", "instruction": "判断。", "text": "甲。", "interpretation": "乙。"}
    spr, jsi, rse_problem, rsr_problem = read_corpus("space2025", write(tmp_path, ITEM, PLAIN, rse, rsr))
    assert spr.question.endswith(".\n() faces Ann.")
    assert (spr.answer, spr.category, spr.subcategory, spr.split) == (
        Answer(kind="choice_set", value=["C"]),
        "SPR",
        "SPR-en",
        "train",
    )
    assert (jsi.category, jsi.answer, jsi.lang) == ("DSA", Answer(kind="text", value="正确"), "zh")
    assert rse_problem.question == "text1: 甲在前。\ntext2: 甲在后。"
    assert rsr_problem.question == "text: 甲。\ninterpretation: 乙。"
    assert rse_problem.answer is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": "spr-train-1"}, r"items\.jsonl:1: id: 'spr-train-1'"),
        ({"text": None}, r"items\.jsonl:1: text:"),
        ({"answer": "C"}, r"items\.jsonl:1: answer: .*'C'"),
        ({"options": {"a": "Bob"}}, r"items\.jsonl:1: choices"),
    ],
)
def test_a_bad_item_is_named(tmp_path: Path, change: dict[str, object], said: str) -> None:
    with pytest.raises(RecordError, match=said):
        list(read_corpus("space2025", write(tmp_path, {**ITEM, **change})))


def test_a_label_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"answer: .*正确.*错误.*也许"):
        list(read_corpus("space2025", write(tmp_path, {**PLAIN, "answer": "也许"})))


def test_import_writes_the_scene_and_nothing_when_it_fails(tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    summary = import_file("space2025", write(tmp_path, ITEM), out)
    assert summary["problems"] == 1
    assert next(read_records(out, Problem)).meta == {"world": "seating", "scene": "booth", "compass": "none"}
    out.unlink()
    with pytest.raises(RecordError):
        import_file("space2025", write(tmp_path, ITEM, {"id": 3}), out)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["items.jsonl"]
    with pytest.raises(UserError, match="space2026"):
        import_file("space2026", write(tmp_path, ITEM), out)


def test_the_official_file_has_a_line_for_every_item(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    rows = [("spr-en-dev-1", "SPR", Answer(kind="choice_set", value=["C", "A"])), ("spr-en-dev-2", "SPR", None)]
    assert write_predictions(path, [*rows, ("jsi-test-1", "DSA", None)]) == 3
    assert [orjson.loads(line) for line in path.read_bytes().splitlines()] == [
        {"id": "spr-en-dev-1", "answer": ["A", "C"]},
        {"id": "spr-en-dev-2", "answer": []},
        {"id": "jsi-test-1", "answer": ""},
    ]


def test_the_published_files(space2025: Path) -> None:
    counts = Counter((p.category, p.lang, p.split) for p in read_corpus("space2025", space2025))
    assert counts[("SPR", "en", "train")] == counts[("SPR", "zh", "train")] == 2000
    assert counts[("DSA", "zh", "test")] == 3500
    assert counts[("RSR", "zh", "test")] == 1763
    assert counts[("RSE", "zh", "test")] == 1100
