"""What the Reviewer is worth: on traces with one planted fault, and on untouched ones, beside the machine.

The mutation set has traces with one fault of a known class each (:mod:`srt.mutate`), and valid traces as controls. A
mutant that stayed valid by accident is in neither. The Reviewer reads them as it reads candidates in the loop, with the
same prompt, and never learns what the machine says.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from srt.endpoint.budget import Account
from srt.endpoint.errors import BudgetSpent
from srt.endpoint.journal import Journal
from srt.endpoint.messages import Role
from srt.errors import UserError
from srt.jsonl import check_place, read_records, write_atomically, write_records
from srt.language.faults import PLANTED, Family, Fault
from srt.language.trace import Trace
from srt.mutate.run import Sources, mutants
from srt.mutate.table import MutationTable
from srt.problems import read_problems
from srt.progress import progress
from srt.records import Problem, Record
from srt.teaching.bounds import clopper_pearson
from srt.teaching.config import load_config
from srt.teaching.exchange import Desk
from srt.teaching.machine import audit
from srt.teaching.opening import open_desk
from srt.teaching.records import Issue, Outcome
from srt.teaching.reviewing import review

JOURNAL = "agreement.sqlite"
OPINIONS = "opinions.jsonl"
REPORT = "agreement.json"
FAMILIES: tuple[Family, ...] = ("truth-changing", "support-breaking")


def measure_file(
    traces: Path, problems: Path, config: Path, folder: Path, *, n: int, controls: int, seed: int
) -> dict[str, Any]:
    """Show up to ``n`` mutants and ``controls`` untouched traces of a file to machine and Reviewer, and count.

    ``config`` is that of ``srt teach``; its Reviewer is asked. Every answer is journaled in ``folder``, so that a run
    that was stopped goes on and pays for nothing twice. The opinions and the figures are written there.

    Raises:
        UserError: an unreadable file, a fault of the config or of the endpoint, or no valid trace.
    """
    if n == controls == 0:
        raise UserError("-n and --controls are both 0: there is nothing to show")
    settings = load_config(config)
    by_id = read_problems(problems)
    valid = list(read_records(traces, Trace))
    if not valid:
        raise UserError(f"{traces}: no trace in this file")
    for trace in valid:
        if trace.problem_id not in by_id:
            raise UserError(f"trace {trace.id}: its problem {trace.problem_id!r} is not in the problems file")
    shown, table = exhibits(valid, by_id, n, controls, seed)
    if not shown:
        why = f"; the first: {table.skipped[0]}" if table.skipped else ""
        raise UserError(f"{traces}: no valid trace of an exact world in this file{why}")
    at_once = 2 * settings.endpoints[settings.endpoint_of(Role.REVIEWER)].in_flight

    async def ask_all() -> tuple[list[Opinion], dict[str, Account]]:
        with Journal(folder / JOURNAL) as journal:
            for name in (OPINIONS, REPORT):
                check_place(folder / name)  # before anything is paid for
            async with open_desk(settings, journal, problems.parent) as (desk, budget):
                return await opinions(shown, by_id, desk, at_once), _reviewer_money(budget.spent())

    found, money = asyncio.run(ask_all())
    accidents = sum(table.outcomes["accident"].values())
    figures = Agreement(found, accidents, money, settings.currency).as_dict()
    write_records(folder / OPINIONS, found)
    write_atomically(folder / REPORT, [orjson.dumps(figures, option=orjson.OPT_INDENT_2)])
    return figures


class Exhibit(Record):
    """A trace that is shown to both, and what was planted in it; ``planted`` is ``None`` for a control."""

    trace: Trace
    planted: Fault | None = None
    step: int | None = None
    change: str = ""


class Opinion(Record):
    """What machine and Reviewer said of one exhibit. ``reviewer`` is ``None`` where there was no usable review."""

    trace_id: str
    problem_id: str
    planted: Fault | None = None
    step: int | None = None
    change: str = ""
    machine: tuple[Issue, ...]
    reviewer: tuple[Issue, ...] | None
    outcome: Outcome | None

    @property
    def named(self) -> bool:
        """Whether the Reviewer named the class that was planted."""
        return any(issue.fault is self.planted for issue in self.reviewer or ())


def exhibits(
    traces: Sequence[Trace], problems: Mapping[str, Problem], n: int, controls: int, seed: int
) -> tuple[list[Exhibit], MutationTable]:
    """Up to ``n`` mutants that are faulty, spread over the classes, and up to ``controls`` valid traces untouched.

    In an order that tells nothing; the table says how many mutants stayed valid by accident. A trace that is not valid
    is not used. The same arguments give the same exhibits.
    """
    table = MutationTable()
    sources = Sources(traces, problems)
    shown = [
        Exhibit(
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
    shown += [Exhibit(trace=trace) for trace, _ in zip(valid, range(controls), strict=False)]
    rng.shuffle(shown)
    return shown, table


async def opinions(
    shown: Sequence[Exhibit], problems: Mapping[str, Problem], desk: Desk, at_once: int
) -> list[Opinion]:
    """What machine and Reviewer say of each exhibit, in order, ``at_once`` reviews under way.

    Where the budget is spent, what was reviewed so far is given, and the rest has no outcome. Raises what ``desk.ask``
    raises about the whole run.
    """
    room = asyncio.Semaphore(at_once)
    spent = False

    async def one(exhibit: Exhibit) -> Opinion:
        nonlocal spent
        problem = problems[exhibit.trace.problem_id]
        async with room:
            found = audit(problem, exhibit.trace)
            said, outcome = None, None
            if not spent:
                try:
                    heard = await review(problem, exhibit.trace, desk, doubt=found.doubt)
                    said, outcome = (heard.issues if heard.outcome is Outcome.OK else None), heard.outcome
                except BudgetSpent:
                    spent = True
        return Opinion(
            trace_id=exhibit.trace.id,
            problem_id=problem.id,
            planted=exhibit.planted,
            step=exhibit.step,
            change=exhibit.change,
            machine=found.issues,
            reviewer=said,
            outcome=outcome,
        )

    tasks = [asyncio.create_task(one(exhibit)) for exhibit in shown]
    try:
        return [await task for task in progress(tasks, len(tasks), "reviews")]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass
class Agreement:
    """The opinions counted. Shares are of reviewed exhibits alone, for both, so that they can be compared."""

    opinions: Sequence[Opinion]
    accidents: int = 0
    money: Mapping[str, Account] = field(default_factory=dict)
    currency: str = ""

    @property
    def reviewed(self) -> list[Opinion]:
        """Those with a usable review."""
        return [opinion for opinion in self.opinions if opinion.reviewer is not None]

    def detection(self, faults: Sequence[Fault]) -> dict[str, Any]:
        """How often each objects to mutants of these classes, and how often the Reviewer names the class itself."""
        group = [opinion for opinion in self.reviewed if opinion.planted in faults]
        return {
            "shown": len(group),
            "machine": _share(sum(bool(opinion.machine) for opinion in group), len(group)),
            "reviewer": _share(sum(bool(opinion.reviewer) for opinion in group), len(group)),
            "named": sum(opinion.named for opinion in group),
        }

    def as_dict(self) -> dict[str, Any]:
        """The whole, for machines. ``missed_by_both`` and ``only_reviewer`` name traces worth a look."""
        controls = [opinion for opinion in self.reviewed if opinion.planted is None]
        pairs = [(bool(opinion.machine), bool(opinion.reviewer)) for opinion in self.reviewed]
        agree = {
            "both": pairs.count((True, True)),
            "only_machine": pairs.count((True, False)),
            "only_reviewer": pairs.count((False, True)),
            "neither": pairs.count((False, False)),
        }
        unusable = [opinion.outcome for opinion in self.opinions if opinion.reviewer is None]
        return {
            "exhibits": len(self.opinions),
            "reviewed": len(self.reviewed),
            "without_review": {
                str(outcome.value if outcome else "budget spent"): unusable.count(outcome) for outcome in set(unusable)
            },
            "accidents_left_out": self.accidents,
            "classes": {
                fault.value: {"family": fault.family, **row}
                for fault in PLANTED
                if (row := self.detection([fault]))["shown"]
            },
            "families": {family: self.detection(_of(family)) for family in FAMILIES},
            "total": self.detection(PLANTED),
            "false_alarms": {
                "shown": len(controls),
                "machine": _share(sum(bool(opinion.machine) for opinion in controls), len(controls)),
                "reviewer": _share(sum(bool(opinion.reviewer) for opinion in controls), len(controls)),
            },
            "agreement": {**agree, "kappa": cohen_kappa(**agree)},
            "missed_by_both": [o.trace_id for o in self.reviewed if o.planted and not (o.machine or o.reviewer)],
            "only_reviewer": [o.trace_id for o in self.reviewed if o.planted and o.reviewer and not o.machine],
            "currency": self.currency,
            "spent": {
                model: {
                    "requests": account.requests,
                    "input_tokens": account.input_tokens,
                    "output_tokens": account.output_tokens,
                    "cost": account.cost,
                }
                for model, account in self.money.items()
            },
        }


def cohen_kappa(both: int, only_machine: int, only_reviewer: int, neither: int) -> float | None:
    """Agreement beyond chance (Cohen, Educational and Psychological Measurement 20, 1960): ``(p_o - p_e) / (1 - p_e)``.

    ``None`` of nothing, or where both say the same of everything and chance would have them do so.
    """
    n = both + only_machine + only_reviewer + neither
    if not n:
        return None
    observed = (both + neither) / n
    machine, reviewer = (both + only_machine) / n, (both + only_reviewer) / n
    by_chance = machine * reviewer + (1 - machine) * (1 - reviewer)
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def _reviewer_money(spent: Mapping[tuple[Role, str], Account]) -> dict[str, Account]:
    """Of what was spent, what the Reviewer cost, by model."""
    return {model: account for (role, model), account in spent.items() if role is Role.REVIEWER}


def rows(agreement: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The lines of the table for people: name, and what :meth:`Agreement.detection` gives."""
    for family in FAMILIES:
        for name, row in agreement["classes"].items():
            if row["family"] == family:
                yield name, row
        yield f"{family}, all", agreement["families"][family]
    yield "false alarms on untouched traces", agreement["false_alarms"]


def _share(found: int, n: int) -> dict[str, Any]:
    """``found`` of ``n`` with the two-sided Clopper-Pearson interval at 95%."""
    bounds = clopper_pearson(found, n)
    return {"found": found, "share": found / n if n else None, "low": bounds.low, "high": bounds.high}


def _of(family: Family) -> list[Fault]:
    return [fault for fault in PLANTED if fault.family == family]
