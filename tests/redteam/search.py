"""A search for traces that get a full mark and do not deserve it: they are edited, and the checker is asked.

A full mark is a proof that is not padded. It is not deserved where the answer is wrong, or where a step is not entailed
by what it cites, by brute forces that share no code with the solver or the checker. Edits that leave few steps without
a proof are built on, so that several of them together may get through.

    python -m tests.redteam.search 20000            # candidates for each world; prints a table
    python -m tests.redteam.search 20000 --world solids --seed 1
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from srt.checking import check
from srt.checking.padding import padded
from srt.io.records import Problem
from srt.language.text import linearize
from srt.language.trace import Step, Trace, TraceCheck
from srt.worlds.seating.claim_language import format_claim
from srt.worlds.seating.reading.problem_reader import read_problem
from srt.worlds.world import Refused
from srt.worlds.world_registry import world_named
from tests.redteam.brute_routes import BruteRoutes
from tests.redteam.brute_seating import BruteSeating
from tests.redteam.brute_solids import BruteSolids
from tests.redteam.brute_views import BruteViews
from tests.redteam.edits import EDITS, Material, Steps

WORLDS = ("seating", "views", "routes", "solids")
SPECS: Mapping[str, Mapping[str, object]] = {"seating": {}, "views": {"style": "none"}, "routes": {}, "solids": {}}
PROBLEMS = 40
"""So many are worked on by turns: traces that nearly pass are built on."""
KEPT = 12
MOST_STEPS = 40


class Brute(Protocol):
    """What decides whether a full mark is deserved."""

    def answers(self, letters: Sequence[str]) -> bool:
        """Whether this is the right answer."""

    def entailed(self, claims: Sequence[str], step: tuple[str, Sequence[str], str]) -> bool:
        """Whether a step follows from what it cites."""


@dataclass
class Found:
    """What a search found. ``proved`` counts the proofs that differ from all traces of the exact teacher."""

    candidates: int = 0
    proved: int = 0
    padded: int = 0
    wrong_answer: list[str] = field(default_factory=list)
    not_entailed: list[str] = field(default_factory=list)


@dataclass
class Target:
    """One problem, what may be put into its traces, and the traces that nearly pass, the best first."""

    problem: Problem
    brute: Brute
    material: Material
    traces: list[tuple[int, Trace]]
    seen: set[str]
    exact: Trace
    """The exact teacher's, with the steps needed."""


def search(world: str, candidates: int, problems: int = PROBLEMS, seed: int = 0) -> Found:
    """Try ``candidates`` edited traces of ``problems`` problems of ``world``; another ``seed`` has other problems."""
    rng = random.Random(f"{world} {seed}" if seed else world)
    targets = targets_of(world, rng, problems)
    found = Found()
    while found.candidates < candidates:
        target = rng.choice(targets)
        trace = edited(target, rng)
        if trace is None or len(trace.steps) > MOST_STEPS or (text := linearize(trace)) in target.seen:
            continue
        target.seen.add(text)
        found.candidates += 1
        checked = check(target.problem, trace)
        if checked.proved:
            _count(found, target, trace, checked, text)
        keep(target, trace, _faults(checked))
    return found


def _count(found: Found, target: Target, trace: Trace, checked: TraceCheck, text: str) -> None:
    if padded(target.problem, trace, checked):
        found.padded += 1
        return
    found.proved += 1
    where = f"{target.problem.question}\n{text}"
    if not target.brute.answers(trace.answer.split(", ")):
        found.wrong_answer.append(where)
    claims = [step.claim or "" for step in trace.steps]
    for number, step in enumerate(trace.steps, 1):
        if not entailed(target.brute, claims, step):
            found.not_entailed.append(f"step {number} of:\n{where}")
            return


def entailed(brute: Brute, claims: Sequence[str], step: Step) -> bool:
    """Whether ``step`` follows from what it cites, by brute force, where ``claims`` stand before it."""
    try:
        return brute.entailed(claims, (step.op, step.args, step.claim or ""))
    except (ValueError, LookupError, AssertionError):
        return False  # Not a claim at all: it must not have been proved.


def _faults(checked: TraceCheck) -> int:
    return (
        sum(step.support != "proved" for step in checked.steps)
        + len(checked.unused)
        + (checked.answer.support != "proved")
    )


def keep(target: Target, trace: Trace, faults: int) -> None:
    """Build on ``trace``, too, if it has few faults."""
    if faults < 4:
        target.traces.append((faults, trace))
    if len(target.traces) > 2 * KEPT:
        # Those with a proof first, the newest of them; some others, too, from which one may be near.
        target.traces.reverse()
        target.traces.sort(key=lambda kept: kept[0])
        del target.traces[KEPT : 2 * KEPT]


