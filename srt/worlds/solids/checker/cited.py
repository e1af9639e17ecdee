"""What a step cites, sorted: measures, equations, what is asked, words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from srt.language.faults import Fault
from srt.language.trace import Step
from srt.worlds.solids.checker.terms import ASKED, EQUATION, SaidMeasure, said


@dataclass
class Cited:
    """What a step cites: measures by name, at most one equation, at most one question, and words."""

    measures: dict[str, SaidMeasure] = field(default_factory=dict)
    equations: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


def cited_by(steps: Sequence[Step], number: int) -> tuple[Cited, tuple[Fault, str] | None]:
    """What step ``number`` cites, and the fault of it, if any: twice, not there, not before, or nothing to build on."""
    cited, args = Cited(), steps[number - 1].args
    if len(set(args)) < len(args):
        return cited, (Fault.IDLE_PREMISE, "it cites something twice")
    for word in args:
        if not word.startswith("#"):
            cited.words.append(word)
            continue
        at = int(word[1:])
        if at > len(steps):
            return cited, (Fault.DANGLING_REFERENCE, f"there is no step {word}")
        if at >= number:
            return cited, (Fault.ORDER_BROKEN, f"step {word} does not come before it")
        claim = steps[at - 1].claim or ""
        cited.steps.append(at)
        if measure := said(claim):
            if measure.name in cited.measures:
                return cited, (Fault.IDLE_PREMISE, "it cites two claims about one measure")
            cited.measures[measure.name] = measure
        elif EQUATION.fullmatch(claim):
            cited.equations.append(claim)
        elif ASKED.fullmatch(claim):
            cited.asked.append(claim)
        else:
            return cited, (Fault.DOES_NOT_FOLLOW, f"step {word} makes no claim that can be built on")
    return cited, None
