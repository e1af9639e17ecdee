"""Long runs: what stands in the file is not done again, pieces add up, and what is at fault is told."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.srt.worlds.solids import long_runs
from tests.srt.worlds.solids.long_runs import RUNS, Found, attacked, planted, run, total


def test_a_run_goes_on_where_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []

    def item(number: int) -> Found:
        done.append(number)
        if number == 5:
            raise ArithmeticError("five")
        return Found(Counter(even=number % 2 == 0, all=1), [f"{number} is at fault"] if number == 7 else [])

    monkeypatch.setattr(long_runs, "RUNS", {**RUNS, "problems": item})
    monkeypatch.setattr(long_runs, "_LINE_EACH", -1.0)
    out = tmp_path / "runs.jsonl"
    run("problems", 2, 6, out)
    run("problems", 0, 8, out)
    assert done == [2, 3, 4, 5, 0, 1, 6, 7]
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["items"] for line in lines] == [[number] for number in done]
    assert [line["faults"] for line in lines if line["faults"]] == [
        ["item 5: ArithmeticError: five"], ["7 is at fault"]
    ]  # fmt: skip
    assert "8 items, 2 at fault" in total(out)
    assert "7 all" in total(out)


@pytest.mark.slow
def test_nothing_is_at_fault_in_an_item_of_planted_faults_and_of_edits() -> None:
    faults = planted(0)
    assert faults.faults == []
    assert faults.counts.total() == 220
    assert any("wrong_formula, caught" in what for what in faults.counts)
    found = attacked(1)
    assert found.faults == []
    assert found.counts["candidates"] == 2_500
    assert found.counts["proved"] > 0


def test_what_the_checker_proves_by_mistake_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = long_runs.check

    def proves_all(problem: object, trace: object) -> object:
        checked = honest(problem, trace)  # type: ignore[arg-type]
        proved = checked.answer.model_copy(update={"support": "proved"})
        return checked.model_copy(update={"steps": (proved,) * len(checked.steps), "answer": proved, "unused": ()})

    monkeypatch.setattr(long_runs, "check", proves_all)
    assert len(long_runs.guessed(0).faults) > 10
    monkeypatch.setattr(long_runs, "asked_value", lambda statement: 1.23)
    assert any("by coordinates" in fault for fault in long_runs.one_problem(0).faults)
