"""The checker of solids: is each step exactly one reading, one relation or one conversion of what it cites?

It shares no code with the solver: it reads the text in its own way (:mod:`.heard`), computes in a prime field
(:mod:`.field`) and knows relations as equations that are solved for nothing (:mod:`.relations`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from srt.io.records import Problem
from srt.language.faults import Fault
from srt.language.trace import Step, StepCheck, Trace, TraceCheck
from srt.worlds.solids.checker.answer import check_answer
from srt.worlds.solids.checker.cited import Cited, cited_by
from srt.worlds.solids.checker.field import NoExactValue, of
from srt.worlds.solids.checker.relations import (
    SolidRelation,
    closure,
    holds,
    is_determined,
    relations_from,
    relations_of,
    solved,
)
from srt.worlds.solids.checker.terms import ASKED, EQUATION, SaidMeasure, exactly, names_of, postfix, said
from srt.worlds.solids.checker.units import alike, can_have, convertible, size, unit_of_result
from srt.worlds.solids.checker.values import Value
from srt.worlds.solids.checker.whole_problem import WholeProblem, whole_problem

_SENTENCE = re.compile(r"\(([0-9]+)\)")


def check_solid(problem: Problem, trace: Trace) -> TraceCheck | None:
    """The verdicts on a trace of a problem about measures of solids; ``None`` for any other problem."""
    whole = whole_problem(problem)
    if whole is None:
        return None
    if nothing := whole.impossible:
        verdict = StepCheck(support="unchecked", reason=f"no solid has the measures of the problem: {nothing}")
        return TraceCheck(steps=(verdict,) * len(trace.steps), answer=verdict)
    checker = _Checker(whole, trace.steps)
    steps = tuple(checker.check(number) for number in range(1, len(trace.steps) + 1))
    cited = {int(word[1:]) for step in trace.steps for word in step.args if word.startswith("#")}
    unused = tuple(number for number in range(1, len(steps)) if number not in cited)
    return TraceCheck(steps=steps, unused=unused, answer=check_answer(problem, trace))


class _Checker:
    """Checks the steps of one trace."""

    def __init__(self, whole: WholeProblem, steps: Sequence[Step]) -> None:
        self._whole, self._heard, self._steps = whole, whole.heard, steps
        self._claims = [step.claim or "" for step in steps]

    def check(self, number: int) -> StepCheck:
        """The verdict on step ``number``, from 1."""
        claim = self._claims[number - 1]
        measure = said(claim)
        concludes = claim.startswith(("options = ", "answer = "))
        if measure is None and not (concludes or EQUATION.fullmatch(claim) or ASKED.fullmatch(claim)):
            return StepCheck(support="unchecked", fault=Fault.MALFORMED, reason="no claim of this world")
        if self._repeats(number, measure):
            return self._open(measure, claim, Fault.REPEATED, "an earlier step says the same")
        cited, fault = cited_by(self._steps, number)
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
        pictured = step.args == ("scene",)
        if match is None and not pictured:
            return self._open(measure, claim, Fault.DOES_NOT_FOLLOW, "a reading cites one sentence and nothing else")
        sentence = int(match[1]) if match else 0
        if sentence not in self._heard.said:
            return self._open(
                measure,
                claim,
                Fault.DANGLING_REFERENCE,
                f"there is no {step.args[0]}",
            )
        here = self._heard.said[sentence]
        if measure is None:
            if claim in here and here[claim] is None:
                return self._labelled(step, "CORRELATE")
            others = [key for key, value in here.items() if value is None]
            if others and claim not in self._whole.equations():
                return _refuted("the sentence says something else", others[0], Fault.MISREAD)
            return _consistent(Fault.MISQUOTED_CLUE, f"sentence ({sentence}) does not say it")
        value = here.get(measure.name)
        if value is None:
            return self._open(measure, claim, Fault.MISQUOTED_CLUE, f"sentence ({sentence}) does not say it")
        if value.unit != measure.unit or not value.number.is_same(measure.value):
            right = f"{measure.name} = {value.number.about:.6g} {value.unit}".rstrip()
            if alike(value, measure):
                return _consistent(Fault.LEAP, "it is read in another unit: that is a step of its own")
            return _refuted("the sentence says something else", right, Fault.MISREAD)
        return self._labelled(step, "CORRELATE")

    def _related(self, step: Step, measure: SaidMeasure, cited: Cited) -> StepCheck:
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
        unit = unit_of_result(measure.name, [cited.measures[name] for name in needed])
        if unit is None:
            return self._open(measure, claim, Fault.DOES_NOT_FOLLOW, "the units differ, or one is no power of a length")
        if unit != measure.unit and convertible(unit, measure.unit) and alike(Value(value, unit), measure):
            return _consistent(Fault.LEAP, "it is given in another unit: that is a step of its own")
        if not value.is_same(measure.value) or unit != measure.unit:
            right = f"{measure.name} = {value.about:.6g} {unit}".rstrip()
            return _refuted("something else follows", right, Fault.FALSE_CLAIM)
        if cited.measures.keys() != needed:
            return self._open(measure, claim, Fault.IDLE_PREMISE, "it cites more than the formula has")
        return self._labelled(step, "CONSTRAIN")

    def _not_one(self, measure: SaidMeasure, claim: str, cited: Cited) -> StepCheck:
        """A formula that is no single relation: what it cites denies its value, or it leaves steps out."""
        values = {name: found.value.about for name, found in cited.measures.items()}
        units = unit_of_result(measure.name, list(cited.measures.values()))
        if units is not None:
            reached = closure(values, self._heard.solids, tuple(cited.equations)).get(measure.name)
            if reached is not None and units != measure.unit:
                return self._open(measure, claim, Fault.LEAP, "what it cites leads to another unit")
            if reached is not None and not math.isclose(reached, measure.value.about, rel_tol=1e-9):
                return _refuted("something else follows", f"{measure.name} = {reached:.6g} {units}", Fault.FALSE_CLAIM)
            if reached is not None:
                return _consistent(Fault.LEAP, "more than one relation leads to it")
        return self._open(measure, claim, Fault.DOES_NOT_FOLLOW, "no relation has just these measures")

    def _inexact(self, relation: SolidRelation, measure: SaidMeasure, cited: Cited) -> StepCheck:
        """A value without an exact form that the checker knows: it can be denied, and not proved."""
        value = solved(
            relation, measure.name, {x: cited.measures[x].value.about for x in relation.names - {measure.name}}
        )
        if value is not None and not math.isclose(value, measure.value.about, rel_tol=1e-9):
            return _refuted("something else follows", f"{measure.name} = {value:.6g}", Fault.FALSE_CLAIM)
        return StepCheck(support="unchecked", reason="the value has no exact form that the checker knows")

    def _by_relation(self, relation: SolidRelation, measure: SaidMeasure, cited: Cited) -> str:
        values = {name: cited.measures[name].value.about for name in relation.names - {measure.name}}
        value = solved(relation, measure.name, values)
        return f"{measure.name} = {value:.6g}" if value else f"{measure.name} has no value"

    def _converted(self, step: Step, measure: SaidMeasure, cited: Cited) -> StepCheck:
        """A step that gives a measure in another unit."""
        claim = step.claim or ""
        source = cited.measures.get(measure.name)
        if source is None:
            reached = self._not_one(measure, claim, cited)
            if reached.fault is Fault.LEAP and reached.support == "consistent":
                return _consistent(Fault.LEAP, "a value comes with its formula")
            return reached
        if len(cited.steps) > 1:
            return self._open(measure, claim, Fault.IDLE_PREMISE, "a conversion cites one step")
        if source.unit == measure.unit or not convertible(source.unit, measure.unit):
            right = f"{measure.name} = {source.text} {source.unit}".rstrip()
            return _refuted("the cited step says something else", right, Fault.FALSE_CLAIM)
        value = source.value * of(size(source.unit) / size(measure.unit))
        if not value.is_same(measure.value):
            right = f"{measure.name} = {value.about:.6g} {measure.unit}"
            return _refuted("something else follows", right, Fault.FALSE_CLAIM)
        origin = self._steps[cited.steps[0] - 1]
        if not source.formula and origin.args and origin.args[0].startswith("#"):
            return self._open(measure, claim, Fault.LEAP, "it is converted twice")
        return self._labelled(step, "INFER")

    def _conclusion(self, step: Step, claim: str, cited: Cited) -> StepCheck:
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
        letters = [x for x, value in self._heard.options.items() if value is not None and alike(value, measure)]
        return f"options = {{{', '.join(letters)}}}" if letters else None

    def _end(self, claim: str, fault: Fault, reason: str) -> StepCheck:
        """A conclusion that is not shown: refuted if the problem as a whole denies it."""
        value = self._whole.solved.get(self._heard.asked)
        if value is None:
            return _consistent(fault, reason)
        if self._heard.options:
            right = [
                x
                for x, option in self._heard.options.items()
                if option and self._whole.is_near(self._heard.asked, option, value)
            ]
            conclusion = f"options = {{{', '.join(right)}}}"
        else:
            measure = said(f"{self._heard.asked} = {claim.removeprefix('answer = ')}")
            if measure is not None and self._whole.is_near(measure.name, Value(measure.value, measure.unit), value):
                return _consistent(fault, reason)
            conclusion = f"answer = {value:.6g}"
        if conclusion == claim:
            return _consistent(fault, reason)
        return _refuted(f"the problem denies it; {reason}", conclusion, fault)

    def _open(self, measure: SaidMeasure | None, claim: str, fault: Fault, reason: str) -> StepCheck:
        """A step that is not shown: refuted if the problem as a whole denies its value or unit, else consistent."""
        if measure is None:
            return _consistent(fault, reason)
        if not can_have(measure.name, measure.unit):
            return _refuted(reason, f"{measure.name} is nothing in {measure.unit}", fault)
        value = self._whole.solved.get(measure.name)
        if value is None or self._whole.is_near(measure.name, Value(measure.value, measure.unit), value):
            return _consistent(fault, reason)
        return _refuted(
            f"the problem denies it; {reason}", f"{measure.name} = {value:.6g} {self._whole.length()}".rstrip(), fault
        )

    def _labelled(self, step: Step, op: str) -> StepCheck:
        if step.op != op:
            return _consistent(Fault.MISLABELLED, f"this is work for {op}")
        return StepCheck(support="proved")


def _consistent(fault: Fault, reason: str) -> StepCheck:
    return StepCheck(support="consistent", fault=fault, reason=reason)


def _refuted(reason: str, counterexample: str, fault: Fault) -> StepCheck:
    return StepCheck(support="refuted", fault=fault, reason=reason, counterexample=counterexample)
