"""Replies that were written, and perhaps billed, but come back as an error, in pieces or not at all."""

from __future__ import annotations

from typing import Any

import orjson

from tests.billing.endpoint import Call, Generated


def _half(call: Call, status: int, body: bytes | None = None) -> Generated:
    """Half of all replies are generated and lost behind ``status``."""
    found = call.full()
    if call.dice.random() < 0.5:
        found.status, found.body = status, body
    return found


def _error(code: Any, message: str = "the provider failed", **more: Any) -> bytes:
    return orjson.dumps({"error": {"code": code, "message": message}, **more})


def lost_behind_502(call: Call) -> Generated:
    return _half(call, 502)


def lost_behind_500(call: Call) -> Generated:
    return _half(call, 500)


def throttled_in_a_200(call: Call) -> Generated:
    """A gateway's provider throttles in mid-reply: status 200, a 429 inside, billed."""
    return _half(call, 200, _error(429))


def lost_behind_503(call: Call) -> Generated:
    """Envoy: the connection to the server broke after the request had reached it."""
    return _half(call, 503, b"upstream connect error or disconnect/reset before headers")


def lost_behind_529(call: Call) -> Generated:
    return _half(call, 529)


def lost_behind_522(call: Call) -> Generated:
    return _half(call, 522, b"<html><title>522: Connection timed out</title></html>")


def lost_behind_409(call: Call) -> Generated:
    return _half(call, 409)


def lost_behind_425(call: Call) -> Generated:
    return _half(call, 425)


def lost_behind_a_wait(call: Call) -> Generated:
    found = _half(call, 503)
    found.headers = {"Retry-After": "2"}
    return found


def filtered_after_writing(call: Call) -> Generated:
    """Azure: status 400 of the content filter, prompt and completion billed."""
    return _half(call, 400, _error("content_filter", "The response was filtered: content management policy."))


def moderated_after_writing(call: Call) -> Generated:
    return _half(call, 403, _error(403, "flagged by moderation"))


def too_long_but_billed(call: Call) -> Generated:
    """Azure: status 400 because of the input limit; the prompt is billed."""
    found = _half(call, 400, _error("context_length_exceeded", "maximum context length is 8192 tokens"))
    found.written = 0 if found.body else found.written
    return found


def failed_400_in_a_200(call: Call) -> Generated:
    return _half(call, 200, _error(400))


def failed_503_in_a_200(call: Call) -> Generated:
    return _half(call, 200, _error(503))


def failed_in_words_in_a_200(call: Call) -> Generated:
    return _half(call, 200, b'{"error": "overloaded"}')


def no_choices(call: Call) -> Generated:
    return _half(call, 200, b'{"choices": [], "usage": null}')


def accepted_202(call: Call) -> Generated:
    return _half(call, 202, b"")


def partial_206(call: Call) -> Generated:
    return _half(call, 206, b'{"choices": [{"message": {"content": "x"')


def unknown_status_460(call: Call) -> Generated:
    return _half(call, 460)


def breaks_off_in_the_body(call: Call) -> Generated:
    found = call.full()
    found.status = -2 if call.dice.random() < 0.5 else 200
    return found


def streams_unasked(call: Call) -> Generated:
    return _half(call, 200, b'data: {"choices": [{"delta": {"content": "x"}}]}\n\ndata: [DONE]\n\n')


def counted_in_an_error(call: Call) -> Generated:
    """The error tells what it cost."""
    found = _half(call, 200)
    if call.dice.random() < 0.5:
        found.status, found.body = 500, _error(500, usage=found.usage)
    return found


def lost_behind_405(call: Call) -> Generated:
    return _half(call, 405)


def lost_behind_410(call: Call) -> Generated:
    return _half(call, 410)


def lost_behind_451(call: Call) -> Generated:
    return _half(call, 451)


def redirected(call: Call) -> Generated:
    found = _half(call, 307, b"")
    found.headers = {"Location": "/elsewhere"}
    return found


def throttled_unbilled(call: Call) -> Generated:
    """A true 429: nothing was generated, and nothing is billed or booked."""
    found = call.plain()
    if call.dice.random() < 0.3:
        found.status, found.body, found.billed = 429, _error("rate_limit_exceeded", "slow down"), False
    return found


def refused_unbilled(call: Call) -> Generated:
    """A true 400: the request was not read to its end."""
    found = call.plain()
    if call.dice.random() < 0.3:
        found.status, found.body, found.billed = 400, _error("invalid_request", "messages: too many"), False
    return found
