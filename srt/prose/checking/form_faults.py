"""The faults of a trace in prose that show before any claim is decided: what it cites, names, and is written in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from srt.io.records import Lang, Problem
from srt.language.faults import Fault
from srt.language.trace import Trace
from srt.prose.checking.citations import StepFault, citation_faults
from srt.prose.checking.entities import unknown_entities
from srt.prose.checking.givens import Givens
from srt.prose.checking.hidden_sources import hidden_source

_NAMES: dict[Lang, str] = {"en": "English", "zh": "Chinese"}
_FORMULA = re.compile(r"\$[^$]*\$|\\[A-Za-z]+|\{[^{}]*\}")
_HAN = re.compile(r"[\u3400-\u9fff]")
_ENGLISH_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z]?[a-z]{2,}(?![A-Za-z])")
_FEWEST_WORDS = 4
"""Fewer may be a name, units, or a term in brackets."""


def form_faults(problem: Problem, trace: Trace, givens: Givens) -> tuple[StepFault, ...]:
    """The faults of form of ``trace``, by step, and for each step the gravest first; ``givens`` are of ``problem``."""
    return tuple(sorted(_faults(problem, trace, givens), key=lambda fault: fault.step))


def written_in(text: str) -> Lang | None:
    """The language of ``text``; ``None`` if its words, formulas left out, are too few to tell or are of both."""
    plain = _FORMULA.sub(" ", text)
    han, words = len(_HAN.findall(plain)), len(_ENGLISH_WORD.findall(plain))
    if words >= _FEWEST_WORDS and han < words:
        return "en"
    if han >= _FEWEST_WORDS and words * 2 < han:
        return "zh"
    return None


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
