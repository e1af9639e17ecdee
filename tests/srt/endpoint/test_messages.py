from __future__ import annotations

from typing import Any

import pytest

from srt.endpoint.messages import JsonSchema
from srt.records import Image

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


@pytest.mark.parametrize(
    "other",
    [
        {"model": "x"},
        {"system": "x"},
        {"user": "x"},
        {"max_tokens": 1},
        {"attempt": 1},
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
