"""A booth with a trace written by hand, and what the checker says of it: for the tests of verdicts."""

from __future__ import annotations

from srt.checking import check
from srt.io.records import Lang, Problem
from srt.language.text import parse
from srt.language.trace import StepCheck, Trace, TraceCheck

BOOTH = """Booth: Ann, Bob, Cal, Dan.
(1) Bob is right of Ann;
(2) Dan's left neighbour is Cal.
() faces the right neighbour of Ann."""
BOOTH_CHOICES = {"A": "Bob", "B": "Cal", "C": "Dan", "D": "None of the above"}
BOOTH_TRACE = """CORRELATE (1): right(Ann) = Bob
CORRELATE (2): left(Dan) = Cal
CORRELATE question: ? = across(right(Ann))
CONSTRAIN wlog #1: Ann@S1 & Bob@S2
CONSTRAIN scene #2 #4: Cal@N1 & Dan@N2
INFER #1 #3: ? = across(Bob)
INFER scene #4 #6: ?@N1
INFER #5 #7: ? = Cal
INFER A B C D #8: options = {B}
ANSWER: B"""


def run(question: str, choices: dict[str, str], text: str, lang: Lang = "en") -> TraceCheck:
    problem = Problem(id="p", source="made", split="test", lang=lang, question=question, choices=choices)
    parsed = parse(text)
    trace = Trace(id="t", problem_id="p", kind="world", lang=parsed.lang, steps=parsed.steps, answer=parsed.answer)
    return check(problem, trace)


def booth(text: str) -> TraceCheck:
    return run(BOOTH, BOOTH_CHOICES, text)


def step_of(text: str, question: str = BOOTH, choices: dict[str, str] | None = None) -> StepCheck:
    """The verdict on the last step of ``text``."""
    return run(question, choices or BOOTH_CHOICES, text.rstrip() + "\nANSWER: B").steps[-1]


def replaced(old: str, new: str) -> TraceCheck:
    assert old in BOOTH_TRACE
    return booth(BOOTH_TRACE.replace(old, new, 1))
