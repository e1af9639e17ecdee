"""The checker of routes: is each step exactly one inference from what it cites, and is nothing idle?

It shares no code with the solver: it reads the sentences in its own way (:mod:`.heard`) and has its own rules
(:mod:`.follows`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from srt.answers.equality import is_conclusion
from srt.io.records import Answer, Problem
from srt.language.faults import Fault
from srt.language.trace import Step, StepCheck, Trace, TraceCheck
from srt.worlds.routes.checker.follows import Subject, closure, consequence
from srt.worlds.routes.checker.heard import Heard, hear

_WAY = "(?:north|east|south|west)"
_N = "[1-9][0-9]{0,8}"
_CLAIMS = re.compile(
    rf"facing\({_N}\) = {_WAY}"
    rf"|turn\({_N}\) = (?:left|right|around|none)"
    rf"|(?:walk|steps|square|line)\({_N}\) = (?:0|{_N})"
    rf"|leg\({_N}\) = {_N} {_WAY}"
    rf"|at\({_N}\) = (?:start|{_N} (?:east|west)(?:, {_N} (?:north|south))?|{_N} (?:north|south))"
    rf"|back\({_N}\) = (?:none|{_N} {_WAY}(?:, {_N} {_WAY})*)"
    r"|options = \{[A-Z](?:, [A-Z])*\}"
    rf"|answer = (?:0|{_N})"
)

_CLAIM = re.compile(r"([a-z]+)\(([0-9]+)\) = (.+)")
_SENTENCE = re.compile(r"\(([0-9]+)\)")
_CONCLUSION = re.compile(rf"options = \{{([A-Z](?:, [A-Z])*)\}}|answer = (0|{_N})")


def check_route(problem: Problem, trace: Trace) -> TraceCheck | None:
    """The verdicts on a trace of a problem about a walk; ``None`` for any other problem."""
    heard = hear(problem)
    if heard is None:
        return None
    checker = _Checker(problem, heard, trace.steps)
    steps = tuple(checker.check(number) for number in range(1, len(trace.steps) + 1))
    cited = {int(word[1:]) for step in trace.steps for word in step.args if word.startswith("#")}
    return TraceCheck(
        steps=steps,
        unused=tuple(number for number in range(1, len(steps)) if number not in cited),
        answer=_answer(problem, trace),
        unread=tuple(f"({n})" for n in range(1, heard.last + 1) if n not in heard.said)
        + tuple(letter for letter, value in heard.options.items() if value is None),
    )


def _answer(problem: Problem, trace: Trace) -> StepCheck:
    """The answer must be what the last step concludes."""
    last = trace.steps[-1].claim if trace.steps else None
    match = _CONCLUSION.fullmatch(last or "")
    if match is None:
        return StepCheck(support="consistent", fault=Fault.LEAP, reason="the last step does not conclude anything")
    concluded = (
        Answer(kind="choice_set", value=match[1].split(", "))
        if match[1]
        else Answer(kind="number", value=int(match[2]))
    )
    agrees = is_conclusion(trace.answer, concluded, problem)
    if agrees is None:
        return StepCheck(support="unchecked", fault=Fault.MALFORMED, reason="the answer cannot be read")
    if agrees:
        return StepCheck(support="proved")
    return StepCheck(
        support="refuted", fault=Fault.WRONG_ANSWER, reason="the last step concludes something else",
        counterexample=match[1] or match[2],
    )  # fmt: skip


class _Checker:
    """Checks the steps of one trace."""

    def __init__(self, problem: Problem, heard: Heard, steps: Sequence[Step]) -> None:
        self._problem = problem
        self._heard = heard
        self._steps = steps
        self._said = [_parsed(step.claim or "") for step in steps]
        self._first: dict[str, int] = {}
        for number, step in enumerate(steps, 1):
            self._first.setdefault(step.claim or "", number)
        self._facts = closure({subject: value for said in heard.said.values() for subject, value in said.items()})

    def check(self, number: int) -> StepCheck:
        """The verdict on step ``number``, from 1."""
        step = self._steps[number - 1]
        claim = step.claim or ""
        if self._said[number - 1] is None and not (_CLAIMS.fullmatch(claim) and _in_order(claim)):
            return StepCheck(support="unchecked", fault=Fault.MALFORMED, reason="no claim of this world")
        if self._first[claim] < number:
            return self._open(claim, Fault.REPEATED, "an earlier step says the same")
        cited, fault = self._cited(number)
        if fault is not None:
            return self._open(claim, *fault)
        if claim.startswith(("options", "answer")):
            return self._conclusion(step, claim, cited)
        if step.op == "CORRELATE" or not cited:
            return self._reading(step, claim)
        return self._derived(step, claim, cited)

    def _cited(self, number: int) -> tuple[dict[Subject, str], tuple[Fault, str] | None]:
        """The claims of the steps that a step cites, by subject, or what is wrong with the citations."""
        cited: dict[Subject, str] = {}
        args = self._steps[number - 1].args
        if len(set(args)) < len(args):
            return {}, (Fault.IDLE_PREMISE, "it cites something twice")
        for word in args:
            if not word.startswith("#"):
                continue
            at = int(word[1:])
            if at > len(self._steps):
                return {}, (Fault.DANGLING_REFERENCE, f"there is no step {word}")
            if at >= number:
                return {}, (Fault.ORDER_BROKEN, f"step {word} does not come before it")
            if (said := self._said[at - 1]) is None:
                return {}, (Fault.DOES_NOT_FOLLOW, f"step {word} makes no claim that can be built on")
            subject, value = said
            if subject in cited:
                return {}, (Fault.IDLE_PREMISE, "it cites two claims about one thing")
            cited[subject] = value
        return cited, None

    def _reading(self, step: Step, claim: str) -> StepCheck:
        """A step that reads a sentence: it cites that and nothing else, and says one thing that the sentence says."""
        match = _SENTENCE.fullmatch(step.args[0]) if len(step.args) == 1 else None
        parsed = _parsed(claim)
        if match is None or parsed is None:
            return self._open(claim, Fault.DOES_NOT_FOLLOW, "a reading cites one sentence and nothing else")
        n = int(match[1])
        if n not in self._heard.said:
            if n > self._heard.last:
                return self._open(claim, Fault.DANGLING_REFERENCE, f"there is no sentence ({n})")
            return StepCheck(support="unchecked", reason=f"the wording of ({n}) is not known")
        subject, value = parsed
        said = self._heard.said[n].get(subject)
        if said is None:
            return self._open(claim, Fault.MISQUOTED_CLUE, f"sentence ({n}) does not say it")
        if said != value:
            return _refuted("the sentence says something else", subject, said, Fault.MISREAD)
        if step.op != "CORRELATE":
            return self._open(claim, Fault.MISLABELLED, "to read a sentence is to CORRELATE")
        return StepCheck(support="proved")

    def _derived(self, step: Step, claim: str, cited: Mapping[Subject, str]) -> StepCheck:
        """A step that builds on others: exactly what one rule needs, under the operation of that rule."""
        parsed = _parsed(claim)
        assert parsed is not None, "conclusions are judged elsewhere"
        subject, value = parsed
        found = consequence(subject, cited)
        if found is None:
            reached = closure(cited)
            if subject in reached and reached[subject] != value:
                return _refuted("something else follows", subject, reached[subject], Fault.FALSE_CLAIM)
            leap = subject in reached and subject not in cited
            reason = "more than one step leads to it" if leap else "it does not follow from what it cites"
            return self._open(claim, Fault.LEAP if leap else Fault.DOES_NOT_FOLLOW, reason)
        if found.value != value:
            return _refuted("something else follows", subject, found.value, Fault.FALSE_CLAIM)
        if found.uses != cited.keys() or len(step.args) != len(cited):
            return self._open(claim, Fault.IDLE_PREMISE, "it cites more than it needs")
        if step.op != found.op:
            return self._open(claim, Fault.MISLABELLED, f"this is work for {found.op}")
        return StepCheck(support="proved")

    def _conclusion(self, step: Step, claim: str, cited: Mapping[Subject, str]) -> StepCheck:
        """The step that answers: it cites the claim that was asked for, and all options or the question."""
        heard = self._heard
        subject = (heard.asked, heard.last)
        named = [word for word in step.args if not word.startswith("#")]
        wanted = list(heard.options) or ["question"]
        if sorted(named) != sorted(wanted):
            return self._open(claim, Fault.DOES_NOT_FOLLOW, f"an answer cites {' '.join(wanted)} and one step")
        if None in heard.options.values():
            return StepCheck(support="unchecked", reason="the wording of an option is not known")
        if subject not in cited:
            return self._open(claim, Fault.LEAP if cited else Fault.GUESSED, f"it cites no {_spelt(subject)}")
        concluded = self._concluded(cited[subject])
        if concluded is None:
            return self._open(claim, Fault.DOES_NOT_FOLLOW, "no option says this, or it is no number")
        if claim != concluded:
            return StepCheck(
                support="refuted", fault=Fault.WRONG_CONCLUSION, reason="something else follows",
                counterexample=concluded,
            )  # fmt: skip
        if len(cited) > 1:
            return self._open(claim, Fault.IDLE_PREMISE, "it cites more than it needs")
        if step.op != "INFER":
            return self._open(claim, Fault.MISLABELLED, "to answer is to INFER")
        return StepCheck(support="proved")

    def _concluded(self, value: str) -> str | None:
        """The conclusion if what was asked has ``value``."""
        options = self._heard.options
        if not options:
            return f"answer = {value}" if value.isdigit() else None
        letters = [letter for letter, said in options.items() if said == value]
        return f"options = {{{', '.join(letters)}}}" if letters else None

    def _open(self, claim: str, fault: Fault, reason: str) -> StepCheck:
        """A step that is not shown: refuted if the problem as a whole denies its claim, else consistent."""
        parsed = _parsed(claim)
        if parsed is None:
            value = self._facts.get((self._heard.asked, self._heard.last))
            right = None if value is None else self._concluded(value)
        else:
            right = f"{_spelt(parsed[0])} = {self._facts[parsed[0]]}" if parsed[0] in self._facts else None
        if right is None or right == claim:
            return StepCheck(support="consistent", fault=fault, reason=reason)
        return StepCheck(
            support="refuted", fault=fault, reason=f"the problem denies it; {reason}", counterexample=right
        )


def _parsed(claim: str) -> tuple[Subject, str] | None:
    """Subject and value of a claim about a sentence; ``None`` for a conclusion, and for what is no claim."""
    match = _CLAIM.fullmatch(claim)
    if match is None or not _CLAIMS.fullmatch(claim):
        return None
    return (match[1], int(match[2])), match[3]


def _in_order(claim: str) -> bool:
    """Whether a claim about options names each letter once, in the order of the alphabet."""
    letters = re.findall("[A-Z]", claim)
    return letters == sorted(set(letters))


def _spelt(subject: Subject) -> str:
    return f"{subject[0]}({subject[1]})"


def _refuted(reason: str, subject: Subject, value: str, fault: Fault) -> StepCheck:
    return StepCheck(support="refuted", fault=fault, reason=reason, counterexample=f"{_spelt(subject)} = {value}")
