"""Which quantity a calculation is an instance of: a formula of the table at stated values, or a sum of such values."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from srt.io.records import Problem
from srt.maths.syntax.expression import PI, Call, Expression, Number, symbols, walk
from srt.prose.checking.conclusion.question_words import asked_part
from srt.prose.checking.formulas.float_values import float_value, same
from srt.prose.checking.formulas.formula_table import SLOTS, Formula
from srt.prose.checking.formulas.length_powers import LENGTHS, length_powers
from srt.prose.checking.formulas.multiples import counted_faces, is_part
from srt.prose.checking.formulas.named_calculations import Calculation
from srt.prose.checking.formulas.named_values import ValueInRole
from srt.prose.checking.formulas.quantity_words import AREAS
from srt.prose.checking.formulas.solids import solids_in
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
OF_SOLIDS = frozenset({"volume", "surface area", "lateral area", "diagonal"})
_OF_A_FACE = re.compile(r"\bface|\bbase|\bsection|面对角|底面|侧面|截面", re.IGNORECASE)


class FormulaInstances:
    """The formulas that fit a problem, tried at values; it counts its work.

    ``left`` is how many instances may still be computed; below 0, nothing more is found. ``asking`` says that the
    answer is in question: its formula must be that of a solid that the problem names.
    """

    def __init__(self, problem: Problem, givens: Givens, spoken: SpokenFormulas) -> None:
        self._problem, self._givens, self._spoken = problem, givens, spoken
        self._solids = solids_in(asked_part(problem.question)) or solids_in(givens.whole)
        self._pis = [math.pi, 3.14, 22 / 7, 3.1416, *map(float, stated_pi(givens.whole))]
        self.left = _MOST_INSTANCES
        self.asking = False

    def instance_of(
        self, found: Calculation, quantities: frozenset[str], known: Counter[ValueInRole], cited: Counter[ValueInRole]
    ) -> str | None:
        """The quantity among ``quantities`` of which ``found`` is an instance; ``None`` if it is none."""
        for member in found.members:
            value = float_value(member, {})
            if value is None:
                continue
            values = known | Counter(self._parts(member, known))
            for quantity in sorted(quantities):
                if self.is_formula(quantity, value, values):
                    return quantity
        for member in found.members:
            for quantity in sorted(quantities):
                if isinstance(member, Call) and self._is_sum(quantity, member, known, cited):
                    return quantity
        return None

    def is_formula(self, quantity: str, value: float, values: Counter[ValueInRole]) -> bool:
        """Whether ``value`` is that of a formula of ``quantity`` with some of ``values`` for its letters."""
        chosen = Counter(dict(values.most_common(_MOST_VALUES)))
        of_solid = quantity in OF_SOLIDS
        for formula, template in self._spoken.templates_of("area" if quantity == "base area" else quantity):
            if of_solid and self.asking and not self._fits_what_is_asked(formula):
                continue
            nodes = set(walk(template))
            own = {one: n for one, n in chosen.items() if not (of_solid and one.owner) or formula.fits(one.owner)}
            for slots in _assignments(sorted(symbols(template)), Counter(own)):
                self.left -= 1
                if self.left < 0:
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
            lengths = [one.value for one in known if one.role in LENGTHS]
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
            self.is_formula("surface area", abs(value), known) for term in terms if (value := float_value(term, {}))
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
        return any(self.is_formula(kind, abs(value) / count, values) for count in counts for kind in kinds)

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
                if value is not None and length_powers(part, known) == {1}:
                    yield ValueInRole(value, "")


def _gives(template: Expression, slots: Mapping[str, float], value: float, pi: float) -> bool:
    result = float_value(template, slots, pi)
    return result is not None and same(result, value)


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
