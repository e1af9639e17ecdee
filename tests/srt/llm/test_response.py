from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from srt.llm.config import EndpointConfig
from srt.llm.endpoint.response import Failure, Response, read_response, read_retry_after, refused_parameters
from srt.llm.llm_errors import EndpointFault, RequestRejected
from srt.llm.request import Reply

CONFIG = EndpointConfig(base_url="http://host/v1", api_key_env="KEY")


def judged(status: int, body: object, retry_after: str | None = None) -> Reply | Failure:
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    return read_response(Response(status, retry_after, "http://elsewhere/", raw), 0.5, "m", CONFIG)


def completion(**message: object) -> dict[str, Any]:
    return {"choices": [{"finish_reason": "stop", "message": message}], "usage": {"prompt_tokens": 7}}


def test_answers() -> None:
    assert judged(200, completion(content="hi")) == Reply(
        text="hi", finish_reason="stop", input_tokens=7, output_tokens=0, counted=False, seconds=0.5
    )
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert judged(200, completion(content=parts)).text == "ab"  # type: ignore[union-attr]
    assert judged(200, completion(content=None, refusal="no")).refusal == "no"  # type: ignore[union-attr]
    bare = judged(200, {"choices": [{"message": {"content": None}}], "usage": None})
    assert bare == Reply(text="", finish_reason="stop", input_tokens=0, output_tokens=0, counted=False, seconds=0.5)


@pytest.mark.parametrize(
    "page", [b"<!doctype html>\n<html>", b"\n  <HTML><body>Open WebUI", b"\xef\xbb\xbf<html>", b"<?xml version='1.0'?>"]
)
def test_a_web_page_instead_of_an_api_ends_the_run(page: bytes) -> None:
    response = Response(200, None, None, page)
    outcome = read_response(response, 0.5, "m", CONFIG, is_api=False)
    assert isinstance(outcome, Failure)
    assert isinstance(outcome.error, EndpointFault)
    assert str(outcome.error).startswith("http://host/v1: answers with a web page")
    assert "base_url should end in /v1" in str(outcome.error)
    later = read_response(response, 0.5, "m", CONFIG, is_api=True)
    assert isinstance(later, Failure)
    assert later.error is None, "a gateway's page passes"
    torn = read_response(Response(200, None, None, b'{"choices": ['), 0.5, "m", CONFIG, is_api=False)
    assert isinstance(torn, Failure)
    assert torn.error is None


def test_a_page_that_takes_no_post_ends_the_run() -> None:
    outcome = judged(405, b"Method Not Allowed")
    assert isinstance(outcome, Failure)
    assert isinstance(outcome.error, EndpointFault)
    assert "base_url should end in /v1" in str(outcome.error)


@pytest.mark.parametrize("content", [5, True, {"text": 5}, [5, None], [{"type": "text", "text": 7}]])
def test_content_that_is_no_text_is_no_answer(content: object) -> None:
    outcome = judged(200, completion(content=content))
    assert isinstance(outcome, Failure)
    assert outcome.lost


@pytest.mark.parametrize("number", ["9" * 5000, "1e999", "-1e999", "NaN", "Infinity"])
def test_a_number_that_is_none_spoils_no_reply(number: str) -> None:
    """Only the count is lost: the text was paid for."""
    body = orjson.dumps(completion(content="hi")).replace(b"7", number.encode())
    reply = judged(200, b"\xef\xbb\xbf" + body)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.input_tokens) == ("hi", 0)


@pytest.mark.parametrize("logprobs", [5, "x", {"content": 5}, {"content": "ab"}, {"content": [1]}])
def test_log_probabilities_of_another_shape_are_none(logprobs: object) -> None:
    body = completion(content="hi")
    body["choices"][0]["logprobs"] = logprobs
    reply = judged(200, body)
    assert isinstance(reply, Reply)
    assert reply.choices[0].logprobs == ()


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b'{"choices": [', [], 7, {}, {"choices": []}, {"choices": ["x"]}, {"choices": [{"message": 1}]}],
)
def test_what_is_no_completion_is_lost(body: object) -> None:
    outcome = judged(200, body)
    assert isinstance(outcome, Failure)
    assert outcome.lost


