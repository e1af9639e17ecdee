from __future__ import annotations

import pytest

from srt.checking import check
from srt.io.errors import UserError
from srt.io.records import Problem
from srt.language.trace import Step, Trace, TraceCheck

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


def test_free_and_cot_traces_are_judged_by_the_claims_in_their_prose() -> None:
    def judged(**fields: object) -> TraceCheck:
        trace = Trace.model_validate({"id": "t", "problem_id": "p1", "lang": "en", "answer": "42", **fields})
        return check(problem("What is 12 + 30?"), trace)

    step = {"op": "INFER", "args": ["question"]}
    free = judged(
        kind="free", steps=[{**step, "assertion": "12 + 30 = 42"}, {**step, "assertion": "twelve and thirty"}]
    )
    assert [found.support for found in free.steps] == ["computed", "unchecked"]
    cot = judged(kind="cot", text="So 12 + 30 = 42.")
    assert (cot.steps, [claim.support for claim in cot.prose]) == ((), ["computed"])
    assert judged(kind="cot", text="Twelve and thirty.").prose == ()
