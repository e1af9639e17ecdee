"""Of an input of any size, what is not checked is refused by name, and the rest takes a bounded time."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import Step, Trace, TraceCheck
from srt.pipeline.check import check_with_truth
from srt.worlds.seating.checker.check_seating import MOST_ALTERNATIVES, MOST_PREMISES

BOX = "A box is 3 wide, 4 deep and 5 high. What is its volume?"
BOOTH = (
    "Booth: Robert, James, Jason, Mary.\n(1) Mary is right of Robert;\n(2) Jason is right of James.\n"
    "() faces the right neighbour of Robert."
)
OPTIONS = {"A": "Jason", "B": "Mary", "C": "James", "D": "None of the above"}
LARGE = 1_000_000
SECONDS = 8
"""Four times what the slowest of these inputs takes on one slow core."""
FRAGMENTS = [
    "the base is 3 * 4 = 12, ", "√(5+2√6) = √2+√3, ", "(", "A", "word ", "不是", "#1 ", "1=", "step 2 ", "(1) ", "a=b;",
    "Robert@S1 | ", "? = James & ", "所以", "the answer is A, ", "\\frac{1}{2}",
]  # fmt: skip


def fill(fragment: str, size: int) -> str:
    return ("x" + fragment * (size // len(fragment) + 1))[:size].strip()


def problem(kind: str, **changes: Any) -> Problem:
    fields = {"question": BOOTH, "choices": OPTIONS} if kind == "world" else {"question": BOX}
    return Problem.model_validate({"id": "p", "source": "made", "split": "test", "lang": "en", **fields, **changes})


def trace(kind: str, texts: list[str], args: tuple[str, ...] = ("question",), answer: str = "C") -> Trace:
    fields: dict[str, Any] = {"id": "t", "problem_id": "p", "kind": kind, "lang": "en", "answer": answer}
    if kind == "cot":
        return Trace.model_validate({**fields, "text": "\n".join(texts)})
    key = "claim" if kind == "world" else "assertion"
    return Trace.model_validate({**fields, "steps": [{"op": "INFER", "args": args, key: text} for text in texts]})


def named(checked: TraceCheck) -> bool:
    verdicts = (*checked.steps, checked.answer)
    return any(verdict.fault is Fault.TOO_LARGE and verdict.support == "unchecked" for verdict in verdicts)


@pytest.mark.parametrize("kind", ["free", "world", "cot"])
@settings(max_examples=12)
@given(place=st.sampled_from(["step", "steps", "premises", "answer", "question", "solution"]),
       fragment=st.sampled_from(FRAGMENTS))  # fmt: skip
def test_a_megabyte_anywhere_is_refused_by_name(kind: str, place: str, fragment: str) -> None:
    made, text = problem(kind), "? = James"
    found = trace(kind, [text])
    if place == "step" or (kind == "cot" and place in ("steps", "premises")):
        found = trace(kind, [fill(fragment, LARGE)])
    elif place == "steps":
        found = trace(kind, [text] * 5000)
    elif place == "premises":
        found = trace(kind, [text], ("#1",) * 50_000)
    elif place == "answer":
        found = trace(kind, [text], answer=fill(fragment, LARGE))
    else:
        made = problem(kind, **{place: fill(fragment, LARGE)})
    began = time.process_time()
    checked = check_with_truth(made, found)
    assert time.process_time() - began < SECONDS
    assert named(checked)


@pytest.mark.long
@pytest.mark.parametrize("fragment", ["√(5+2√6) = √2+√3, ", "1=", "the base is 3 * 4 = 12, "])
def test_many_steps_of_the_largest_size_each_citing_all_before(fragment: str) -> None:
    steps = [
        Step(
            op="INFER", args=tuple(f"#{n}" for n in range(max(1, number - 39), number)) or ("question",), assertion=text
        )
        for number, text in enumerate([fill(fragment, 190), *[fill(fragment, 3990)] * 99], 1)
    ]
    found = Trace(id="t", problem_id="p", kind="free", lang="en", steps=tuple(steps), answer="60")
    began = time.process_time()
    checked = check_with_truth(problem("free"), found)
    assert time.process_time() - began < SECONDS
    assert checked.steps[0].fault is not Fault.TOO_LARGE
    assert checked.steps[-1].fault is Fault.TOO_LARGE


def test_alternatives_and_premises_of_a_world_step_are_limited() -> None:
    alternatives = " | ".join(["Robert@S1", "Robert@S2"] * MOST_ALTERNATIVES)
    (verdict,) = check_with_truth(problem("world"), trace("world", [alternatives], ("scene",))).steps
    assert (verdict.support, verdict.fault) == ("unchecked", Fault.TOO_LARGE)
    assert f"{2 * MOST_ALTERNATIVES} alternatives" in (verdict.reason or "")
    cited = ("scene",) * (MOST_PREMISES + 1)
    (verdict,) = check_with_truth(problem("world"), trace("world", ["? = James"], cited)).steps
    assert verdict.fault is Fault.TOO_LARGE
    assert f"{MOST_PREMISES + 1} premises" in (verdict.reason or "")


def test_a_long_cot_is_checked_so_far_and_says_so() -> None:
    checked = check_with_truth(problem("cot"), trace("cot", ["3 * 4 = 13", *["so it goes on"] * 2000], answer="12"))
    assert checked.refuted
    assert checked.answer.reason is not None
    assert checked.answer.reason.endswith("only the first 20,000 were checked")
