"""Whether the answer that a trace states is what its steps compute: the value that stands last, of the quantity asked.

That the last step names an answer shows nothing. The value must be computed, be that of the answer, or of the one
option that is chosen, and of no other; it must be that of the quantity asked for, in the unit asked for, and depend on
what the problem states.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from srt.answers.equality import SAME_VALUE, equal_texts
from srt.answers.equality.normal_form import plain
from srt.answers.written_form import read_answer
from srt.io.records import Problem
from srt.language.trace import ClaimCheck, StepCheck, Trace
from srt.maths.syntax.expression import Call, Expression, Number, Quantity, Symbol, normal_form, symbols, walk
from srt.maths.syntax.lexing.lexer import tokens_of
from srt.maths.units.unit_phrases import split_unit
from srt.prose.checking.citations import cited_steps
from srt.prose.checking.conclusion.conclusions import parts_of
from srt.prose.checking.conclusion.question_words import asked_part, asked_unit
from srt.prose.checking.formulas.formula_check import FormulaCheck
from srt.prose.checking.formulas.named_calculations import Calculation, calculations
from srt.prose.checking.numbers.claim_sides import sides_of
from srt.prose.checking.numbers.number_sources import NumberSources
from srt.prose.claims.known_quantities import KnownQuantities, size
from srt.prose.claims.named_dimension import asked as asked_powers

_LONGEST_VALUE = 200
_NO_COUNT = frozenset({Fraction(0), Fraction(90), Fraction(180), Fraction(360)})
"""Right and full angles: a formula uses them without writing them."""
_RATIO = re.compile(
    r"\bratios?\b|\btimes\b|percent|fraction|probability|\bhow many\b|\bscale\b|比|倍|几分|分之|百分|%|概率"
    r"|[多几]少?[个块条枚只次根]"
    r"|(?<![A-Za-z])(?:sin|cos|tan)|\b(?:co)?sine\b|tangent|[正余][弦切]|angle|角|slope|斜率",
    re.IGNORECASE,
)
"""The question asks for a number that no unit belongs to."""


@dataclass(frozen=True)
class ComputedValue:
    """The last value that the claims of step ``step`` (from 1) compute, as ``members``: equal expressions."""

    step: int
    found: Calculation
    members: tuple[Expression, ...]

    def equals(self, text: str) -> bool:
        """Whether ``text`` states the same value."""
        texts = dict.fromkeys(map(normal_form, reversed(self.members)))
        return any(
            equal_texts(text, one, "expression", SAME_VALUE).equal for one in texts if len(one) <= _LONGEST_VALUE
        )


class AnswerSupport:
    """What the steps of a free trace compute, for :meth:`lacks`."""

    def __init__(
        self,
        problem: Problem,
        trace: Trace,
        steps: Sequence[StepCheck],
        numbers: NumberSources,
        formulas: FormulaCheck,
    ) -> None:
        self._problem, self._trace, self._steps = problem, trace, steps
        self._numbers, self._formulas = numbers, formulas

    def lacks(self) -> str | None:
        """Why the answer, which the trace states, is not computed by its steps; ``None`` if it is."""
        parts = parts_of(self._problem, self._trace)
        for part in parts:
            if why := self._lacks(part, len(parts) == 1):
                return why
        return None

    def _lacks(self, answer: str, alone: bool) -> str | None:
        values = [value for value in self._values(alone) if alone or value.equals(answer)]
        if not values:
            return "no computed step calculates it"
        value = values[0]
        if why := _is_another(value, self._problem, answer):
            return why
        if why := self._formulas.not_asked(value.step, value.found):
            return why
        if why := _in_another_unit(value, self._problem):
            return why
        if self._numbers.is_pure(value.step, value.members) and not _RATIO.search(self._problem.question):
            return "its value does not depend on what the problem states"
        if why := _in_no_such_unit(answer, self._problem):
            return why
        if alone and (unused := self._unused(angles_only=self._formulas.asks)):
            return f"the problem states {unused}, and no step calculates with it"
        return None

    def _values(self, alone: bool) -> Iterator[ComputedValue]:
        """The last value of each computed step, the last first: of a whole answer those that the last step rests on."""
        last = len(self._steps)
        for number in sorted(self._behind(last) if alone else range(1, last + 1), reverse=True):
            verdict = self._steps[number - 1]
            if verdict.support == "computed":
                found = self._formulas.found.get(number, ())
                value = _last_value(number, found)
                if value is not None:
                    yield value

    def _behind(self, last: int) -> set[int]:
        """The step ``last`` and those that it cites, and those that they cite."""
        behind, todo = set[int](), [last]
        while todo:
            number = todo.pop()
            if number not in behind:
                behind.add(number)
                todo += cited_steps(self._trace.steps[number - 1], number)
        return behind

    def _unused(self, angles_only: bool) -> str | None:
        """A number that the problem states before it asks, and with which no claim of the trace calculates.

        ``angles_only``: a formula vouches for the lengths that it leaves out.
        """
        used = self._used()
        for written, values in self._numbers.given():
            if angles_only and not re.search(
                rf"(?<![\d.]){re.escape(written)}\s*(?:°|\^?\s*\{{?\\circ|度)", self._problem.question
            ):
                continue
            if not _NO_COUNT.intersection(values) and not used.intersection(values):
                return written
        return None

    def _used(self) -> set[Fraction]:
        """The numbers that the claims of the trace calculate with; that of ``r = 3`` only if a claim has an r."""
        claims = [
            claim.sides
            for step, verdict in zip(self._trace.steps, self._steps, strict=True)
            for claim in sides_of(step.assertion or "", self._trace.lang, verdict.claims)
            if claim.sides is not None
        ]
        named = [pair for pair in claims if isinstance(pair[0], Symbol) and not symbols(pair[1])]
        names = {name for pair in claims if pair not in named for side in pair for name in symbols(side)}
        kept = [pair for pair in claims if pair not in named or symbols(pair[0]) & names or _operates(pair[1])]
        return {node.value for pair in kept for side in pair for node in walk(side) if isinstance(node, Number)}


def _operates(side: Expression) -> bool:
    return any(isinstance(node, Call) and node.head not in ("neg", "deg", "percent") for node in walk(side))


def not_last_in_prose(problem: Problem, trace: Trace, claims: Sequence[ClaimCheck]) -> str | None:
    """Why the answer of a cot trace, which its text states, is not the last value that its ``claims`` compute."""
    found = tuple(calculations(trace.text or "", trace.lang, claims, problem.question, frozenset()))
    value = _last_value(0, found)
    parts = parts_of(problem, trace)
    if value is None:
        return "no claim computes it"
    return None if len(parts) > 1 else _is_another(value, problem, trace.answer)


def _last_value(step: int, found: Sequence[Calculation]) -> ComputedValue | None:
    values = (ComputedValue(step, one, one.computed) for one in reversed(found) if one.computed)
    return next(values, None)


def _is_another(value: ComputedValue, problem: Problem, answer: str) -> str | None:
    """Why the computed value is not that of ``answer``, or of the one option that it names."""
    shown = normal_form(value.members[-1])
    if not problem.choices:
        return None if value.equals(answer) else f"what is computed last is {shown}"
    read = read_answer(answer, "choice_set", problem.choices).answer
    named = frozenset[str](read.value) if read else frozenset()
    equal = frozenset(letter for letter, option in problem.choices.items() if value.equals(option))
    if not equal:
        return f"what is computed last is {shown}, the value of no option"
    return (
        None if equal == named and len(equal) == 1 else f"what is computed last, {shown}, is {', '.join(sorted(equal))}"
    )


def _in_no_such_unit(answer: str, problem: Problem) -> str | None:
    """Why the unit of ``answer`` is none of what is asked for: an area in cm³."""
    powers = asked_powers("求" + asked_part(problem.question))
    _, unit = split_unit(plain(answer))
    if unit is None or not powers or dict(unit.dimension).keys() != {"length"}:
        return None
    return None if unit.power[1] in powers else f"it is in {unit.name}, and that is not what is asked for"


def _in_another_unit(value: ComputedValue, problem: Problem) -> str | None:
    """Why the value is not in the unit that the question asks for, where it has no unit and its numbers have others."""
    wanted = asked_unit(asked_part(problem.question))
    if wanted is None or dict(wanted.dimension).keys() != {"length"}:
        return None
    nodes = [node for member in value.members for node in walk(member)]
    if any(isinstance(node, Quantity) for node in nodes):
        return None
    known = KnownQuantities()
    known.add(problem.question, tokens_of(problem.question, problem.lang), -1 - len(problem.question))
    for node in nodes:
        units = known.units_of(node.value, 0) if isinstance(node, Number) else []
        if units and all(size(unit) != size(wanted) for unit in units):
            return f"it is asked for in {wanted.name}, its numbers are stated in {units[0].name}"
    return None
