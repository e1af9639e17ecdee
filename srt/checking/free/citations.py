"""The citations of a trace in prose: what a step may take as true, and references that do not exist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from srt.checking.free.givens import Givens
from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.premises import Premise, parse_premise
from srt.language.trace import Step, Trace


@dataclass(frozen=True)
class CitationFault:
    """A faulty reference of step ``step`` (from 1); ``message`` is one line."""

    step: int
    fault: Fault
    message: str


def citation_faults(problem: Problem, trace: Trace, givens: Givens) -> tuple[CitationFault, ...]:
    """All faults in the citations of ``trace``, by step; ``givens`` are those of ``problem``.

    A capital letter is an option, or a point that the problem mentions. If no step of the trace cites anything (traces
    published without citations), there are none.
    """
    spoken = " ".join([givens.whole, problem.solution or "", *problem.choices.values()])
    cites = any(step.args for step in trace.steps)
    faults = []
    for number, step in enumerate(trace.steps, 1):
        found = list(_reference_faults(number, step, len(trace.steps)))
        if cites and not step.args:
            found.append((Fault.PREMISE_LEFT_OUT, "cites nothing: what it rests on is not said"))
        for premise in premises_of(step):
            if premise.kind == "given" and givens.count is not None and premise.number > givens.count:
                message = f"cites {premise}, but the problem gives no more than {givens.count}"
                found.append((Fault.DANGLING_REFERENCE, message))
            if premise.kind == "option" and premise.name not in problem.choices and premise.name not in spoken:
                message = f"cites {premise}, which is no option and no point of this problem"
                found.append((Fault.DANGLING_REFERENCE, message))
        faults += [CitationFault(number, fault, message) for fault, message in found]
    return tuple(faults)


def taken_as_true(problem: Problem, step: Step, earlier: Sequence[Step], givens: Givens) -> tuple[str, ...]:
    """The texts that ``step``, after the steps ``earlier``, may rely on: exactly those that it cites."""
    texts: dict[str, None] = {}
    for premise in premises_of(step):
        if premise.kind == "step":
            if premise.number <= len(earlier):
                cited = earlier[premise.number - 1]
                texts.update(dict.fromkeys(part for part in (cited.assertion, cited.claim) if part))
        elif premise.kind == "given":
            texts.update(dict.fromkeys(givens.text_of(premise.number)))
        elif premise.kind == "option":
            texts.update(dict.fromkeys([problem.choices.get(premise.name, "")]))
        else:  # The question, the scene, an entity: what is known of them is what the problem says.
            texts[givens.whole] = None
    return tuple(text for text in texts if text.strip())


def premises_of(step: Step) -> tuple[Premise, ...]:
    """The parsed premises of ``step``."""
    return tuple(parse_premise(word) for word in step.args)


def _reference_faults(number: int, step: Step, count: int) -> Iterator[tuple[Fault, str]]:
    """References to steps that do not exist, or that do not come before step ``number`` (of ``count``)."""
    for premise in premises_of(step):
        if premise.kind == "step" and premise.number > count:
            yield Fault.DANGLING_REFERENCE, f"cites {premise}, but there are {count} steps"
        elif premise.kind == "step" and premise.number >= number:
            yield Fault.ORDER_BROKEN, f"cites {premise}, which does not stand before it"
