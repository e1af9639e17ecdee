"""What a mutation is given and what it gives: a valid trace taken apart, and the trace with one thing wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from srt.language.faults import Fault
from srt.language.premises import parse_premise
from srt.language.trace import Step, Trace
from srt.worlds.seating.claims import Claim, format_claim, parse_claim
from srt.worlds.seating.reader import Puzzle


@dataclass(frozen=True)
class Case:
    """A valid trace and its problem; ``placement`` is the solution, with the seats that the trace chose."""

    puzzle: Puzzle
    trace: Trace
    placement: Mapping[str, str]

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The claims of the steps."""
        return tuple(parse_claim(step.claim or "") for step in self.trace.steps)


@dataclass(frozen=True)
class Mutant:
    """A trace with one fault. ``step`` counts from 1; 0 is the answer."""

    trace: Trace
    step: int
    change: str


Mutation = Callable[[Case, random.Random], Mutant | None]
"""One corruption, drawn at random; ``None`` where the draw finds nothing in the trace that it applies to."""

MUTATIONS: dict[Fault, Mutation] = {}


def mutation(fault: Fault) -> Callable[[Mutation], Mutation]:
    """Register a mutation as the one that makes ``fault``."""

    def register(function: Mutation) -> Mutation:
        MUTATIONS[fault] = function
        return function

    return register


def with_steps(case: Case, steps: Sequence[Step], step: int, change: str) -> Mutant:
    """The mutant with ``steps`` in place of the trace's."""
    return Mutant(case.trace.model_copy(update={"steps": tuple(steps)}), step, change)


def with_step(case: Case, number: int, new: Step) -> Mutant:
    """The mutant whose step ``number`` is ``new``."""
    steps = list(case.trace.steps)
    old, steps[number - 1] = steps[number - 1], new
    return with_steps(case, steps, number, f"{_told(old)} -> {_told(new)}")


def with_claim(case: Case, number: int, claim: Claim) -> Mutant:
    """The mutant whose step ``number`` claims ``claim``."""
    return with_step(case, number, replace_step(case.trace.steps[number - 1], claim=format_claim(claim)))


def replace_step(
    step: Step, op: str | None = None, args: Sequence[str] | None = None, claim: str | None = None
) -> Step:
    """``step`` with some of its parts replaced."""
    new = {"op": op or step.op, "args": step.args if args is None else tuple(args), "claim": claim or step.claim}
    return Step.model_validate(new)


def renumbered(steps: Sequence[Step], new_number: Mapping[int, int]) -> list[Step]:
    """``steps`` with references renumbered; a reference to a number that is not there is left out."""
    result = []
    for step in steps:
        args = []
        for word in step.args:
            premise = parse_premise(word)
            if premise.kind != "step":
                args.append(word)
            elif premise.number in new_number:
                args.append(f"#{new_number[premise.number]}")
        result.append(replace_step(step, args=args))
    return result


def numbers_of(step: Step, kind: str) -> list[int]:
    """The numbers of the premises of a kind (``step`` or ``given``) that ``step`` cites."""
    premises = map(parse_premise, step.args)
    return [premise.number for premise in premises if premise.kind == kind]


def _told(step: Step) -> str:
    return f"{' '.join([step.op, *step.args])}: {step.claim}"
