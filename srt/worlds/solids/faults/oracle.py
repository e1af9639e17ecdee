"""Whether every step of a trace follows, by the solver's own table and arithmetic, and nothing of the checker."""

from __future__ import annotations

import re
from collections.abc import Iterator

from srt.io.records import Problem
from srt.language.trace import Step, Trace
from srt.worlds.kit.mutation import OracleVerdict
from srt.worlds.solids.derivation.derive import rules_of
from srt.worlds.solids.derivation.solve_solid import parse_measure, right_letters, same, truth_of
from srt.worlds.solids.formulas import positive
from srt.worlds.solids.reading.read_solid import ReadSolid, read_solid
from srt.worlds.solids.statement import Measure, length_in, unit_of
from srt.worlds.solids.table import DIMENSION, Rule

_MEASURE = re.compile(r"(?P<name>[A-Za-z]\([a-z]+\)) = (?:(?P<formula>[^=]+) = )?(?P<value>[^=]+)")


def oracle_verdict(problem: Problem, trace: Trace) -> OracleVerdict:
    """The verdict on a trace: why it is not proved, and which of its claims are false."""
    truth = truth_of(problem)
    conclusion = f"options = {{{trace.answer}}}" if problem.choices else f"answer = {trace.answer}"
    claims = [conclusion, *(step.claim or "" for step in trace.steps)]
    false = tuple(number for number, claim in enumerate(claims) if truth(claim) == "false")
    return OracleVerdict(tuple(_Oracle(problem, trace).faults()), false)


class _Oracle:
    def __init__(self, problem: Problem, trace: Trace) -> None:
        self._problem, self._trace = problem, trace
        self._read: ReadSolid = read_solid(problem)
        self._claims = [step.claim or "" for step in trace.steps]
        self._measures = [_measure_in(claim) for claim in self._claims]

    def faults(self) -> Iterator[str]:
        """Why the trace is not proved, in words."""
        used: set[int] = set()
        seen: list[tuple[str, Measure]] = []
        for number, step in enumerate(self._trace.steps, 1):
            cited = [int(word[1:]) for word in step.args if word.startswith("#")]
            used.update(cited)
            measure = self._measures[number - 1]
            if self._claims[number - 1] in self._claims[: number - 1] or measure in seen:
                yield f"step {number} repeats"
            elif len(set(step.args)) < len(step.args) or not all(0 < at < number for at in cited):
                yield f"step {number} cites what is not there, or twice"
            elif not self._follows(step, cited):
                yield f"step {number} does not follow"
            seen += [measure] if measure is not None else []
        if used < set(range(1, len(self._trace.steps))):
            yield "a step is not used"
        conclusion = self._claims[-1].partition(" = ")[2].strip("{}") if self._claims else ""
        if conclusion != self._trace.answer or not self._claims[-1].startswith(("options", "answer")):
            yield "the answer is not what the last step says"

    def _follows(self, step: Step, cited: list[int]) -> bool:
        claim, words = step.claim or "", [word for word in step.args if not word.startswith("#")]
        said = {m[0]: m[1] for at in cited if (m := self._measures[at - 1])}
        others = [self._claims[at - 1] for at in cited if self._measures[at - 1] is None]
        statement = self._read.statement
        asked = f"? = {statement.asked}" + (f" in {statement.unit}" if statement.unit else "")
        if not cited and step.op == "CORRELATE":
            facts = [fact for fact in statement.facts if [fact.place] == words]
            return claim in [fact.claim for fact in facts] or (words == ["question"] and claim == asked)
        if claim.startswith(("options", "answer")):
            if step.op != "INFER" or sorted(words) != sorted(self._problem.choices) or others != [asked]:
                return False
            return len(cited) == 2 and self._concluded(said, asked) == claim
        match = _MEASURE.fullmatch(claim)
        found = _measure_in(claim)
        if match is None or found is None or words or len(said) + len(others) != len(cited):
            return False
        name, measure = found
        if match["formula"] is None:
            before = said.get(name)
            if step.op != "INFER" or len(cited) != 1 or before is None or before.unit == measure.unit:
                return False
            source = self._trace.steps[cited[0] - 1]
            twice = self._claims[cited[0] - 1].count(" = ") == 1 and source.op != "CORRELATE"
            return not twice and "" not in (before.unit, measure.unit) and same(before, measure)
        return step.op == "CONSTRAIN" and any(
            rule.target == name
            and rule.text == match["formula"]
            and ([rule.structure] if rule.structure else []) == others
            and set(rule.uses) == said.keys()
            and _computed(rule, said) == measure
            for rule in rules_of(statement)
        )

    def _concluded(self, said: dict[str, Measure], asked: str) -> str:
        measure = said.get(self._read.statement.asked)
        if measure is None or (self._read.statement.unit or measure.unit) != measure.unit:
            return ""
        if not self._problem.choices:
            return f"answer = {measure}"
        return f"options = {{{', '.join(right_letters(self._read, measure))}}}"


def _measure_in(claim: str) -> tuple[str, Measure] | None:
    match = _MEASURE.fullmatch(claim)
    measure = parse_measure(match["value"]) if match else None
    return (match["name"], measure) if match and measure else None


def _computed(rule: Rule, said: dict[str, Measure]) -> Measure | None:
    """What the formula gives, if the units of its measures fit."""
    lengths = {length_in(said[name].unit) for name in rule.uses if DIMENSION.get(name[0], 1)}
    if len(lengths) > 1 or (not lengths and DIMENSION.get(rule.target[0], 1)):
        return None
    length = next(iter(lengths), "")
    if any(said[name].unit != unit_of(name[0], length) for name in rule.uses):
        return None
    number = positive(rule.exact, {name: said[name].number for name in rule.uses})
    return None if number is None else Measure(number, unit_of(rule.target[0], length))
