"""One question to a model, asked until its answer can be used or its policy is used up.

What every role has in common: the fields that a problem gives to the prompts, the request, and the sorting of replies
into outcomes. What an answer means is for the caller's ``read``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from srt.answers import canonical_text
from srt.endpoint.errors import RequestRejected, Unavailable
from srt.endpoint.messages import JsonSchema, Reply, Request, Role
from srt.endpoint.structured import read_json
from srt.records import Lang, Problem
from srt.teaching.candidate import Unusable, token_of
from srt.teaching.config import TeachConfig
from srt.teaching.policy import POLICIES, asks_again
from srt.teaching.records import Outcome
from srt.teaching.templates import Templates

T = TypeVar("T")
Ask = Callable[[Request], Awaitable[Reply]]

NONE: dict[Lang, str] = {"en": "(none)", "zh": "（无）"}
_TO_DERIVE: dict[Lang, str] = {
    "en": "(None is known: derive the answer yourself, and write that derivation.)",
    "zh": "（没有标准解答：请自己推导出答案，并写出推导过程。）",
}
_REFUSES = (
    "i'm sorry", "i am sorry", "sorry, ", "i can't", "i cannot", "i'm unable", "i am unable", "抱歉", "对不起",
    "我无法",
)  # fmt: skip
_LONGEST_REFUSAL = 600


@dataclass(frozen=True)
class Desk:
    """What every question needs: the config, the prompts, and the way to the models."""

    config: TeachConfig
    templates: Templates
    ask: Ask


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
    desk: Desk,
    role: Role,
    problem: Problem,
    prompt: str,
    fields: Mapping[str, str],
    schema: JsonSchema,
    read: Callable[[Mapping[str, Any]], T],
) -> Answered[T]:
    """Ask ``role`` with ``prompt`` filled from ``fields``, again as :mod:`.policy` says; ``read`` the JSON answer.

    ``read`` raises :class:`~srt.teaching.candidate.Unusable` for an answer in another form. Equal replies lead to equal
    questions, so that a run that was killed finds the same requests in the journal.
    """
    choice = desk.config.models.of(role)
    system, user = desk.templates.fill(prompt, problem.lang, fields)
    max_tokens, attempt, why = choice.max_tokens, 0, ""
    asked: Counter[Outcome] = Counter()
    while True:
        again = desk.templates.piece("again", problem.lang, {"reason": why}) if attempt else ""
        request = Request(
            role=role,
            model=choice.model,
            system=system,
            user=f"{user}\n\n{again}" if again else user,
            pictures=tuple(problem.images) if choice.pictures else (),
            json_schema=schema,
            temperature=choice.temperature,
            max_tokens=max_tokens,
            attempt=attempt,
            problem_id=problem.id,
        )
        try:
            reply = await desk.ask(request)
            value = read(_payload(reply, token_of(problem)))
            asked[Outcome.OK] += 1
            return Answered(value, Outcome.OK, "", asked)
        except Unusable as error:
            outcome, why = error.outcome, str(error)
        except RequestRejected as error:
            outcome, why = Outcome.REJECTED, str(error)
        except Unavailable as error:
            outcome, why = Outcome.UNAVAILABLE, str(error)
        asked[outcome] += 1
        if not asks_again(outcome, asked):
            return Answered(None, outcome, why, asked)
        attempt += 1
        if POLICIES[outcome].longer:
            max_tokens *= 2


def problem_fields(problem: Problem) -> dict[str, str]:
    """The fields of the prompts that the problem itself fills."""
    none = NONE[problem.lang]
    question = "\n\n".join(part for part in (problem.instruction, problem.question) if part)
    return {
        "token": token_of(problem),
        "question": question,
        "choices": "\n".join(f"{letter}. {text}" for letter, text in sorted(problem.choices.items())) or none,
        "description": problem.diagram_description or none,
        "solution": (problem.solution or "").strip() or _TO_DERIVE[problem.lang],
        "answer": canonical_text(problem.answer) if problem.answer else none,
    }


def official_solution(problem: Problem) -> str:
    """The official solution for those who do not write a first draft; they are told that there is none."""
    return (problem.solution or "").strip() or NONE[problem.lang]


def _payload(reply: Reply, token: str) -> Mapping[str, Any]:
    """The JSON object of a usable reply to the problem of ``token``; :class:`Unusable` sorts the others."""
    text = reply.text.strip()
    if reply.refusal or reply.finish_reason == "content_filter":
        raise Unusable(Outcome.REFUSAL, "the model declined")
    if reply.finish_reason == "length":
        raise Unusable(Outcome.LENGTH, "it was cut off; be brief")
    if not text:
        raise Unusable(Outcome.EMPTY, "it was empty")
    try:
        payload = read_json(text)
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
