"""Pictures in words, by the describer of a ``srt teach`` config, for models that read only text.

The same question as in the loop of ``srt teach`` (:mod:`srt.teaching.loop.problem_loop`), and nothing else: a test is
described too, and no trace of it is wanted. The describer sees neither the answer nor the solution.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

from srt.io.errors import UserError
from srt.io.folder_lock import hold_folder, make_folder
from srt.io.problem_files import read_problems
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.llm.exchange import Answered, LlmContext, ask_usable
from srt.llm.journal import Journal
from srt.llm.journaled_client import ask_all, open_session
from srt.llm.prompt_templates import problem_fields
from srt.teaching.case_store.case_records import ModelRole
from srt.teaching.case_store.manifest import JOURNAL
from srt.teaching.loop.problem_loop import DESCRIPTION_SCHEMA, read_description
from srt.teaching.teach_config import TeachConfig, load_teach_config
from srt.teaching.teach_prompts import load_teach_prompts


def describe_file(problems: Path, out: Path, folder: Path, config: Path) -> int:
    """Write ``problems`` to ``out`` with a description where pictures have none; returns how many were described.

    ``out`` may be ``problems``, and is in the same folder, so that it refers to the same pictures. The journal is in
    ``folder``, and the budget is the config's: an interrupted run continues, and no reply is paid for twice.

    Raises:
        UserError: a fault of the config or of the endpoint, a spent budget, or a problem without a usable description.
    """
    settings = load_teach_config(config)
    held = read_problems(problems)
    blind = [problem for problem in held.values() if needs_description(problem)]
    if blind and settings.models.describer is None:
        raise UserError(f"{config}: models.describer: missing; it describes the pictures")
    make_folder(folder)
    with hold_folder(folder):
        answers = asyncio.run(_ask_each(blind, settings, folder, problems.parent)) if blind else []
    faults = Counter(one.outcome.value if one else "budget spent" for one in answers if one is None or not one.value)
    if faults:
        why = ", ".join(f"{outcome} {count}" for outcome, count in faults.most_common())
        raise UserError(
            f"{problems}: {faults.total()} of {len(blind)} problems have no description of their pictures ({why}); "
            "the same command asks again for what is missing"
        )
    said = {problem.id: answer.value for problem, answer in zip(blind, answers, strict=True) if answer}
    write_records(
        out,
        (
            problem.model_copy(update={"diagram_description": said[problem.id]}) if problem.id in said else problem
            for problem in held.values()
        ),
    )
    return len(blind)


def needs_description(problem: Problem) -> bool:
    """Whether a model that reads no pictures lacks something of ``problem``."""
    return bool(problem.images) and not problem.diagram_description


async def describe(problem: Problem, context: LlmContext) -> Answered[str]:
    """Ask the describer about the pictures of ``problem``."""
    fields = problem_fields(problem)
    return await ask_usable(
        context, ModelRole.DESCRIBER, problem, "describer", fields, DESCRIPTION_SCHEMA, read_description
    )


async def _ask_each(
    problems: list[Problem], settings: TeachConfig, folder: Path, pictures: Path
) -> list[Answered[str] | None]:
    templates = load_teach_prompts(settings.prompts)
    describer = {ModelRole.DESCRIBER.value: settings.choices()[ModelRole.DESCRIBER.value]}
    # Twice as many as may be in flight: some wait for their pictures or for the disk.
    at_once = 2 * sum(spec.at_once for spec in settings.endpoints_by_name.values())
    with Journal(folder / JOURNAL) as journal:
        async with open_session(settings, describer, templates, journal, pictures) as session:
            return await ask_all(problems, lambda one: describe(one, session.context), at_once, "descriptions")
