"""What a response of an endpoint means: an answer, a reason to send again, or the end of the request or of the run."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import orjson

from srt.llm.config import EndpointConfig
from srt.llm.endpoint.completion import ErrorInBody, beginning, read_completion
from srt.llm.endpoint.usage import TokenCounts, read_usage, says_it_is_billed
from srt.llm.llm_errors import EndpointFault, RequestBlocked, RequestRejected
from srt.llm.request import Reply

TRANSIENT: Final = {408, 409, 425, 499}
"""Statuses below 500 that say something about the moment and not about the request."""
UNBILLED: Final = frozenset({400, 401, 402, 403, 404, 413, 422, 429})
"""Statuses that cost nothing. Behind any other, redirects too, the reply may have been made, and billed: a gateway that
gave up waiting, a connection that broke behind it, a server that failed in mid-reply."""
_BILLED_REFUSAL: Final = re.compile(
    rb"moderation|flagged|content.(?:policy|filter|management)|context.(?:length|window)", re.IGNORECASE
)
"""In a refusal: the request was worked on. Azure bills for those of its content filter (the completion too) and of its
input limit."""
_UNSUPPORTED: Final = re.compile(
    r"unsupported|not support|no longer support|unrecogni[sz]ed|unknown|unexpected|not (?:permitted|allowed|available)|"
    r"extra (?:inputs|fields)|deprecated",
    re.IGNORECASE,
)
_MODERATED: Final = re.compile(r"moderation|flagged|content.(?:policy|filter)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Response:
    """What came back, whatever its status; ``retry_after`` and ``location`` are the headers as they came."""

    status: int
    retry_after: str | None
    location: str | None
    body: bytes


@dataclass(frozen=True, slots=True)
class Failure:
    """No answer this time. ``error`` is set where sending it again would not help: it is to be raised.

    ``lost``: there may have been an answer, paid for; ``counts`` is what it says that it was billed for, if it does.
    ``not_sent``: there was no connection. ``unreadable``: a success that is no completion. ``throttled`` is a 429;
    ``retry_after`` is the seconds that the endpoint asks us to wait, if it does.
    """

    reason: str
    lost: bool = False
    unreadable: bool = False
    counts: TokenCounts | None = None
    not_sent: bool = False
    throttled: bool = False
    retry_after: float | None = None
    error: RequestRejected | EndpointFault | None = None


def read_response(
    response: Response,
    seconds: float,
    model: str,
    config: EndpointConfig,
    *,
    answered: bool = False,
    is_api: bool = True,
) -> Reply | Failure:
    """The meaning of ``response``, which took ``seconds``, to a request for ``model``.

    ``answered``: the model has answered before, so that a 403 is about the content of this request. ``is_api``: the
    address has shown that it is one, so that a page of HTML is a gateway's bad moment.
    A failure's ``error`` is a :class:`RequestRejected` for status 400, 413, 422 or another that concerns this request
    alone, and an :class:`EndpointFault` where the key, the model or the address is wrong, or no credit is left.
    """
    status, begun = response.status, False
    if 200 <= status < 300:
        try:
            return read_completion(response.body, seconds, config.finish_reasons)
        except ErrorInBody as error:
            # The provider behind a gateway failed after it had begun to write.
            status, begun = error.status, True
        except ValueError as error:
            page = not is_api and response.body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
            fault = _no_api("answers with a web page", config) if page else None
            return Failure(str(error), lost=True, unreadable=True, error=fault)
    reason = f"status {status}: {_error_message(response.body)}"
    billed, counts = _bill_of_error(response.body)
    worked_on = status not in UNBILLED or _BILLED_REFUSAL.search(response.body) is not None
    lost = begun or worked_on or billed
    if status == 429 or status in TRANSIENT or status >= 500:
        if status != 429 or b"insufficient_quota" not in response.body:
            wait = read_retry_after(response.retry_after)
            return Failure(reason, lost=lost, counts=counts, throttled=status == 429, retry_after=wait)
        # OpenAI answers 429 for an account without credit too. To wait would not help.
        status = 402
    raised = _error(status, reason, response.location, model, config, answered)
    return Failure(reason, lost=lost, counts=counts, error=raised)


def _error(
    status: int, reason: str, location: str | None, model: str, config: EndpointConfig, answered: bool
) -> RequestRejected | EndpointFault:
    """What to raise because of a status that another try would get again."""
    fault: str | None = None
    if 300 <= status < 400:
        fault = (
            f"redirects to {location[:200]}: is that the base_url?" if location else f"redirects to nowhere ({reason})"
        )
    elif status == 403 and (answered or _MODERATED.search(reason)):
        return RequestBlocked(f"{model}: {reason}")
    elif status in (401, 403):
        if config.api_key_env is None:
            fault = f"wants a key: set api_key_env to the environment variable that holds it ({reason})"
        else:
            fault = f"refuses the key in the environment variable {config.api_key_env} ({reason})"
    elif status == 402:
        fault = f"no credit is left ({reason})"
    elif status == 404:
        hint = "" if all(url.rstrip("/").endswith("/v1") for url in config.base_url) else "; base_url often ends in /v1"
        fault = f"there is no model {model!r}, or no chat at this address ({reason}){hint}"
    elif status == 405:
        return _no_api(f"takes no requests ({reason})", config)
    return RequestRejected(f"{model}: {reason}") if fault is None else EndpointFault(f"{config.address}: {fault}")


def _no_api(what: str, config: EndpointConfig) -> EndpointFault:
    """There is a server at the address, but it is that of a web page."""
    return EndpointFault(
        f"{config.address}: {what}, so it is no OpenAI-compatible API; base_url should end in /v1, as in "
        "http://127.0.0.1:8000/v1"
    )


def refused_parameters(reason: str, sent: Mapping[str, Any], optional: Mapping[str, Any]) -> list[str]:
    """The parameters of ``sent`` that a server, by its ``reason`` for refusing the request, can be asked without.

    They are among the ``optional`` ones, by name with the value that changes nothing: those that the reason names and
    that were sent with that value, else those that it calls unsupported.
    """
    named = [name for name in optional if name in sent and re.search(rf"(?<!\w){name}(?!\w)", reason)]
    neutral = [name for name in named if sent[name] == optional[name]]
    return neutral or (named if _UNSUPPORTED.search(reason) else [])


def read_retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a ``Retry-After`` header asks for, from either of its forms (RFC 9110, 10.2.3).

    A number of seconds (fractions occur in practice) or an HTTP date; a moment that is past is 0. ``None`` where there
    is no header or it cannot be read. ``now`` is the present moment.
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = parsedate_to_datetime(value)
        except (ValueError, OverflowError):
            return None
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        seconds = (when - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _bill_of_error(body: bytes) -> tuple[bool, TokenCounts | None]:
    """Whether an error says that it is billed, as some gateways do, and for what, if that can be read."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return False, None
    error = found.get("error") if isinstance(found, dict) else None
    places = (found, error) if isinstance(error, dict) else (found,)
    usage = next((place["usage"] for place in places if isinstance(place, dict) and place.get("usage")), None)
    counts = read_usage(usage, 0)
    return says_it_is_billed(usage), counts if counts.given or counts.written else None


def _error_message(body: bytes) -> str:
    """What an error reply says, in one line: the API's ``error.message``, else how the body begins."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return beginning(body)
    error = found.get("error", found) if isinstance(found, dict) else found
    if isinstance(error, dict):
        # FastAPI, and vLLM in places, answer {"detail": ...}.
        message, parameter = error.get("message") or error.get("detail") or error, error.get("param")
        named = isinstance(parameter, str) and isinstance(message, str) and parameter not in message
        error = f"{message} (parameter: {parameter})" if named else message
    return " ".join((error if isinstance(error, str) else orjson.dumps(error).decode()).split())[:300]
