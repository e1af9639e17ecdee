"""Plant errors in the equations of free and cot traces, and judge what the checker says of each trace."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from srt.io.records import Problem
from srt.io.worker_processes import Workers
from srt.language.faults import Fault
from srt.language.trace import Trace
from srt.mutate.mutation_table import MutantRecord
from srt.pipeline.check import check_claims, first_fault
from srt.prose.faults.computed_equations import Equation, computed_equations
from srt.prose.faults.prose_faults import KINDS, Effect, Kind, different

_CHUNK: Final = 4
_ORACLE: dict[Effect, str] = {
    "true": "the equation is true",
    "false": "the equation is false",
    "unknown": "a name in the equation has no stated value",
}


@dataclass(frozen=True)
class _Place:
    """An equation in step ``step`` (from 1) of ``trace``; step 0 is the text of a cot trace."""

    trace: Trace
    step: int
    text: str
    equation: Equation


class _Drawn(NamedTuple):
    """A mutant of a trace of ``problem``, not judged yet; other than an equation, it can be pickled."""

    problem: Problem
    trace: Trace
    step: int
    kind: Kind
    change: str
    effect: Effect


class ProseSources:
    """The equations of free and cot traces. Traces that offer none are in ``skipped``, with the reason."""

    def __init__(
        self, traces: Sequence[Trace], problems: Mapping[str, Problem], workers: Workers | None = None
    ) -> None:
        self._problems = problems
        self._workers = workers or Workers(1)
        self.skipped: list[str] = []
        self.traces = 0
        self._places: list[_Place] = []
        places = [list(_equations(trace, problems[trace.problem_id])) for trace in traces]
        jobs = [(problems[trace.problem_id], trace) for trace, found in zip(traces, places, strict=True) if found]
        checked = self._workers.map(_refuted, jobs, _CHUNK)
        for trace, found in zip(traces, places, strict=True):
            refuted = bool(found) and next(checked)
            if found and not refuted:
                self._places += found
                self.traces += 1
            else:
                why = "the checker refutes it" if refuted else "no equation is computed in its prose"
                self.skipped.append(f"{trace.id}: {why}")

    def mutants(self, n: int, seed: int) -> Iterator[MutantRecord]:
        """Up to ``n`` different mutants, the kinds of error by turns; a kind that finds nothing more drops out."""
        return self._workers.map(_judged, self._draw(n, seed), _CHUNK)

    def _draw(self, n: int, seed: int) -> Iterator[_Drawn]:
        named = [(f"{place.trace.id}/{place.step}", place.text, place.equation) for place in self._places]
        streams = {kind: different(named, kind, random.Random(f"{seed}:{kind}")) for kind in KINDS}
        made = 0
        while streams and made < n:
            for kind in list(streams)[: n - made]:
                found = next(streams[kind], None)
                if found is None:
                    del streams[kind]
                    continue
                place, planted = self._places[found[0]], found[1]
                problem, trace = self._problems[place.trace.problem_id], _with_text(place, planted.text)
                yield _Drawn(problem, trace, place.step, kind, planted.change, planted.effect)
                made += 1


def _refuted(job: tuple[Problem, Trace]) -> bool:
    return check_claims(*job).refuted


def _judged(drawn: _Drawn) -> MutantRecord:
    checked = check_claims(drawn.problem, drawn.trace)
    accident, unknown = drawn.effect == "true", drawn.effect == "unknown"
    return MutantRecord(
        trace=drawn.trace,
        fault=Fault.FALSE_CLAIM,
        error=drawn.kind,
        step=drawn.step,
        change=drawn.change,
        outcome="accident" if accident else "unknown" if unknown else "caught" if checked.refuted else "missed",
        oracle=_ORACLE[drawn.effect],
        verdict="computed" if checked.computed else first_fault(drawn.trace, checked) or "not refuted",
        disputed=accident and checked.refuted,
    )


def _equations(trace: Trace, problem: Problem) -> Iterator[_Place]:
    if trace.kind == "cot":
        text = trace.text or ""
        yield from (_Place(trace, 0, text, equation) for equation in computed_equations(text, problem.question))
        return
    said = problem.question
    for number, step in enumerate(trace.steps, 1):
        text = step.assertion or ""
        yield from (_Place(trace, number, text, equation) for equation in computed_equations(text, said))
        said += "\n" + text


def _with_text(place: _Place, text: str) -> Trace:
    if place.step == 0:
        return Trace.model_validate({**place.trace.model_dump(), "text": text, "checks": None})
    steps = list(place.trace.steps)
    # The claim of the step was found in the text that is changed.
    steps[place.step - 1] = steps[place.step - 1].model_copy(update={"assertion": text, "claim": None})
    return place.trace.model_copy(update={"steps": tuple(steps), "checks": None})
