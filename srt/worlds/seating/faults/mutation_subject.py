"""The mutations of the seating world: which function makes which fault, and the traces that they work on."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from srt.io.records import Problem
from srt.language.faults import Fault, FaultClass
from srt.language.trace import Trace
from srt.worlds.kit import mutated_steps
from srt.worlds.kit.mutation import Mutant, OracleVerdict
from srt.worlds.seating.faults import coarse_steps, support_breaking, truth_changing
from srt.worlds.seating.faults.fault_classes import SeatingFault
from srt.worlds.seating.faults.oracle import Oracle
from srt.worlds.seating.faults.valid_trace import ValidTrace
from srt.worlds.world import Refused


def _of_steps(
    fault: Callable[[Trace, random.Random], Mutant | None],
) -> Callable[[ValidTrace, random.Random], Mutant | None]:
    return lambda valid, rng: fault(valid.trace, rng)


MUTATIONS: dict[FaultClass, Callable[[ValidTrace, random.Random], Mutant | None]] = {
    Fault.ANOTHER_ENTITY: truth_changing.another_entity,
    Fault.ANOTHER_RELATION: truth_changing.another_relation,
    Fault.ANOTHER_NUMBER: truth_changing.another_number,
    SeatingFault.ANOTHER_SEAT: truth_changing.another_seat,
    Fault.CONTRADICTED: truth_changing.contradicted,
    Fault.ENTITIES_SWAPPED: truth_changing.entities_swapped,
    Fault.WRONG_OPTIONS: truth_changing.wrong_options,
    Fault.WRONG_ANSWER: truth_changing.wrong_answer,
    Fault.WRONG_CONCLUSION: truth_changing.wrong_conclusion,
    Fault.STEP_DROPPED: _of_steps(mutated_steps.step_dropped),
    Fault.NUMBERS_KEPT: _of_steps(mutated_steps.numbers_kept),
    Fault.ORDER_BROKEN: _of_steps(mutated_steps.order_broken),
    Fault.PREMISE_REPLACED: _of_steps(mutated_steps.premise_replaced),
    Fault.PREMISE_LEFT_OUT: _of_steps(mutated_steps.premise_left_out),
    Fault.DANGLING_REFERENCE: support_breaking.dangling_reference,
    Fault.MISLABELLED: _of_steps(mutated_steps.mislabelled),
    Fault.UNUSED_STEP: support_breaking.unused_step,
    Fault.MISQUOTED_CLUE: support_breaking.misquoted_clue,
    SeatingFault.SWAPPED_ROLES: support_breaking.swapped_roles,
    SeatingFault.CLUES_SWAPPED: support_breaking.clues_swapped,
    SeatingFault.UNSAID_READING: support_breaking.unsaid_reading,
    SeatingFault.FALSE_WLOG: support_breaking.false_wlog,
    SeatingFault.CASE_LEFT_OUT: support_breaking.case_left_out,
    SeatingFault.OVERCLAIMED: support_breaking.overclaimed,
    Fault.LEAP: support_breaking.leap,
    Fault.GUESSED: coarse_steps.guessed,
    Fault.STEP_SKIPPED: _of_steps(mutated_steps.step_skipped),
    Fault.IDLE_PREMISE: coarse_steps.idle_premise,
    SeatingFault.VACUOUS_STEP: coarse_steps.vacuous_step,
}
"""One corruption each, drawn at random; ``None`` where the draw finds no place for it in the trace.

They are in the order of the table of ``srt mutate``.
"""


@dataclass(frozen=True)
class SeatingSubject:
    """A valid trace with the oracle of its problem (:class:`~srt.worlds.kit.mutation.MutationSubject`)."""

    valid: ValidTrace
    oracle: Oracle

    def mutate(self, fault: FaultClass, rng: random.Random) -> Mutant | None:
        """A mutant of the trace with ``fault``."""
        return MUTATIONS[fault](self.valid, rng) if fault in MUTATIONS else None

    def judge(self, trace: Trace) -> OracleVerdict:
        """The oracle's verdict on ``trace``."""
        return self.oracle.judge(trace)


def mutation_subject(problem: Problem, trace: Trace) -> SeatingSubject:
    """``trace`` of ``problem`` in parsed form; raises :class:`ValueError` if it is not valid."""
    try:
        oracle = Oracle(problem)
    except Refused as refused:
        raise ValueError(str(refused)) from None
    verdict = oracle.judge(trace)
    placement = oracle.placement(trace)
    if not verdict.proved or verdict.false or placement is None:
        raise ValueError("; ".join(verdict.faults) or "its problem contradicts itself")
    return SeatingSubject(ValidTrace(oracle.puzzle, trace, placement), oracle)
