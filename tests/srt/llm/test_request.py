from __future__ import annotations

from typing import Any

import pytest

from srt.io.records import Image
from srt.llm.request import JsonSchema, LlmRequest

SCHEMA = JsonSchema(name="trace", definition={"type": "object", "required": ["a"]})
PICTURE = Image(path="a.png", sha256="0" * 64)


@pytest.mark.parametrize(
    "same",
    [
        {"role": "checker"},
        {"problem_id": "another"},
        {"pictures": (PICTURE.model_copy(update={"path": "elsewhere/b.png"}),)},
        {"json_schema": JsonSchema(name="trace", definition={"required": ["a"], "type": "object"})},
    ],
)
def test_equal_content_has_an_equal_key(same: dict[str, Any], ask: Any) -> None:
    given = {"pictures": (PICTURE,), "json_schema": SCHEMA}
    assert ask(**given).key == ask(**{**given, **same}).key


def test_the_key_tells_every_field_apart_that_can_change_the_answer() -> None:
    told_apart = {"model", "system", "user", "pictures", "json_schema", "temperature", "max_tokens", "attempt"} | {
        "extra_body"
    }
    assert set(LlmRequest.model_fields) == told_apart | {"role", "problem_id", "before"}, "is the new field in the key?"


def test_the_key_is_that_of_journals_written_before(ask: Any) -> None:
    """Another key would pay for every journaled reply again."""
    request = ask(json_schema=SCHEMA, pictures=(PICTURE,), temperature=0.5)
    assert request.key == "262245642cd9b366619cd2e3f1f0083602fa2566b94fb7774b6750f70c845b2d"


@pytest.mark.parametrize(
    "other",
    [
        {"model": "x"},
        {"system": "x"},
        {"user": "x"},
        {"max_tokens": 1},
        {"attempt": 1},
        {"extra_body": {"reasoning_effort": "low"}},
        {"temperature": 0.5},
        {"pictures": ()},
        {"pictures": (PICTURE, PICTURE)},
        {"json_schema": None},
    ],
)
def test_other_content_has_another_key(other: dict[str, Any], ask: Any) -> None:
    request = ask(pictures=(PICTURE,), json_schema=SCHEMA)
    key = request.key
    assert request.model_copy(update=other).key != key  # also of a copy, after the key was asked for
