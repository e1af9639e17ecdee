"""Text that is meant to hang or to fill the memory: bounded in both, and never equal to gold."""

from __future__ import annotations

import time

import pytest

from srt.answers.equality import LENIENT, equal, unreadable_gold
from srt.answers.extraction import extract
from srt.io.records import Answer, Problem

GOLD = [
    Answer(kind="number", value=3, unit="cm"),
    Answer(kind="expression", value="x^{2}+1"),
    Answer(kind="text", value="the (1) 4 cm; (2) 5"),
    Answer(kind="parts", value=[{"kind": "number", "value": 1}, {"kind": "text", "value": "b"}]),
    Answer(kind="choice_set", value=["A"]),
    Answer(kind="sequence", value=["L", "R"]),
]
TEXTS = [
    "{" * 20_000 + "}" * 20_000,
    "(" * 20_000,
    "\\frac{" * 5_000,
    "\\sqrt{" * 3_000 + "2" + "}" * 3_000,
    "10^10^10",
    "10^{10^{10}}",
    "9" * 50_000,
    "1e999999999",
    "((2^{500})!)!",
    "aaaa " * 10_000,
    "A B " * 10_000,
    " " * 50_000 + "x",
    "1" + " " * 50_000 + "x",
    "\\text{" * 10_000,
    "ANSWER: " * 10_000,
    "\\boxed{" * 10_000,
    "the answer is " * 5_000,
    "the correct " * 10_000,
    "(1)" * 10_000,
    "1 or " * 10_000,
    "= " * 20_000,
    "is " * 20_000 + "5",
    "1 " + "cm/" * 10_000,
    "<b>" * 20_000,
    "\n" * 50_000,
    "5" + "\n" * 3_900 + "(2) 6",
    '{"answer":' * 10_000,
    "1, " * 20_000,
    "\\ab" * 26 + "& = 5",
]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:14])
def test_bounded(text: str) -> None:
    """Seconds of the processor, far above what is needed: a pattern that backtracks takes minutes."""
    began = time.process_time()
    for gold in GOLD:
        problem = Problem(id="p", source="s", split="test", lang="en", question="how many cm", answer=gold)
        extract(text, problem)
        extract(f"ANSWER: {text}", problem)
        assert not equal(gold, text, question="cm", policy=LENIENT).equal
    unreadable_gold(Answer(kind="expression", value=text))
    assert time.process_time() - began < 10
