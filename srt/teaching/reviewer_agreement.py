"""How well the Reviewer finds faults, beside the machine: on traces with one planted fault, and on untouched ones.

The traces are mutants with one fault of a known class each (:mod:`srt.mutate`), and valid traces as controls. A mutant
that stayed valid by accident is left out. The Reviewer gets the same prompt as in the loop and never learns what the
machine found.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from srt.io.errors import UserError
from srt.io.jsonl import check_place, read_records, write_atomically, write_records
from srt.io.problem_files import read_problems
from srt.io.records import Problem, Record
from srt.language.faults import FAMILIES, PLANTED, Fault
from srt.language.trace import Trace
from srt.llm.exchange import Answered, LlmContext, Outcome
from srt.llm.journal import Journal, ModelUsage, model_usage
from srt.llm.journaled_client import ask_all, open_context
from srt.mutate.mutate_traces import Sources, mutants
from srt.mutate.mutation_table import MutationTable
from srt.statistics.clopper_pearson import clopper_pearson
from srt.statistics.kappa import agreement
from srt.teaching.case_store.case_records import Issue
from srt.teaching.loop.machine_audit import MachineAudit, audit
from srt.teaching.loop.reviewer import review
from srt.teaching.roles import ModelRole
from srt.teaching.teach_config import load_teach_config
from srt.teaching.teach_prompts import load_teach_prompts

JOURNAL = "agreement.sqlite"
OPINIONS = "opinions.jsonl"
REPORT = "agreement.json"


def measure_agreement(
    traces: Path, problems: Path, config: Path, folder: Path, *, n: int, controls: int, seed: int
) -> dict[str, Any]:
    """Show up to ``n`` mutants and ``controls`` untouched traces of a file to the machine and the Reviewer.

    ``config`` is a config of ``srt teach``; its Reviewer is asked. Every answer is journaled in ``folder``, so that a
    run that was stopped can be resumed and pays for nothing twice. The opinions and the figures are written there.

    Raises:
        UserError: an unreadable file, a fault in the config or at the endpoint, or no valid trace.
    """
    if n == controls == 0:
        raise UserError("-n and --controls are both 0; there is nothing to show")
    settings = load_teach_config(config)
    by_id = read_problems(problems)
    valid = list(read_records(traces, Trace))
    if not valid:
        raise UserError(f"{traces}: has no trace")
    for trace in valid:
        if trace.problem_id not in by_id:
            raise UserError(f"{traces}: trace {trace.id}: problem_id: {trace.problem_id!r} is not in {problems}")
    shown, table = draw_traces(valid, by_id, n, controls, seed)
    if not shown:
        why = f"; the first: {table.skipped[0]}" if table.skipped else ""
        raise UserError(f"{traces}: has no valid trace of an exact world{why}")
    at_once = 2 * settings.endpoints_by_name[settings.endpoint_name(settings.models.reviewer)].in_flight
    templates = load_teach_prompts(settings.prompts)

    async def ask_reviewer() -> tuple[list[Opinion], list[ModelUsage]]:
        with Journal(folder / JOURNAL) as journal:
            for name in (OPINIONS, REPORT):
                check_place(folder / name)  # before anything is paid for
            models = {ModelRole.REVIEWER.value: settings.models.reviewer}
            async with open_context(settings, models, templates, journal, problems.parent) as (context, _):
                found = await ask_opinions(shown, by_id, context, at_once)
            return found, model_usage(journal.read)

    found, usage = asyncio.run(ask_reviewer())
    figures = {
        **agreement_figures(found),
        "accidents_left_out": sum(table.outcomes["accident"].values()),
        "currency": settings.currency,
        "spent": {
            used.model: used.model_dump(include={"requests", "input_tokens", "output_tokens", "cost"}) for used in usage
        },
    }
    write_records(folder / OPINIONS, found)
    write_atomically(folder / REPORT, [orjson.dumps(figures, option=orjson.OPT_INDENT_2)])
    return figures


class ShownTrace(Record):
    """A trace that both are shown, and the fault planted in it: ``None`` for a control."""

    trace: Trace
    planted: Fault | None = None
    step: int | None = None
    change: str = ""


class Opinion(Record):
    """The issues that the machine and the Reviewer raised on one trace. ``reviewer`` is ``None`` without a review."""

    trace_id: str
    problem_id: str
    planted: Fault | None = None
    step: int | None = None
    change: str = ""
    machine: tuple[Issue, ...]
    reviewer: tuple[Issue, ...] | None
    outcome: Outcome | None


def draw_traces(
    traces: Sequence[Trace], problems: Mapping[str, Problem], n: int, controls: int, seed: int
) -> tuple[list[ShownTrace], MutationTable]:
    """Up to ``n`` faulty mutants, spread over the classes, and up to ``controls`` valid traces, in random order.

    The table counts the mutants that stayed valid by accident. Traces that are not valid are not used. The same
    arguments give the same traces.
    """
    table = MutationTable()
    sources = Sources(traces, problems)
    shown = [
        ShownTrace(
            trace=record.trace.model_copy(update={"id": f"{record.trace.id}~{number}"}),
            planted=record.fault,
            step=record.step or None,
            change=record.change,
        )
        for number, record in enumerate(mutants(sources, n, seed, table), 1)
        if record.outcome != "accident"
    ]
    rng = random.Random(f"{seed}:controls")
    order = rng.sample(range(len(traces)), len(traces))
    valid = (traces[i] for i in order if sources.get(i) is not None)
    shown += [ShownTrace(trace=trace) for trace, _ in zip(valid, range(controls), strict=False)]
    rng.shuffle(shown)
    return shown, table


async def ask_opinions(
    shown: Sequence[ShownTrace], problems: Mapping[str, Problem], context: LlmContext, at_once: int
) -> list[Opinion]:
    """The opinions on each trace, in order, with at most ``at_once`` reviews in flight.

    Once the budget is spent, the remaining traces get no outcome. Raises what ``context.ask`` raises about the run.
    """
    audits = [audit(problems[one.trace.problem_id], one.trace) for one in shown]

    async def review_one(pair: tuple[ShownTrace, MachineAudit]) -> Answered[tuple[Issue, ...]]:
        one, machine = pair
        return await review(problems[one.trace.problem_id], one.trace, context, doubt=machine.doubt)

    reviews = await ask_all(list(zip(shown, audits, strict=True)), review_one, at_once, "reviews")
    return [
        Opinion(
            trace_id=one.trace.id,
            problem_id=one.trace.problem_id,
            planted=one.planted,
            step=one.step,
            change=one.change,
            machine=machine.issues,
            reviewer=reviewed.value if reviewed else None,
            outcome=reviewed.outcome if reviewed else None,
        )
        for one, machine, reviewed in zip(shown, audits, reviews, strict=True)
    ]


def agreement_figures(opinions: Sequence[Opinion]) -> dict[str, Any]:
    """The opinions, counted. ``missed_by_both`` and ``only_reviewer`` name traces worth a look.

    The shares of both are of the traces with a usable review, so that they can be compared.
    """
    reviewed = [opinion for opinion in opinions if opinion.reviewer is not None]
    unusable = Counter(
        opinion.outcome.value if opinion.outcome else "budget spent" for opinion in opinions if opinion.reviewer is None
    )
    pairs = [(bool(opinion.machine), bool(opinion.reviewer)) for opinion in reviewed]
    of_class = {fault: _detection(reviewed, [fault]) for fault in PLANTED}
    untouched = [opinion for opinion in reviewed if opinion.planted is None]
    return {
        "shown": len(opinions),
        "reviewed": len(reviewed),
        "without_review": dict(unusable),
        "classes": {fault.value: {"family": fault.family, **row} for fault, row in of_class.items() if row["shown"]},
        "families": {
            family: _detection(reviewed, [fault for fault in PLANTED if fault.family == family]) for family in FAMILIES
        },
        "total": _detection(reviewed, PLANTED),
        "false_alarms": _objections(untouched),
        "agreement": {
            "both": pairs.count((True, True)),
            "only_machine": pairs.count((True, False)),
            "only_reviewer": pairs.count((False, True)),
            "neither": pairs.count((False, False)),
            "kappa": agreement([(str(machine), str(reviewer)) for machine, reviewer in pairs]).kappa,
        },
        "missed_by_both": [o.trace_id for o in reviewed if o.planted and not (o.machine or o.reviewer)],
        "only_reviewer": [o.trace_id for o in reviewed if o.planted and o.reviewer and not o.machine],
    }


def table_rows(figures: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The rows of the table on the terminal: a name, and its figures."""
    for family in FAMILIES:
        for name, row in figures["classes"].items():
            if row["family"] == family:
                yield name, row
        yield f"{family}, all", figures["families"][family]
    yield "false alarms on untouched traces", figures["false_alarms"]


def _detection(reviewed: Sequence[Opinion], faults: Sequence[Fault]) -> dict[str, Any]:
    """How often each objects to mutants of these classes, and how often the Reviewer names the class itself."""
    group = [opinion for opinion in reviewed if opinion.planted in faults]
    named = sum(any(issue.fault is opinion.planted for issue in opinion.reviewer or ()) for opinion in group)
    return {**_objections(group), "named": named}


def _objections(group: Sequence[Opinion]) -> dict[str, Any]:
    return {
        "shown": len(group),
        "machine": _share(sum(bool(opinion.machine) for opinion in group), len(group)),
        "reviewer": _share(sum(bool(opinion.reviewer) for opinion in group), len(group)),
    }


def _share(found: int, n: int) -> dict[str, Any]:
    """``found`` of ``n`` with the two-sided 95% Clopper-Pearson interval."""
    bounds = clopper_pearson(found, n)
    return {"found": found, "share": found / n if n else None, "low": bounds.low, "high": bounds.high}
