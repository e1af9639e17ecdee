"""Runs over many problems of this world that take minutes: in pieces, beside each other, and from where they ended.

    python -m tests.srt.worlds.solids.long_runs problems 0 25000 --to runs.jsonl &
    python -m tests.srt.worlds.solids.long_runs problems 25000 50000 --to runs.jsonl
    python -m tests.srt.worlds.solids.long_runs total --to runs.jsonl

==========  ==================================================================================================
problems    an item is a problem: one right answer by the second method, and a proof in each plan
guesses     an item is a problem: guesses, leaps and idle premises that reach its right answer (:mod:`.guesses`)
faults      an item is 20 problems, and 220 faults that are planted in their traces, as ``srt mutate`` does it
red-team    an item is 5 problems, and 2,500 edits of their traces (:mod:`tests.redteam.search`)
==========  ==================================================================================================

Each half a minute of processor time a line of JSON is appended: the items, what was counted, what is at fault, and the
slowest item. Items that stand in the file are not done again. An item that takes more than two minutes is at fault.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from srt.checking import check
from srt.mutate.mutate_traces import Sources, mutants
from srt.mutate.mutation_table import MutationTable
from srt.worlds.solids.derivation.solve_solid import answer_of
from srt.worlds.solids.solids_world import SolidsWorld
from srt.worlds.solids.statement import Measure, length_in, size_of
from tests.srt.worlds.solids.by_coordinates import asked_value
from tests.srt.worlds.solids.guesses import GUESSES

WORLD = SolidsWorld()
_LINE_EACH, _MOST = 30.0, 120.0
"""Seconds of processor time."""


class Found(NamedTuple):
    """What an item gave: counts of what was tried, and a line for each thing at fault."""

    counts: Counter[str]
    faults: list[str]


def one_problem(index: int) -> Found:
    """Whether sampled problem ``index`` has the answer of the second method, and a proof in each plan."""
    problem = WORLD.sampler({})(index)
    read, measure, answer = answer_of(problem)
    value = asked_value(read.statement)
    faults = [] if _near(measure, value) else [f"the answer is {measure}, and {value} by coordinates"]
    if problem.choices:
        right = [letter for letter, said in read.options.items() if _near(said, value)]
        gold = problem.answer.value if problem.answer else None
        faults += [] if right == gold == [answer] else [f"right are {right}, the answer is {answer}, the gold {gold}"]
    truth = WORLD.truth(problem)
    for plan in WORLD.plans:
        trace = WORLD.solve(problem, plan)
        if not check(problem, trace).proved:
            faults.append(f"the trace of {plan} is not proved")
        faults += [f"not true: {step.claim}" for step in trace.steps if truth(step.claim or "") != "true"]
    kind = f"{problem.category}, {problem.lang}, {'options' if problem.choices else 'a number'}"
    return Found(Counter({"problems": 1, kind: 1}), [f"problem {index}: {fault}" for fault in faults])


def _near(measure: Measure, value: float) -> bool:
    scaled = length_in(measure.unit) not in ("", "deg")
    metres = float(measure.number) * (float(size_of(measure.unit)) if scaled else 1.0)
    return math.isclose(metres, value, rel_tol=1e-6)


def guessed(index: int) -> Found:
    """Whether one of the guesses about problem ``index`` is proved; four are made of each sort."""
    problem, rng = WORLD.sampler({})(index), random.Random(f"guesses/{index}")
    trace = WORLD.solve(problem)
    counts, faults = Counter[str](), []
    for guess in GUESSES:
        for _ in range(4):
            steps = guess(problem, trace, rng)
            if steps is not None and steps != list(trace.steps):
                counts[guess.__name__] += 1
                if check(problem, trace.model_copy(update={"steps": tuple(steps)})).proved:
                    faults.append(f"problem {index}, {guess.__name__} is proved: {[step.claim for step in steps]}")
    return Found(counts, faults)


def planted(item: int) -> Found:
    """Whether the checker catches faults of all classes in the traces of 20 problems."""
    problems = [WORLD.sampler({})(index) for index in range(20 * item, 20 * item + 20)]
    sources = Sources([WORLD.solve(problem) for problem in problems], {problem.id: problem for problem in problems})
    table, counts, faults = MutationTable(), Counter[str](), list[str]()
    for record in mutants(sources, 220, item, table):
        counts[f"{record.fault}, {record.outcome}"] += 1
        if record.outcome == "missed" or record.disputed:
            faults.append(f"item {item}, {record.trace.problem_id}, {record.fault}, {record.change}")
    return Found(counts, faults + [f"item {item}: {line}" for line in table.skipped])


def attacked(item: int) -> Found:
    """What the search of the red team finds with seed ``item``."""
    from tests.redteam.search import search

    found = search("solids", 2_500, 5, seed=item)
    counts = Counter(candidates=found.candidates, proved=found.proved, padded=found.padded)
    faults = [f"a wrong answer is proved: {text}" for text in found.wrong_answer]
    return Found(counts, faults + [f"not entailed, {text}" for text in found.not_entailed])


RUNS: Mapping[str, Callable[[int], Found]] = {
    "problems": one_problem, "guesses": guessed, "faults": planted, "red-team": attacked
}  # fmt: skip


def run(name: str, first: int, end: int, out: Path) -> None:
    """Do the items from ``first`` to before ``end`` that ``out`` has no line of, and append lines to it."""
    done = {item for line in lines(out, name) for item in line["items"]}
    todo = [item for item in range(first, end) if item not in done]
    signal.signal(signal.SIGVTALRM, _too_long)
    items: list[int] = []
    counts, faults, slowest, start = Counter[str](), list[str](), (0.0, -1), time.process_time()
    for place, item in enumerate(todo, 1):
        before = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, _MOST)
        try:
            found = RUNS[name](item)
        except Exception as error:  # An item that ends in one is at fault, and the others are to be done.
            found = Found(Counter(), [f"item {item}: {type(error).__name__}: {error}"])
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        items.append(item)
        counts, faults = counts + found.counts, faults + found.faults
        slowest = max(slowest, (round(time.process_time() - before, 2), item))
        spent = time.process_time() - start
        if spent > _LINE_EACH or place == len(todo):
            line = {"run": name, "items": items, "cpu_s": round(spent, 2), "slowest": slowest}
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**line, "counts": counts, "faults": faults}, ensure_ascii=False) + "\n")
            print(f"{name}: {place:,} of {len(todo):,} items, {1000 * spent / len(items):.1f} ms an item", *faults)
            items, counts, faults, slowest, start = [], Counter(), [], (0.0, -1), time.process_time()


def _too_long(*_: object) -> None:
    raise TimeoutError(f"more than {_MOST:.0f} seconds")


def lines(out: Path, name: str) -> Iterator[dict[str, Any]]:
    """The lines about a run in a file that may not be there."""
    if out.exists():
        for text in out.read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            if line["run"] == name:
                yield line


def total(out: Path) -> str:
    """What a file says in all."""
    said = []
    for name in RUNS:
        counts, faults, items, seconds, slowest = Counter[str](), list[str](), set[int](), 0.0, [0.0, -1]
        for line in lines(out, name):
            counts, faults, items = counts + Counter(line["counts"]), faults + line["faults"], items | {*line["items"]}
            seconds, slowest = seconds + line["cpu_s"], max(slowest, line["slowest"])
        if items:
            said += [
                f"{name}: {len(items):,} items, {len(faults)} at fault, {seconds / 60:.1f} minutes of processor time"
            ]
            said += [f"  the slowest item is {slowest[1]}, with {slowest[0]} s", *(f"  {fault}" for fault in faults)]
            said += [f"  {count:8,} {what}" for what, count in sorted(counts.items())]
    return "\n".join(said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", choices=[*RUNS, "total"])
    parser.add_argument("first", type=int, nargs="?", default=0)
    parser.add_argument("end", type=int, nargs="?", default=0, help="the first item that is not done")
    parser.add_argument("--to", type=Path, required=True, help="the file of lines")
    args = parser.parse_args()
    if args.run == "total":
        print(total(args.to))
    else:
        run(args.run, args.first, args.end, args.to)


if __name__ == "__main__":
    main()
