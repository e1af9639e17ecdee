"""``srt pairs`` of traces: an exact trace, and the same with a planted fault.

Up to the fault both say the same. What a model gives these tokens cancels in the loss of DPO, which learns from the
first token on that differs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from srt.io.errors import UserError
from srt.io.output_paths import check_place, keep_apart
from srt.io.problem_files import read_problems
from srt.io.progress import progress
from srt.io.record_reader import read_records
from srt.io.record_writer import write_records
from srt.io.records import Message, Pair, Problem
from srt.io.worker_processes import Workers
from srt.judging.judge import judge_trace
from srt.language.prompts import PromptStyle, style_named
from srt.language.text import linearize, parse
from srt.language.trace import Trace
from srt.mutate.mutate_traces import Sources
from srt.pipeline.build import TraceRefusal, build
from srt.pipeline.check import first_fault
from srt.worlds.world import CLAIMS
from srt.worlds.world_registry import check_offered

_ARM: Final = "srt"
_DRAWS: Final = 4
"""So often a class of fault is drawn for a trace before it counts as having no place there."""
_CHUNK: Final = 8
_FEW: Final = 64


def planted_pairs(
    traces: Path,
    problems: Path,
    out: Path,
    *,
    most: int = 1,
    prompt: str = "full",
    text: str = CLAIMS,
    seed: int = 0,
    workers: int = 1,
) -> dict[str, Any]:
    """Write a pair for each trace of an exact world in ``traces``, or ``most`` of them; returns counts.

    ``chosen`` is what ``srt build`` writes of the trace, in the style ``text``; ``rejected`` has one fault of a class
    that ``seed`` draws, each time another. The checker must prove the one and not the other.

    Raises:
        UserError: an unreadable file, an unknown ``prompt`` or ``text``, or no pair.
    """
    check_place(out)
    keep_apart(out, traces, problems)
    check_offered("text style", text)
    plant = _Plant(most, style_named(prompt), text, seed)
    by_id = read_problems(problems)
    given = list(read_records(traces, Trace))
    jobs = ((trace, by_id.get(trace.problem_id)) for trace in given)
    pairs: list[Pair] = []
    left_out: list[str] = []
    with Workers(workers, here=_FEW) as pool:
        for made in progress(pool.map(plant, jobs, _CHUNK), len(given), "pairs"):
            if isinstance(made, str):
                left_out.append(made)
            else:
                pairs += made
    if not pairs:
        why = f"; the first: {left_out[0]}" if left_out else ""
        raise UserError(f"{traces}: no trace of an exact world that is proved and can have a fault{why}")
    write_records(out, pairs)
    faults = Counter(pair.fault.partition(":")[0] for pair in pairs)
    return {
        "file": str(out),
        "pairs": len(pairs),
        "traces": len(given),
        "left out": len(left_out),
        "fault": dict(faults.most_common()),
    }


@dataclass(frozen=True)
class _Plant:
    """Makes the pairs of a trace, in any process; says in one line why there are none."""

    most: int
    prompt: PromptStyle
    text: str
    seed: int

    def __call__(self, job: tuple[Trace, Problem | None]) -> list[Pair] | str:
        trace, problem = job
        if problem is None:
            return f"{trace.id}: its problem {trace.problem_id!r} is not among the problems"
        if trace.kind != "world":
            return f"{trace.id}: a {trace.kind} trace makes no claims of a world"
        by_id = {problem.id: problem}
        [built] = build([trace], by_id, _ARM, prompt=self.prompt, text=self.text, keep="proved")
        if isinstance(built, TraceRefusal):
            return f"{trace.id}: {built.detail}"
        # The fault is planted in the words that are trained on: nothing but the fault tells the two apart.
        written = parse(built.completion[0].content).trace(trace.id, problem.id)
        sources = Sources([written], by_id)
        if sources.get(0) is None:
            return sources.skipped[0]
        pairs = [
            Pair(
                problem_id=problem.id,
                arm=_ARM,
                lang=trace.lang,
                prompt=built.prompt,
                chosen=built.completion,
                rejected=[Message(role="assistant", content=wrong)],
                fault=fault,
            )
            for fault, wrong in self._faulty(problem, written, sources)
        ]
        return pairs or f"{trace.id}: no fault has a place in it"

    def _faulty(self, problem: Problem, trace: Trace, sources: Sources) -> Iterator[tuple[str, str]]:
        """Texts of ``trace`` with one fault each, at most ``most``, and what is at fault there."""
        rng = random.Random(f"{self.seed}:{trace.id}")
        subject = sources.get(0)
        assert subject is not None
        left = self.most
        for fault in rng.sample(sources.planted, len(sources.planted)):
            for _ in range(_DRAWS if left else 0):
                mutant = subject.mutate(fault, rng)
                if mutant is None:
                    continue
                judged = judge_trace(problem, mutant.trace)
                # A change that leaves the trace proved is no fault.
                if judged.code != "proved" and judged.check is not None:
                    left -= 1
                    why = first_fault(mutant.trace, judged.check) or judged.code
                    yield f"{fault.value}: {why}", linearize(mutant.trace)
                    break
