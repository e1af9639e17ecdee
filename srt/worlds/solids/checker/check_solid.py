"""The checker of solids: is each step exactly one reading, one relation or one conversion of what it cites?

It shares no code with the solver: it reads the text in its own way (:mod:`.heard`), computes in a prime field
(:mod:`.field`) and knows relations as equations that are solved for nothing (:mod:`.relations`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from srt.answers.equality import is_conclusion
from srt.io.records import Answer, Problem
from srt.language.faults import Fault
from srt.language.trace import Step, StepCheck, Trace, TraceCheck
from srt.worlds.solids.checker.field import NoExactValue, of
from srt.worlds.solids.checker.heard import HeardSolid, Value, hear
from srt.worlds.solids.checker.relations import (
    POWERS,
    SolidRelation,
    closure,
    denied,
    holds,
    is_determined,
    relations_from,
    relations_of,
    solved,
)
from srt.worlds.solids.checker.terms import ASKED, EQUATION, SaidMeasure, exactly, names_of, postfix, said

_SENTENCE = re.compile(r"\(([0-9]+)\)")
_LETTERS = re.compile(r"options = \{([A-Z](?:, [A-Z])*)\}")
_METRES = {"mm": Fraction(1, 1000), "cm": Fraction(1, 100), "dm": Fraction(1, 10), "m": Fraction(1)}


def check_solid(problem: Problem, trace: Trace) -> TraceCheck | None:
    """The verdicts on a trace of a problem about measures of solids; ``None`` for any other problem."""
    heard = hear(problem)
    if heard is None:
        return None
    checker = _Checker(problem, heard, trace.steps)
    if nothing := checker.impossible():
        verdict = StepCheck(support="unchecked", reason=f"no solid has the measures of the problem: {nothing}")
        return TraceCheck(steps=(verdict,) * len(trace.steps), answer=verdict)
    steps = tuple(checker.check(number) for number in range(1, len(trace.steps) + 1))
    cited = {int(word[1:]) for step in trace.steps for word in step.args if word.startswith("#")}
    unused = tuple(number for number in range(1, len(steps)) if number not in cited)
    return TraceCheck(steps=steps, unused=unused, answer=_answer(problem, trace))


def _answer(problem: Problem, trace: Trace) -> StepCheck:
    """The answer must be what the last step concludes."""
    last = (trace.steps[-1].claim if trace.steps else None) or ""
    letters = _LETTERS.fullmatch(last)
    measure = said(f"V(solid) = {last.removeprefix('answer = ')}") if last.startswith("answer = ") else None
    if letters is None and measure is None:
        return StepCheck(support="consistent", fault=Fault.LEAP, reason="the last step does not conclude anything")
    if letters is not None:
        concluded = Answer(kind="choice_set", value=letters[1].split(", "))
    elif measure is not None:
        unit = "°" if measure.unit == "deg" else measure.unit or None
        kind, value = ("number", int(measure.text)) if measure.text.isdigit() else ("expression", measure.text)
        concluded = Answer.model_validate({"kind": kind, "value": value, "unit": unit})
    said_so = trace.answer == last.removeprefix("answer = ")
    agrees = True if said_so else is_conclusion(trace.answer, concluded, problem)
    if agrees is None:
        return StepCheck(support="unchecked", fault=Fault.MALFORMED, reason="the answer cannot be read")
    if agrees:
        return StepCheck(support="proved")
    return StepCheck(
        support="refuted", fault=Fault.WRONG_ANSWER, reason="the last step concludes something else",
        counterexample=letters[1] if letters else last.removeprefix("answer = "),
    )  # fmt: skip


@dataclass
class _Cited:
    """What a step cites: measures by name, at most one equation, at most one question, and words."""

    measures: dict[str, SaidMeasure] = field(default_factory=dict)
    equations: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


class _Checker:
    """Checks the steps of one trace."""

    def __init__(self, problem: Problem, heard: HeardSolid, steps: Sequence[Step]) -> None:
        self._problem, self._heard, self._steps = problem, heard, steps
        self._claims = [step.claim or "" for step in steps]
        self._known: dict[str, float] | None = None

    def check(self, number: int) -> StepCheck:
        """The verdict on step ``number``, from 1."""
        claim = self._claims[number - 1]
        measure = said(claim)
        concludes = claim.startswith(("options = ", "answer = "))
        if measure is None and not (concludes or EQUATION.fullmatch(claim) or ASKED.fullmatch(claim)):
            return StepCheck(support="unchecked", fault=Fault.MALFORMED, reason="no claim of this world")
        if self._repeats(number, measure):
            return self._open(measure, claim, Fault.REPEATED, "an earlier step says the same")
        cited, fault = self._cited(number)
        if fault is not None:
            return self._open(measure, claim, *fault)
        step = self._steps[number - 1]
        if concludes:
            return self._conclusion(step, claim, cited)
        if measure is None or not cited.steps:
            return self._reading(step, claim, measure)
        if cited.words:
            return self._open(measure, claim, Fault.IDLE_PREMISE, "a relation cites steps alone")
        if measure.formula:
            return self._related(step, measure, cited)
        return self._converted(step, measure, cited)

    def _repeats(self, number: int, measure: SaidMeasure | None) -> bool:
        """Whether a step before says the claim, or gives the measure in this unit, whatever the formula."""
        for claim in self._claims[: number - 1]:
            if claim == self._claims[number - 1]:
                return True
            other = said(claim) if measure else None
            alike = other and measure and (other.name, other.unit) == (measure.name, measure.unit)
            if alike and other and measure and other.value.is_same(measure.value):
                return True
        return False

    def _cited(self, number: int) -> tuple[_Cited, tuple[Fault, str] | None]:
        cited, args = _Cited(), self._steps[number - 1].args
        if len(set(args)) < len(args):
            return cited, (Fault.IDLE_PREMISE, "it cites something twice")
        for word in args:
            if not word.startswith("#"):
                cited.words.append(word)
                continue
            at = int(word[1:])
            if at > len(self._steps):
                return cited, (Fault.DANGLING_REFERENCE, f"there is no step {word}")
            if at >= number:
                return cited, (Fault.ORDER_BROKEN, f"step {word} does not come before it")
            claim = self._claims[at - 1]
            cited.steps.append(at)
            if measure := said(claim):
                if measure.name in cited.measures:
                    return cited, (Fault.IDLE_PREMISE, "it cites two claims about one measure")
                cited.measures[measure.name] = measure
            elif EQUATION.fullmatch(claim):
                cited.equations.append(claim)
            elif ASKED.fullmatch(claim):
                cited.asked.append(claim)
            else:
                return cited, (Fault.DOES_NOT_FOLLOW, f"step {word} makes no claim that can be built on")
        return cited, None

    def _reading(self, step: Step, claim: str, measure: SaidMeasure | None) -> StepCheck:
        """A step that reads a sentence or the question: it cites that alone, and says one thing that is said there."""
        if measure is not None and measure.formula:
            return self._open(measure, claim, Fault.DOES_NOT_FOLLOW, "a formula cites the measures that it is made of")
        if ASKED.fullmatch(claim):
            unit = f" in {self._heard.unit}" if self._heard.unit else ""
            right = f"? = {self._heard.asked}{unit}"
            if step.args != ("question",):
                return _consistent(Fault.DOES_NOT_FOLLOW, "what is asked is read from the question alone")
            if claim != right:
                return _refuted("the question asks something else", right, Fault.MISREAD)
            return self._labelled(step, "CORRELATE")
        match = _SENTENCE.fullmatch(step.args[0]) if len(step.args) == 1 else None
        if match is None:
            return self._open(measure, claim, Fault.DOES_NOT_FOLLOW, "a reading cites one sentence and nothing else")
        sentence = int(match[1])
        if sentence not in self._heard.said:
            return self._open(measure, claim, Fault.DANGLING_REFERENCE, f"there is no sentence ({sentence})")
        here = self._heard.said[sentence]
        if measure is None:
            if claim in here and here[claim] is None:
                return self._labelled(step, "CORRELATE")
            others = [key for key, value in here.items() if value is None]
            if others and claim not in self._equations():
                return _refuted("the sentence says something else", others[0], Fault.MISREAD)
            return _consistent(Fault.MISQUOTED_CLUE, f"sentence ({sentence}) does not say it")
        value = here.get(measure.name)
        if value is None:
            return self._open(measure, claim, Fault.MISQUOTED_CLUE, f"sentence ({sentence}) does not say it")
        if value.unit != measure.unit or not value.number.is_same(measure.value):
            right = f"{measure.name} = {value.number.about:.6g} {value.unit}".rstrip()
            if _alike(value, measure):
                return _consistent(Fault.LEAP, "it is read in another unit: that is a step of its own")
            return _refuted("the sentence says something else", right, Fault.MISREAD)
        return self._labelled(step, "CORRELATE")

    def _related(self, step: Step, measure: SaidMeasure, cited: _Cited) -> StepCheck:
        """A step with a formula: one relation, of exactly the measures that it cites."""
        claim = step.claim or ""
        formula = postfix(measure.formula)
        assert formula is not None
        solid = measure.name[2:-1]
        full = {word: word if "(" in word else f"{word}({solid})" for word in names_of(formula)}
        if len(set(full.values())) < len(full):
            return self._open(measure, claim, Fault.MALFORMED, "it names a measure in two ways")
        formula = tuple(full.get(word, word) for word in formula)
        needed = set(full.values())
        if not needed <= cited.measures.keys():
            return self._open(measure, claim, Fault.DOES_NOT_FOLLOW, "the formula has a measure that is not cited")
        if cited.asked or len(cited.equations) > 1:
            return self._open(measure, claim, Fault.IDLE_PREMISE, "it cites more than a relation takes")
        given = cited.equations[0] if cited.equations else ""
        candidates = relations_from(given) if given else relations_of(solid)
        relation = next((r for r in candidates if r.names == needed | {measure.name}), None)
        if relation is None and given and any(r.names == needed | {measure.name} for r in relations_of(solid)):
            return self._open(measure, claim, Fault.IDLE_PREMISE, "the formula holds in the solid alone")
        if relation is None or solid not in self._heard.solids:
            return self._not_one(measure, claim, cited)
        if not is_determined(relation, measure.name):
            return self._open(measure, claim, Fault.DOES_NOT_FOLLOW, "two values of it fit the cited measures")
        if not holds(relation, measure.name, formula):
            right = self._by_relation(relation, measure, cited)
            return _refuted("the formula is not that of the solid", right, Fault.FALSE_CLAIM)
        try:
            value = exactly(formula, {name: cited.measures[name].value for name in needed})
        except NoExactValue:
            return self._inexact(relation, measure, cited)
        unit = _unit_of_result(measure.name, [cited.measures[name] for name in needed])
        if unit is None:
            return self._open(measure, claim, Fault.DOES_NOT_FOLLOW, "the units differ, or one is no power of a length")
        if not value.is_same(measure.value) or unit != measure.unit:
            right = f"{measure.name} = {value.about:.6g} {unit}".rstrip()
            return _refuted("something else follows", right, Fault.FALSE_CLAIM)
        if cited.measures.keys() != needed:
            return self._open(measure, claim, Fault.IDLE_PREMISE, "it cites more than the formula has")
        return self._labelled(step, "CONSTRAIN")

    def _not_one(self, measure: SaidMeasure, claim: str, cited: _Cited) -> StepCheck:
        """A formula that is no single relation: what it cites denies its value, or it leaves steps out."""
        values = {name: found.value.about for name, found in cited.measures.items()}
        units = _unit_of_result(measure.name, list(cited.measures.values()))
        if units is not None:
            reached = closure(values, iter(self._heard.solids), tuple(cited.equations)).get(measure.name)
            if reached is not None and not math.isclose(reached, measure.value.about, rel_tol=1e-9):
                return _refuted("something else follows", f"{measure.name} = {reached:.6g} {units}", Fault.FALSE_CLAIM)
            if reached is not None:
                return _consistent(Fault.LEAP, "more than one relation leads to it")
        return self._open(measure, claim, Fault.DOES_NOT_FOLLOW, "no relation has just these measures")

    def _inexact(self, relation: SolidRelation, measure: SaidMeasure, cited: _Cited) -> StepCheck:
        """A value without an exact form that the checker knows: it can be denied, and not proved."""
        value = solved(relation, measure.name, {x: cited.measures[x].value.about for x in relation.names - {measure.name}})
        if value is not None and not math.isclose(value, measure.value.about, rel_tol=1e-9):
            return _refuted("something else follows", f"{measure.name} = {value:.6g}", Fault.FALSE_CLAIM)
        return StepCheck(support="unchecked", reason="the value has no exact form that the checker knows")

    def _by_relation(self, relation: SolidRelation, measure: SaidMeasure, cited: _Cited) -> str:
        values = {name: cited.measures[name].value.about for name in relation.names - {measure.name}}
        value = solved(relation, measure.name, values)
        return f"{measure.name} = {value:.6g}" if value else f"{measure.name} has no value"

    def _converted(self, step: Step, measure: SaidMeasure, cited: _Cited) -> StepCheck:
        """A step that gives a measure in another unit."""
        claim = step.claim or ""
        source = cited.measures.get(measure.name)
        if source is None:
            reached = self._not_one(measure, claim, cited)
            if reached.fault is Fault.LEAP:
                return _consistent(Fault.LEAP, "a value comes with its formula")
            return reached
        if len(cited.steps) > 1:
            return self._open(measure, claim, Fault.IDLE_PREMISE, "a conversion cites one step")
        if source.unit == measure.unit or not _convertible(source.unit, measure.unit):
            right = f"{measure.name} = {source.text} {source.unit}".rstrip()
            return _refuted("the cited step says something else", right, Fault.FALSE_CLAIM)
        value = source.value * of(_size(source.unit) / _size(measure.unit))
        if not value.is_same(measure.value):
            right = f"{measure.name} = {value.about:.6g} {measure.unit}"
            return _refuted("something else follows", right, Fault.FALSE_CLAIM)
        origin = self._steps[cited.steps[0] - 1]
        if not source.formula and origin.args and origin.args[0].startswith("#"):
            return self._open(measure, claim, Fault.LEAP, "it is converted twice")
        return self._labelled(step, "INFER")

    def _conclusion(self, step: Step, claim: str, cited: _Cited) -> StepCheck:
        """The step that answers: it cites what is asked, the measure, and all options."""
        wanted = list(self._heard.options)
        if sorted(cited.words) != sorted(wanted):
            fault = Fault.GUESSED if not cited.steps else Fault.DOES_NOT_FOLLOW
            return self._end(claim, fault, f"an answer cites {' '.join(wanted) or 'no letter'}, question and measure")
        if len(cited.asked) != 1 or len(cited.steps) != 2 or len(cited.measures) != 1:
            fault = Fault.GUESSED if not cited.steps else Fault.LEAP if len(cited.steps) < 2 else Fault.IDLE_PREMISE
            return self._end(claim, fault, "an answer cites what is asked and that measure")
        asked = ASKED.fullmatch(cited.asked[0])
        assert asked is not None
        (measure,) = cited.measures.values()
        if measure.name != asked["name"] or (asked["unit"] or measure.unit) != measure.unit:
            return self._end(claim, Fault.LEAP, f"it cites no {asked['name']} in the unit that is asked for")
        right = self._concluded(measure)
        if right is None:
            return self._end(claim, Fault.DOES_NOT_FOLLOW, "no option says this")
        if right != claim:
            return _refuted("something else follows", right, Fault.WRONG_CONCLUSION)
        return self._labelled(step, "INFER")

    def _concluded(self, measure: SaidMeasure) -> str | None:
        if not self._heard.options:
            return f"answer = {measure.text} {measure.unit}".rstrip()
        letters = [x for x, value in self._heard.options.items() if value is not None and _alike(value, measure)]
        return f"options = {{{', '.join(letters)}}}" if letters else None

    def _end(self, claim: str, fault: Fault, reason: str) -> StepCheck:
        """A conclusion that is not shown: refuted if the problem as a whole denies it."""
        value = self._solved().get(self._heard.asked)
        if value is None:
            return _consistent(fault, reason)
        if self._heard.options:
            right = [x for x, option in self._heard.options.items() if option and self._is_near(option, value)]
            conclusion = f"options = {{{', '.join(right)}}}"
        else:
            measure = said(f"{self._heard.asked} = {claim.removeprefix('answer = ')}")
            if measure is not None and self._is_near(Value(measure.value, measure.unit), value):
                return _consistent(fault, reason)
            conclusion = f"answer = {value:.6g}"
        if conclusion == claim:
            return _consistent(fault, reason)
        return _refuted(f"the problem denies it; {reason}", conclusion, fault)

    def _open(self, measure: SaidMeasure | None, claim: str, fault: Fault, reason: str) -> StepCheck:
        """A step that is not shown: refuted if the problem as a whole denies its value, else consistent."""
        if measure is None:
            return _consistent(fault, reason)
        value = self._solved().get(measure.name)
        if value is None or self._is_near(Value(measure.value, measure.unit), value):
            return _consistent(fault, reason)
        return _refuted(
            f"the problem denies it; {reason}", f"{measure.name} = {value:.6g} {self._length()}".rstrip(), fault
        )

    def _solved(self) -> dict[str, float]:
        """Every measure that the problem determines, about, in powers of a metre where units are given."""
        if self._known is None:
            given = {}
            for found in self._heard.said.values():
                for name, value in found.items():
                    if value is not None:
                        size = float(_size(value.unit)) if value.unit not in ("", "deg") else 1.0
                        given[name] = value.number.about * size
            self._known = closure(given, iter(self._heard.solids), self._equations())
        return self._known

    def impossible(self) -> str:
        """Measures that follow from the text and that no solid has; empty where there are none."""
        for found in self._heard.said.values():
            for name, value in found.items():
                if value is not None and value.number.about <= 1e-12:
                    return f"{name} = {value.number.about:.6g}"
        return denied(self._solved(), self._heard.solids, self._equations())

    def _equations(self) -> tuple[str, ...]:
        return tuple(key for found in self._heard.said.values() for key, value in found.items() if value is None)

    def _length(self) -> str:
        """In what :meth:`_solved` measures."""
        units = {value.unit for found in self._heard.said.values() for value in found.values() if value is not None}
        return "(m)" if units - {"", "deg"} else ""

    def _is_near(self, value: Value, about: float) -> bool:
        size = float(_size(value.unit)) if value.unit not in ("", "deg") else 1.0
        return math.isclose(value.number.about * size, about, rel_tol=1e-7)

    def _labelled(self, step: Step, op: str) -> StepCheck:
        if step.op != op:
            return _consistent(Fault.MISLABELLED, f"this is work for {op}")
        return StepCheck(support="proved")


def _alike(value: Value, measure: SaidMeasure) -> bool:
    """Whether two measures are equal; a number without a unit is equal to the same number with one."""
    if "" in (value.unit, measure.unit) or value.unit == measure.unit:
        return value.number.is_same(measure.value)
    if not _convertible(value.unit, measure.unit):
        return False
    return (value.number * of(_size(value.unit) / _size(measure.unit))).is_same(measure.value)


def _convertible(one: str, other: str) -> bool:
    return "" not in (one, other) and "deg" not in (one, other) and _power(one) == _power(other)


def _power(unit: str) -> int:
    return 3 if unit in ("L", "mL") else int(unit[-1]) if "^" in unit else 1


def _size(unit: str) -> Fraction:
    length = {"L": "dm", "mL": "cm"}.get(unit, unit.split("^")[0])
    return _METRES[length] ** _power(unit)


def _unit_of_result(name: str, measures: Sequence[SaidMeasure]) -> str | None:
    """The unit of what a formula gives; ``None`` where the measures do not fit together."""
    lengths = set()
    for measure in measures:
        power = POWERS.get(measure.name[0], 1)
        if power == 0:
            if measure.unit != "deg":
                return None
            continue
        length, caret, exponent = measure.unit.partition("^")
        if measure.unit and (length not in _METRES or (int(exponent) if caret else 1) != power):
            return None
        lengths.add(length)
    power = POWERS.get(name[0], 1)
    if power == 0:
        return "deg" if len(lengths) < 2 else None
    if len(lengths) != 1:
        return None
    (length,) = lengths
    return f"{length}^{power}" if length and power > 1 else length


def _consistent(fault: Fault, reason: str) -> StepCheck:
    return StepCheck(support="consistent", fault=fault, reason=reason)


def _refuted(reason: str, counterexample: str, fault: Fault) -> StepCheck:
    return StepCheck(support="refuted", fault=fault, reason=reason, counterexample=counterexample)
