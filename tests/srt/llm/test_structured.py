from __future__ import annotations

import asyncio
import contextlib
import json
import time
from types import ModuleType
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srt.llm.llm_errors import RequestRejected
from srt.llm.request import JsonSchema, closed_object, within
from srt.llm.structured_output import read_json
from tests.simulated_time import simulate

SCHEMA = JsonSchema(name="trace", definition={"type": "object", "properties": {"answer": {"type": "string"}}})


@pytest.mark.parametrize(
    ("faults", "config", "refused", "form", "in_prompt"),
    [
        ({}, {}, 0, "json_schema", False),
        ({"structured": "json_object"}, {}, 1, "json_object", True),
        ({"structured": "prompt"}, {}, 2, None, True),
        ({"structured": "prompt"}, {"structured": "prompt"}, 0, None, True),
        ({"token_limit": "max_completion_tokens"}, {}, 1, "json_schema", False),
    ],
)
def test_what_a_server_lacks_costs_calls_once_for_a_model(
    faults: dict[str, Any],
    config: dict[str, Any],
    refused: int,
    form: str | None,
    in_prompt: bool,
    fake_endpoint: ModuleType,
    open_client: Any,
    ask: Any,
) -> None:
    async def run() -> list[dict[str, Any]]:
        async with fake_endpoint.FakeEndpoint(faults=fake_endpoint.Faults(**faults), delay=0.01) as fake:
            fake.bodies = []
            async with open_client(fake.url, **config) as opened:
                asked = [opened.client.ask(ask(n, json_schema=SCHEMA)) for n in range(40)]
                other = JsonSchema(name="review", definition={"type": "object"})
                await asyncio.gather(*asked)
                await asyncio.gather(*(opened.client.ask(ask(n, json_schema=other)) for n in range(9)))
                assert sum(1 for _ in opened.journal.read("SELECT key FROM requests")) == 49
            assert fake.outcomes["400"] == refused
            assert fake.outcomes["ok"] == 49
            return list(fake.bodies)

    last = simulate(run())[-1]
    assert last.get("response_format", {}).get("type") == form
    assert ("JSON Schema" in last["messages"][0]["content"]) == in_prompt


def test_a_bad_request_teaches_nothing(fake_endpoint: ModuleType, open_client: Any, ask: Any) -> None:
    """A picture too large, a text too long: all forms are refused, and the next request begins with the schema."""

    class Picky(fake_endpoint.FakeEndpoint):  # type: ignore[misc]
        def refusal_of(self, headers: bytes, body: dict[str, Any]) -> tuple[int, str] | None:
            return (400, "too long") if "problem bad" in str(body["messages"]) else super().refusal_of(headers, body)

    async def run() -> None:
        async with Picky() as fake:
            fake.bodies = []
            async with open_client(fake.url) as opened:
                with pytest.raises(RequestRejected, match="too long"):
                    await opened.client.ask(ask("bad", json_schema=SCHEMA))
                await opened.client.ask(ask("good", json_schema=SCHEMA))
                with pytest.raises(RequestRejected, match="too long"):
                    await opened.client.ask(ask("bad", json_schema=SCHEMA))
            assert fake.outcomes == {"400": 4, "ok": 1}  # known by now: the last bad one cost a single call
            assert fake.bodies[3]["response_format"]["type"] == "json_schema"

    simulate(run())


REQUIRED = closed_object({"answer": {"type": "string"}})
BOUNDED = JsonSchema(name="trace", definition=REQUIRED, bounded=within(REQUIRED, {"answer": 9}))


def heeds_the_prompt(body: dict[str, Any], rng: Any) -> str:
    """A server that takes a schema and ignores it: the model knows of one only by the prompt."""
    return '{"answer": "B"}' if "JSON Schema" in body["messages"][0]["content"] else "I would say B."


def test_a_schema_that_is_ignored_goes_into_the_prompt(
    fake_endpoint: ModuleType, open_client: Any, ask: Any, capsys: Any
) -> None:
    async def run() -> None:
        async with fake_endpoint.FakeEndpoint(responder=heeds_the_prompt) as fake:
            async with open_client(fake.url) as opened:
                replies = await asyncio.gather(*(opened.client.ask(ask(n, json_schema=BOUNDED)) for n in range(20)))
                other = BOUNDED.model_copy(update={"name": "review"})
                replies.append(await opened.client.ask(ask(99, json_schema=other)))
            assert [reply.text for reply in replies].count("I would say B.") == 1, "one reply shows it"

    simulate(run())
    assert capsys.readouterr().err.count("ignores the JSON schema") == 1


