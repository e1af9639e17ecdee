"""Which outputs have no readable answer, and what a run is with other scores for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from eval.backends.protocol import GenerationSettings
from eval.report.compare import compare
from eval.report.headline import answer
from eval.run.scored_run import read_run
from eval.scoring.arm_summary import summarise
from eval.scoring.score import score
from eval.scoring.unread import unread_share, with_unread_as
from srt.io.record_writer import write_records
from srt.io.records import Problem

MakeRun = Callable[..., Path]


def reply(number: int) -> str:
    """No answer, two answers, and one that forty characters do not hold; the others are whole."""
    return {0: "hm", 1: "ANSWER: A or B", 2: f"{'I think ' * 9}\nANSWER: B"}.get(number, "ANSWER: B")


@pytest.fixture
def run(make_run: MakeRun) -> Path:
    return make_run("base", reply, settings=GenerationSettings(max_new_tokens=40))


def test_no_answer_several_and_cut_off_are_unread_and_a_failure_is_not(run: Path) -> None:
    read = read_run(run)
    assert summarise([read]).statuses == {"ambiguous": 1, "no_answer": 1, "ok": 27, "truncated": 1}
    assert unread_share(read.scores.values()) == summarise([read]).unread == pytest.approx(0.1)
    lines = (run / "predictions.jsonl").read_text().splitlines(keepends=True)
    (run / "predictions.jsonl").write_text("".join(lines[:-3]))
    summary = score(run)
    assert summary.missing == 3
    assert summary.unread == pytest.approx(0.1)


def test_each_problem_counts_once_however_often_it_was_asked(make_run: MakeRun) -> None:
    """As in accuracy: half of the outputs of one problem of two is a quarter."""
    rows = list(read_run(make_run("base", reply)).scores.values())
    unread, read = rows[0], rows[5]
    scores = [unread, replace(read, problem_id=unread.problem_id, repeat=1), read]
    assert unread_share(scores) == 0.25
    assert unread_share([]) == 0


def test_only_unread_outputs_get_another_score(run: Path) -> None:
    read = read_run(run)
    right = with_unread_as(read, lambda _: 1.0)
    changed = {key[0] for key, row in right.scores.items() if row.value != read.scores[key].value}
    assert changed == {"made-0", "made-1", "made-2"}
    assert summarise([right]).accuracy.right == summarise([read]).accuracy.right + 3


@pytest.mark.usefixtures("blank_plots")
def test_what_the_token_budget_ended_is_told_apart(
    run: Path, make_run: MakeRun, make_problem: Callable[..., Problem], tmp_path: Path
) -> None:
    found = compare([run, make_run("srt", lambda _: "ANSWER: B")], tmp_path / "report")
    assert "base 10.0% (1 of 3 cut off), srt 0.0%." in answer(found)
    assert "how the arms write their answers or from the token budget" in answer(found)
    few = tmp_path / "few.jsonl"
    write_records(few, [make_problem(number) for number in (2, 4, 5)])
    settings = GenerationSettings(max_new_tokens=40)
    all_cut = compare([make_run("cut", reply, problems=few, settings=settings)], tmp_path / "cut")
    assert "cut 33.3% (all cut off)." in answer(all_cut)
