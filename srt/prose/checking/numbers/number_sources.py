"""Where each step of a trace may take its numbers from, carried from step to step."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import ClaimCheck, Step, Trace
from srt.maths.syntax.expression import Expression, Number, walk
from srt.prose.checking.citations import cited_steps, cited_texts
from srt.prose.checking.formulas.spoken_formulas import SpokenFormulas
from srt.prose.checking.givens import Givens
from srt.prose.checking.numbers.claim_sides import sides_of
from srt.prose.checking.numbers.dependence import Sourced, stated
from srt.prose.checking.numbers.formula_constants import Constants
from srt.prose.checking.numbers.given_numbers import given_numbers
from srt.prose.checking.numbers.number_support import StepNumbers
from srt.prose.checking.numbers.stated_numbers import WrittenNumber, numbers_in

_ONE = (Fraction(1),)
"""``one`` in words is mostly an article: one side, the other one."""


class NumberSources:
    """The numbers with a source in the steps so far; call :meth:`check` for each step in order.

    What a step cites is what the problem states there, and the numbers that have a source in the cited steps and in the
    steps from which those were derived. A number that a cited step made up is no source.
    """

    def __init__(self, problem: Problem, trace: Trace, givens: Givens, spoken: SpokenFormulas) -> None:
        self._problem, self._trace, self._givens = problem, trace, givens
        self._drawn = bool(problem.images) and not problem.diagram_description
        self._constants = Constants(spoken)
        self._constants.take(" ".join([givens.whole, *problem.choices.values()]))
        self._of_step: dict[int, dict[Fraction, Sourced]] = {}

    def check(self, number: int, claims: Sequence[ClaimCheck]) -> tuple[Fault | None, str] | None:
        """What keeps step ``number`` (from 1), with these ``claims``, from being computed because of its numbers.

        A number without a source is a fault, unless it may stand in a picture that nothing describes.
        """
        step, lang = self._trace.steps[number - 1], self._trace.lang
        said = " ".join(part for part in (step.assertion, step.claim) if part)
        self._constants.hear(said)
        texts = cited_texts(self._problem, step, self._givens)
        inherited = self._inherited(step, number)
        given = [written for text in texts for written in numbers_in(text, lang)]
        written_out = [*(n.values for n in given), *(self._constants.converted(n.values[0], n.unit) for n in given)]
        numbers = StepNumbers({**inherited, **_stated(itertools.chain(*written_out))}, self._constants)
        sides = sides_of(step.assertion or "", lang, claims)
        missing = list(numbers.read(sides))
        beside = numbers_in(_beside(step.assertion or "", claims), lang)
        missing += [written.text for written in beside if written.values != _ONE and not _known(written, numbers)]
        from_picture = self._drawn and bool(texts)
        own = numbers_in(said, lang)
        kept = [written for written in own if from_picture or _known(written, numbers)]
        said_again = {value: self._said(value, numbers, from_picture) for written in kept for value in written.values}
        self._of_step[number] = {**said_again, **numbers.premises, **numbers.computed}
        if missing and from_picture:
            return None, f"{missing[0]} is in none of its premises in words; it may stand in the picture"
        if missing:
            reason = f"{missing[0]} stands in none of its premises, is not computed, and is no constant of a formula"
            return Fault.UNSUPPORTED_NUMBER, reason
        computed = [claim for claim in sides if claim.check.support == "computed"]
        of_formulas = next((claim for claim in computed if not numbers.rests_on_premises(claim)), None)
        if of_formulas is not None:
            return Fault.UNSUPPORTED_NUMBER, f"{of_formulas.check.claim}: no number in it stands in its premises"
        return None

    def is_pure(self, number: int, members: Sequence[Expression]) -> bool:
        """Whether a value that step ``number`` computes, as any of ``members``, is the same whatever is given."""
        values = [node.value for member in members[-1:] for node in walk(member) if isinstance(node, Number)]
        sources = [self._of_step[number].get(value) for value in values]
        return bool(sources) and all(source is None or source.pure for source in sources)

    def given(self) -> Iterator[tuple[str, frozenset[Fraction]]]:
        """The numbers in digits that the problem states before it asks, each with the values that it is used as."""
        for written in given_numbers(self._problem.question, self._problem.lang):
            converted = self._constants.converted(written.values[0], written.unit)
            yield written.text, frozenset([*written.values, *converted])

    def _said(self, value: Fraction, numbers: StepNumbers, from_picture: bool) -> Sourced:
        """The source of a number that a step has said; of a constant it is the formula, whatever the premises state."""
        constant = numbers.source(value) is None and not from_picture
        return Sourced(float(value)) if constant else stated(value)

    def _inherited(self, step: Step, number: int) -> dict[Fraction, Sourced]:
        found: dict[Fraction, Sourced] = {}
        for cited in cited_steps(step, number):
            found |= self._of_step.get(cited, {})
        return found


def _stated(values: Iterable[Fraction]) -> dict[Fraction, Sourced]:
    return {value: stated(value) for value in values}


def _known(written: WrittenNumber, numbers: StepNumbers) -> bool:
    return any(map(numbers.has, written.values))


def _beside(assertion: str, claims: Sequence[ClaimCheck]) -> str:
    """``assertion`` with its claims blanked out."""
    outside = list(assertion)
    for claim in claims:
        outside[claim.start : claim.end] = " " * (claim.end - claim.start)
    return "".join(outside)