def test_a_schema_without_its_bounds_is_the_next_to_try(fake_endpoint: ModuleType, open_client: Any, ask: Any) -> None:
    class Strict(fake_endpoint.FakeEndpoint):  # type: ignore[misc]
        def refusal_of(self, headers: bytes, body: dict[str, Any]) -> tuple[int, str] | None:
            return (400, "'maxLength' is not permitted") if "maxLength" in str(body) else None

    async def run() -> None:
        async with Strict(responder=lambda body, rng: '{"answer": "B"}') as fake:
            fake.bodies = []
            async with open_client(fake.url) as opened:
                await asyncio.gather(*(opened.client.ask(ask(n, json_schema=BOUNDED)) for n in range(20)))
                other = BOUNDED.model_copy(update={"name": "review"})
                await opened.client.ask(ask(99, json_schema=other))
            assert fake.outcomes == {"400": 1, "ok": 21}
            assert all(body["response_format"]["type"] == "json_schema" for body in fake.bodies)
            assert fake.bodies[-1]["response_format"]["json_schema"]["schema"] == REQUIRED

    simulate(run())


def test_bounds_are_in_no_key(ask: Any) -> None:
    plain = BOUNDED.model_copy(update={"bounded": None})
    assert ask(json_schema=BOUNDED).keys == ask(json_schema=plain).keys


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('  {"a": {"b": [1, {"c": 2}]}}\n', {"a": {"b": [1, {"c": 2}]}}),
        ('Here it is:\n```json\n{"a": 1}\n```\nDone {x}.', {"a": 1}),
        ('```\n{"a": 1}\n```', {"a": 1}),
        ('<think>{"draft": 1} is wrong</think>{"a": 1}', {"a": 1}),
        ('{"draft": 1} is wrong\n</think>\n\n{"a": 1}', {"a": 1}),
        (r'So \frac{1}{2} and {1, 2}; {"a": "}{", "b": "\\{"} it is.', {"a": "}{", "b": "\\{"}),
        ('First {"a": 1}, then the whole {"a": 1, "b": 2}.', {"a": 1, "b": 2}),
        ("{1}" * 500 + '{"a": 1}', {"a": 1}),
    ],
)
def test_the_object_is_found(text: str, found: dict[str, Any]) -> None:
    assert read_json(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<think>done</think>  ",
        '<think>{"a": 1}',
        "I cannot do that {sorry}.",
        '[{"a": 1}]',
        '{"steps": [{"op": "INFER"}, {"op": "INF',  # a part of a broken object is no answer
        '{"a": NaN}',
        r'{"a": "\ud800"}',
        '{"a": 1}' + "x" * 1_000_001,
    ],
)
def test_what_holds_no_object(text: str) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - for the model, which is asked again
        read_json(text)
    assert 0 < len(str(raised.value)) < 200


@settings(max_examples=200)
@given(st.text(alphabet='{}[]",:\\`ab1 \n<>/think', max_size=60))
def test_any_text_is_an_object_or_a_reason(text: str) -> None:
    try:
        found = read_json(text)
    except ValueError:
        return
    assert isinstance(found, dict)
    orjson.dumps(found)


words = st.text(alphabet="ab .,{}$\\", max_size=20)
# Control characters may be LaTeX commands in disguise, and two backslashes one: tests/srt/llm/test_latex_escapes.py.
characters = st.characters(exclude_characters="\b\f\t\r\n", exclude_categories=["Cs"])
values = st.text(characters, max_size=20).filter(lambda text: r"\\" not in text)


@given(found=st.dictionaries(st.text(max_size=5), values, min_size=1), before=words, after=words)
def test_an_object_between_words(found: dict[str, str], before: str, after: str) -> None:
    text = before.rstrip("{ ") + " " + json.dumps(found) + after
    assert read_json(text) == found


@pytest.mark.parametrize(
    "text", ['{"a":' * 190_000, "{" * 999_999, '{"a":1} ' * 120_000, '```{"' * 190_000, '"{' * 490_000, "{ " * 490_000]
)
def test_hostile_text_takes_no_time(text: str) -> None:
    began = time.process_time()
    with contextlib.suppress(ValueError):
        read_json(text)
    assert time.process_time() - began < 2.0
