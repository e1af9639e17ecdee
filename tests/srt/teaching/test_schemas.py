"""Strict servers take every JSON schema of the loop: OpenAI, and the grammar compilers of vLLM and SGLang."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from srt.io.records import Problem
from srt.llm.request import JsonSchema, closed_object
from srt.teaching.loop.candidate import schema_of
from srt.teaching.loop.problem_loop import DESCRIPTION_SCHEMA
from srt.teaching.loop.reviewer import review_schema

PROBLEM = Problem(
    id="p", source="x", split="test", lang="en", question="(1) The edge is 4.\n(2) Its base is 3.\nThe height?",
    choices={"A": "4", "B": "3"},
)  # fmt: skip
STEP = {"op": "INFER", "premises": ["#1", "front view"]}
ISSUE = {"step": 2, "fault": "does_not_follow", "explanation": "\\sqrt{3} 不是 3", "suggested_fix": None}
REVIEW = {"token": "0123456789", "analysis": "1 holds.", "issues": [ISSUE, {**ISSUE, "step": None}]}
CASES: dict[str, tuple[JsonSchema, dict[str, Any]]] = {
    "free": (schema_of("srt", PROBLEM), {"token": "0", "steps": [{**STEP, "text": "h = 4"}], "answer": "12\\pi"}),
    "seating": (schema_of("seating", PROBLEM), {"token": "0", "steps": [{**STEP, "claim": "? = 甲"}], "answer": "C"}),
    "cot": (schema_of("cot", PROBLEM), {"token": "0", "text": "So\nh = 4.", "answer": "4"}),
    "review of free": (review_schema("free", 3), REVIEW),
    "review of cot": (review_schema("cot", 3), REVIEW),
    "review of a world": (review_schema("world", 3), REVIEW),
    "description": (DESCRIPTION_SCHEMA, {"token": "0", "description": "A cube."}),
}
"""Schemas, and an answer that is valid against each."""

_TYPES = {"string", "number", "boolean", "integer", "object", "array", "null"}
_KEYWORDS = {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "description",
             "title", "$ref", "$defs", "pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum",
             "exclusiveMaximum", "minItems", "maxItems"}  # fmt: skip


def strict_faults(schema: dict[str, Any], where: str = "", depth: int = 0) -> Iterator[str]:
    """What OpenAI's strict mode refuses in ``schema`` (its guide to structured outputs, "supported schemas")."""
    if depth > 10:
        yield f"{where}: more than 10 levels"
        return
    for keyword in schema.keys() - _KEYWORDS:
        yield f"{where}: {keyword} is not supported"
    types = schema.get("type", [])
    if not isinstance(types, list):
        types = [types]
    if not types and "anyOf" not in schema and "enum" not in schema and "$ref" not in schema:
        yield f"{where}: has no type"
    for unknown in set(types) - _TYPES:
        yield f"{where}: {unknown} is no type"
    if not where and (types != ["object"] or "anyOf" in schema):
        yield "the root is no object"
    if "object" in types:
        if schema.get("additionalProperties") is not False:
            yield f"{where}: additionalProperties is not false"
        if sorted(schema.get("required", [])) != sorted(schema.get("properties", {})):
            yield f"{where}: not every property is required"
    if "array" in types and "items" not in schema:
        yield f"{where}: has no items"
    inner = {**schema.get("properties", {}), **schema.get("$defs", {})}
    inner |= {"items": schema["items"]} if "items" in schema else {}
    inner |= {f"anyOf[{n}]": one for n, one in enumerate(schema.get("anyOf", []))}
    for name, one in inner.items():
        yield from strict_faults(one, f"{where}.{name}", depth + 1)


def sizes(schema: Any) -> tuple[int, int, int]:
    """Numbers of properties, of enum values, and of characters in the names of both."""
    properties = enums = characters = 0
    for one in _objects(schema):
        properties += len(one.get("properties", {}))
        enums += len(one.get("enum", []))
        characters += sum(map(len, one.get("properties", {}))) + sum(len(str(value)) for value in one.get("enum", []))
    return properties, enums, characters


def _objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from _objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _objects(value)


