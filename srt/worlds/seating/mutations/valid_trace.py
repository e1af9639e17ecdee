"""A valid trace in parsed form, and helpers that make a mutant of it with one change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from srt.language.premises import parse_premise, renumber_steps
from srt.language.trace import Step, Trace
from srt.worlds.mutation import Mutant
from srt.worlds.seating.claim_language import Claim, format_claim, parse_claim
from srt.worlds.seating.reading.problem_reader import Puzzle


@dataclass(frozen=True)
class ValidTrace:
    """A valid trace and its problem; ``placement`` is the solution, with the seats that the trace chose."""

    puzzle: Puzzle
    trace: Trace
    placement: Mapping[str, str]

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The claims of the steps."""
        return tuple(parse_claim(step.claim or "") for step in self.trace.steps)


def with_steps(valid: ValidTrace, steps: Sequence[Step], step: int, change: str) -> Mutant:
    """The mutant with ``steps`` in place of the trace's."""
    return Mutant(valid.trace.model_copy(update={"steps": tuple(steps)}), step, change)


def with_step(valid: ValidTrace, number: int, new: Step) -> Mutant:
    """The mutant whose step ``number`` is ``new``."""
    steps = list(valid.trace.steps)
    old, steps[number - 1] = steps[number - 1], new
    return with_steps(valid, steps, number, f"{_step_text(old)} -> {_step_text(new)}")


def with_claim(valid: ValidTrace, number: int, claim: Claim) -> Mutant:
    """The mutant whose step ``number`` claims ``claim``."""
    return with_step(valid, number, replace_step(valid.trace.steps[number - 1], claim=format_claim(claim)))


def replace_step(step: Step, **parts: object) -> Step:
    """``step`` with some of its parts (``op``, ``args``, ``claim``) replaced."""
    return Step.model_validate({**step.model_dump(), **parts})


def renumbered(steps: Sequence[Step], new_number: Mapping[int, int]) -> list[Step]:
    """``steps`` with references renumbered; a reference to a number that is not there is left out."""
    return [replace_step(step, args=renumber_steps(step.args, new_number)) for step in steps]


def numbers_of(step: Step, kind: str) -> list[int]:
    """The numbers of the premises of a kind (``step`` or ``given``) that ``step`` cites."""
    premises = map(parse_premise, step.args)
    return [premise.number for premise in premises if premise.kind == kind]


def _step_text(step: Step) -> str:
    return f"{' '.join([step.op, *step.args])}: {step.claim}"
