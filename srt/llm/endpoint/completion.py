"""What is in the body of a successful reply: texts, how they ended, and what they cost."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from srt.io.records import FinishReason
from srt.llm.endpoint.generated_text import fewest_written
from srt.llm.endpoint.usage import read_usage
from srt.llm.finish_reasons import finish_reason
from srt.llm.request import Choice, Reply


@dataclass(eq=False)
class ErrorInBody(Exception):
    """Status 200 and an error inside, as gateways send it; ``status`` is the error's own code, 502 if it has none."""

    status: int


def read_completion(body: bytes, seconds: float, meanings: Mapping[str, FinishReason]) -> Reply:
    """The first choice in ``body``, as it came: empty, cut short and refused answers too.

    ``meanings`` are those of the server's own words for how a text ended.

    Raises:
        ErrorInBody: it holds an error instead of choices.
        ValueError: it is no chat completion (torn, a page of HTML, another shape); the message says what it is.
    """
    try:
        found = _load(body)
    except ValueError:
        raise ValueError(f"the reply is not JSON: {beginning(body)}") from None
    choices = found.get("choices") if isinstance(found, dict) else None
    if not isinstance(choices, list) or not choices:
        if isinstance(found, dict) and found.get("error"):
            code = str(found["error"].get("code")) if isinstance(found["error"], dict) else ""
            raise ErrorInBody(int(code) if re.fullmatch(r"[45]\d\d", code, re.ASCII) else 502)
        raise ValueError(f"the reply is no chat completion: {beginning(body)}")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if message is None and isinstance(choice, dict) and isinstance(choice.get("text"), str):
        message = {"content": choice["text"]}  # of a prompt that was continued
    if message is None and isinstance(choice, dict) and choice.get("finish_reason"):
        message = {}  # as some gateways send it for what they filtered
    if not isinstance(message, dict):
        raise ValueError(f"the reply has no message: {beginning(body)}")
    text, reasoning = _text(message.get("content")), _text(message.get("reasoning_content") or message.get("reasoning"))
    counts = read_usage(found.get("usage"), fewest_written(choices))
    verbose = found.get("__verbose")  # llama.cpp's, of the first choice alone
    verbose = verbose if isinstance(verbose, dict) else {}
    prompt = found.get("prompt_text", verbose.get("prompt"))
    return Reply(
        text=text,
        finish_reason=_ended(choice, meanings),
        refusal=str(message["refusal"]) if message.get("refusal") else None,
        input_tokens=counts.given,
        cached_tokens=counts.cached,
        stored_tokens=counts.stored,
        stored_long_tokens=counts.stored_long,
        output_tokens=counts.written,
        counted=counts.counted,
        server_cost=counts.cost,
        seconds=seconds,
        reasoning=reasoning or None,
        reasoning_tokens=counts.thought or None,
        prompt=prompt if isinstance(prompt, str) else None,
        model=named if isinstance(named := found.get("model"), str) and named else None,
        choices=tuple(
            _choice(one, verbose if one is choice else {}, meanings) for one in choices if isinstance(one, dict)
        ),
    )


def _ended(choice: Mapping[str, Any], meanings: Mapping[str, FinishReason]) -> str:
    """``stop`` or ``length``, in whatever words; another word as it came. Without one the text ended by itself."""
    word = str(choice.get("finish_reason") or "stop")
    meaning = meanings.get(word) or finish_reason(word)
    return word if meaning is None or (meaning == "error" and word not in meanings) else meaning


def _choice(choice: Mapping[str, Any], verbose: Mapping[str, Any], meanings: Mapping[str, FinishReason]) -> Choice:
    """One choice of a reply, by vLLM's fields, or by llama.cpp's ``verbose`` ones."""
    message = choice.get("message")
    stop, ids = choice.get("stop_reason", verbose.get("stopping_word")), choice.get("token_ids")
    return Choice(
        text=_text(message.get("content") if isinstance(message, dict) else choice.get("text")),
        finish_reason=_ended(choice, meanings),
        broken_by=stop if isinstance(stop, str) and stop else None,
        tokens=len(ids) if isinstance(ids, list) else None,
        logprobs=_logprobs(choice.get("logprobs")),
    )


def _logprobs(found: Any) -> tuple[float, ...]:
    """The log-probabilities of a chat's choice, one for each token; none where one is missing."""
    content = found.get("content") if isinstance(found, dict) else None
    entries = content if isinstance(content, list) else []
    values = [one.get("logprob") for one in entries if isinstance(one, dict)]
    numbers = tuple(float(value) for value in values if isinstance(value, int | float))
    return numbers if len(numbers) == len(values) else ()


def _load(body: bytes) -> Any:
    """JSON, also with what strict readers refuse though it was paid for: a byte order mark, bytes that are no UTF-8,
    half a character (a lone surrogate), numbers of any length. What no text can hold becomes U+FFFD, and a number
    that is too large is none.

    Raises:
        ValueError: it is no JSON.
    """
    body = body.removeprefix(codecs.BOM_UTF8)
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        pass
    try:
        found = json.loads(
            body.decode(errors="replace"),
            parse_constant=lambda _: None,
            parse_int=lambda digits: int(digits) if len(digits) < 19 else _finite(digits),
            parse_float=_finite,
        )
        text = json.dumps(found, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return orjson.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _finite(digits: str) -> float | None:
    return number if math.isfinite(number := float(digits)) else None


def _text(content: Any) -> str:
    """Some gateways send a list of parts.

    Raises:
        ValueError: it is neither a text nor such a list.
    """
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") or "" if isinstance(part, dict) else part for part in parts]
    if not all(text is None or isinstance(text, str) for text in texts):
        raise ValueError(f"the content of the reply is no text: {repr(content)[:80]}")
    return "".join(text or "" for text in texts)


def beginning(body: bytes) -> str:
    """How ``body`` begins, in one line."""
    return repr(" ".join(body[:400].decode(errors="replace").split())[:80])
