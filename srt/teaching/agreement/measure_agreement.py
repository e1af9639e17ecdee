"""``srt agreement``: show traces to the machine and to the Reviewer of each config, and write what they said."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from srt.io.atomic_files import write_atomically
from srt.io.errors import UserError
from srt.io.output_paths import check_place
from srt.io.problem_files import read_problems
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Problem
from srt.language.trace import Trace
from srt.llm.accounts import ModelUsage, model_usage
from srt.llm.journal import Journal
from srt.llm.journaled_client import open_session
from srt.teaching.agreement.agreement_figures import agreement_rows, reviewer_summary
from srt.teaching.agreement.opinions import Opinion, ask_opinions
from srt.teaching.agreement.shown_traces import ShownTrace, draw_traces
from srt.teaching.case_store.case_records import ModelRole
from srt.teaching.loop.machine_audit import audit
from srt.teaching.teach_config import TeachConfig, load_teach_config
from srt.teaching.teach_prompts import load_teach_prompts

JOURNAL = "agreement.sqlite"
OPINIONS = "opinions.jsonl"
REPORT = "agreement.json"


def measure_agreement(
    traces: Path, problems: Path, configs: Sequence[Path], folder: Path, *, n: int, controls: int, seed: int
) -> dict[str, Any]:
    """Show up to ``n`` mutants and ``controls`` untouched traces of each sort in a file to machine and Reviewers.

    ``configs`` are configs of ``srt teach``; the Reviewer of each is asked, and ``normal_form`` is that of the first.
    Every answer is journaled in ``folder``, so that a run that was stopped can be resumed and pays for nothing twice.
    The opinions and the figures are written there.

    Raises:
        UserError: an unreadable file, a fault in a config or at an endpoint, or no trace that can be used.
    """
    if n == controls == 0:
        raise UserError("-n and --controls are both 0; there is nothing to show")
    reviewers = _by_name(configs)
    normal_form = next(iter(reviewers.values())).normal_form
    by_id = read_problems(problems)
    drawn = draw_traces(_read(traces, problems, by_id), by_id, n, controls, seed, normal_form=normal_form)
    if not drawn.shown:
        why = f"; the first: {drawn.unusable[0]}" if drawn.unusable else ""
        raise UserError(
            f"{traces}: has no proved trace of an exact world, and none in prose that the machine passes{why}"
        )
    found, usage = asyncio.run(_ask_all(reviewers, drawn.shown, by_id, folder, problems.parent, normal_form))
    figures = {
        "shown": len(drawn.shown),
        "table": [row.model_dump(mode="json") for row in agreement_rows(found)],
        "reviewers": {name: reviewer_summary([one for one in found if one.model == name]) for name in reviewers},
        "left_out": drawn.left_out,
        "unusable_traces": len(drawn.unusable),
        "currency": next(iter(reviewers.values())).currency,
        "spent": {
            used.model: used.model_dump(include={"requests", "input_tokens", "output_tokens", "cost", "lost"})
            for used in usage
        },
    }
    write_records(folder / OPINIONS, found)
    write_atomically(folder / REPORT, [orjson.dumps(figures, option=orjson.OPT_INDENT_2)])
    return figures


async def _ask_all(
    reviewers: Mapping[str, TeachConfig],
    shown: Sequence[ShownTrace],
    by_id: Mapping[str, Problem],
    folder: Path,
    pictures: Path,
    normal_form: bool,
) -> tuple[list[Opinion], list[ModelUsage]]:
    audits = [audit(by_id[one.trace.problem_id], one.trace, normal_form=normal_form) for one in shown]
    found: list[Opinion] = []
    with Journal(folder / JOURNAL) as journal:
        for name in (OPINIONS, REPORT):
            check_place(folder / name)  # before anything is paid for
        for name, config in reviewers.items():
            reviewer = config.models.reviewer
            at_once = 2 * config.endpoints_by_name[config.endpoint_name(reviewer)].at_once
            templates, models = load_teach_prompts(config.prompts), {ModelRole.REVIEWER.value: reviewer}
            async with open_session(config, models, templates, journal, pictures) as session:
                found += await ask_opinions(name, shown, audits, by_id, session.context, at_once)
        return found, model_usage(journal.read)


def _by_name(configs: Sequence[Path]) -> dict[str, TeachConfig]:
    """The configs by the model of their Reviewer; with the name of the file where two have the same."""
    loaded = [(path, load_teach_config(path)) for path in configs]
    models = Counter(config.models.reviewer.model for _, config in loaded)
    named = {}
    for path, config in loaded:
        model = config.models.reviewer.model
        named[model if models[model] == 1 else f"{model} ({path.stem})"] = config
    if len(named) < len(loaded):
        raise UserError(
            "--config: two configs have the same Reviewer and the same file name; there is nothing to compare"
        )
    return named


def _read(traces: Path, problems: Path, by_id: Mapping[str, Problem]) -> list[Trace]:
    valid = list(read_records(traces, Trace))
    if not valid:
        raise UserError(f"{traces}: has no trace")
    for trace in valid:
        if trace.problem_id not in by_id:
            raise UserError(f"{traces}: trace {trace.id}: problem_id: {trace.problem_id!r} is not in {problems}")
    return valid
