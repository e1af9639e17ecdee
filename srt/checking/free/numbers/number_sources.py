"""Where each step of a trace may take its numbers from, carried from step to step."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

from srt.checking.free.citations import cited_steps, cited_texts
from srt.checking.free.givens import Givens
from srt.checking.free.numbers.formula_constants import Constants
from srt.checking.free.numbers.number_support import StepNumbers
from srt.checking.free.numbers.written_numbers import WrittenNumber, numbers_in, values_in
from srt.claims.syntax.unit_spellings import Unit
from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import ClaimCheck, Step, Trace

_ONE = (Fraction(1),)
"""``one`` in words is mostly an article: one side, the other one."""


class NumberSources:
    """The numbers with a source in the steps so far; call :meth:`check` for each step in order.

    What a step cites is what the problem states there, and the numbers that have a source in the cited steps and in the
    steps from which those were derived. A number that a cited step made up is no source.
    """

    def __init__(self, problem: Problem, trace: Trace, givens: Givens) -> None:
        self._problem, self._trace, self._givens = problem, trace, givens
        self._drawn = bool(problem.images) and not problem.diagram_description
        self._constants = Constants()
        self._constants.take(" ".join([givens.whole, *problem.choices.values()]))
        self._of_step: dict[int, frozenset[Fraction]] = {}
        self._units: dict[Fraction, set[Unit | None]] = {}
        for written in numbers_in(givens.whole, trace.lang):
            self._units.setdefault(written.values[0], set()).add(written.unit)

    def check(self, number: int, claims: Sequence[ClaimCheck]) -> tuple[Fault | None, str] | None:
        """What keeps step ``number`` (from 1), with these ``claims``, from being proved because of its numbers.

        A number without a source is a fault, unless it may stand in a picture that nothing describes.
        """
        step, lang = self._trace.steps[number - 1], self._trace.lang
        said = " ".join(part for part in (step.assertion, step.claim) if part)
        self._constants.hear(said)
        texts = cited_texts(self._problem, step, self._givens)
        inherited = self._inherited(step, number)
        numbers = StepNumbers(inherited.union(*(values_in(text, lang) for text in texts)), self._constants)
        missing = list(numbers.read(claims))
        beside = numbers_in(_beside(step.assertion or "", claims), lang)
        missing += [written.text for written in beside if written.values != _ONE and not _known(written, numbers)]
        from_picture = self._drawn and bool(texts)
        own = numbers_in(said, lang)
        kept = [written for written in own if from_picture or _known(written, numbers)]
        self._of_step[number] = inherited.union(numbers.computed, *(written.values for written in kept))
        if missing and from_picture:
            return None, f"{missing[0]} is in none of its premises in words; it may stand in the picture"
        if missing:
            reason = f"{missing[0]} stands in none of its premises, is not computed, and is no constant of a formula"
            return Fault.UNSUPPORTED_NUMBER, reason
        of_formulas = next((claim for claim in claims if not numbers.rests_on_premises(claim)), None)
        if of_formulas is not None and of_formulas.support == "proved":
            return Fault.UNSUPPORTED_NUMBER, f"{of_formulas.claim}: no number in it stands in its premises"
        mixed = next((found for claim in claims if (found := self._mixed(numbers.bare(claim)))), None)
        return (Fault.MIXED_UNITS, mixed) if mixed else None

    def _mixed(self, values: set[Fraction]) -> str | None:
        """Two of ``values`` that the problem always gives in two units of one kind: ``60`` (cm) and ``2`` (m)."""
        known = [
            (value, next(iter(self._units[value]))) for value in sorted(values) if len(self._units.get(value, ())) == 1
        ]
        for (a, one), (b, other) in itertools.combinations(known, 2):
            if one and other and one.dimension == other.dimension and one.scale != other.scale:
                return f"{a} is given in {one.name}, {b} in {other.name}"
        return None

    def _inherited(self, step: Step, number: int) -> frozenset[Fraction]:
        return frozenset[Fraction]().union(*(self._of_step.get(cited, ()) for cited in cited_steps(step, number)))


def _known(written: WrittenNumber, numbers: StepNumbers) -> bool:
    return any(map(numbers.has, written.values))


def _beside(assertion: str, claims: Sequence[ClaimCheck]) -> str:
    """``assertion`` with its claims blanked out."""
    outside = list(assertion)
    for claim in claims:
        outside[claim.start : claim.end] = " " * (claim.end - claim.start)
    return "".join(outside)
