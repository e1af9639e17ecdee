"""The citations of a trace in prose: what a step may take as true, and references that do not exist."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.premises import Premise, parse_premise
from srt.language.trace import Step, Trace
from srt.prose.checking.givens import Givens

_STEP_IN_PROSE = re.compile(r"\b[Ss]teps?\s+#?(\d{1,4})\b|(?<![\w#])#(\d{1,4})\b|第\s*(\d{1,4})\s*步")


@dataclass(frozen=True)
class StepFault:
    """A fault of step ``step`` (from 1); ``message`` is one line that goes on from "the step"."""

    step: int
    fault: Fault
    message: str


def citation_faults(problem: Problem, trace: Trace, givens: Givens) -> tuple[StepFault, ...]:
    """All faults in the citations of ``trace``, by step; ``givens`` are those of ``problem``.

    A capital letter is an option, or a point that the problem mentions. A name is something that the problem, the step
    itself or an earlier step speaks of; with pictures every name is accepted, for it may be what they show.
    """
    spoken = " ".join([givens.whole, problem.solution or "", *problem.choices.values()])
    named = "" if problem.images else spoken.casefold()
    faults = []
    for number, step in enumerate(trace.steps, 1):
        found = list(_reference_faults(number, step, len(trace.steps)))
        said = " ".join(part for part in (step.assertion, step.claim) if part)
        found += _faults_in_prose(number, said, len(trace.steps))
        named += "" if problem.images else f" {said.casefold()}"
        if not step.args:
            found.append((Fault.PREMISE_LEFT_OUT, "cites nothing: what it rests on is not said"))
        for premise in premises_of(step):
            if premise.kind == "given" and givens.count is not None and premise.number > givens.count:
                message = f"cites {premise}, but the problem gives no more than {givens.count}"
                found.append((Fault.DANGLING_REFERENCE, message))
            if premise.kind == "option" and premise.name not in problem.choices and premise.name not in spoken:
                message = f"cites {premise}, which is no option and no point of this problem"
                found.append((Fault.DANGLING_REFERENCE, message))
            if premise.kind == "entity" and not problem.images and not _mentions(named, premise.name):
                message = f"cites {premise}, of which neither the problem nor a step up to it speaks"
                found.append((Fault.DANGLING_REFERENCE, message))
        faults += [StepFault(number, fault, message) for fault, message in found]
    return tuple(faults)


def _mentions(text: str, name: str) -> bool:
    """Whether ``text``, in lower case, has the longest word of ``name``, or two Chinese characters of it in a row."""
    word = max(re.findall(r"[a-z]{2,}", name.casefold()), key=len, default="").rstrip("s")
    return (word != "" and word in text) or any(
        pair in text for pair in re.findall(r"[^\W\da-z_]{1,2}", name.casefold())
    )


def _faults_in_prose(number: int, said: str, count: int) -> Iterator[tuple[Fault, str]]:
    """References in the words of step ``number`` (of ``count``), ``by step 3``, that cannot be right."""
    for match in _STEP_IN_PROSE.finditer(said):
        cited = int(match[1] or match[2] or match[3])
        if not 0 < cited <= count:
            yield Fault.DANGLING_REFERENCE, f"speaks of {match[0]!r}, but there are {count} steps"
        elif cited > number:
            yield Fault.ORDER_BROKEN, f"speaks of {match[0]!r}, which does not stand before it"


def taken_as_true(problem: Problem, step: Step, earlier: Sequence[Step], givens: Givens) -> tuple[str, ...]:
    """The texts that ``step``, after the steps ``earlier``, may rely on: exactly those that it cites."""
    of_steps = [earlier[number - 1] for number in cited_steps(step, len(earlier) + 1)]
    said = [part for cited in of_steps for part in (cited.assertion, cited.claim) if part]
    return tuple(dict.fromkeys([*cited_texts(problem, step, givens), *said]))


def cited_steps(step: Step, number: int) -> tuple[int, ...]:
    """The numbers of the earlier steps that ``step``, the step ``number``, cites."""
    return tuple(p.number for p in premises_of(step) if p.kind == "step" and p.number < number)


def cited_texts(problem: Problem, step: Step, givens: Givens) -> tuple[str, ...]:
    """The texts of the problem that ``step`` cites."""
    texts: dict[str, None] = {}
    for premise in premises_of(step):
        if premise.kind == "given":
            texts.update(dict.fromkeys(givens.text_of(premise.number)))
        elif premise.kind == "option":
            texts.update(dict.fromkeys([problem.choices.get(premise.name, "")]))
        elif premise.kind != "step":  # The question, the scene, an entity: what is known of them the problem says.
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
