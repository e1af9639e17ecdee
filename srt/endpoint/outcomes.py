"""What one reply of an endpoint means: an answer, a reason to send again, or the end of the request or of the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from srt.endpoint.completion import ErrorInBody, error_message, read_completion
from srt.endpoint.config import EndpointConfig
from srt.endpoint.errors import EndpointFault, RequestRejected
from srt.endpoint.limits import read_retry_after
from srt.endpoint.messages import Reply
from srt.endpoint.transport import Response

PASSING: Final = {408, 409, 425}
"""Statuses below 500 that speak of the moment and not of the request."""


@dataclass(frozen=True, slots=True)
class Failure:
    """No answer this time. ``lost``: there may have been one, paid for. ``not_sent``: there was no connection.

    ``throttled`` is a 429; ``retry_after`` is the seconds that the endpoint asks us to wait, if it does.
    """

    reason: str
    lost: bool = False
    not_sent: bool = False
    throttled: bool = False
    retry_after: float | None = None


def judge(response: Response, seconds: float, model: str, config: EndpointConfig) -> Reply | Failure:
    """Read ``response``, which took ``seconds``, to a request for ``model``.

    Raises:
        RequestRejected: status 400, 413, 422 or another that concerns this request alone.
        EndpointFault: the key, the model or the address is wrong, or there is no credit left.
    """
    status = response.status
    if status == 200:
        try:
            return read_completion(response.body, seconds)
        except ErrorInBody as error:
            status = error.status
        except ValueError as error:
            return Failure(str(error), lost=True)
    said = f"status {status}: {error_message(response.body)}"
    if 300 <= status < 400:
        raise EndpointFault(f"{config.base_url}: sends us to {response.location}: is that the base_url?")
    if status in (401, 403):
        key = "no key" if config.api_key_env is None else f"the key in the environment variable {config.api_key_env}"
        raise EndpointFault(f"{config.base_url}: {key} is not enough ({said})")
    if status == 402 or (status == 429 and b"insufficient_quota" in response.body):
        raise EndpointFault(f"{config.base_url}: no credit is left there ({said})")
    if status == 404:
        raise EndpointFault(f"{config.base_url}: there is no model {model!r}, or no chat at this address ({said})")
    if status == 429 or status in PASSING or status >= 500:
        return Failure(said, throttled=status == 429, retry_after=read_retry_after(response.retry_after))
    raise RequestRejected(f"{model}: {said}")
