"""A chat completion as servers send it, read into a :class:`~srt.endpoint.messages.Reply`."""

from __future__ import annotations

from typing import Any

import orjson

from srt.endpoint.messages import Reply


class ErrorInBody(Exception):
    """Status 200 and an error inside, as gateways send it; ``status`` is the error's own code, 502 if it has none."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def read_completion(body: bytes, seconds: float) -> Reply:
    """The first choice in ``body``, as it came: empty, cut short and refused answers too.

    Token counts are 0 where the endpoint gives none.

    Raises:
        ErrorInBody: it holds an error in place of choices.
        ValueError: it is no chat completion (torn, a page of HTML, another shape); the message says what it is.
    """
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise ValueError(f"the reply is not JSON: {_beginning(body)}") from None
    choices = found.get("choices") if isinstance(found, dict) else None
    if not isinstance(choices, list) or not choices:
        if isinstance(found, dict) and found.get("error"):
            raise ErrorInBody(_code(found["error"]), error_message(body))
        raise ValueError(f"the reply is no chat completion: {_beginning(body)}")
    choice = choices[0]
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise ValueError(f"the reply has no message: {_beginning(body)}")
    usage = found.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    details = counts.get("completion_tokens_details")
    return Reply(
        text=_text(message.get("content")),
        finish_reason=str(choice.get("finish_reason") or "unknown"),
        refusal=str(message["refusal"]) if message.get("refusal") else None,
        input_tokens=_count(counts.get("prompt_tokens")),
        output_tokens=_count(counts.get("completion_tokens")),
        seconds=seconds,
        reasoning=_text(message.get("reasoning_content") or message.get("reasoning")) or None,
        reasoning_tokens=_count(details.get("reasoning_tokens")) or None if isinstance(details, dict) else None,
    )


def error_message(body: bytes) -> str:
    """What an error reply says, in one line: the API's ``error.message``, else how the body begins."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return _beginning(body)
    error = found.get("error", found) if isinstance(found, dict) else found
    if isinstance(error, dict):
        # FastAPI, and vLLM in places, answer {"detail": ...}.
        error = error.get("message") or error.get("detail") or error
    return " ".join((error if isinstance(error, str) else orjson.dumps(error).decode()).split())[:300]


def _text(content: Any) -> str:
    """Some gateways send a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _code(error: Any) -> int:
    code = error.get("code") if isinstance(error, dict) else None
    try:
        status = int(code) if isinstance(code, int | str) else 502
    except ValueError:
        return 502
    return status if 400 <= status <= 599 else 502


def _beginning(body: bytes) -> str:
    return repr(" ".join(body[:400].decode(errors="replace").split())[:80])
