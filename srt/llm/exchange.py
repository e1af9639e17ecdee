"""One question to a model, asked until its answer can be used or until it has been asked often enough.

What every role has in common: the request, and the sorting of replies into outcomes. What an answer means is for the
caller's ``read``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from srt.io.records import Problem
from srt.llm.config import ModelChoice
from srt.llm.fence import Fence, before_fences
from srt.llm.llm_errors import RequestBlocked, RequestRejected, Unavailable
from srt.llm.prompt_templates import PromptTemplates, token_of
from srt.llm.request import JsonSchema, LlmRequest, Reply
from srt.llm.structured_output import read_json

T = TypeVar("T")
Ask = Callable[[LlmRequest], Awaitable[Reply]]
# How a refusal in plain text begins. A long text that begins so may be an answer all the same.
_REFUSES = (
    "i'm sorry", "i am sorry", "sorry, ", "i can't", "i cannot", "i'm unable", "i am unable", "抱歉", "对不起",
    "我无法",
)  # fmt: skip
_LONGEST_REFUSAL = 600


@dataclass(frozen=True)
class LlmContext:
    """What every question needs: the model of each role, the prompts, and the way to the models."""

    models: Mapping[str, ModelChoice]
    templates: PromptTemplates
    ask: Ask


class Outcome(StrEnum):
    """How one answer of a model turned out."""

    OK = "ok"
    LENGTH = "length"
    REFUSAL = "refusal"
    MALFORMED = "malformed"
    EMPTY = "empty"
    ANOTHER_PROBLEM = "another_problem"
    REJECTED = "rejected"
    BLOCKED = "blocked"
    UNAVAILABLE = "unavailable"


ASKED_AGAIN: dict[Outcome, int] = {
    Outcome.LENGTH: 1,  # with twice the max_tokens
    Outcome.REFUSAL: 1,
    Outcome.MALFORMED: 2,
    Outcome.EMPTY: 2,
    Outcome.ANOTHER_PROBLEM: 2,
    Outcome.REJECTED: 0,  # the endpoint will not take it
    Outcome.BLOCKED: 0,  # its content was moderated
    Outcome.UNAVAILABLE: 0,  # the client has retried
}
"""How often a question is put once more after an answer that cannot be used, by what is wrong with it."""


class Unusable(Exception):
    """An answer that cannot be used. ``outcome`` says of which sort, ``str(error)`` why, for the next question."""

    def __init__(self, outcome: Outcome, why: str) -> None:
        super().__init__(why)
        self.outcome = outcome


@dataclass(frozen=True)
class Answered(Generic[T]):
    """How a question ended. ``value`` is set with the outcome ``ok``; ``why`` says what was wrong otherwise.

    ``asked`` counts the outcomes of all answers to it.
    """

    value: T | None
    outcome: Outcome
    why: str
    asked: Counter[Outcome]


async def ask_usable(
    context: LlmContext,
    role: str,
    problem: Problem,
    prompt: str,
    fields: Mapping[str, str],
    schema: JsonSchema,
    read: Callable[[Mapping[str, Any]], T],
) -> Answered[T]:
    """Ask ``role`` with ``prompt`` filled from ``fields``, again as :data:`ASKED_AGAIN` says; ``read`` the JSON answer.

    Fields that are not marked as our own are fenced (:mod:`srt.llm.fence`).
    ``read`` raises :class:`Unusable` for an answer in another form. Equal replies lead to
    equal questions, so that a run that was killed finds the same requests in the journal.
    """
    choice = context.models[role]
    templates, lang, token = context.templates, problem.lang, token_of(problem)
    fence = Fence(fields, token)
    system, user = templates.fill(prompt, lang, {name: fence.around(text) for name, text in fields.items()})
    system += "\n\n" + templates.piece("fence", lang, {"fence": fence.number})
    old_system, old_user = templates.fill(prompt, lang, before_fences(fields))
    max_tokens, attempt, why = choice.max_tokens, 0, ""
    asked: Counter[Outcome] = Counter()
    while True:
        # Words of the answer that could not be used may be in the reason.
        again = "\n\n" + templates.piece("again", lang, {"reason": fence.around(why)}) if attempt else ""
        old_again = "\n\n" + templates.piece("again", lang, {"reason": why}) if attempt else ""
        request = LlmRequest(
            role=role,
            model=choice.model,
            system=system,
            user=user + again,
            pictures=tuple(problem.images) if choice.pictures else (),
            json_schema=schema,
            temperature=choice.temperature,
            extra_body=choice.extra_body,
            max_tokens=max_tokens,
            attempt=attempt,
            problem_id=problem.id,
            before=(old_system, old_user + old_again),
        )
        try:
            reply = await context.ask(request)
            value = read(_payload(reply, token))
            asked[Outcome.OK] += 1
            return Answered(value, Outcome.OK, "", asked)
        except Unusable as error:
            outcome, why = error.outcome, str(error)
        except RequestRejected as error:
            outcome = Outcome.BLOCKED if isinstance(error, RequestBlocked) else Outcome.REJECTED
            why = str(error)
        except Unavailable as error:
            outcome, why = Outcome.UNAVAILABLE, str(error)
        asked[outcome] += 1
        if asked[outcome] > ASKED_AGAIN[outcome]:
            return Answered(None, outcome, why, asked)
        attempt += 1
        if outcome is Outcome.LENGTH:
            max_tokens *= 2


def _payload(reply: Reply, token: str) -> Mapping[str, Any]:
    """The JSON object of a usable reply to the problem of ``token``; :class:`Unusable` sorts the others."""
    text = reply.said.strip()
    if reply.refusal or reply.finish_reason == "content_filter":
        raise Unusable(Outcome.REFUSAL, "the model declined")
    if reply.finish_reason == "length":
        raise Unusable(Outcome.LENGTH, "it was cut off; be brief")
    if not text:
        raise Unusable(Outcome.EMPTY, "it was empty")
    try:
        payload = read_json(text, token)
    except ValueError as error:
        if len(text) <= _LONGEST_REFUSAL and text.casefold().replace("’", "'").startswith(_REFUSES):
            raise Unusable(Outcome.REFUSAL, "the model declined") from None
        raise Unusable(Outcome.MALFORMED, " ".join(str(error).split())) from None
    echoed = payload.get("token")
    if not isinstance(echoed, str) or not echoed.strip():
        raise Unusable(Outcome.MALFORMED, "the token is missing")
    if echoed.strip().casefold() != token:
        raise Unusable(Outcome.ANOTHER_PROBLEM, "its token is that of another problem")
    return payload
