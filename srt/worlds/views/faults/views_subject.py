"""A valid trace of the views world with the oracle of its problem, for ``srt mutate``."""

from __future__ import annotations

import random
from dataclasses import dataclass

from srt.io.records import Problem
from srt.language.faults import FaultClass
from srt.language.trace import Trace
from srt.worlds.kit.mutation import Mutant, OracleVerdict
from srt.worlds.views.faults.oracle import ViewsOracle
from srt.worlds.views.faults.planted_faults import PLANTS, SoundTrace
from srt.worlds.world import Refused


@dataclass(frozen=True)
class ViewsSubject:
    """What makes the mutants of one trace, and judges them (:class:`~srt.worlds.kit.mutation.MutationSubject`)."""

    valid: SoundTrace
    oracle: ViewsOracle

    def mutate(self, fault: FaultClass, rng: random.Random) -> Mutant | None:
        """A mutant of the trace with ``fault``."""
        return PLANTS[fault](self.valid, rng) if fault in PLANTS else None

    def judge(self, trace: Trace) -> OracleVerdict:
        """The oracle's verdict on ``trace``."""
        return self.oracle.judge(trace)


def views_subject(problem: Problem, trace: Trace) -> ViewsSubject:
    """``trace`` of ``problem`` in parsed form; raises :class:`ValueError` if it is not valid."""
    try:
        oracle = ViewsOracle(problem)
    except Refused as refused:
        raise ValueError(str(refused)) from None
    if oracle.models.solids is None and oracle.read.asked.form == "asked":
        raise ValueError("too many solids fit its views to be written out")
    verdict = oracle.judge(trace)
    if not verdict.proved or verdict.false:
        raise ValueError("; ".join(verdict.faults) or "a claim is false")
    return ViewsSubject(SoundTrace(oracle.read, trace), oracle)
