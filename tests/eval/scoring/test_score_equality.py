"""What a run keeps of how its answers were compared."""

from __future__ import annotations

from pathlib import Path

import orjson

from eval.run.predict import predict
from eval.scoring.score import score
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem, Score
from tests.fake_backend import FakeBackend

GOLD = [
    Answer(kind="number", value=12, unit="cm"),
    Answer(kind="expression", value="\\frac{\\sqrt{3}}{6}"),
    Answer(kind="text", value="cut at \\frac{1}{3} of the edge, then at \\frac{1}{2}"),
]


def run(tmp_path: Path, replies: list[str]) -> Path:
    problems = [
        Problem(id=f"p{n}", source="made-up", split="test", lang="en", question=f"Item {n}.", answer=gold)
        for n, gold in enumerate(GOLD)
    ]
    write_records(tmp_path / "problems.jsonl", problems)
    backend = FakeBackend(lambda prompt: f"so\nANSWER: {replies[int(prompt.split('Item ')[1][0])]}")
    predict(tmp_path / "problems.jsonl", tmp_path / "run", backend, arm="base")
    return tmp_path / "run"


def test_policy_and_what_decided_are_kept(tmp_path: Path) -> None:
    folder = run(tmp_path, ["12", "0.29", "1/3"])
    strict = score(folder)
    assert (strict.accuracy.right, strict.policy) == (0, "strict")
    lenient = score(folder, policy="lenient")
    assert (lenient.accuracy.right, lenient.policy) == (2, "lenient")
    assert lenient.decided == {"number": 1, "text": 1, "unit": 1}
    rows = {row.problem_id: row for row in read_records(folder / "scores.jsonl", Score)}
    assert [(rows[f"p{n}"].how, rows[f"p{n}"].policy) for n in range(2)] == [("unit", "lenient"), ("number", "lenient")]


def test_gold_that_is_not_understood_is_named_and_not_silently_scored(tmp_path: Path) -> None:
    folder = run(tmp_path, ["12 cm", "\\frac{1}{2\\sqrt{3}}", GOLD[2].value])
    summary = score(folder)
    assert summary.accuracy.right == 3, "the very text of gold meets it"
    assert list(summary.unreadable_gold) == ["p2"]
    assert "neither a value nor a description" in summary.unreadable_gold["p2"]
    assert orjson.loads((folder / "summary.json").read_bytes())["unreadable_gold"] == summary.unreadable_gold
