"""Ways of billing that ask for suspicion: five kinds that once passed the budget, six holes in the books, many more.

``DOUBTFUL`` are the modes; of those in ``ASIDE`` the client cannot know the bill, and only a provider's own list shows
it. ``TRUSTED`` are run with a price whose ``unforeseen_tokens`` says that replies keep to ``max_tokens``.
"""

from __future__ import annotations

from typing import Any

import orjson

from tests.billing.endpoint import Call, Generated, Mode


def _half(call: Call, status: int, body: bytes | None = None) -> Generated:
    """Half of all replies are generated and lost behind ``status``."""
    found = call.full()
    if call.dice.random() < 0.5:
        found.status, found.body = status, body
    return found


def _error(code: Any, message: str = "the provider failed", **more: Any) -> bytes:
    return orjson.dumps({"error": {"code": code, "message": message}, **more})


def _thinks(call: Call, thought: int) -> Generated:
    found = call.plain(thought=thought)
    found.usage["total_tokens"] += thought
    return found


def lost_behind_502(call: Call) -> Generated:
    return _half(call, 502)


def lost_behind_500(call: Call) -> Generated:
    return _half(call, 500)


def throttled_in_a_200(call: Call) -> Generated:
    """A gateway's provider throttles in mid-reply: status 200, a 429 inside, billed."""
    return _half(call, 200, _error(429))


def counts_of_one(call: Call) -> Generated:
    found = call.full()
    found.usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return found


def stored_beside(call: Call) -> Generated:
    """Anthropic behind a gateway: nearly all of the prompt is written to the cache, and counted beside it."""
    found = call.plain(stored=call.prompt - 8)
    found.usage = {
        "prompt_tokens": 8,
        "completion_tokens": found.written,
        "total_tokens": 8 + found.written,
        "cache_creation_input_tokens": found.stored,
    }
    return found


def late_thinking_of_a_trusted_model(call: Call) -> Generated:
    return _thinks(call, 0 if call.n < 8 else 20_000)


def thinking_of_400_000(call: Call) -> Generated:
    return _thinks(call, 400_000 if call.n else 0)


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


def written_count_of_one(call: Call) -> Generated:
    found = call.full()
    found.usage |= {"completion_tokens": 1, "total_tokens": found.prompt + 1}
    return found


def filtered_without_a_count(call: Call) -> Generated:
    """The answer was written, filtered and billed: an empty text, and a count of 0."""
    found = call.plain(call.limit, text="")
    found.usage |= {"completion_tokens": 0, "total_tokens": found.prompt}
    return found


def given_count_of_one(call: Call) -> Generated:
    found = call.full()
    found.usage |= {"prompt_tokens": 1, "total_tokens": found.written + 1}
    return found


def tenth_of_all(call: Call) -> Generated:
    found = call.full()
    given, written = found.prompt // 10, found.written // 10
    found.usage = {"prompt_tokens": given, "completion_tokens": written, "total_tokens": given + written}
    return found


def negative_counts(call: Call) -> Generated:
    found = call.full()
    found.usage = {"prompt_tokens": -found.prompt, "completion_tokens": -found.written, "total_tokens": -1}
    return found


def null_counts(call: Call) -> Generated:
    found = call.full()
    found.usage = {"prompt_tokens": None, "completion_tokens": None, "total_tokens": None}
    return found


def counts_in_thousands(call: Call) -> Generated:
    found = call.full()
    found.usage = {"prompt_tokens": found.prompt / 1000, "completion_tokens": found.written / 1000}
    return found


def usage_is_a_text(call: Call) -> Generated:
    found = call.full()
    found.usage = "see your dashboard"
    return found


def total_alone(call: Call) -> Generated:
    found = call.full()
    found.usage = {"total_tokens": found.prompt + found.written}
    return found


def absurd_counts(call: Call) -> Generated:
    """Every tenth count is a number of no model: the others must still be paid for."""
    found = call.full()
    if call.n % 10 == 5:
        found.usage |= {"completion_tokens": 900_000_000, "total_tokens": 900_000_000}
    return found


