"""Replies whose counts are missing, impossible or smaller than the text that came."""

from __future__ import annotations

from typing import Any

from tests.billing.endpoint import Call, Generated


def _uncounted(call: Call, **message: Any) -> Generated:
    """What it wrote is in ``message``, and nowhere counted."""
    found = call.full()
    found.text, found.message = "", message
    found.usage |= {"completion_tokens": 2, "total_tokens": found.prompt + 2}
    return found


def counts_of_one(call: Call) -> Generated:
    found = call.full()
    found.usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
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
