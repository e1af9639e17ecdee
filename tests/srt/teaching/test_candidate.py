"""From a model's JSON to a trace: generous with how premises are written, never a crash, nothing silently dropped."""

from __future__ import annotations

from contextlib import suppress
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srt.io.record_lines import dump
from srt.language.faults import Fault
from srt.language.premises import parse_premise
from srt.llm.exchange import Outcome, Unusable
from srt.llm.prompt_templates import token_of
from srt.teaching.loop.candidate import form_of, read_candidate, read_premise, schema_of


@pytest.mark.parametrize(
    ("word", "premises"),
    [
        ("#2", ["#2"]),
        ("step 2", ["#2"]),
        ("Step #2", ["#2"]),
        ("2", ["#2"]),
        ("第2步", ["#2"]),
        ("步骤 2", ["#2"]),
        ("(1)", ["(1)"]),
        ("（1）", ["(1)"]),
        ("①", ["(1)"]),
        ("given 1", ["(1)"]),
        ("Clue (3)", ["(3)"]),
        ("条件1", ["(1)"]),
        ("steps 1, 2 and 3", ["#1", "#2", "#3"]),
        ("steps 2-4", ["#2", "#3", "#4"]),
        ("#1 #2", ["#1", "#2"]),
        ("(1), (2)", ["(1)", "(2)"]),
        ("A", ["A"]),
        ("option B", ["B"]),
        ("选项C", ["C"]),
        ("A, B, C, D", ["A", "B", "C", "D"]),
        ("the question", ["question"]),
        ("题问", ["question"]),
        ("scene", ["scene"]),
        ("the figure", ["scene"]),
        ("不妨设", ["wlog"]),
        ("front view", ['"front view"']),
        ("AB", ["AB"]),
        ("主视图", ["主视图"]),
    ],
)
def test_premises_as_models_write_them(word: str, premises: list[str]) -> None:
    assert list(read_premise(word)) == premises


@given(st.text())
def test_any_word_is_read_as_premises_or_refused(word: str) -> None:
    try:
        premises = read_premise(word)
    except ValueError:
        return
    for premise in premises:
        parse_premise(premise)


def read(cubes: ModuleType, payload: dict[str, Any], form: str = "srt") -> Any:
    return read_candidate(payload, cubes.problem(3), form, "t", "m")  # type: ignore[arg-type]


def step(**changes: Any) -> dict[str, Any]:
    return {"op": "INFER", "premises": ["(1)"], "text": "a = 3"} | changes


def test_what_cannot_be_read_of_a_step_is_an_issue(cubes: ModuleType) -> None:
    found = read(cubes, {"steps": [step(premises=["(1)", "step 0", "", "1/2"])], "answer": "27"})
    assert found.trace.steps[0].args == ("(1)",)
    assert [(issue.step, issue.fault, issue.by) for issue in found.issues] == [(1, Fault.MALFORMED, "machine")] * 3


@pytest.mark.parametrize(
    ("payload", "outcome"),
    [
        ({}, Outcome.MALFORMED),
        ({"steps": [], "answer": "27"}, Outcome.EMPTY),
        ({"steps": [step()], "answer": " "}, Outcome.EMPTY),
        ({"steps": [step()]}, Outcome.MALFORMED),
        ({"steps": "a = 3", "answer": "27"}, Outcome.MALFORMED),
        ({"steps": [step(op="GUESS")], "answer": "27"}, Outcome.MALFORMED),
        ({"steps": [step(text="")], "answer": "27"}, Outcome.MALFORMED),
        ({"steps": [step(text=None)], "answer": "27"}, Outcome.MALFORMED),
        ({"steps": [step(premises={"a": 1})], "answer": "27"}, Outcome.MALFORMED),
        ({"steps": [3], "answer": "27"}, Outcome.MALFORMED),
        ({"steps": [step()] * 101, "answer": "27"}, Outcome.MALFORMED),
    ],
)
def test_what_is_no_trace(cubes: ModuleType, payload: dict[str, Any], outcome: Outcome) -> None:
    with pytest.raises(Unusable) as raised:
        read(cubes, payload)
    assert raised.value.outcome is outcome


def test_numbers_as_answers_and_prose(cubes: ModuleType) -> None:
    assert read(cubes, {"steps": [step()], "answer": 27}).trace.answer == "27"
    cot = read(cubes, {"text": "a = 3.\n\nSo V = 27.", "answer": "27"}, "cot").trace
    assert (cot.kind, cot.steps) == ("cot", ())
    world = read(cubes, {"steps": [{"op": "infer", "premises": [], "claim": "? = James"}], "answer": "C"}, "seating")
    assert (world.trace.kind, world.trace.steps[0].claim) == ("world", "? = James")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["op", "premises", "text"]), inner),
    max_leaves=12,
)


@given(st.fixed_dictionaries({}, optional={"steps": json_values, "answer": json_values, "text": json_values}))
@settings(max_examples=80)
def test_no_payload_is_more_than_unusable(cubes: ModuleType, payload: dict[str, Any]) -> None:
    for form in ("srt", "cot", "seating"):
        with suppress(Unusable):
            dump(read(cubes, payload, form).trace)


def test_half_a_surrogate_pair_can_be_written_down(cubes: ModuleType) -> None:
    found = read(cubes, {"steps": [step(text="a = 3 \ud800", premises=["\ud800x"])], "answer": "27\udfff"})
    dump(found.trace)


def test_tokens_tell_problems_apart(cubes: ModuleType) -> None:
    one = cubes.problem(3)
    assert len({token_of(one), token_of(cubes.problem(4)), token_of(one.model_copy(update={"id": "other"}))}) == 3


def test_forms(cubes: ModuleType) -> None:
    assert form_of(cubes.problem(3), "cot") == "cot"
    assert form_of(cubes.problem(3), "srt") == "srt"
    for form in ("srt", "cot", "seating"):
        definition = schema_of(form, cubes.problem(3)).definition  # type: ignore[arg-type]
        assert definition["additionalProperties"] is False
        assert set(definition["required"]) == set(definition["properties"])
