"""A valid trace in parsed form, and helpers that make a mutant of it with one change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from srt.language.trace import Trace
from srt.worlds.kit.mutated_steps import replace_step, with_step
from srt.worlds.kit.mutation import Mutant
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


def with_claim(valid: ValidTrace, number: int, claim: Claim) -> Mutant:
    """The mutant whose step ``number`` claims ``claim``."""
    return with_step(valid.trace, number, replace_step(valid.trace.steps[number - 1], claim=format_claim(claim)))
