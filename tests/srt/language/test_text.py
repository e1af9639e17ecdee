"""What is to survive linearize and parse survives; nothing makes the parser raise anything but its own error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from srt.language.premises import entity_word
from srt.language.text import MARKERS, TraceSyntaxError, linearize, parse
from srt.language.trace import OPERATIONS, Step, Trace, one_line, prose

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
TRICKY = st.sampled_from(
    [
        "ANSWER: C",
        "CORRELATE",
        "INFER: x",
        "答案: A",
        "推断 #1: x",
        "\\INFER",
        "\\\\ANSWER: x",
        "x [claim: y]",
        " - ",
        ": ",
    ]
)
LINE = st.one_of(TEXT, TRICKY).map(one_line).filter(bool)
LANG = st.sampled_from(["en", "zh"])
PREMISE = st.one_of(
    st.integers(1, 40).map(lambda k: f"({k})"),
    st.integers(1, 40).map(lambda k: f"#{k}"),
    st.sampled_from(["scene", "wlog", "question", "A", "D"]),
    st.one_of(TEXT.filter(bool), st.sampled_from(["Monthly Rose", "A", "scene", "场景", "(1)", '"', "王处一"])).map(
        entity_word
    ),
)


def steps(kind: str) -> st.SearchStrategy[tuple[Step, ...]]:
    free_claim = st.none() | LINE.filter(lambda claim: " [claim: " not in f" {claim}")
    fields = {"claim": LINE} if kind == "world" else {"assertion": LINE, "claim": free_claim}
    step = st.builds(Step, op=st.sampled_from(OPERATIONS), args=st.lists(PREMISE, max_size=4).map(tuple), **fields)
    return st.lists(step, min_size=1, max_size=6).map(tuple)


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    kind = draw(st.sampled_from(["world", "free", "cot"]))
    told = st.lists(st.one_of(TEXT, TRICKY), min_size=1, max_size=4).map("\n".join).map(prose).filter(bool)
    body = {"text": draw(told)} if kind == "cot" else {"steps": draw(steps(kind))}
    return Trace(id="t", problem_id="p", kind=kind, lang=draw(LANG), answer=draw(LINE), **body)


@given(traces())
def test_parse_gives_back_what_linearize_wrote(trace: Trace) -> None:
    back = parse(linearize(trace))
    assert (back.kind, back.lang, back.steps, back.text, back.answer) == (
        trace.kind,
        trace.lang,
        trace.steps,
        trace.text,
        trace.answer,
    )


@given(traces())
def test_json_gives_back_the_trace(trace: Trace) -> None:
    assert Trace.model_validate_json(trace.model_dump_json(exclude_defaults=True)) == trace


SNIPPET = st.sampled_from(
    [
        *MARKERS["en"].values(),
        *MARKERS["zh"].values(),
        ": ",
        " - ",
        " ",
        "\n",
        '"',
        "#1",
        "(2)",
        "[claim: ",
        "]",
        "A",
        "\\",
    ]
)


@given(st.one_of(st.text(max_size=200), st.lists(SNIPPET, max_size=30).map("".join)))
def test_only_its_own_error_with_a_place(text: str) -> None:
    caught: TraceSyntaxError | None = None
    try:
        back = parse(text)
    except TraceSyntaxError as error:
        caught = error
    if caught is not None:
        assert 1 <= caught.line <= text.count("\n") + 1
        assert caught.column >= 1
        assert str(caught).startswith(f"line {caught.line}, column {caught.column}: ")
        return
    again = Trace(
        id="t", problem_id="p", kind=back.kind, lang=back.lang, steps=back.steps, text=back.text, answer=back.answer
    )
    assert parse(linearize(again)) == back


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("", 1, 1),
        ("ANSWER: ", 1, 1),
        ("ANSWER: C", 1, 1),
        ("INFER #1: x", 1, 1),
        ("INFER #1: x\nFERRIN #1: y\nANSWER: C", 2, 1),
        ("INFER #0: x\nANSWER: C", 1, 7),
        ("INFER #1 x\nANSWER: C", 1, 11),
        ('INFER "Monthly: x\nANSWER: C', 1, 7),
        ("INFER #1: \nANSWER: C", 1, 11),
        ("INFER #1: x\nINFER #1 - y\nANSWER: C", 2, 1),
        ("推断 #1: x\nANSWER: C", 1, 1),
        ("So it is\nINFER #1: x\nANSWER: C", 2, 1),
    ],
)
def test_errors_name_the_place(text: str, line: int, column: int) -> None:
    with pytest.raises(TraceSyntaxError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
