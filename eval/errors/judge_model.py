"""A judge model: which one, and how it is asked about the predictions of a run. Off unless a config is given.

A judge is asked as the models of ``srt teach`` are: through the same client, with the same retries. Every answer is in
the journal ``judge.sqlite`` of the run's folder before it is used, so that a judge that was killed goes on where it
was, and nothing is paid for twice; another question (another prompt, model or output) has another key.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import Field

from eval.records.run_records import Run, problems_path
from eval.records.run_rows import RowId
from srt.io.records import Problem, Record
from srt.io.yaml_config import Config, read_config
from srt.language.trace import one_line
from srt.llm.config import EndpointConfig, LlmConfig, ModelChoice, Price
from srt.llm.exchange import Answered, LlmContext, Outcome, Unusable, ask_usable
from srt.llm.prompt_templates import PromptFile, load_templates, problem_fields
from srt.llm.request import JsonSchema, closed_object, within

JOURNAL = "judge.sqlite"
PROMPTS = Path(__file__).parent / "prompts"
LONGEST_OUTPUT = 8000
"""Characters of a model's output that a judge is shown, from its end."""

ROLE = "judge"
_FIELDS = frozenset({"token", "question", "choices", "description", "answer", "solution", "output"})
_TAXONOMIES = frozenset({"mathspatial", "hst"})
_NEEDED = frozenset({"token", "answer", "output"})
JUDGE_PROMPTS = {
    "judge_answer": PromptFile(_FIELDS, _NEEDED),
    "judge_error": PromptFile(_FIELDS | _TAXONOMIES, _NEEDED | _TAXONOMIES),
    # Without the gold answer, in a prompt of one's own too: who knows it finds it in any text.
    "read_answer": PromptFile(frozenset({"token", "question", "choices", "output"}), frozenset({"token", "output"})),
}

V = TypeVar("V")


class JudgeConfig(Config):
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
    budget: float | None = Field(default=None, ge=0)
    prompts: Path | None = None


class Spent(Record):
    """What a judge cost in one run's folder, over all times. Tokens are the endpoint's counts.

    ``not_certain`` is the most that may have been billed beside ``cost``, for requests without a reply, or without a
    count that can be.
    """

    requests: int
    input_tokens: int
    output_tokens: int
    cost: float
    not_certain: float = 0.0
    currency: str


@dataclass(frozen=True)
class JudgeReplies(Generic[V]):
    """Of the predictions that were ``asked`` about, ``values`` has what was read of the usable replies; ``unusable``
    counts the reasons of the others."""

    asked: list[RowId]
    values: dict[RowId, V]
    unusable: dict[str, int]
    spent: Spent


def load_judge(path: Path) -> JudgeConfig:
    """Read the YAML file ``path``; ``prompts`` is relative to the folder of the file that names it.

    Raises:
        UserError: the file cannot be read, or has faults in keys and values: all of them in one line.
    """
    return read_config(JudgeConfig, path, bundled="recipes/judge", relative=("prompts",))


def ask_about(
    run: Run,
    keys: Iterable[RowId],
    config: JudgeConfig,
    prompt: str,
    fields: Callable[[Problem], Mapping[str, str]],
    schema: JsonSchema,
    read: Callable[[Mapping[str, Any], str], V],
    shown: Callable[[Problem], Problem] = lambda problem: problem,
) -> JudgeReplies[V]:
    """Ask with ``prompt`` about those of the predictions ``keys`` of ``run`` that have a text.

    As many at once as the endpoint takes; the journal is in the run's folder. ``fields`` fills what the prompt needs
    besides the problem, its gold answer and the output; ``read`` reads a reply of the form ``schema`` about the output
    that it is given. ``shown`` leaves out of a problem what the judge must not see. Where the budget is spent, what was
    answered so far is given, and the rest counts as ``budget spent``.

    Raises:
        UserError: a prompt that cannot be used, an endpoint that cannot be opened or asked.
    """
    # Imported here: they load the HTTP client, which reading a summary has no need of.
    from srt.llm.accounts import model_usage
    from srt.llm.journal import Journal
    from srt.llm.journaled_client import ask_all, open_session

    texts = {key: run.predictions[key].read().text for key in keys if key in run.predictions}
    # There is nothing to judge in an empty text, and a judge would invent something.
    texts = {key: text for key, text in texts.items() if text.strip()}
    templates = load_templates(config.prompts, PROMPTS, JUDGE_PROMPTS)
    # A judge has one endpoint, which has no name.
    choice = config.model.model_copy(update={"endpoint": None})
    llm = LlmConfig(endpoint=config.endpoint, prices={choice.model: config.price}, budget=config.budget)

    async def ask(context: LlmContext, key: RowId) -> Answered[V]:
        problem = shown(run.questions[key[:2]])
        # The end of an output, because the answer is there.
        output = texts[key] if len(texts[key]) <= LONGEST_OUTPUT else f"[...]{texts[key][-LONGEST_OUTPUT:]}"
        filled = {**problem_fields(problem), **fields(problem), "output": output}
        return await ask_usable(context, ROLE, problem, prompt, filled, schema, lambda reply: read(reply, output))

    async def ask_each(journal: Journal) -> list[Answered[V] | None]:
        async with open_session(llm, {ROLE: choice}, templates, journal, problems_path(run).parent) as session:
            return await ask_all(list(texts), partial(ask, session.context), 2 * config.endpoint.at_once, "judgements")

    with Journal(run.folder / JOURNAL) as journal:
        answers = asyncio.run(ask_each(journal))
        usage = model_usage(journal.read)
    outcomes = Counter(answer.outcome.value if answer else "budget spent" for answer in answers)
    return JudgeReplies(
        list(texts),
        {key: answer.value for key, answer in zip(texts, answers, strict=True) if answer and answer.value is not None},
        {outcome: count for outcome, count in sorted(outcomes.items()) if outcome != Outcome.OK.value},
        Spent(
            requests=sum(used.requests for used in usage),
            input_tokens=sum(used.input_tokens for used in usage),
            output_tokens=sum(used.output_tokens for used in usage),
            cost=sum(used.cost for used in usage),
            not_certain=sum(used.lost for used in usage),
            currency=config.currency,
        ),
    )


def judge_schema(name: str, choices: Mapping[str, Iterable[str]]) -> JsonSchema:
    """The schema of a judge's structured output: its reason, then a word of each of the ``choices``."""
    words = {field: {"type": "string", "enum": list(known)} for field, known in choices.items()}
    form = closed_object({"token": {"type": "string"}, "why": {"type": "string"}, **words})
    return JsonSchema(name=name, definition=form, bounded=within(form, {"token": 32, "why": 1000}))


def read_word(reply: Mapping[str, Any], field: str, known: Collection[str]) -> str:
    """The word in ``field`` of a reply; :class:`~srt.llm.exchange.Unusable` where it is not one of ``known``."""
    said = reply.get(field)
    # Small models write "No Answer" or "no-answer" for the word of the schema; the meaning is not in doubt.
    word = said.strip().casefold().replace(" ", "_").replace("-", "_") if isinstance(said, str) else ""
    if word not in known:
        raise Unusable(Outcome.MALFORMED, f'"{field}" is not one of {", ".join(known)}')
    return word


def read_reason(reply: Mapping[str, Any]) -> str:
    """The reason in a reply, in one line."""
    why = reply.get("why")
    return one_line(why) if isinstance(why, str) else ""