def edited(target: Target, rng: random.Random) -> Trace | None:
    """One of the traces that are built on, edited; ``None`` where nothing came of it."""
    whole = [kept for kept in target.traces if not kept[0]]
    _, trace = rng.choice(whole if rng.random() < 0.5 else target.traces)
    steps: Steps = list(trace.steps)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        changed = rng.choice(EDITS)(steps, target.material, rng)
        steps = steps if changed is None else changed
    answer = trace.answer
    if rng.random() < 0.15:  # Another answer, and a step that says so.
        answer = rng.choice(
            [*target.problem.choices, *(str(n) for n in range(1, 12))][: len(target.problem.choices) or 11]
        )
        last = steps[-1]
        said = (last.claim or "").partition(" = ")[0]
        value = f"{{{answer}}}" if said == "options" else answer
        steps[-1] = last.model_copy(update={"claim": f"{said} = {value}"})
    if any("\n" in (step.claim or "") or not (step.claim or "").strip() for step in steps):
        return None
    return trace.model_copy(update={"steps": tuple(steps), "answer": answer})


def targets_of(world: str, rng: random.Random, count: int) -> list[Target]:
    """``count`` problems of ``world`` to attack."""
    problems = problems_with_traces(world, rng, count)
    foreign = [step for _, traces in problems for trace in traces for step in trace.steps]
    targets = []
    for problem, traces in problems:
        names = _names(world, problem)
        here = [_renamed(step, names, rng) for step in rng.sample(foreign, min(60, len(foreign)))]
        own = [step for trace in traces for step in trace.steps]
        words = [*problem.choices, "question", "scene", "wlog", *names]
        words += [f"({n})" for n in range(1, max(3, problem.question.count("\n")) + 1)]
        words += [str(figure["name"]) for figure in problem.meta.get("figures", ())]
        words = [word for word in words if " " not in word]
        proofs = [
            (step, [trace.steps[int(word[1:]) - 1].claim or "" for word in step.args if word.startswith("#")])
            for trace in traces
            for step in trace.steps
        ]
        seen = {linearize(trace) for trace in traces}
        material = Material([*own, *here], words, proofs)
        targets.append(
            Target(problem, brute_of(world, problem), material, [(0, trace) for trace in traces], seen, traces[0])
        )
    return targets


def problems_with_traces(world: str, rng: random.Random, count: int) -> list[tuple[Problem, list[Trace]]]:
    """``count`` problems that a brute force can decide, each with its trace in every plan."""
    here = world_named(world)
    found: list[tuple[Problem, list[Trace]]] = []
    samplers = [here.sampler({**SPECS[world], "lang": lang}) for lang in ("en", "zh")]
    while len(found) < count:
        problem = rng.choice(samplers)(rng.randrange(100_000))
        brute = brute_of(world, problem)
        traces = list(_traces(world, problem))
        if traces and getattr(brute, "decides", True):
            found.append((problem, traces))
    return found


def _traces(world: str, problem: Problem) -> Iterator[Trace]:
    here = world_named(world)
    for plan in here.plans:
        try:
            yield here.solve(problem, plan)
        except Refused:
            continue


def brute_of(world: str, problem: Problem) -> Brute:
    """The brute force for a problem; what its clues say, as claims, is all that it takes from the reader."""
    makers: Mapping[str, Callable[[Problem], Brute]] = {
        "seating": _brute_of_seats, "views": BruteViews, "routes": BruteRoutes, "solids": BruteSolids,
    }  # fmt: skip
    return makers[world](problem)


def _brute_of_seats(problem: Problem) -> Brute:
    puzzle = read_problem(problem)
    clues = {f"({clue.number})": format_claim(clue.claim) for clue in puzzle.clues}
    clues["question"] = format_claim(puzzle.question)
    compass = "" if puzzle.scene.compass == "none" else puzzle.scene.compass
    return BruteSeating((puzzle.scene.kind, compass), puzzle.names, clues, puzzle.options)


def _names(world: str, problem: Problem) -> tuple[str, ...]:
    return read_problem(problem).names if world == "seating" else ()


def _renamed(step: Step, names: Sequence[str], rng: random.Random) -> Step:
    """A step of another problem about people of this one."""
    others = [name for name in dict.fromkeys(_seated(step.claim or "")) if name not in names]
    claim = step.claim or ""
    for old, new in zip(others, rng.sample(list(names), len(names)), strict=False):
        claim = claim.replace(old, new)
    return step.model_copy(update={"claim": claim, "args": tuple(word for word in step.args if '"' not in word)})


def _seated(claim: str) -> list[str]:
    """Names in a claim of the seating world: what stands before ``@``."""
    return [part.rpartition("@")[0] for part in claim.replace(" | ", " & ").split(" & ") if "@" in part[1:]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("candidates", type=int)
    parser.add_argument("--world", choices=WORLDS, help="this one alone")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print("| world | candidates | proved | padded | proved with a wrong answer | proved with a step not entailed |")
    print("|---|---|---|---|---|---|")
    for world in [args.world] if args.world else WORLDS:
        found = search(world, args.candidates, seed=args.seed)
        counts = [found.candidates, found.proved, found.padded, len(found.wrong_answer), len(found.not_entailed)]
        print("| " + " | ".join([world, *(f"{count:,}" for count in counts)]) + " |", flush=True)
        for text in [*found.wrong_answer[:2], *found.not_entailed[:2]]:
            print(text)


if __name__ == "__main__":
    main()
