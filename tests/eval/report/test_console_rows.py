"""What a console shows of a scored run: each mean says what it is of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from eval.report.console_rows import console_rows
from eval.run.scored_run import read_run
from eval.scoring.arm_summary import ArmSummary, Tokens, summarise

MakeRun = Callable[..., Path]


@pytest.fixture
def summary(make_run: MakeRun) -> ArmSummary:
    return summarise([read_run(make_run("base", lambda number: "hm" if number < 3 else "ANSWER: B"))])


def test_the_share_of_unread_answers(summary: ArmSummary) -> None:
    assert summary.unread == pytest.approx(0.1)
    assert console_rows(summary)["unread answers"] == "10.0% of outputs, which count as wrong"


def test_means_over_some_outputs_say_over_how_many(summary: ArmSummary) -> None:
    some = Tokens(count=12, mean=7.25, p10=1, p50=6, p90=9, p99=10)
    rows = console_rows(summary.model_copy(update={"reasoning_tokens": some, "reference_tokens": some}))
    said = "mean 7.2, median 6, p99 10, over 12 of 30 outputs"
    assert rows["of them reasoning"] == rows["tokens by the reference"] == said
    assert "over" not in rows["output tokens"]
    # Two predictions that were never made are no outputs.
    missing = summary.model_copy(update={"reasoning_tokens": some, "missing": 2})
    assert console_rows(missing)["of them reasoning"].endswith("over 12 of 28 outputs")
