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
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import ClaimCheck, Trace
from srt.maths.syntax.expression import PI, Call, Expression, Number, symbols, walk
from srt.prose.checking.citations import cited_steps, cited_texts
from srt.prose.checking.conclusion.question_words import asked_part
from srt.prose.checking.formulas.float_values import float_value, same
from srt.prose.checking.formulas.formula_table import SLOTS, Formula
from srt.prose.checking.formulas.multiples import counted_faces, is_part
from srt.prose.checking.formulas.named_calculations import Calculation, calculations, kinds_of
from srt.prose.checking.formulas.named_values import ValueInRole, stated_values
from srt.prose.checking.formulas.quantity_words import (
    AREAS,
    QUANTITIES,
    asked_quantities,
    asks_for_relation,
    quantity_before,
)
from srt.prose.checking.formulas.restated_values import restated
from srt.prose.checking.formulas.solids import have_own_lengths, solids_in, squared_distance
from srt.prose.checking.formulas.spoken_formulas import SpokenFormulas
from srt.prose.checking.givens import Givens
from srt.prose.claims.stated_pi import stated_pi

_MOST_VALUES = 24
_MOST_INSTANCES = 100_000
"""So many instances of formulas are computed for a trace: a few seconds."""
_JOINED = re.compile(
    r"拼|粘|贴|叠|切|截|挖|\b(?:glue|join|stack|attach|cut|drill|remov|put together|side by side)", re.IGNORECASE
)
_ADDED = re.compile(
    r"\b(?:increas|longer|wider|higher|taller|larger|more|exten|grow|add)|增|加|延长|多|长出", re.IGNORECASE
)
_LENGTHS = frozenset(
    {"length", "height", "segment", "radius", "diameter", "axis", "slant", "diagonal", "perimeter", ""}
)
_OF_SOLIDS = frozenset({"volume", "surface area", "lateral area", "diagonal"})
_OF_A_FACE = re.compile(r"\bface|\bbase|\bsection|面对角|底面|侧面|截面", re.IGNORECASE)
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
        self._problem, self._trace, self._givens, self._spoken = problem, trace, givens, spoken
        self._left = _MOST_INSTANCES
        self._asked = asked_quantities(problem.question)
        self._solids = solids_in(asked_part(problem.question)) or solids_in(givens.whole)
        self._own_lengths = have_own_lengths(givens.whole)
        self._asking = False
        """Whether the answer is in question: its formula must be that of a solid that the problem names."""
        self._pis = [math.pi, 3.14, 22 / 7, 3.1416, *map(float, stated_pi(givens.whole))]
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
                instance = self._instance(found, quantities, known, calculated | own)
                role = instance or role
                if instance and found.value is not None:
                    instances[ValueInRole(found.value, instance)] = 1
                if instance is None and fault is None:
                    fault = Fault.UNNAMED_FORMULA, _reason(found, quantities)
                    if self._left < 0:
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
        return role if role in ("height", "radius", "slant") and simple and given & _OF_SOLIDS else None

    def _solves_given(self, number: int, found: Calculation, length: str) -> bool:
        """Whether a formula gives some quantity that the problem states, with the value of ``found`` as ``length``."""
        answer = Counter({ValueInRole(found.value or 0.0, length): 1})
        given = self._values_of(self._givens.whole)
        known = {one: n for one, n in self._known[number].items() if not same(one.value, found.value or 0.0)}
        return any(
            self._is_formula(one.role, one.value, answer | Counter(known)) for one in given if one.role in _OF_SOLIDS
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
        powers, wanted = _powers(calculated, known), 1 if length else 0
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
        self._asking = True
        parts = Counter(one for one in self._calculated[number] if not same(one.value, found.value))
        if found.calculates and self._instance(found, wanted, self._known[number], parts):
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
        powers = [_powers(member, known) for member in found.members if isinstance(member, Call)]
        return powers[0] if powers else frozenset()

    def _instance(
        self, found: Calculation, quantities: frozenset[str], known: Counter[ValueInRole], cited: Counter[ValueInRole]
    ) -> str | None:
        """The quantity among ``quantities`` of which ``found`` is an instance; ``None`` if it is none."""
        for member in found.members:
            value = float_value(member, {})
            if value is None:
                continue
            values = known | Counter(self._parts(member, known))
            for quantity in sorted(quantities):
                if self._is_formula(quantity, value, values):
                    return quantity
        for member in found.members:
            for quantity in sorted(quantities):
                if isinstance(member, Call) and self._is_sum(quantity, member, known, cited):
                    return quantity
        return None

    def _is_formula(self, quantity: str, value: float, values: Counter[ValueInRole]) -> bool:
        chosen = Counter(dict(values.most_common(_MOST_VALUES)))
        of_solid = quantity in _OF_SOLIDS
        for formula, template in self._spoken.templates_of("area" if quantity == "base area" else quantity):
            if of_solid and self._asking and not self._fits_what_is_asked(formula):
                continue
            nodes = set(walk(template))
            own = {one: n for one, n in chosen.items() if not (of_solid and one.owner) or formula.fits(one.owner)}
            for slots in _assignments(sorted(symbols(template)), Counter(own)):
                self._left -= 1
                if self._left < 0:
                    return False
                if any(_gives(template, slots, value, pi) for pi in (self._pis if PI in nodes else self._pis[:1])):
                    return True
        return False

    def _fits_what_is_asked(self, formula: Formula) -> bool:
        """Whether ``formula`` is of a solid that the problem names, or of a face if that is what it asks for."""
        of_face = _OF_A_FACE.search(asked_part(self._problem.question)) if formula.quantity == "diagonal" else None
        return not self._solids or of_face is not None or any(map(formula.fits, self._solids))

    def _is_sum(self, quantity: str, member: Call, known: Counter[ValueInRole], cited: Counter[ValueInRole]) -> bool:
        """Whether ``member`` adds up values of the same kind as ``quantity``, or is a multiple of a cited one."""
        terms = list(_terms(member))
        kinds = AREAS if quantity in AREAS else frozenset({quantity})
        if quantity in ("perimeter", "length of all edges") and len(terms) > 2:
            lengths = [one.value for one in known if one.role in _LENGTHS]
            return all(any(_multiple(term, length) for length in lengths) for term in terms)
        whole = quantity == "surface area"
        if len(terms) == 1 and _JOINED.search(self._givens.whole):
            kinds -= {"surface area"}
        counts = {one.value for one in known if one.role == "count"}
        if quantity in AREAS and len(terms) > 1:
            counts.add(2.0)  # Of a base or a face there are two.
        inline = 0
        for term in terms:
            again = len(terms) == 1 and quantity != "area"  # The area of one face is not that of all.
            if any(one.role in kinds and self._is_multiple(quantity, term, one, again) for one in cited):
                continue
            if quantity == "lateral area" and PI in walk(term):
                kinds = frozenset({quantity})  # A base is no part of it.
            inline += 1
            if not self._is_counted_formula(
                kinds if len(terms) > 1 else kinds - {"surface area"},
                term,
                known,
                counts | {1.0} if len(terms) > 1 else counts,
            ):
                return False
        return not (whole and inline == len(terms)) or any(
            self._is_formula("surface area", abs(value), known) for term in terms if (value := float_value(term, {}))
        )

    def _is_multiple(self, quantity: str, term: Expression, of: ValueInRole, alone: bool) -> bool:
        """Whether ``term``, ``alone`` or one of several, may be a multiple of a cited value as ``quantity``."""
        value = float_value(term, {})
        if not value or not _multiple(term, of.value):
            return False
        if not alone:
            return True
        if of.role == quantity:
            return is_part(abs(value), of, self._givens.whole)
        faces = counted_faces(quantity, self._givens.whole)
        return not same(abs(value), of.value) and (
            faces is None or any(same(abs(value), of.value * count) for count in faces)
        )

    def _is_counted_formula(
        self, kinds: frozenset[str], term: Expression, known: Counter[ValueInRole], counts: set[float]
    ) -> bool:
        value = float_value(term, {})
        if not value:
            return False
        values = known | Counter(self._parts(term, known))
        return any(self._is_formula(kind, abs(value) / count, values) for count in counts for kind in kinds)

    def _parts(self, tree: Expression, known: Counter[ValueInRole]) -> Iterator[ValueInRole]:
        """The lengths that ``tree`` calculates on the way: roots, quotients, differences, what is raised to a power.

        Sums only where the problem speaks of something that is added.
        """
        for node in walk(tree):
            inside = node.parts if isinstance(node, Call) else ()
            raised = inside[0] if isinstance(node, Call) and node.head == "pow" else None
            for part in inside:
                if not isinstance(part, Call) or not (part.head in ("add", "root", "div") or part is raised):
                    continue
                subtracts = any(isinstance(one, Call) and one.head == "neg" for one in part.parts)
                if part.head == "add" and not subtracts and not _ADDED.search(self._givens.whole):
                    continue
                value = float_value(part, {})
                if value is not None and _powers(part, known) == {1}:
                    yield ValueInRole(value, "")


def _gives(template: Expression, slots: Mapping[str, float], value: float, pi: float) -> bool:
    result = float_value(template, slots, pi)
    return result is not None and same(result, value)


_BY_POWER = ((3, "volume"), (2, "area"))


def _reason(found: Calculation, quantities: frozenset[str]) -> str:
    named = found.word if len(quantities) > 1 else min(quantities)
    letter = f" ({found.word})" if found.word not in (named, "") else ""
    return (
        f"what it calculates as the {named}{letter} is an instance of no formula of it, at the values of its premises"
    )


def _assignments(slots: Sequence[str], values: Counter[ValueInRole]) -> Iterator[dict[str, float]]:
    """The ways to give the letters of a template values of their roles, each as often as it is stated."""
    left = dict(values)
    chosen: dict[str, float] = {}
    roles: dict[str, str] = {}

    def give(at: int) -> Iterator[dict[str, float]]:
        if at == len(slots):
            if not ("length" in roles.get("h", "") and "height" in (roles.get(slot) for slot in "abcd")):
                yield chosen
            return
        accepted = SLOTS[slots[at][0]]
        for one, count in left.items():
            if count and one.role in accepted:
                left[one] = count - 1
                chosen[slots[at]], roles[slots[at]] = one.value, one.role
                yield from give(at + 1)
                left[one] = count

    return give(0)


def _powers(tree: Expression, known: Counter[ValueInRole]) -> frozenset[int]:
    """The powers of length that ``tree`` may have; a number that no premise states is a plain number."""
    match tree:
        case Number(value=value):
            stated = {_power(one.role) for one in known if same(one.value, float(value))}
            return frozenset(stated or {0})
        case Call("add", parts):
            return frozenset.intersection(*(_powers(part, known) for part in parts))
        case Call("neg" | "abs", (inner,)):
            return _powers(inner, known)
        case Call("mul" | "dot" | "cross", parts):
            return frozenset(map(sum, itertools.product(*(_powers(part, known) for part in parts))))
        case Call("div", (above, below)):
            return frozenset(a - b for a in _powers(above, known) for b in _powers(below, known))
        case Call("pow", (base, Number(value=index))) if index.denominator == 1:
            return frozenset(power * int(index) for power in _powers(base, known))
        case Call("root", (base, Number(value=index))) if index.denominator == 1:
            return frozenset(power // int(index) for power in _powers(base, known) if power % int(index) == 0)
    return frozenset({0})


def _power(role: str) -> int:
    return (
        3 if role == "volume" else 2 if role in AREAS else 1 if role in _LENGTHS or role == "length of all edges" else 0
    )


def _terms(tree: Expression) -> Iterator[Expression]:
    match tree:
        case Call("add", parts):
            for part in parts:
                yield from _terms(part)
        case Call("neg", (inner,)):
            yield from _terms(inner)
        case _:
            yield tree


def _multiple(term: Expression, of: float) -> bool:
    """Whether ``term`` is ``of`` times a number that is written in it: ``2 × 54``, ``54/3``, but not ``27 + 27``."""
    value = float_value(term, {})
    if not value or not of:
        return False
    ratio = Fraction(value / of).limit_denominator(1000)
    if not same(float(ratio), value / of) or not ratio:
        return False
    written = {node.value for node in walk(term) if isinstance(node, Number)} | {Fraction(1)}
    return abs(ratio) in written or (ratio.numerator in written and ratio.denominator in written)
