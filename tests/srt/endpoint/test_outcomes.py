from __future__ import annotations

import orjson
import pytest

from srt.endpoint.config import EndpointConfig
from srt.endpoint.errors import EndpointFault, RequestRejected
from srt.endpoint.messages import Reply
from srt.endpoint.outcomes import Failure, judge
from srt.endpoint.transport import Response

CONFIG = EndpointConfig(base_url="http://host/v1", api_key_env="KEY")


def judged(status: int, body: object, retry_after: str | None = None) -> Reply | Failure:
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    return judge(Response(status, retry_after, "http://elsewhere/", raw), 0.5, "m", CONFIG)


def completion(**message: object) -> dict[str, object]:
    return {"choices": [{"finish_reason": "stop", "message": message}], "usage": {"prompt_tokens": 7}}


def test_answers() -> None:
    assert judged(200, completion(content="hi")) == Reply(
        text="hi", finish_reason="stop", input_tokens=7, output_tokens=0, seconds=0.5
    )
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert judged(200, completion(content=parts)).text == "ab"  # type: ignore[union-attr]
    assert judged(200, completion(content=None, refusal="no")).refusal == "no"  # type: ignore[union-attr]
    bare = judged(200, {"choices": [{"message": {"content": None}}], "usage": None})
    assert bare == Reply(text="", finish_reason="unknown", input_tokens=0, output_tokens=0, seconds=0.5)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b'{"choices": [', [], 7, {}, {"choices": []}, {"choices": ["x"]}, {"choices": [{"message": 1}]}],
)
def test_what_is_no_completion_is_lost(body: object) -> None:
    outcome = judged(200, body)
    assert isinstance(outcome, Failure)
    assert outcome.lost


@pytest.mark.parametrize("status", [408, 409, 425, 500, 502, 503, 529])
def test_what_passes(status: int) -> None:
    assert judged(status, {"error": {"message": "busy"}}) == Failure(f"status {status}: busy")
    assert judged(status, b"", "7") == Failure(f"status {status}: ''", retry_after=7.0)


def test_throttled() -> None:
    assert judged(429, {"error": "slow"}, "2.5") == Failure("status 429: slow", throttled=True, retry_after=2.5)
    inside = judged(200, {"error": {"code": 429, "message": "slow"}})
    assert inside == Failure(inside.reason, throttled=True)  # type: ignore[union-attr]


@pytest.mark.parametrize("status", [400, 413, 422, 418])
def test_rejected(status: int) -> None:
    with pytest.raises(RequestRejected, match=f"m: status {status}: too long"):
        judged(status, {"detail": "too\nlong"})


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (401, {}, "environment variable KEY"),
        (403, {}, "environment variable KEY"),
        (402, {}, "no credit"),
        (429, {"error": {"code": "insufficient_quota", "message": "quota"}}, "no credit"),
        (404, {}, "no model 'm'"),
        (307, b"", "http://elsewhere/"),
        (200, {"error": {"code": 401, "message": "key"}}, "environment variable KEY"),
    ],
)
def test_the_end_of_the_run(status: int, body: object, told: str) -> None:
    with pytest.raises(EndpointFault, match=told) as caught:
        judged(status, body)
    assert str(caught.value).startswith("http://host/v1: ")
    assert "\n" not in str(caught.value)