@pytest.mark.parametrize(
    ("usage", "written", "thought"),
    [
        ({"completion_tokens": 5}, 5, None),
        ({"completion_tokens": 5, "total_tokens": 12}, 5, None),
        ({"completion_tokens": 5, "total_tokens": 12, "completion_tokens_details": {"reasoning_tokens": 3}}, 5, 3),
        (
            {"completion_tokens": 5, "total_tokens": 112, "completion_tokens_details": {"reasoning_tokens": 100}},
            105,
            100,
        ),
        ({"completion_tokens": 5, "total_tokens": 112}, 105, 100),
        ({"completion_tokens": 0, "total_tokens": 107}, 100, 100),
        ({"completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 100}}, 105, 100),
        ({"completion_tokens": 5, "total_tokens": 3}, 5, None),
    ],
)
def test_thinking_that_is_counted_beside_the_completion(usage: dict[str, object], written: int, thought: int) -> None:
    reply = judged(200, {**completion(content="x"), "usage": {"prompt_tokens": 7, **usage}})
    assert isinstance(reply, Reply)
    assert (reply.input_tokens, reply.output_tokens, reply.reasoning_tokens) == (7, written, thought)


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        ("eos", "stop"),
        ("eos_token", "stop"),
        ("stop_sequence", "stop"),
        ("end_turn", "stop"),
        ("STOP", "stop"),
        (None, "stop"),
        ("MAX_TOKENS", "length"),
        ("model_length", "length"),
        ("SAFETY", "SAFETY"),
        ("done", "done"),
    ],
)
def test_words_for_how_a_text_ended(word: str | None, meaning: str) -> None:
    body = orjson.dumps({"choices": [{"finish_reason": word, "message": {"content": "x"}}]})
    reply = judged(200, body)
    assert isinstance(reply, Reply)
    assert (reply.finish_reason, reply.choices[0].finish_reason) == (meaning, meaning)
    mapped = CONFIG.model_copy(update={"finish_reasons": {"done": "stop", "SAFETY": "length", "eos": "error"}})
    again = read_response(Response(200, None, None, body), 0.5, "m", mapped)
    assert isinstance(again, Reply)
    assert again.finish_reason == {"done": "stop", "SAFETY": "length", "eos": "error"}.get(str(word), meaning)


def test_what_was_filtered_may_have_no_message() -> None:
    reply = judged(200, {"choices": [{"finish_reason": "content_filter"}]})
    assert isinstance(reply, Reply)
    assert (reply.text, reply.finish_reason, reply.output_tokens) == ("", "content_filter", 0)


@pytest.mark.parametrize(
    ("words", "left_out"),
    [
        ("Unknown parameter: 'top_k'.", ["top_k"]),
        ("Unrecognized request arguments supplied: min_p, top_k", ["top_k", "min_p"]),
        ("'temperature' does not support 0 with this model", ["temperature"]),
        ("`temperature` and `top_p` cannot both be specified for this model", ["top_p"]),
        ("temperature must be strictly positive", []),
        ("unsupported: top_kk, untop_k", []),
        ("unsupported parameter: max_tokens", []),
        ("the prompt is too long", []),
    ],
)
def test_parameters_that_can_be_left_out(words: str, left_out: list[str]) -> None:
    sent = {"temperature": 0.0, "top_p": 1.0, "top_k": -1, "min_p": 0.0, "max_tokens": 5}
    optional = {"top_p": 1.0, "top_k": -1, "min_p": 0.0, "temperature": None, "seed": None}
    assert refused_parameters(words, sent, optional) == left_out


def test_the_parameter_that_an_error_names_is_in_its_words() -> None:
    failure = judged(400, {"error": {"message": "Unsupported value", "param": "temperature"}})
    assert isinstance(failure, Failure)
    assert failure.reason == "status 400: Unsupported value (parameter: temperature)"