def read_beside(call: Call) -> Generated:
    """Anthropic's own names: what was read from the cache is counted beside the input."""
    found = call.plain(cached=call.prompt - 8)
    found.usage = {"input_tokens": 8, "output_tokens": found.written, "cache_read_input_tokens": found.cached}
    return found


def read_and_stored_beside(call: Call) -> Generated:
    found = call.plain(cached=call.prompt // 2, stored=call.prompt // 3)
    found.usage = {
        "input_tokens": found.prompt - found.cached - found.stored,
        "output_tokens": found.written,
        "cache_read_input_tokens": found.cached,
        "cache_creation_input_tokens": found.stored,
    }
    return found


def stored_inside(call: Call) -> Generated:
    """LiteLLM: the prompt includes what is written to the cache."""
    found = call.plain(stored=call.prompt // 2)
    found.usage |= {"cache_creation_input_tokens": found.stored, "cache_read_input_tokens": 0}
    return found


def stored_in_details(call: Call) -> Generated:
    """OpenRouter: what is read from the cache and written to it is in the details of the prompt."""
    found = call.plain(stored=call.prompt // 2, cached=call.prompt // 4)
    found.usage["prompt_tokens_details"] = {"cached_tokens": found.cached, "cache_write_tokens": found.stored}
    return found


def thoughts_shown_uncounted(call: Call) -> Generated:
    """The thoughts are sent, and billed; the count is that of the answer alone."""
    found = call.plain(30, thought=call.limit - 30)
    found.message = {"reasoning": "so the legs are three and four " * (found.thought // 8)}
    return found


def several_choices(call: Call) -> Generated:
    """Four choices though one was asked for; the count is that of the first."""
    found = call.plain(call.limit)
    found.choices = ["the area is half of the product of the legs " * (call.limit // 40)] * 3
    found.usage |= {"completion_tokens": found.written // 4, "total_tokens": found.prompt + found.written // 4}
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


def _uncounted(call: Call, **message: Any) -> Generated:
    """What it wrote is in ``message``, and nowhere counted."""
    found = call.full()
    found.text, found.message = "", message
    found.usage |= {"completion_tokens": 2, "total_tokens": found.prompt + 2}
    return found


def declines_uncounted(call: Call) -> Generated:
    return _uncounted(call, refusal=call.full().text)


def calls_tools_uncounted(call: Call) -> Generated:
    return _uncounted(call, tool_calls=[{"id": "1", "function": {"name": "f", "arguments": call.full().text}}])


def thoughts_in_details_uncounted(call: Call) -> Generated:
    return _uncounted(call, reasoning_details=[{"type": "reasoning.text", "text": call.full().text}])


def speaks_uncounted(call: Call) -> Generated:
    return _uncounted(call, audio={"id": "1", "data": "UklGR", "transcript": call.full().text})


def thai_uncounted(call: Call) -> Generated:
    return _uncounted(call, content="มุมฉากของรูปสามเหลี่ยม" * (call.limit // 7))


def unspaced_uncounted(call: Call) -> Generated:
    return _uncounted(call, content=call.full().text.replace(" ", ""))


def thinking_aside(call: Call) -> Generated:
    """Perplexity: thinking beside completion and total, in a field of its own."""
    found = call.plain(thought=5_000)
    found.usage["reasoning_tokens"] = found.thought
    return found


def citations_aside(call: Call) -> Generated:
    """Perplexity: what it read from the web is billed as input."""
    found = call.plain()
    found.usage["citation_tokens"] = 20_000
    found.prompt += 20_000
    return found


def speech_beside(call: Call) -> Generated:
    found = call.plain(thought=3_000)
    found.usage["completion_tokens_details"] = {"audio_tokens": found.thought, "reasoning_tokens": 0}
    return found


def stored_by_qwen(call: Call) -> Generated:
    found = call.plain(stored=call.prompt // 2)
    found.usage["prompt_tokens_details"] = {"cache_creation_input_tokens": found.stored, "cached_tokens": 0}
    return found


def cached_kimi(call: Call) -> Generated:
    found = call.plain(cached=int(0.9 * call.prompt))
    found.usage["cached_tokens"] = found.cached
    return found


def stored_for_an_hour(call: Call) -> Generated:
    found = call.plain(stored=call.prompt - 8, stored_long=call.prompt - 8)
    found.usage = {
        "input_tokens": 8,
        "output_tokens": found.written,
        "cache_creation_input_tokens": found.stored,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": found.stored},
    }
    return found


def dearer_than_the_list(call: Call) -> Generated:
    """OpenRouter: the provider that it chose takes three times the price; the reply says so."""
    found = call.plain(surcharge=3.0)
    found.usage["cost"] = found.bill
    return found


def late_hidden_prompt(call: Call) -> Generated:
    """The gateway's own prompt grows to 200,000 tokens; it is reported."""
    call.prompt += 200_000 if call.n > 4 else 0
    return call.plain()


def thinking_up_to_300_000(call: Call) -> Generated:
    return _thinks(call, min(300_000, int(2_000 * call.dice.paretovariate(0.6))))


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


def thoughts_nobody_reports(call: Call) -> Generated:
    """Beyond any promise: thinking that is billed, and neither sent nor counted."""
    return call.plain(thought=5_000)


def half_of_the_truth(call: Call) -> Generated:
    """Beyond any promise: counts that are possible, and half of what is billed."""
    found = call.full()
    given, written = found.prompt // 2, found.written // 2
    found.usage = {"prompt_tokens": given, "completion_tokens": written, "total_tokens": given + written}
    return found


SIX_HOLES: dict[str, Mode] = {
    mode.__name__: mode
    for mode in (
        lost_behind_405, lost_behind_410, lost_behind_451, redirected, declines_uncounted, calls_tools_uncounted,
        thoughts_in_details_uncounted, speaks_uncounted, thai_uncounted, unspaced_uncounted, thinking_aside,
        citations_aside, speech_beside, stored_by_qwen, cached_kimi, stored_for_an_hour, dearer_than_the_list,
    )
}  # fmt: skip
FIVE_KINDS: dict[str, Mode] = {
    mode.__name__: mode
    for mode in (
        lost_behind_502, lost_behind_500, throttled_in_a_200, counts_of_one, stored_beside,
        late_thinking_of_a_trusted_model, thinking_of_400_000,
    )
}  # fmt: skip
DOUBTFUL: dict[str, Mode] = FIVE_KINDS | SIX_HOLES | {
    mode.__name__: mode
    for mode in (
        lost_behind_503, lost_behind_529, lost_behind_522, lost_behind_409, lost_behind_425, lost_behind_a_wait,
        filtered_after_writing, moderated_after_writing, too_long_but_billed, failed_400_in_a_200,
        failed_503_in_a_200, failed_in_words_in_a_200, no_choices, accepted_202, partial_206, unknown_status_460,
        breaks_off_in_the_body, streams_unasked, counted_in_an_error, filtered_without_a_count, written_count_of_one,
        given_count_of_one,
        tenth_of_all, negative_counts, null_counts, counts_in_thousands, usage_is_a_text, total_alone,
        absurd_counts, read_beside, read_and_stored_beside, stored_inside, stored_in_details,
        thoughts_shown_uncounted, several_choices, late_hidden_prompt, thinking_up_to_300_000,
        throttled_unbilled, refused_unbilled,
    )
}  # fmt: skip
ASIDE: dict[str, Mode] = {mode.__name__: mode for mode in (thoughts_nobody_reports, half_of_the_truth)}
DOUBTFUL_REPORTED = frozenset(
    {
        "stored_beside", "late_thinking_of_a_trusted_model", "thinking_of_400_000", "counted_in_an_error",
        "read_beside", "read_and_stored_beside", "stored_inside", "stored_in_details", "late_hidden_prompt",
        "thinking_up_to_300_000", "throttled_unbilled", "refused_unbilled", "thinking_aside", "citations_aside",
        "speech_beside", "stored_by_qwen", "cached_kimi", "stored_for_an_hour", "dearer_than_the_list",
    }
)  # fmt: skip
"""Modes in which every generation is reported: what a client says it spent must be the bill."""
TRUSTED = frozenset({"late_thinking_of_a_trusted_model"})
BUDGET_OF = {"thinking_of_400_000": 4.0, "late_hidden_prompt": 4.0, "thinking_up_to_300_000": 4.0}
"""Budgets that pay for several such requests at once."""
