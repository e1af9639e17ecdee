"""A judge model: which one, and how it is asked about the predictions of a run. Off unless a config is given.

A judge is asked as the Reviewer of ``srt teach`` is: through the same endpoints, with the same patience, and its money
is counted as a Reviewer's. Every answer lies in the journal ``judge.sqlite`` of the run's folder before it is used, so
that a judge that was killed goes on where it was, and nothing is paid for twice; another question (another prompt,
model or output) has another key.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import Field, ValidationError

from srt.endpoint.config import EndpointConfig, Price
from srt.endpoint.errors import BudgetSpent
from srt.errors import UserError
from srt.extending import read_extending
from srt.records import Record
from srt.teaching.config import ModelChoice, Models, TeachConfig
from srt.teaching.templates import Templates, load_templates

if TYPE_CHECKING:
    from srt.teaching.exchange import Answered, Desk

JOURNAL = "judge.sqlite"
PROMPTS = Path(__file__).parent / "prompts"
LONGEST_OUTPUT = 8000
"""Characters of a model's output that a judge is shown, from its end."""

_PROBLEM = frozenset({"token", "question", "choices", "description", "answer", "solution", "output"})
FIELDS = {"judge_answer": _PROBLEM, "judge_error": _PROBLEM | {"mathspatial", "hst"}}
_NEEDED = {
    "judge_answer": frozenset({"token", "answer", "output"}),
    "judge_error": frozenset({"token", "answer", "output", "mathspatial", "hst"}),
}

T = TypeVar("T")
V = TypeVar("V")


class JudgeConfig(Record):
    """The YAML file of a judge.

    Args:
        endpoint: where it is.
        model: its name there, its temperature, and whether it reads pictures.
        price: money per million tokens; 0 for a model of your own.
        currency: what price and budget are in, for people.
        budget: the most that the judge may cost in one run's folder, over all times; no limit where it is not set.
        prompts: a folder with prompts of one's own (``en/judge_answer.md``); what is not in it is ours.
    """

    endpoint: EndpointConfig
    model: ModelChoice
    price: Price
    currency: str = "USD"
    budget: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    prompts: Path | None = None


class Spent(Record):
    """What a judge cost in one run's folder, over all times. Tokens are the endpoint's counts."""

    requests: int
    input_tokens: int
    output_tokens: int
    cost: float
    currency: str


@dataclass(frozen=True)
class Heard(Generic[V]):
    """What came of a set of questions: in their order a value, or why there is none; and the money."""

    values: list[V | None]
    unusable: Counter[str]
    spent: Spent


def load_judge(path: Path) -> JudgeConfig:
    """Read the YAML file ``path``; ``prompts`` is relative to the folder that holds it.

    Raises:
        UserError: no such file, not YAML, or faults in keys and values: all of them in one line.
    """
    try:
        config = JudgeConfig.model_validate(read_extending(path))
    except ValidationError as error:
        told = "; ".join(
            f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg'].removeprefix('Value error, ')}"
            for fault in error.errors(include_url=False)
        )
        raise UserError(f"{path}: {told}") from None
    return config.model_copy(update={"prompts": path.parent / config.prompts}) if config.prompts else config


def ask_each(
    items: Sequence[T],
    ask: Callable[[Desk, T], Awaitable[Answered[V]]],
    config: JudgeConfig,
    folder: Path,
    pictures: Path,
) -> Heard[V]:
    """``ask`` about each of ``items``, as many at once as the endpoint takes; the journal lies in ``folder``.

    ``pictures`` is the folder that the problems' pictures are relative to. Where the budget is spent, what was answered
    so far is given, and the rest counts as ``budget spent``.

    Raises:
        UserError: a prompt that cannot be used, an endpoint that cannot be opened or asked.
    """
    return asyncio.run(_ask_each(items, ask, config, folder, pictures))


async def _ask_each(
    items: Sequence[T],
    ask: Callable[[Desk, T], Awaitable[Answered[V]]],
    config: JudgeConfig,
    folder: Path,
    pictures: Path,
) -> Heard[V]:
    # Imported here: they load the HTTP client, which reading a summary has no need of.
    from srt.endpoint.journal import Journal
    from srt.progress import progress
    from srt.teaching.opening import open_desk

    prompts = load_templates(config.prompts, PROMPTS, FIELDS, _NEEDED)
    room = asyncio.Semaphore(2 * config.endpoint.in_flight)
    spent = False

    async def one(desk: Desk, item: T) -> tuple[V | None, str | None]:
        nonlocal spent
        async with room:
            if not spent:
                try:
                    answered = await ask(desk, item)
                    usable = answered.value is not None
                    return answered.value, None if usable else answered.outcome.value
                except BudgetSpent:
                    spent = True
            return None, "budget spent"

    with Journal(folder / JOURNAL) as journal:
        async with open_desk(_as_reviewer(config), journal, pictures) as (desk, budget):
            both = Templates({**desk.templates.texts, **prompts.texts})
            judge = dataclasses.replace(desk, templates=both)
            tasks = [asyncio.create_task(one(judge, item)) for item in items]
            try:
                found = [await task for task in progress(tasks, len(tasks), "judgements")]
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            accounts = list(budget.spent().values())
    return Heard(
        [value for value, _ in found],
        Counter(why for _, why in found if why is not None),
        Spent(
            requests=sum(account.requests for account in accounts),
            input_tokens=sum(account.input_tokens for account in accounts),
            output_tokens=sum(account.output_tokens for account in accounts),
            cost=sum(account.cost for account in accounts),
            currency=config.currency,
        ),
    )


def shown_output(text: str) -> str:
    """What a judge is shown of a model's output: all of it, or its end."""
    return text if len(text) <= LONGEST_OUTPUT else f"[...]{text[-LONGEST_OUTPUT:]}"


def _as_reviewer(config: JudgeConfig) -> TeachConfig:
    choice = config.model.model_copy(update={"endpoint": None})
    return TeachConfig(
        endpoints={"default": config.endpoint},
        models=Models(teacher=choice, reviewer=choice, checker=choice),
        prices={choice.model: config.price},
        currency=config.currency,
        budget=config.budget,
    )