@pytest.mark.parametrize("status", [408, 409, 425, 499, 500, 502, 503, 504, 520, 524, 529])
def test_what_passes(status: int) -> None:
    # The reply may have been made, and lost on its way back.
    assert judged(status, {"error": {"message": "busy"}}) == Failure(f"status {status}: busy", lost=True)
    assert judged(status, b"", "7") == Failure(f"status {status}: ''", lost=True, retry_after=7.0)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, {"error": {"code": 502, "message": "gone"}}),
        (200, {"error": {"code": 429, "message": "slow"}}),
        (200, {"error": {"code": 400, "message": "bad"}}),
        (200, {"error": {"code": 401, "message": "key"}}),
        (200, {"choices": []}),
        (202, b""),
        (206, {"choices": []}),
        (400, {"error": {"code": "content_filter", "message": "filtered"}}),
        (400, {"error": {"code": "context_length_exceeded", "message": "too long"}}),
        (403, {"error": {"message": "flagged by moderation"}}),
        *((status, {}) for status in (301, 302, 303, 307, 308, 405, 406, 410, 411, 414, 415, 418, 426, 428, 431, 451)),
        (400, {"error": {"message": "bad"}, "usage": {"completion_tokens": -3}}),
        (404, {"error": {"message": "no", "usage": {"cost": 0.25}}}),
        (460, {}),
        (429, {"error": {"message": "slow", "usage": {"prompt_tokens": 9, "completion_tokens": 3}}}),
    ],
)
def test_what_may_have_been_paid_for(status: int, body: object) -> None:
    failure = judged(status, body)
    assert isinstance(failure, Failure)
    assert failure.lost


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422, 429])
def test_what_was_refused_was_not_paid_for(status: int) -> None:
    failure = judged(status, {"error": {"message": "no"}})
    assert isinstance(failure, Failure)
    assert not failure.lost


@pytest.mark.parametrize("inside", [True, False])
def test_an_error_may_say_what_it_cost(inside: bool) -> None:
    usage = {"usage": {"prompt_tokens": 9, "completion_tokens": 3}}
    failure = judged(500, {"error": {"message": "x", **usage}} if inside else {"error": {"message": "x"}, **usage})
    assert isinstance(failure, Failure)
    assert failure.counts is not None
    assert (failure.counts.given, failure.counts.written) == (9, 3)


PLAIN = {"prompt_tokens": 9, "completion_tokens": 4}
DETAILS = "completion_tokens_details"


