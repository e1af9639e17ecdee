"""The loop of ``srt teach`` with a teacher that errs at a known rate: what each stage catches, and what slips through.

    python benchmarks/injected_errors.py [--problems N] [--items N] [--rate P] [--seed S] [--json]

The problems are seating puzzles that are generated here and, where ``SRT_SPACE2025`` names a copy of SpaCE2025, a
random sample of its own items. The teacher's draft is the exact trace; with probability ``--rate`` it has one fault of
:mod:`srt.mutate`, of a class drawn at random. The Reviewer notices a faulty trace with probability ``--notices`` and
objects to a sound one with probability ``--alarms``; the Checker mends with probability ``--repairs`` and otherwise
hands in another faulty trace. Everything else is the real loop: prompts, parsing, policies, machine, overruling.

Three runs. ``world``: the machine has the exact checker of the seating world. ``form``: it has references, unused steps
and the gold answer alone, as for a problem that no world knows. ``off``: nothing but the gold answer; then the
Reviewer carries the rest. Traces that were accepted or repaired are judged afterwards by an oracle that shares no code
with the checker, and by ``srt check``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from srt.checking import check
from srt.corpora import read_corpus
from srt.endpoint.messages import Reply, Request, Role
from srt.generate import generate_file
from srt.jsonl import read_records
from srt.language.faults import PLANTED, Fault
from srt.language.trace import Trace
from srt.mutate.case import MUTATIONS
from srt.mutate.run import Sources
from srt.records import Problem
from srt.solve import solve_one
from srt.teaching.candidate import token_of
from srt.teaching.config import TeachConfig
from srt.teaching.exchange import Desk
from srt.teaching.loop import teach_problem
from srt.teaching.machine import MachineAudit, audit
from srt.teaching.records import Case, State
from srt.teaching.templates import load_templates
from srt.worlds import world_of

Machine = Literal["world", "form", "off"]
MACHINES: tuple[Machine, ...] = ("world", "form", "off")
_FORM = frozenset({Fault.DANGLING_REFERENCE, Fault.ORDER_BROKEN, Fault.UNUSED_STEP})
_TRIES = 50


@dataclass(frozen=True)
class Rates:
    """Probabilities of the models that are played here."""

    injected: float
    notices: float
    alarms: float
    repairs: float


@dataclass
class Item:
    """One problem with its exact trace, and the fault that its draft was given (``None``: a sound draft)."""

    number: int
    problem: Problem
    trace: Trace
    planted: Fault | None = None
    handed_in: list[bool] = field(default_factory=list)
    """For each candidate so far, whether it was faulty."""


class Models:
    """Teacher, Reviewer and Checker. What one answers depends on seed, problem, role and round, and on nothing else."""

    def __init__(self, items: Sequence[Item], sources: Sources, rates: Rates, seed: int) -> None:
        self._items = {item.problem.id: item for item in items}
        self._sources = sources
        self._rates = rates
        self._seed = seed

    async def ask(self, request: Request) -> Reply:
        """The answer to ``request``."""
        item = self._items[request.problem_id]
        rng = random.Random(f"{self._seed}:{item.problem.id}:{request.role}:{len(item.handed_in)}")
        payload = self._review(item, rng) if request.role is Role.REVIEWER else self._write(item, request.role, rng)
        text = json.dumps({"token": token_of(item.problem), **payload}, ensure_ascii=False)
        return Reply(text=text, finish_reason="stop", input_tokens=1000, output_tokens=len(text) // 4, seconds=0)

    def _write(self, item: Item, role: Role, rng: random.Random) -> Mapping[str, Any]:
        faulty = rng.random() < (self._rates.injected if role is Role.TEACHER else 1 - self._rates.repairs)
        trace, planted = self._mutant(item, rng) if faulty else (item.trace, None)
        if role is Role.TEACHER:
            item.planted = planted
        item.handed_in.append(planted is not None)
        steps = [{"op": step.op, "premises": list(step.args), "claim": step.claim} for step in trace.steps]
        return {"steps": steps, "answer": trace.answer}

    def _mutant(self, item: Item, rng: random.Random) -> tuple[Trace, Fault]:
        """A trace with one fault that the oracle sees as one: not valid by accident."""
        case, oracle = self._sources.get(item.number), self._sources.oracle(item.number)
        assert case is not None
        for _ in range(_TRIES):
            fault = rng.choice(PLANTED)
            mutant = MUTATIONS[fault](case, rng)
            if mutant is not None and not oracle.judge(mutant.trace).proved:
                return mutant.trace, fault
        raise SystemExit(f"{item.problem.id}: no fault could be planted")

    def _review(self, item: Item, rng: random.Random) -> Mapping[str, Any]:
        faulty = item.handed_in[-1]
        if rng.random() >= (self._rates.notices if faulty else self._rates.alarms):
            return {"issues": []}
        step = rng.randint(1, len(item.trace.steps))
        return {"issues": [{"step": step, "fault": "does_not_follow", "explanation": "it does not follow"}]}


def judge_as(machine: Machine, found: MachineAudit) -> MachineAudit:
    """What ``machine`` would say where the exact checker says ``found``."""
    if machine == "world":
        return found
    gold = found.gold not in ("differs", "unreadable")
    kept = [issue for issue in found.issues if (machine == "form" and issue.fault in _FORM)]
    kept += [issue for issue in found.issues if not gold and issue.step is None and issue not in kept][:1]
    # Nothing is proved, so nothing is overruled.
    steps = tuple(step.model_copy(update={"support": "unchecked"}) for step in found.checks.steps)
    checks = found.checks.model_copy(update={"steps": steps})
    return replace(found, issues=tuple(kept), checks=checks, closed=frozenset(), world=False)


async def run(items: Sequence[Item], sources: Sources, rates: Rates, machine: Machine, seed: int) -> list[Case]:
    """The cases of all items, with one machine."""
    for item in items:
        item.planted, item.handed_in = None, []
    settings = {
        "endpoint": {"base_url": "http://127.0.0.1:1/v1"},
        "models": {role: {"model": "played"} for role in ("teacher", "reviewer", "checker")},
        "prices": {"played": {"input": 0, "output": 0}},
    }
    desk = Desk(TeachConfig.model_validate(settings), load_templates(None), Models(items, sources, rates, seed).ask)

    async def judge(problem: Problem, trace: Trace) -> MachineAudit:
        return judge_as(machine, audit(problem, trace))

    return [await teach_problem(item.problem, desk, judge) for item in items]


def tell(items: Sequence[Item], cases: Sequence[Case], sources: Sources) -> dict[str, Any]:
    """What became of the drafts: by class of the fault in the draft, and for the sound ones."""
    rows: dict[str, Counter[str]] = {}
    finals = Counter({"traces": 0, "steps refuted": 0, "slipped through": 0, "false": 0})
    for item, case in zip(items, cases, strict=True):
        row = rows.setdefault(item.planted.value if item.planted else "none", Counter())
        row["drafts"] += 1
        first = case.rounds[0]
        by = {issue.by for issue in first.issues}
        row["machine" if "machine" in by else "reviewer" if by else "passed"] += 1
        row[case.state.value] += 1
        row["overruled"] += sum(len(one.overruled) for one in case.rounds)
        if case.state not in (State.ACCEPTED, State.REPAIRED):
            continue
        assert case.trace is not None
        finals["traces"] += 1
        finals["steps refuted"] += sum(step.support == "refuted" for step in check(item.problem, case.trace).steps)
        judgement = sources.oracle(item.number).judge(case.trace)
        finals["false"] += bool(judgement.false)
        if not judgement.proved:
            finals["slipped through"] += 1
            row["slipped"] += 1
    injected: Counter[str] = Counter()
    for name, row in rows.items():
        if name != "none":
            injected.update(row)
    return {
        "classes": {name: dict(rows[name]) for name in (fault.value for fault in PLANTED) if name in rows},
        "injected": dict(injected),
        "sound": dict(rows.get("none", Counter())),
        "final": dict(finals),
    }


_COLUMNS = ("drafts", "machine", "reviewer", "passed", "accepted", "repaired", "people", "failed", "slipped")


def print_table(machine: str, told: Mapping[str, Any], seconds: float) -> None:
    """The table of one run for people."""
    print(f"\nmachine: {machine} ({seconds:.1f} s)")
    print(f"{'fault of the draft':22}" + "".join(f"{name:>10}" for name in _COLUMNS))
    for name, row in {**told["classes"], "all injected": told["injected"], "sound drafts": told["sound"]}.items():
        print(f"{name:22}" + "".join(f"{row.get(column, 0):10}" for column in _COLUMNS))
    final = told["final"]
    print(
        f"accepted and repaired: {final['traces']} traces, of which srt check refutes "
        f"{final['steps refuted']} steps; the oracle finds {final['slipped through']} not proved, "
        f"{final['false']} with something false; objections of the Reviewer overruled: "
        f"{told['injected'].get('overruled', 0) + told['sound'].get('overruled', 0)}"
    )


def collect(count: int, items: int, seed: int) -> tuple[list[Problem], list[Trace]]:
    """``count`` generated problems, and ``items`` of SpaCE2025 where it is there, with gold, solution and trace."""
    with TemporaryDirectory() as folder:
        generate_file("seating", count, "train", Path(folder) / "p.jsonl", {})
        problems = list(read_records(Path(folder) / "p.jsonl", Problem))
    if place := os.environ.get("SRT_SPACE2025"):
        published = [problem for problem in read_corpus("space2025", Path(place)) if world_of(problem) is not None]
        problems += random.Random(f"{seed}:items").sample(published, min(items, len(published)))
    else:
        print("SRT_SPACE2025 is not set: generated puzzles only", file=sys.stderr)
    kept: list[tuple[Problem, Trace]] = []
    for problem in problems:
        trace, world = solve_one(problem), world_of(problem)
        if isinstance(trace, Trace) and world is not None and problem.answer is not None:
            solution = world.explain(problem, trace, terse=False)
            kept.append((problem.model_copy(update={"solution": solution}), trace))
    return [problem for problem, _ in kept], [trace for _, trace in kept]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=300, help="how many to generate")
    parser.add_argument("--items", type=int, default=300, help="how many of SpaCE2025 to draw")
    parser.add_argument("--rate", type=float, default=0.5, help="share of drafts with a fault")
    parser.add_argument("--notices", type=float, default=0.7, help="the Reviewer objects to a faulty trace")
    parser.add_argument("--alarms", type=float, default=0.05, help="the Reviewer objects to a sound trace")
    parser.add_argument("--repairs", type=float, default=0.8, help="the Checker hands in a sound trace")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    problems, traces = collect(args.problems, args.items, args.seed)
    sources = Sources(traces, {problem.id: problem for problem in problems})
    items = [
        Item(number, problem, trace)
        for number, (problem, trace) in enumerate(zip(problems, traces, strict=True))
        if sources.get(number) is not None
    ]
    rates = Rates(args.rate, args.notices, args.alarms, args.repairs)
    report: dict[str, Any] = {"problems": len(items), "rates": vars(rates) | {"seed": args.seed}, "machines": {}}
    if not args.json:
        print(f"{len(items)} problems; {rates}")
    for machine in MACHINES:
        began = time.perf_counter()
        told = tell(items, asyncio.run(run(items, sources, rates, machine, args.seed)), sources)
        report["machines"][machine] = told
        if not args.json:
            print_table(machine, told, time.perf_counter() - began)
    if args.json:
        print(json.dumps(report, indent=2))
    exact = report["machines"]["world"]["final"]
    if exact["slipped through"] or exact["steps refuted"] or not exact["traces"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
