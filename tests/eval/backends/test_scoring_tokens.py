"""What scoring makes of counts and of unfinished thoughts: never by generating."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from eval.backends.token_counts import ReferenceTokenizer
from eval.scoring.score import score, score_prediction
from srt.io.errors import UserError
from srt.io.record_reader import read_records
from srt.io.records import Prediction, Problem, Score


def test_a_reference_tokenizer_counts_every_text(make_run: Callable[..., Path], model: Path, r1: Path) -> None:
    run = make_run("srt", lambda number: f"INFER {'x' * number}\nANSWER: B")
    before = (run / "predictions.jsonl").read_bytes()
    summary = score(run, reference_tokenizer=model)
    reference = ReferenceTokenizer(model)
    texts = {row.problem_id: row.text for row in read_records(run / "predictions.jsonl", Prediction)}
    rows = list(read_records(run / "scores.jsonl", Score))
    assert [row.reference_tokens for row in rows] == [reference.count(texts[row.problem_id]) for row in rows]
    assert len({row.reference_tokens for row in rows}) > 5
    assert {row.reference_tokenizer for row in rows} == {reference.name}
    assert (run / "predictions.jsonl").read_bytes() == before
    assert summary.accuracy == score(run, reference_tokenizer=r1).accuracy
    with pytest.raises(UserError, match="nowhere"):
        score(run, reference_tokenizer=run / "nowhere")
    score(run)
    assert all(row.reference_tokens is None for row in read_records(run / "scores.jsonl", Score))


def test_a_draft_in_an_unfinished_thought_is_no_answer(make_problem: Callable[..., Problem]) -> None:
    """The prompt opened the block, so the text does not show that it stands inside."""
    problem = make_problem(1)
    row = Prediction(
        key="k",
        problem_id=problem.id,
        text="Perhaps\nANSWER: B\nbut wait,",
        input_tokens=3,
        output_tokens=9,
        finish_reason="length",
        seconds=0,
        thinking="open",
    )
    scored = score_prediction(problem, row)
    assert (scored.status, scored.value) == ("truncated", 0)
    for changes in ({"thinking": None}, {"thinking": "open", "finish_reason": "stop"}):
        assert score_prediction(problem, row.model_copy(update=changes)).value == 1
