"""Whether a step that states a named quantity calculates it by a formula of that quantity.

``V = 3 + 4 + 5 = 12`` holds, and every number of it stands in ``a box is 3 by 4 by 5``; but it is not the volume of
anything. The value must be that of a formula of the table at values that the cited premises state for its letters, or
a sum of such values and of multiples of values that cited steps have calculated for the same quantity.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Sequence

from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import ClaimCheck, Trace
from srt.maths.syntax.expression import Call, Number, walk
from srt.prose.checking.citations import cited_steps, cited_texts
from srt.prose.checking.conclusion.question_words import asked_part
from srt.prose.checking.formulas.float_values import same
from srt.prose.checking.formulas.formula_instances import OF_SOLIDS, FormulaInstances
from srt.prose.checking.formulas.length_powers import length_powers
from srt.prose.checking.formulas.named_calculations import Calculation, calculations, kinds_of
from srt.prose.checking.formulas.named_values import ValueInRole, stated_values
from srt.prose.checking.formulas.quantity_words import (
    QUANTITIES,
    asked_quantities,
    asks_for_relation,
    quantity_before,
)
from srt.prose.checking.formulas.restated_values import restated
from srt.prose.checking.formulas.solids import have_own_lengths, solids_in, squared_distance
from srt.prose.checking.formulas.spoken_formulas import SpokenFormulas
from srt.prose.checking.givens import Givens

_ASKED_LENGTH = re.compile(
    r"\b(?:heights?|radi(?:us|i)|diameters?|lengths?|edges?|distances?|depths?|widths?|sides?|slant)\b"
    r"|半径|直径|[棱边]长|距离|母线|[长宽高深](?=[是为有]?多少|[?？。]|$)|多[长高宽深]",
    re.IGNORECASE,
)
_RATIO = re.compile(r"\d\s*[:：∶]\s*\d")
"""Numbers of a ratio are no lengths."""
_ASKED_ANGLE = re.compile(r"\bangles?\b|(?<![三四五六多])角(?!形)", re.IGNORECASE)


class FormulaCheck:
    """What the steps so far have calculated; call :meth:`check` for each step in order."""

    def __init__(self, problem: Problem, trace: Trace, givens: Givens, spoken: SpokenFormulas) -> None:
        self._problem, self._trace, self._givens = problem, trace, givens
        self._asked = asked_quantities(problem.question)
        self._own_lengths = have_own_lengths(givens.whole)
        self._formulas = FormulaInstances(problem, givens, spoken)
        self._known: dict[int, Counter[ValueInRole]] = {}
        self._calculated: dict[int, Counter[ValueInRole]] = {}
        self._instances: dict[int, Counter[ValueInRole]] = {}
        self.found: dict[int, tuple[Calculation, ...]] = {}
        """The calculations of each step so far."""
        self._read: dict[str, Counter[ValueInRole]] = {}
        cited = (cited_steps(step, number) for number, step in enumerate(trace.steps, 1))
        self._cited = frozenset(itertools.chain.from_iterable(cited))

    def check(self, number: int, claims: Sequence[ClaimCheck]) -> tuple[Fault, str] | None:
        """The fault of step ``number`` (from 1), with these ``claims``, if it calculates a quantity by no formula.

        It is another one where the trace has too many values to try.
        """
        step = self._trace.steps[number - 1]
        assertion = step.assertion or ""
        premises: Counter[ValueInRole] = Counter()
        for text in cited_texts(self._problem, step, self._givens):
            premises |= self._values_of(text)
        calculated: Counter[ValueInRole] = Counter()
        for cited in cited_steps(step, number):
            premises |= self._known[cited]
            calculated |= self._calculated[cited]
        own: Counter[ValueInRole] = Counter()
        fault: tuple[Fault, str] | None = None
        plain, bare = list(assertion), list(assertion)
        instances: Counter[ValueInRole] = Counter()
        for cited in cited_steps(step, number):
            instances |= self._instances[cited]
        every = tuple(calculations(assertion, self._trace.lang, claims, self._givens.whole, self._asked))
        for found in every:
            known = premises | own
            role = found.role
            if found.quantities and found.calculates and not found.follows:
                quantities = self._narrowed(found, number)
                instance = self._formulas.instance_of(found, quantities, known, calculated | own)
                role = instance or role
                if instance and found.value is not None:
                    instances[ValueInRole(found.value, instance)] = 1
                if instance is None and fault is None:
                    fault = Fault.UNNAMED_FORMULA, _reason(found, quantities)
                    if self._formulas.left < 0:
                        fault = Fault.TOO_LARGE, "the trace has too many values to find the formula that it uses"
            elif not role and found.calculates:
                role = next((role for power, role in _BY_POWER if power in self._powers(found, known)), "")
            if fault is None and (wrong := self._wrong_diagonal(found, assertion, premises)):
                fault = Fault.UNNAMED_FORMULA, wrong
            bare[found.start : found.end] = " " * (found.end - found.start)
            if found.value is not None and (found.calculates or found.role):
                own[ValueInRole(found.value, role)] = 1
                plain[found.start : found.end] = " " * (found.end - found.start)
        # Citing a step cites the values that it rests on, as with the numbers.
        given = self._values_of(self._givens.whole)
        told = list(restated(self._values_of("".join(bare)), given, self._givens.whole))
        in_claims = self._values_of("".join(plain)) - self._values_of("".join(bare))
        self._known[number] = premises | own | in_claims | Counter(one for one in told if isinstance(one, ValueInRole))
        if against := next((one for one in told if isinstance(one, str)), None):
            fault = fault or (Fault.UNSUPPORTED_NUMBER, against)
        self._calculated[number] = calculated | own
        self._instances[number], self.found[number] = instances, every
        return fault

    @property
    def _asked_length(self) -> str | None:
        """The height, radius or slant height that is asked for, where the problem states a volume or an area."""
        asked = asked_part(self._problem.question)
        role = quantity_before(asked)
        given = {one.role for one in self._values_of(self._givens.whole)}
        simple = len(solids_in(self._givens.whole)) == 1 and not asks_for_relation(self._problem.question)
        return role if role in ("height", "radius", "slant") and simple and given & OF_SOLIDS else None

    def _solves_given(self, number: int, found: Calculation, length: str) -> bool:
        """Whether a formula gives some quantity that the problem states, with the value of ``found`` as ``length``."""
        answer = Counter({ValueInRole(found.value or 0.0, length): 1})
        given = self._values_of(self._givens.whole)
        known = {one: n for one, n in self._known[number].items() if not same(one.value, found.value or 0.0)}
        return any(
            self._formulas.is_formula(one.role, one.value, answer | Counter(known))
            for one in given
            if one.role in OF_SOLIDS
        )

    def _another_power(self, number: int, found: Calculation) -> int | None:
        """The power of length of ``found``, if it has one that is not that of the length or the angle asked for."""
        asked = asked_part(self._problem.question)
        if self._asked or asks_for_relation(self._problem.question) or _RATIO.search(self._givens.whole):
            return None
        length, angle = _ASKED_LENGTH.search(asked), _ASKED_ANGLE.search(asked)
        if bool(length) == bool(angle):
            return None
        known = self._known[number]
        calculated = next((member for member in found.members if isinstance(member, Call)), None)
        literals = [float(node.value) for node in walk(calculated) if isinstance(node, Number)] if calculated else []
        if calculated is None or not all(any(same(one.value, value) for one in known) for value in literals):
            return None  # Some of its numbers are plain.
        powers, wanted = length_powers(calculated, known), 1 if length else 0
        return max(powers) if powers and powers.isdisjoint({0, wanted}) else None

    @property
    def asks(self) -> bool:
        """Whether the problem asks for the value of a quantity of the table."""
        return bool(self._asked) and not asks_for_relation(self._problem.question)

    def not_asked(self, number: int, found: Calculation) -> str | None:
        """Why ``found``, a calculation of step ``number``, is not of the quantity asked for; ``None`` if it may be."""
        if found.value is not None and (power := self._another_power(number, found)) is not None:
            return f"what is computed last is a length to the power {power}, and another power is asked for"
        if (length := self._asked_length) and found.value is not None and not self._solves_given(number, found, length):
            return f"with it as the {length}, no formula gives what the problem states"
        if not self.asks or found.value is None or (found.follows and found.quantities & self._asked):
            return None
        wanted = frozenset().union(*(kinds_of(quantity) for quantity in self._asked))
        if not found.calculates and any(
            one.role in wanted and same(one.value, found.value) for one in self._instances[number]
        ):
            return None
        self._formulas.asking = True
        parts = Counter(one for one in self._calculated[number] if not same(one.value, found.value))
        if found.calculates and self._formulas.instance_of(found, wanted, self._known[number], parts):
            return None
        return f"what is computed last is an instance of no formula of the {' or the '.join(sorted(self._asked))}"

    def _wrong_diagonal(self, found: Calculation, assertion: str, known: Counter[ValueInRole]) -> str | None:
        """Why ``AG = √2 * 3`` is not the distance of these two vertices of the cube of the problem."""
        name = assertion[found.start : found.end].split("=")[0].strip(" $")
        apart = squared_distance(self._givens.whole, name)
        edges = [one.value for one in known if one.role in ("length", "segment", "")]
        if apart is None or found.value is None or not edges:
            return None
        if any(same(found.value, edge * math.sqrt(apart)) for edge in edges):
            return None
        return f"{name} joins two vertices of the cube that are √{apart} edges apart"

    def _values_of(self, text: str) -> Counter[ValueInRole]:
        if text not in self._read:
            self._read[text] = Counter(stated_values(text, owned=self._own_lengths))
        return self._read[text]

    def _narrowed(self, found: Calculation, number: int) -> frozenset[str]:
        """The ``S`` of a step that no other cites is the area that the problem asks for."""
        wanted = found.quantities & self._asked
        lettered = found.word not in QUANTITIES
        if (
            lettered
            and len(found.quantities) > 2
            and len(wanted) == 1
            and wanted != {"area"}
            and number not in self._cited
        ):
            return wanted
        return found.quantities

    def _powers(self, found: Calculation, known: Counter[ValueInRole]) -> frozenset[int]:
        powers = [length_powers(member, known) for member in found.members if isinstance(member, Call)]
        return powers[0] if powers else frozenset()


_BY_POWER = ((3, "volume"), (2, "area"))


def _reason(found: Calculation, quantities: frozenset[str]) -> str:
    named = found.word if len(quantities) > 1 else min(quantities)
    letter = f" ({found.word})" if found.word not in (named, "") else ""
    return (
        f"what it calculates as the {named}{letter} is an instance of no formula of it, at the values of its premises"
    )
