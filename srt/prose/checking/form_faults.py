"""The faults of a trace in prose that show before any claim is decided: what it cites, names, and is written in."""

from __future__ import annotations

from collections.abc import Iterator

from srt.io.records import Lang, Problem
from srt.language.faults import Fault
from srt.language.trace import Trace
from srt.prose.checking.assertion_language import written_in
from srt.prose.checking.citations import StepFault, citation_faults
from srt.prose.checking.entities import unknown_entities
from srt.prose.checking.givens import Givens
from srt.prose.checking.hidden_sources import hidden_source

_NAMES: dict[Lang, str] = {"en": "English", "zh": "Chinese"}


def form_faults(problem: Problem, trace: Trace, givens: Givens) -> tuple[StepFault, ...]:
    """The faults of form of ``trace``, by step, and for each step the gravest first; ``givens`` are of ``problem``."""
    return tuple(sorted(_faults(problem, trace, givens), key=lambda fault: fault.step))


def _faults(problem: Problem, trace: Trace, givens: Givens) -> Iterator[StepFault]:
    for number, step in enumerate(trace.steps, 1):
        if hidden := hidden_source(step):
            yield StepFault(number, Fault.ANSWER_CITED, hidden)
    yield from citation_faults(problem, trace, givens)
    for unknown in unknown_entities(problem, trace):
        yield StepFault(unknown.step, Fault.HALLUCINATED_ENTITY, unknown.message)
    for number, step in enumerate(trace.steps, 1):
        lang = written_in(step.assertion or "")
        if lang is not None and lang != trace.lang:
            message = f"is in {_NAMES[lang]}, its trace in {_NAMES[trace.lang]}"
            yield StepFault(number, Fault.ANOTHER_LANGUAGE, message)
