"""What the steps of a trace in prose cite: what a step may take as true, and references that lead nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from srt.checking.free.givens import Givens
from srt.language.faults import Fault
from srt.language.premises import Premise, parse_premise
from srt.language.trace import Step, Trace
from srt.records import Problem


@dataclass(frozen=True)
class CitationFault:
    """A reference of step ``step`` (from 1) that cannot be followed; ``told`` is one line."""

    step: int
    fault: Fault
    told: str


def citation_faults(problem: Problem, trace: Trace, givens: Givens) -> tuple[CitationFault, ...]:
    """All that is wrong with what the steps of ``trace`` cite, by step; ``givens`` are those of ``problem``.

    A capital letter is an option, or a point that the problem speaks of. Where no step of the trace cites anything
    (traces published without arguments), there is nothing to find.
    """
    spoken = " ".join([givens.whole, problem.solution or "", *problem.choices.values()])
    faults = list(_reference_faults(trace))
    cites = any(step.args for step in trace.steps)
    for number, step in enumerate(trace.steps, 1):
        if cites and not step.args:
            told = "cites nothing: what it rests on is not said"
            faults.append(CitationFault(number, Fault.PREMISE_LEFT_OUT, told))
        for premise in premises_of(step):
            if premise.kind == "given" and givens.count is not None and premise.number > givens.count:
                told = f"cites {premise}, but the problem gives no more than {givens.count}"
                faults.append(CitationFault(number, Fault.DANGLING_REFERENCE, told))
            if premise.kind == "option" and premise.name not in problem.choices and premise.name not in spoken:
                told = f"cites {premise}, which is no option and no point of this problem"
                faults.append(CitationFault(number, Fault.DANGLING_REFERENCE, told))
    return tuple(sorted(faults, key=lambda fault: fault.step))


def taken_as_true(problem: Problem, step: Step, earlier: Sequence[Step], givens: Givens) -> tuple[str, ...]:
    """The texts that ``step``, which follows the steps ``earlier``, may rest on: what it cites and nothing else."""
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
    """The premises of ``step``, taken apart."""
    return tuple(parse_premise(word) for word in step.args)


def _reference_faults(trace: Trace) -> tuple[CitationFault, ...]:
    """References to steps that do not exist, or do not stand before the step that cites them."""
    faults = []
    for number, step in enumerate(trace.steps, 1):
        for premise in premises_of(step):
            if premise.kind != "step" or premise.number < number:
                continue
            if premise.number > len(trace.steps):
                told = f"cites {premise}, but there are {len(trace.steps)} steps"
                faults.append(CitationFault(number, Fault.DANGLING_REFERENCE, told))
            else:
                told = f"cites {premise}, which does not stand before it"
                faults.append(CitationFault(number, Fault.ORDER_BROKEN, told))
    return tuple(faults)
