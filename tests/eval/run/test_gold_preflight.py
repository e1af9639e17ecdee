"""An evaluation is refused before it generates where no output can meet a gold answer of its problems."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from eval.benchmarks.definition.variants import Twin, with_twin
from eval.evaluation import run_evaluation
from eval.run.eval_recipe import make_eval_recipe
from eval.run.gold_preflight import require_gold_that_can_be_met
from srt.io.errors import RecordError
from srt.io.record_writer import write_records
from srt.io.records import Answer, Problem

MakeProblem = Callable[..., Problem]


def quoted(make_problem: MakeProblem, number: int) -> Problem:
    return make_problem(number, choices={}, answer=Answer(kind="text", value="Reasoning: 3+4 Answer: 7"))


def test_an_evaluation_names_the_first_and_counts_them(make_problem: MakeProblem, tmp_path: Path) -> None:
    problems = [make_problem(0), *(quoted(make_problem, number) for number in range(1, 9))]
    write_records(tmp_path / "p.jsonl", problems)
    (tmp_path / "t.jsonl").write_bytes(orjson.dumps({"id": "made-1", "prediction": "ANSWER: 7"}))
    given = {"backend": "file", "predictions": tmp_path / "t.jsonl", "problems": tmp_path / "p.jsonl"}
    with pytest.raises(RecordError) as raised:
        run_evaluation(make_eval_recipe({**given, "output": tmp_path / "run"}))
    [line] = str(raised.value).splitlines()
    assert line.startswith(f"{tmp_path / 'p.jsonl'}:2: answer: ")
    assert (
        "of 9 problems, 8 have a gold answer that no output can meet: made-1, made-2, made-3, made-4, made-5, ..."
        in line
    )
    assert not (tmp_path / "run").exists()


def test_other_forms_of_a_problem_are_looked_at(make_problem: MakeProblem, tmp_path: Path) -> None:
    form = Twin(answer=Answer(kind="choice_set", value=["E"]))
    write_records(tmp_path / "p.jsonl", [with_twin(make_problem(1), "flip", form)])
    with pytest.raises(RecordError, match=r"p\.jsonl:1: answer: 'E'"):
        require_gold_that_can_be_met(tmp_path / "p.jsonl", "plain")


def test_a_benchmark_grades_by_its_own_rules(make_problem: MakeProblem, tmp_path: Path) -> None:
    """A walk whose turns are none earns nothing there, whatever equality says."""
    walk = make_problem(1, choices={}, answer=Answer(kind="sequence", value=["north", "south"]))
    write_records(tmp_path / "p.jsonl", [walk])
    require_gold_that_can_be_met(tmp_path / "p.jsonl", "plain")
    with pytest.raises(RecordError, match=r"p\.jsonl:1: answer"):
        require_gold_that_can_be_met(tmp_path / "p.jsonl", "spatial-abilities")