@pytest.mark.parametrize(
    ("usage", "given", "cached", "written", "counted"),
    [
        ({"prompt_tokens": 9}, 9, 0, 0, False),
        ({"prompt_tokens": 9, "completion_tokens": 0}, 9, 0, 0, False),  # for a text
        ({"completion_tokens": 4}, 0, 0, 4, True),
        ({"prompt_tokens": 9, "total_tokens": 14}, 9, 0, 5, True),
        ({"prompt_tokens": "9", "completion_tokens": 4.0}, 9, 0, 4, True),
        ({"input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 8}}, 9, 8, 4, True),
        ({"prompt_tokens": 9, "completion_tokens": 4, "prompt_cache_hit_tokens": 800}, 809, 800, 4, True),
        ({"prompt_tokens": 9, "completion_tokens": 2**24 + 1}, 9, 0, 0, False),
        ({"prompt_tokens": 9, "completion_tokens": 0.4}, 9, 0, 0, False),
        ({"prompt_tokens": -9, "completion_tokens": 10**18, "total_tokens": True}, 0, 0, 0, False),
        ("many", 0, 0, 0, False),
        ({**PLAIN, "reasoning_tokens": 3}, 9, 0, 7, True),  # Perplexity: beside the completion, in no total
        ({**PLAIN, "total_tokens": 13, "reasoning_tokens": 3}, 9, 0, 7, True),
        ({**PLAIN, "total_tokens": 16, "reasoning_tokens": 3}, 9, 0, 7, True),
        ({**PLAIN, "reasoning_tokens": 3, DETAILS: {"reasoning_tokens": 3}}, 9, 0, 4, True),
        ({**PLAIN, "citation_tokens": 30}, 39, 0, 4, True),
        ({**PLAIN, "total_tokens": 20, "citation_tokens": 30}, 39, 0, 11, True),
        ({**PLAIN, DETAILS: {"reasoning_tokens": 5}}, 9, 0, 9, True),
        ({**PLAIN, DETAILS: {"reasoning_tokens": 3, "audio_tokens": 3}}, 9, 0, 10, True),
        ({**PLAIN, DETAILS: {"text_tokens": 4, "audio_tokens": 3}}, 9, 0, 7, True),
        ({**PLAIN, "output_tokens": 40}, 9, 0, 40, True),
        ({**PLAIN, "cached_tokens": 8}, 9, 8, 4, True),  # Kimi
        ({**PLAIN, "cached_tokens": 8, "prompt_tokens_details": {"cached_tokens": 2}}, 9, 2, 4, True),
    ],
)
def test_counts(usage: object, given: int, cached: int, written: int, counted: bool) -> None:
    reply = judged(200, {**completion(content="x"), "usage": usage})
    assert isinstance(reply, Reply)
    assert (reply.input_tokens, reply.cached_tokens, reply.output_tokens) == (given, cached, written)
    assert reply.counted is counted


WRITES, READS = "cache_creation_input_tokens", "cache_read_input_tokens"


@pytest.mark.parametrize(
    ("usage", "given", "cached", "stored"),
    [
        ({"input_tokens": 9, "output_tokens": 4, WRITES: 5, READS: 3}, 17, 3, 5),  # Anthropic's own
        ({"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13, WRITES: 50}, 59, 0, 50),
        ({"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 18, WRITES: 5}, 14, 0, 5),
        ({"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13, WRITES: 5, READS: 3}, 9, 3, 5),  # LiteLLM
        ({"prompt_tokens": 9, "completion_tokens": 4, WRITES: 5}, 14, 0, 5),  # nothing says that they are inside
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 4,
                "prompt_tokens_details": {"cached_tokens": 2, "cache_write_tokens": 6},
            },
            9,
            2,
            6,
        ),
        ({"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cache_write_tokens": 60}}, 69, 0, 60),
    ],
)
def test_tokens_of_a_cache(usage: object, given: int, cached: int, stored: int) -> None:
    reply = judged(200, {**completion(content="x"), "usage": usage})
    assert isinstance(reply, Reply)
    assert (reply.input_tokens, reply.cached_tokens, reply.stored_tokens) == (given, cached, stored)
    assert reply.output_tokens == 4


@pytest.mark.parametrize(
    ("cache", "given", "stored", "long"),
    [
        ({WRITES: 5, "cache_creation": {"ephemeral_5m_input_tokens": 2, "ephemeral_1h_input_tokens": 3}}, 14, 5, 3),
        ({"cache_creation": {"ephemeral_1h_input_tokens": 3}}, 12, 3, 3),
        ({"prompt_tokens_details": {WRITES: 5}}, 9, 5, 0),  # Qwen
        ({"prompt_tokens_details": {"cache_creation": {"ephemeral_1h_input_tokens": 3}}}, 9, 3, 3),
        ({WRITES: 5, "prompt_tokens_details": {WRITES: 60}}, 69, 60, 0),
    ],
)
def test_tokens_written_to_a_cache(cache: dict[str, object], given: int, stored: int, long: int) -> None:
    reply = judged(200, {**completion(content="x"), "usage": {**PLAIN, **cache}})
    assert isinstance(reply, Reply)
    assert (reply.input_tokens, reply.stored_tokens, reply.stored_long_tokens) == (given, stored, long)


@pytest.mark.parametrize(
    ("cost", "told"),
    [
        (0.25, 0.25),
        ("0.25", 0.25),
        ({"total_cost": 0.25, "input_tokens_cost": 0.1}, 0.25),
        (None, None),
        (-1, None),
        (True, None),
        (1e9, None),
        ("much", None),
    ],
)
def test_the_cost_that_a_reply_tells(cost: object, told: float | None) -> None:
    reply = judged(200, {**completion(content="x"), "usage": {**PLAIN, "cost": cost}})
    assert isinstance(reply, Reply)
    assert reply.server_cost == told


WORDS = "one two three four five six seven eight nine ten " * 10


@pytest.mark.parametrize(
    ("message", "written", "counted"),
    [
        ({"content": WORDS}, 1, False),
        ({"content": WORDS}, 75, True),
        ({"content": "x", "reasoning_content": WORDS}, 70, False),
        ({"content": "x", "reasoning": WORDS}, 76, True),
        ({"content": "勾股定理" * 100}, 1, False),
        ({"content": "มุมฉากของรูปสามเหลี่ยม" * 20}, 2, False),
        ({"content": "", "refusal": WORDS}, 2, False),
        ({"content": [{"type": "text", "text": WORDS}, {"type": "refusal", "refusal": WORDS}]}, 80, False),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": WORDS}]}]}, 2, False),
        ({"content": None, "tool_calls": [{"function": {"name": "f", "arguments": WORDS}}] * 2}, 80, False),
        ({"content": None, "function_call": {"name": "f", "arguments": WORDS}}, 2, False),
        ({"content": None, "audio": {"id": "a", "data": "UklGR" * 200, "transcript": WORDS}}, 70, False),
        ({"content": None, "audio": {"id": "a", "data": "UklGR" * 200, "transcript": "x"}}, 1, True),
        ({"content": "x", "reasoning_details": [{"type": "reasoning.text", "text": WORDS}]}, 70, False),
        # The same thoughts under two names are billed once.
        ({"content": "x", "reasoning": WORDS, "reasoning_details": [{"text": WORDS}]}, 76, True),
        ({"content": "x", "reasoning": WORDS, "reasoning_content": WORDS}, 70, False),
    ],
)
def test_a_count_below_the_words_is_none(message: dict[str, object], written: int, counted: bool) -> None:
    body = {**completion(**message), "usage": {"prompt_tokens": 9, "completion_tokens": written}}
    assert judged(200, body).counted is counted  # type: ignore[union-attr]


def test_all_choices_are_written() -> None:
    body = completion(content=WORDS)
    body["choices"] *= 4
    assert not judged(200, {**body, "usage": {"prompt_tokens": 9, "completion_tokens": 200}}).counted  # type: ignore[union-attr]


def test_throttled() -> None:
    assert judged(429, {"error": "slow"}, "2.5") == Failure("status 429: slow", throttled=True, retry_after=2.5)
    inside = judged(200, {"error": {"code": 429, "message": "slow"}})
    assert inside == Failure(inside.reason, throttled=True, lost=True)  # type: ignore[union-attr]


@pytest.mark.parametrize("status", [400, 413, 422, 418])
def test_rejected(status: int) -> None:
    failure = judged(status, {"detail": "too\nlong"})
    assert isinstance(failure, Failure)
    assert isinstance(failure.error, RequestRejected)
    assert str(failure.error) == f"m: status {status}: too long"


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (401, {}, "environment variable KEY"),
        (403, {}, "environment variable KEY"),
        (402, {}, "402"),
        (429, {"error": {"code": "insufficient_quota", "message": "quota"}}, "429: quota"),
        (404, {}, "'m'"),
        (307, b"", "http://elsewhere/"),
        (200, {"error": {"code": 401, "message": "key"}}, "environment variable KEY"),
    ],
)
def test_the_end_of_the_run(status: int, body: object, expected: str) -> None:
    failure = judged(status, body)
    assert isinstance(failure, Failure)
    assert isinstance(failure.error, EndpointFault)
    assert str(failure.error).startswith("http://host/v1: ")
    assert expected in str(failure.error)
    assert "\n" not in str(failure.error)


def test_a_404_reminds_of_v1_where_the_address_lacks_it() -> None:
    bare = EndpointConfig(base_url="http://host", api_key_env="KEY")
    for config, told in ((bare, True), (CONFIG, False)):
        failure = read_response(Response(404, None, None, b"{}"), 0.5, "m", config)
        assert isinstance(failure, Failure)
        assert ("/v1" in str(failure.error).removeprefix(config.address)) is told


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("3", 3.0),
        ("0.25", 0.25),
        ("-5", 0.0),
        ("Sun, 06 Nov 1994 08:49:47 GMT", 10.0),
        ("Sun, 06 Nov 1994 08:49:30 GMT", 0.0),
        ("Sunday, 06-Nov-94 08:49:47 GMT", 10.0),
        ("Sun Nov  6 08:49:47 1994", 10.0),
        ("soon", None),
        ("", None),
        ("nan", None),
        ("inf", None),
        ("99999999999999999999-11", None),
        ("Sun, 06 Nov 1994 08:49:47 +99999999999999999999", None),
        ("Sun, 06 Nov 99999999999999999999 08:49:47 GMT", None),
    ],
)
def test_retry_after(header: str | None, seconds: float | None) -> None:
    assert read_retry_after(header, datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)) == seconds
