from __future__ import annotations

import pytest

from srt.checking import check
from srt.errors import UserError
from srt.language.trace import Step, Trace
from srt.records import Problem

STEP = Step(op="CONSTRAIN", args=("scene",), claim="Ann@S1")


def problem(question: str, **fields: object) -> Problem:
    return Problem.model_validate(
        {"id": "p1", "source": "made", "split": "test", "lang": "en", "question": question, **fields}
    )


def test_a_trace_of_another_problem_is_a_fault_that_names_both() -> None:
    trace = Trace(id="t", problem_id="p2", kind="world", lang="en", steps=(STEP,), answer="A")
    with pytest.raises(UserError, match=r"p2.*p1"):
        check(problem("What is 1 + 1?"), trace)


def test_a_problem_that_no_checker_knows_leaves_every_step_unchecked() -> None:
    trace = Trace(id="t", problem_id="p1", kind="world", lang="en", steps=(STEP, STEP), answer="A")
    found = check(problem("What is 1 + 1?"), trace)
    assert [step.support for step in found.steps] == ["unchecked", "unchecked"]
    assert found.answer.support == "unchecked"
    assert not found.proved
    assert not found.refuted


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "free", "steps": [{"op": "INFER", "assertion": "one and one is two", "claim": "1 + 1 = 2"}]},
        {"kind": "cot", "text": "One and one is two."},
    ],
)
def test_free_and_cot_traces_are_unchecked(fields: dict[str, object]) -> None:
    trace = Trace.model_validate({"id": "t", "problem_id": "p1", "lang": "en", "answer": "2", **fields})
    found = check(problem("What is 1 + 1?"), trace)
    assert {step.support for step in found.steps} <= {"unchecked"}
    assert found.answer.support == "unchecked"
    assert len(found.steps) == len(trace.steps)
