"""No text makes the checker of prose raise, or run long."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srt.io.records import Answer, Problem
from srt.language.trace import Step, Trace
from srt.prose.checking.entities import unknown_entities
from srt.prose.checking.givens import givens_of
from srt.teaching.loop.machine_audit import audit

FRAGMENTS = st.sampled_from(
    [
        *"=3^{}(①选;$√π\n'点,\\９x%",
        "\\frac{1}{2}",
        "AB",
        "A_1",
        "△",
        "(1)",
        "so ",
        "the answer is ",
        "\\text{",
        "#2",
        "cm",
    ]
)
TEXT = st.lists(FRAGMENTS | st.text(max_size=6), min_size=1, max_size=12).map(lambda parts: "p" + "".join(parts))
PREMISE = st.sampled_from(["#1", "#2", "#9", "(1)", "(7)", "A", "Q", "scene", "question", "wlog", "front", '"a b"'])
STEP = st.builds(
    lambda op, args, text: Step(op=op, args=tuple(args), assertion=text),
    st.sampled_from(["CORRELATE", "CONSTRAIN", "INFER"]),
    st.lists(PREMISE, max_size=3),
    TEXT,
)


@settings(max_examples=25)
@given(question=TEXT, solution=TEXT, steps=st.lists(STEP, min_size=1, max_size=4), answer=TEXT, lettered=st.booleans())
def test_no_text_makes_it_raise(question: str, solution: str, steps: list[Step], answer: str, lettered: bool) -> None:
    gold = Answer(kind="choice_set", value=["A"]) if lettered else Answer(kind="expression", value="12")
    problem = Problem(
        id="p",
        source="made",
        split="test",
        lang="en",
        question=question,
        solution=solution,
        choices={"A": "12", "B": answer} if lettered else {},
        answer=gold,
    )
    trace = Trace(id="t", problem_id="p", kind="free", lang="en", steps=tuple(steps), answer=answer)
    found = audit(problem, trace)
    assert len(found.checks.steps) == len(steps)
    for step, verdict in zip(steps, found.checks.steps, strict=True):
        for claim in verdict.claims:
            assert 0 <= claim.start <= claim.end <= len(step.assertion or "")
    assert not any(found.overrules(issue) for issue in found.issues)


LONG = 1500


@pytest.mark.parametrize(
    "text",
    [
        "the answer is " + "A " * LONG + "x",
        "the answer is " + "A and " * LONG,
        "A" * LONG,
        "A_{" * LONG,
        "point " * LONG,
        "is " * LONG + "1",
        "(1) " * LONG,
        "①②③" * LONG,
        "选A" * LONG,
        " = ".join(["1"] * (LONG // 4)),
        "\\text{" * LONG,
        "(" * LONG,
        "第 1 步" * LONG,
        "steps 1, " * LONG,
        "S" + "体" * LONG + "，3 × 4 = 12",
        "AB" * (LONG // 3) + " meets 3 × 4 = 12",
        "\\ab" * LONG + " meets 3 × 4 = 12",
        "3 × 4 = 12. Find x" + "_a" * LONG + "!",
    ],
)
def test_long_texts_are_read_in_time(problem: Any, text: str) -> None:
    made = problem("In the pyramid P-ABC, " + text, choices={"A": "1", "B": "2"}, solution=text)
    made = made.model_copy(update={"answer": Answer(kind="choice_set", value=["A"])})
    step = Step(op="INFER", args=("question",), assertion=text)
    trace = Trace(id="t", problem_id="p", kind="free", lang="en", steps=(step, step), answer="A")
    began = time.process_time()
    audit(made, trace)
    assert time.process_time() - began < 5


@pytest.mark.parametrize("text", ["\n" * 50_000, "1" * 50_000 + "a1"], ids=["newlines", "digits"])
def test_the_givens_of_a_long_problem_are_read_in_time(problem: Any, text: str) -> None:
    made = problem("How many? " + text)
    step = Step(op="CORRELATE", args=("question",), assertion="it is " + "1" * 50_000 + "a1")
    trace = Trace(id="t", problem_id="p", kind="free", lang="en", steps=(step,), answer="1")
    began = time.process_time()
    givens_of(made)
    unknown_entities(made, trace)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("answer", ["\\sqrt{7}", "; ".join(f"\\sqrt{{{k}}}" for k in range(300))])
def test_many_steps_and_parts_are_compared_in_time(problem: Any, answer: str) -> None:
    made = problem("Find it.", choices={letter: f"\\frac{{{k}}}{{7}}" for k, letter in enumerate("ABCDEF")})
    made = made.model_copy(update={"answer": Answer(kind="choice_set", value=["A"])})
    steps = tuple(
        Step(op="INFER", args=("question",), assertion=f"it is \\sqrt{{{k}}}, has {k}/7 and gives {k}")
        for k in range(100)
    )
    began = time.process_time()
    for chosen in (answer, "A"):
        audit(made, Trace(id="t", problem_id="p", kind="free", lang="en", steps=steps, answer=chosen))
    assert time.process_time() - began < 10
