"""What has two readings is refused, and the mapping that the message gives settles it when it is pasted."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from eval.benchmarks.benchmark_registry import import_benchmark
from srt.answers.written_form import canonical_text
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Problem

MAPPING = re.compile(r"save the mapping (\{.*?\})(?= |\))", re.I)


def golds(path: Path, out: Path) -> dict[str, str]:
    """The gold of each problem that is imported, by its question."""
    import_benchmark("plain", path, out)
    return {one.question: canonical_text(one.answer) for one in read_records(out, Problem) if one.answer is not None}


def jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    return path


@pytest.mark.parametrize(
    ("row", "gold"),
    [
        ({"choices": ["4", "5", "6", "8"], "answer": 2}, "C"),
        ({"choices": ["red", "blue"], "answer": 1}, "B"),
        ({"choices": ["B", "A"], "answer": "A"}, "A"),
        ({"choices": "a red cube, a blue cube", "answer": "B"}, "B"),
        ({"choices": ["red", "red", "blue"], "answer": "C"}, "C"),
        ({"choices": ["red"], "answer": "A"}, "A"),
        ({"answer": "3,5 cm"}, "3.5 cm"),
        ({"question": "What do both cost?", "answer": "43,500"}, "43500"),
    ],
)
def test_the_mapping_of_the_message_settles_it(tmp_path: Path, row: dict[str, Any], gold: str) -> None:
    path = jsonl(tmp_path / "data" / "items.jsonl", [{"question": "Which?"} | row])
    with pytest.raises(UserError) as caught:
        import_benchmark("plain", path, tmp_path / "problems.jsonl")
    mappings = MAPPING.findall(str(caught.value)) or re.findall(r"\{.*?\}", str(caught.value))
    if row.get("choices") == ["red"]:
        mappings = re.findall(r"\{.*?\}", str(caught.value))[1:]  # the first one is for several in one cell
    (tmp_path / "data" / "pasted.yaml").write_text(mappings[0], "utf-8")
    assert golds(tmp_path / "data" / "pasted.yaml", tmp_path / "problems.jsonl") == {
        row.get("question", "Which?"): gold
    }


def test_an_index_from_0_is_read_where_the_column_settles_it(tmp_path: Path) -> None:
    rows = [
        {"question": "Hot?", "choices": ["ice", "fire"], "answer": 1},
        {"question": "Cold?", "choices": ["ice", "fire"], "answer": 0},
    ]
    path = jsonl(tmp_path / "data" / "items.jsonl", rows)
    assert golds(path, tmp_path / "problems.jsonl") == {"Hot?": "B", "Cold?": "A"}
    summary = import_benchmark("plain", path, tmp_path / "problems.jsonl")
    assert summary["read as"] == ["whole numbers as answers: index from 0"]


def test_letters_beside_whole_numbers_stay_letters(tmp_path: Path) -> None:
    rows = [
        {"question": "First?", "choices": "(A) 5 (B) 6 (C) 7", "answer": "B"},
        {"question": "Second?", "choices": "['5', '6', '7']", "answer": "7"},
    ]
    path = jsonl(tmp_path / "data" / "items.jsonl", rows)
    assert golds(path, tmp_path / "problems.jsonl") == {"First?": "B", "Second?": "C"}


def test_in_a_table_with_semicolons_a_comma_is_decimal(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("question;answer\nEdge?;3,5 cm\nHeight?;2,83\nShare?;12,5 %\nVolume?;1.234,5\n", "utf-8")
    out = tmp_path / "out" / "problems.jsonl"
    out.parent.mkdir()
    assert golds(path, out) == {"Edge?": "3.5 cm", "Height?": "2.83", "Share?": "12.5 %", "Volume?": "1234.5"}
    path.write_text("question;answer\nEdge?;1,234\nHeight?;7\n", "utf-8")
    assert golds(path, out) == {"Height?": "7"}  # 1,234 may be a thousand
    path.write_text("question;answer\nEdge?;3,5\nWhat are the two numbers?;2,7\n", "utf-8")
    assert golds(path, out) == {"Edge?": "3.5"}


def test_a_mapping_wins_over_a_layout(tmp_path: Path) -> None:
    rows = [{"question": "Count.", "answer": "One, two.\n#### 2", "gold": "3"}]
    path = jsonl(tmp_path / "data" / "items.jsonl", rows)
    out = tmp_path / "problems.jsonl"
    assert golds(path, out) == {"Count.": "2"}
    import_benchmark("plain", path, out, columns={"answer": "gold"})
    assert [one.answer.value for one in read_records(out, Problem) if one.answer] == [3]


def test_columns_of_other_names_are_proposed(tmp_path: Path) -> None:
    path = tmp_path / "data" / "items.csv"
    path.parent.mkdir()
    path.write_text("Problem text,Opt 1,Opt 2,Gold\nWhich?,ice,fire,B\n", "utf-8")
    out = tmp_path / "problems.jsonl"
    with pytest.raises(UserError, match='--columns question="Problem text",answer="Gold"'):
        import_benchmark("plain", path, out)
    columns = {"question": "Problem text", "choices": ["Opt 1", "Opt 2"], "answer": "Gold"}
    import_benchmark("plain", path, out, columns=columns)
    [problem] = read_records(out, Problem)
    assert problem.choices == {"A": "ice", "B": "fire"}
    with pytest.raises(UserError, match=r"--columns: .*plain"):
        import_benchmark("3dsrbench", path, out, columns=columns)


def test_a_conversation_of_several_questions_is_read_as_the_mapping_says(tmp_path: Path) -> None:
    said = [("human", "One?"), ("gpt", "1"), ("human", "Two?"), ("gpt", "2")]
    row = {"id": "x", "conversations": [{"from": role, "value": text} for role, text in said]}
    path = jsonl(tmp_path / "data" / "chats.jsonl", [row, {**row, "conversations": row["conversations"][:2]}])
    out = tmp_path / "problems.jsonl"
    assert golds(path, out) == {"One?": "1"}
    [refusal] = (tmp_path / "problems.refusals.jsonl").read_text("utf-8").splitlines()
    assert "{data: chats.jsonl, turns: first}" in refusal
    for turns, found in (("first", {"One?": "1"}), ("each", {"One?": "1", "Two?": "2"})):
        (path.parent / "mine.yaml").write_text(f"{{data: chats.jsonl, turns: {turns}}}", "utf-8")
        assert golds(path.parent / "mine.yaml", out) == found
        assert {one.group_id for one in read_records(out, Problem)} == {"x"}


def test_a_mapping_without_fields_leaves_the_layout(tmp_path: Path) -> None:
    rows = [{"question": "Which?", "subject": "s", "choices": ["a", "a", "b", "c"], "answer": 2}]
    path = jsonl(tmp_path / "data" / "mmlu.jsonl", rows)
    (path.parent / "mine.yaml").write_text("{data: mmlu.jsonl, allow: [equal options]}", "utf-8")
    assert golds(path.parent / "mine.yaml", tmp_path / "problems.jsonl") == {"Which?": "C"}
    (path.parent / "mine.yaml").write_text(
        "{data: mmlu.jsonl, answer_is: index from 1, allow: [equal options]}", "utf-8"
    )
    assert golds(path.parent / "mine.yaml", tmp_path / "problems.jsonl") == {"Which?": "B"}


def test_each_question_of_a_conversation_has_its_own_pictures(tmp_path: Path, draw: Callable[..., Path]) -> None:
    for shade, name in enumerate(("one", "two")):
        draw(tmp_path / "data" / f"{name}.png", shade)
    said = [("user", "<image>One?"), ("assistant", "1"), ("user", "<image>Two?"), ("assistant", "2")]
    later = [("user", "And both?"), ("assistant", "12")]
    row = {"messages": [{"role": role, "content": text} for role, text in said + later]}
    path = jsonl(tmp_path / "data" / "chats.jsonl", [{**row, "images": ["one.png", "two.png"]}])
    (path.parent / "mine.yaml").write_text("{data: chats.jsonl, turns: each}", "utf-8")
    import_benchmark("plain", path.parent / "mine.yaml", tmp_path / "problems.jsonl")
    first, second, third = read_records(tmp_path / "problems.jsonl", Problem)
    assert [len(one.images) for one in (first, second, third)] == [1, 1, 2]
    assert third.images == [*first.images, *second.images]
    assert first.images != second.images
