"""Each arm's text, its spans, and what removing an operation means."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from srt.io.errors import UserError
from srt.language.arms import ARMS, completion_text
from srt.language.text import linearize, parse
from srt.language.trace import OPERATIONS, Step, Trace

TRACE = Trace(
    id="t-1",
    problem_id="p",
    kind="world",
    lang="en",
    answer="C",
    steps=(
        Step(op="CORRELATE", args=("(1)",), claim="right(Ann) = Bob"),
        Step(op="CORRELATE", args=("question",), claim="? = right(Ann)"),
        Step(op="CONSTRAIN", args=("wlog", "#1"), claim="Ann@S1 & Bob@S2"),
        Step(op="INFER", args=("scene", "#2", "#3"), claim="?@S2"),
        Step(op="INFER", args=("#3", "#4"), claim="? = Bob"),
        Step(op="INFER", args=("A", "B", "#5"), claim="options = {C}"),
    ),
)
COT = Trace(id="t-1", problem_id="p", kind="cot", lang="en", answer="C", text="Bob is right of Ann.\nHence it is Bob.")


def text_of(arm: str) -> str:
    return completion_text(COT if arm.startswith("cot") else TRACE, arm)[0]


@pytest.mark.parametrize("arm", [name for name, arm in ARMS.items() if arm.build])
def test_every_arm_ends_with_the_answer_and_its_spans_tile_the_trace(arm: str) -> None:
    text, spans = completion_text(COT if arm.startswith("cot") else TRACE, arm)
    assert text.endswith("ANSWER: C")
    assert spans[-1].label == "ANSWER"
    assert text[spans[-1].start : spans[-1].end] == "ANSWER: C"
    for before, after in pairwise(spans):
        assert before.end == after.start
        assert text[before.end - 1] == "\n"


def test_the_srt_arm_is_the_linear_text() -> None:
    assert text_of("srt") == linearize(TRACE) == text_of("srt-ban-INFER")


def test_the_answer_arm_is_the_answer_alone() -> None:
    assert text_of("answer") == "ANSWER: C"


def test_dropping_an_operation_renumbers_and_forgets_its_references() -> None:
    assert text_of("srt-drop-CORRELATE").splitlines() == [
        "CONSTRAIN wlog: Ann@S1 & Bob@S2",
        "INFER scene #1: ?@S2",
        "INFER #1 #2: ? = Bob",
        "INFER A B #3: options = {C}",
        "ANSWER: C",
    ]


def test_unlabelled_keeps_everything_but_the_words() -> None:
    assert text_of("srt-unlabelled").splitlines()[:3] == [
        "(1): right(Ann) = Bob",
        "question: ? = right(Ann)",
        "wlog #1: Ann@S1 & Bob@S2",
    ]


def test_shuffled_keeps_frequencies_and_is_the_same_each_time() -> None:
    shuffled = parse(text_of("srt-shuffled")).steps
    assert Counter(s.op for s in shuffled) == Counter(s.op for s in TRACE.steps)
    assert [s.claim for s in shuffled] == [s.claim for s in TRACE.steps]
    assert [s.op for s in shuffled] != [s.op for s in TRACE.steps]
    assert text_of("srt-shuffled") == text_of("srt-shuffled")


def test_an_arm_that_does_not_exist_is_named() -> None:
    with pytest.raises(UserError, match=r"'srtt'.*srt-drop-INFER"):
        completion_text(TRACE, "srtt")
    with pytest.raises(UserError, match="'base'"):
        completion_text(TRACE, "base")
    with pytest.raises(UserError, match=r"t-1: .*'cot'.* world"):
        completion_text(TRACE, "cot")
    with pytest.raises(UserError, match=r"t-1: .*'srt'.* cot"):
        completion_text(COT, "srt")


def test_the_arms_that_forbid_a_word() -> None:
    assert {name: arm.ban for name, arm in ARMS.items() if arm.ban} == {f"srt-ban-{op}": op for op in OPERATIONS}
    assert {name: arm.shots for name, arm in ARMS.items() if arm.build is None} == {
        "base": None,
        **{f"base+{of}-shots": of for of in ("answer", "cot", "srt")},
    }
