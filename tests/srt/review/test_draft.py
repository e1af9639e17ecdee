"""What is typed into the editor, read as a trace."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from taught_folder import BOOTH, RIGHT_BOOTH, RIGHT_BOX, box, trace_of

from srt.language.premises import localize
from srt.language.trace import Trace
from srt.review.draft import Draft, DraftFault, DraftStep, read_draft

FREE, WORLD = trace_of(box(), RIGHT_BOX), trace_of(BOOTH, RIGHT_BOOTH)
COT = trace_of(box(), "One layer has 12 cubes.\nANSWER: 24")


def draft_of(trace: Trace) -> Draft:
    """What the editor sends for a trace that nobody has touched."""
    rows = [
        DraftStep(
            op=step.op,
            premises=" ".join(localize(word, trace.lang) for word in step.args),
            text=step.assertion or step.claim or "",
        )
        for step in trace.steps
    ]
    return Draft(steps=tuple(rows), text=trace.text, answer=trace.answer)


@pytest.mark.parametrize("trace", [FREE, WORLD, COT], ids=["free", "world", "cot"])
def test_an_untouched_trace_comes_back_as_it_was(trace: Trace) -> None:
    problem = BOOTH if trace is WORLD else box()
    read = read_draft(draft_of(trace), problem, trace.kind, trace, "ada")
    assert read == trace.model_copy(update={"teacher": "ada"})


def test_chinese_premises_and_quoted_names() -> None:
    problem = box(lang="zh")
    row = DraftStep(op="CONSTRAIN", premises='题问，#1、"Monthly Rose" 场景', text="一层 12 个")
    read = read_draft(Draft(steps=(row,), answer="24"), problem, "free", None, "ada")
    assert isinstance(read, Trace)
    assert read.steps[0].args == ("question", "#1", '"Monthly Rose"', "scene")
    assert (read.id, read.teacher, read.lang) == ("box/person", "ada", "zh")


def test_letters_are_written_in_their_canonical_form() -> None:
    read = read_draft(draft_of(WORLD).model_copy(update={"answer": "c."}), BOOTH, "world", WORLD, "ada")
    assert isinstance(read, Trace)
    assert read.answer == "C"


def test_every_fault_is_told_at_its_place() -> None:
    rows = (
        DraftStep(op="INFER", premises="#0", text="x"),
        DraftStep(op="INFER", premises='"open', text="x"),
        DraftStep(op="INFER", premises="#1", text="  \n "),
    )
    faults = read_draft(Draft(steps=rows, answer=" "), box(), "free", None, "ada")
    assert isinstance(faults, list)
    assert [(f.step, f.field) for f in faults] == [(1, "premises"), (2, "premises"), (3, "text"), (None, "answer")]
    assert read_draft(Draft(answer="24"), box(), "free", None, "ada") == [
        DraftFault(None, "text", "a trace needs at least one step")
    ]


def test_a_claim_stays_with_the_words_it_was_found_in() -> None:
    claimed = FREE.steps[1].model_copy(update={"claim": "3*4 = 12"})
    old = FREE.model_copy(update={"steps": (FREE.steps[0], claimed, FREE.steps[2])})
    untouched, reworded = draft_of(old), draft_of(old)
    changed = reworded.steps[1].model_copy(update={"text": "a layer holds 12"})
    reworded = reworded.model_copy(update={"steps": (reworded.steps[0], changed, reworded.steps[2])})
    for draft, claim in ((untouched, "3*4 = 12"), (reworded, None)):
        read = read_draft(draft, box(), "free", old, "ada")
        assert isinstance(read, Trace)
        assert read.steps[1].claim == claim


@given(premises=st.text(max_size=30), text=st.text(max_size=30), answer=st.text(max_size=10))
def test_no_text_makes_it_raise(premises: str, text: str, answer: str) -> None:
    row = DraftStep(op="INFER", premises=premises, text=text)
    for kind, problem in (("free", box()), ("world", BOOTH)):
        read_draft(Draft(steps=(row,), answer=answer), problem, kind, None, "ada")  # type: ignore[arg-type]