@pytest.mark.parametrize("name", CASES)
def test_openai_takes_it(name: str) -> None:
    schema, _ = CASES[name]
    assert list(strict_faults(schema.definition)) == []
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", schema.name)
    properties, enums, characters = sizes(schema.definition)
    assert (properties <= 100, enums <= 500, characters <= 15_000) == (True, True, True)  # The older, lower limits.


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        ({"type": "array", "items": {"type": "string"}}, "the root is no object"),
        ({**closed_object({"a": {"type": "string"}}), "required": []}, ": not every property is required"),
        ({"type": "object", "properties": {}, "required": []}, ": additionalProperties is not false"),
        (closed_object({"a": {"type": "string", "minLength": 1}}), ".a: minLength is not supported"),
        (closed_object({"a": {"type": "array"}}), ".a: has no items"),
        (closed_object({"a": {}}), ".a: has no type"),
    ],
)
def test_the_rules_refuse_what_openai_refuses(schema: dict[str, Any], fault: str) -> None:
    assert fault in list(strict_faults(schema))


@pytest.mark.parametrize("name", CASES)
def test_the_bounds_are_those_of_the_same_form(name: str) -> None:
    schema, _ = CASES[name]
    bounded = schema.bounded
    assert bounded is not None
    told = {fault.rpartition(": ")[2] for fault in strict_faults(bounded)}
    assert told == {"maxLength is not supported"}, "without these it is as strict as the other"
    for one in _objects(bounded):
        if one.get("type") == "array":
            assert one["maxItems"] <= 100
        if one.get("type") == "string":
            assert {"enum", "maxLength", "pattern"} & one.keys()
    assert "bounded" not in schema.model_dump()
    assert "maxLength" not in str(schema.definition), "keys of journals hold the definition"


def test_premises_that_exist() -> None:
    bounded = schema_of("srt", PROBLEM).bounded
    assert bounded is not None
    listed, name = bounded["properties"]["steps"]["items"]["properties"]["premises"]["items"]["anyOf"]
    assert {"(1)", "(2)", "#1", "#99", "question", "scene", "A", "B"} <= set(listed["enum"])
    assert not {"(3)", "#100", "C"} & set(listed["enum"])
    for word in ("front view", "△ABC", "甲", "Ann's cube"):
        assert re.search(name["pattern"], word)
    for word in ("(3)", "#100", "[1]", "1", "step\n2", "x" * 50):
        assert not re.search(name["pattern"], word)


def spoilt(valid: dict[str, Any]) -> Iterator[str]:
    """Answers in another form, as text."""
    yield json.dumps(dict(list(valid.items())[:-1]), ensure_ascii=False)
    yield json.dumps({**valid, "more": 1}, ensure_ascii=False)
    if "issues" in valid:
        yield json.dumps({key: valid[key] for key in ("token", "issues", "analysis")}, ensure_ascii=False)
        yield json.dumps({**valid, "issues": [{**ISSUE, "fault": "sloppy"}]}, ensure_ascii=False)


@pytest.mark.parametrize("bounds", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_llguidance_compiles_it(name: str, bounds: bool) -> None:
    llguidance = pytest.importorskip("llguidance", reason="llguidance is not installed")
    schema, valid = CASES[name]
    grammar = llguidance.LLMatcher.grammar_from_json_schema(schema.bounded if bounds else schema.definition)
    tokenizer = llguidance.LLTokenizer("byte")

    def takes(text: str) -> bool:
        matcher = llguidance.LLMatcher(tokenizer, grammar)
        assert matcher.get_error() == ""
        tokens = tokenizer.tokenize_str(text)
        return matcher.try_consume_tokens(tokens) == len(tokens) and bool(matcher.is_accepting())

    assert takes(json.dumps(valid, ensure_ascii=False))
    for text in spoilt(valid):
        assert not takes(text), text


@pytest.mark.parametrize("bounds", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_xgrammar_compiles_it(name: str, bounds: bool) -> None:
    xgrammar = pytest.importorskip("xgrammar", reason="xgrammar is not installed; vLLM brings it")
    schema, valid = CASES[name]
    vocabulary = [bytes([byte]) for byte in range(256)] + [b"</s>"]
    info = xgrammar.TokenizerInfo(vocabulary, vocab_type=xgrammar.VocabType.RAW, stop_token_ids=[256])
    compiled = xgrammar.GrammarCompiler(info).compile_json_schema(
        json.dumps(schema.bounded if bounds else schema.definition), strict_mode=True
    )

    def takes(text: str) -> bool:
        matcher = xgrammar.GrammarMatcher(compiled)
        return matcher.accept_string(text.encode()) and matcher.accept_token(256)

    assert takes(json.dumps(valid, ensure_ascii=False))
    for text in spoilt(valid):
        assert not takes(text), text
