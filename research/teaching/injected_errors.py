"""The loop of ``srt teach`` with a teacher that errs at a known rate: what each stage catches and what gets through.

    python -m research.teaching.injected_errors [--problems N] [--items N] [--rate P] [--seed S] [--json]

The problems are seating puzzles that are generated here and, where ``SRT_SPACE2025`` names a copy of SpaCE2025, a
random sample of its problems. The teacher's draft is the exact trace; with probability ``--rate`` it has one fault of
:mod:`srt.mutate`, of a class drawn at random. The Reviewer notices a faulty trace with probability ``--notices`` and
objects to a sound one with probability ``--alarms``; the Checker repairs with probability ``--repairs`` and otherwise
returns another faulty trace. Everything else is the real loop: prompts, parsing, policies, machine, overruling.

Three runs. ``world``: the machine has the exact checker of the seating world. ``form``: it checks only references,
unused steps and the gold answer, as for a problem of no world. ``off``: it checks only the gold answer, and the rest is
up to the Reviewer. Traces that were accepted or repaired are then judged by an oracle that shares no code with the
checker, and by ``srt check``.
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
from srt.io.record_reader import read_records
from srt.io.records import Problem
from srt.language.faults import Fault, FaultClass
from srt.language.trace import Trace
from srt.llm.exchange import LlmContext
from srt.llm.prompt_templates import token_of
from srt.llm.request import LlmRequest, Reply
from srt.mutate.mutate_traces import Sources
from srt.pipeline.generate import generate_file
from srt.pipeline.solve import solve_one
from srt.teaching.case_store.case_records import ModelRole, State, TeachingCase
from srt.teaching.loop.machine_audit import MachineAudit, audit
from srt.teaching.loop.problem_loop import teach_problem
from srt.teaching.teach_config import TeachConfig
from srt.teaching.teach_prompts import load_teach_prompts
from srt.worlds.world_registry import world_of

Machine = Literal["world", "form", "off"]
MACHINES: tuple[Machine, ...] = ("world", "form", "off")
_FORM = frozenset({Fault.DANGLING_REFERENCE, Fault.ORDER_BROKEN, Fault.UNUSED_STEP})
_TRIES = 50


@dataclass(frozen=True)
class Rates:
    """Probabilities of the simulated models."""

    injected: float
    notices: float
    alarms: float
    repairs: float


@dataclass
class Item:
    """One problem with its exact trace, and the fault planted in its draft (``None``: a sound draft)."""

    number: int
    problem: Problem
    trace: Trace
    planted: FaultClass | None = None
    submitted: list[bool] = field(default_factory=list)
    """Whether each candidate so far was faulty."""


class Models:
    """Teacher, Reviewer and Checker. An answer depends only on seed, problem, role and round."""

    def __init__(self, items: Sequence[Item], sources: Sources, rates: Rates, seed: int) -> None:
        self._items = {item.problem.id: item for item in items}
        self._sources = sources
        self._rates = rates
        self._seed = seed

    async def ask(self, request: LlmRequest) -> Reply:
        """The answer to ``request``."""
        item = self._items[request.problem_id]
        rng = random.Random(f"{self._seed}:{item.problem.id}:{request.role}:{len(item.submitted)}")
        payload = (
            self._review(item, rng) if request.role == ModelRole.REVIEWER else self._write(item, request.role, rng)
        )
        text = json.dumps({"token": token_of(item.problem), **payload}, ensure_ascii=False)
        return Reply(text=text, finish_reason="stop", input_tokens=1000, output_tokens=len(text) // 4, seconds=0)

    def _write(self, item: Item, role: str, rng: random.Random) -> Mapping[str, Any]:
        faulty = rng.random() < (self._rates.injected if role == ModelRole.TEACHER else 1 - self._rates.repairs)
        trace, planted = self._mutant(item, rng) if faulty else (item.trace, None)
        if role == ModelRole.TEACHER:
            item.planted = planted
        item.submitted.append(planted is not None)
        steps = [{"op": step.op, "premises": list(step.args), "claim": step.claim} for step in trace.steps]
        return {"steps": steps, "answer": trace.answer}

    def _mutant(self, item: Item, rng: random.Random) -> tuple[Trace, FaultClass]:
        """A trace with one fault that the oracle confirms, so that none is valid by accident."""
        subject = self._sources.get(item.number)
        assert subject is not None
        for _ in range(_TRIES):
            fault = rng.choice(self._sources.planted)
            mutant = subject.mutate(fault, rng)
            if mutant is not None and not subject.judge(mutant.trace).proved:
                return mutant.trace, fault
        raise SystemExit(f"{item.problem.id}: no fault could be planted")

    def _review(self, item: Item, rng: random.Random) -> Mapping[str, Any]:
        faulty = item.submitted[-1]
        if rng.random() >= (self._rates.notices if faulty else self._rates.alarms):
            return {"issues": []}
        step = rng.randint(1, len(item.trace.steps))
        return {"issues": [{"step": step, "fault": "does_not_follow", "explanation": "it does not follow"}]}


def judge_as(machine: Machine, found: MachineAudit) -> MachineAudit:
    """What ``machine`` would find where the exact checker finds ``found``."""
    if machine == "world":
        return found
    gold = found.gold not in ("differs", "unreadable")
    kept = [issue for issue in found.issues if (machine == "form" and issue.fault in _FORM)]
    kept += [issue for issue in found.issues if not gold and issue.step is None and issue not in kept][:1]
    # Nothing is proved, so nothing is overruled.
    steps = tuple(step.model_copy(update={"support": "unchecked"}) for step in found.checks.steps)
    checks = found.checks.model_copy(update={"steps": steps})
    return replace(found, issues=tuple(kept), checks=checks, settled={}, world=False)


async def run(items: Sequence[Item], sources: Sources, rates: Rates, machine: Machine, seed: int) -> list[TeachingCase]:
    """The cases of all items, with one machine."""
    for item in items:
        item.planted, item.submitted = None, []
    settings = {
        "endpoint": {"base_url": "http://127.0.0.1:1/v1"},
        "models": {role: {"model": "simulated"} for role in ("teacher", "reviewer", "checker")},
        "prices": {"simulated": {"input": 0, "output": 0}},
    }
    config = TeachConfig.model_validate(settings)
    context = LlmContext(config.choices(), load_teach_prompts(None), Models(items, sources, rates, seed).ask)

    async def judge(problem: Problem, trace: Trace) -> MachineAudit:
        return judge_as(machine, audit(problem, trace))

    return [await teach_problem(item.problem, config, context, judge) for item in items]


def count_results(items: Sequence[Item], cases: Sequence[TeachingCase], sources: Sources) -> dict[str, Any]:
    """The fate of the drafts, by class of the planted fault, and of the sound ones."""
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
        subject = sources.get(item.number)
        assert subject is not None
        verdict = subject.judge(case.trace)
        finals["false"] += bool(verdict.false)
        if not verdict.proved:
            finals["slipped through"] += 1
            row["slipped"] += 1
    injected: Counter[str] = Counter()
    for name, row in rows.items():
        if name != "none":
            injected.update(row)
    return {
        "classes": {name: dict(rows[name]) for name in sources.planted if name in rows},
        "injected": dict(injected),
        "sound": dict(rows.get("none", Counter())),
        "final": dict(finals),
    }


_COLUMNS = ("drafts", "machine", "reviewer", "passed", "accepted", "repaired", "human", "failed", "slipped")


def print_table(machine: str, figures: Mapping[str, Any], seconds: float) -> None:
    """Print the table of one run."""
    print(f"\nmachine: {machine} ({seconds:.1f} s)")
    print(f"{'fault of the draft':22}" + "".join(f"{name:>10}" for name in _COLUMNS))
    for name, row in {
        **figures["classes"],
        "all injected": figures["injected"],
        "sound drafts": figures["sound"],
    }.items():
        print(f"{name:22}" + "".join(f"{row.get(column, 0):10}" for column in _COLUMNS))
    final = figures["final"]
    print(
        f"accepted and repaired: {final['traces']} traces, of which srt check refutes "
        f"{final['steps refuted']} steps; the oracle finds {final['slipped through']} not proved, "
        f"{final['false']} with something false; objections of the Reviewer overruled: "
        f"{figures['injected'].get('overruled', 0) + figures['sound'].get('overruled', 0)}"
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
    parser.add_argument("--problems", type=int, default=300, help="number of problems to generate")
    parser.add_argument("--items", type=int, default=300, help="number of problems of SpaCE2025 to draw")
    parser.add_argument("--rate", type=float, default=0.5, help="share of drafts with a fault")
    parser.add_argument(
        "--notices", type=float, default=0.7, help="share of faulty traces that the Reviewer objects to"
    )
    parser.add_argument("--alarms", type=float, default=0.05, help="share of sound traces that the Reviewer objects to")
    parser.add_argument("--repairs", type=float, default=0.8, help="share of rewrites that are sound")
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
        figures = count_results(items, asyncio.run(run(items, sources, rates, machine, args.seed)), sources)
        report["machines"][machine] = figures
        if not args.json:
            print_table(machine, figures, time.perf_counter() - began)
    if args.json:
        print(json.dumps(report, indent=2))
    exact = report["machines"]["world"]["final"]
    if exact["slipped through"] or exact["steps refuted"] or not exact["traces"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
