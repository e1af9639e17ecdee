"""Faults planted in the steps of free traces, besides wrong equations: one function for each class.

A trace without a world has no oracle, so each function makes only such changes as leave a fault whatever the problem:
the number of a reading becomes another one; a premise goes without which the calculation of a step has no source (the
step was computed, and is not any more); the answer becomes another value. The trace must be right before: one that
people have accepted, or that passed a review.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from srt.checking import check
from srt.io.records import Lang, Problem
from srt.language.faults import Fault
from srt.language.premises import parse_premise, renumber_steps
from srt.language.trace import Operation, Step, Trace
from srt.worlds.kit.mutation import Mutant

_NUMBER = re.compile(r"(?<![\w.^_{#(/-])\d+(?:\.\d+)?(?![\w.}/]|\s*(?:[-+*/^°]|\\times|\\circ))")
_VIEWS: Mapping[Lang, Sequence[str]] = {
    "en": ("front view", "top view", "left view", "side view"),
    "zh": ("主视图", "俯视图", "左视图"),
}
_LABELS = re.compile(r"(?<![A-Za-z\\{_])[A-Z]{2}(?![A-Za-z_'′])")
_OTHER_OPERATION: Mapping[Operation, Operation] = {"CORRELATE": "INFER", "CONSTRAIN": "CORRELATE", "INFER": "CORRELATE"}
_CITES_ANSWER: Mapping[Lang, Sequence[str]] = {
    "en": ("As the official solution says, {}", "{} This agrees with the answer that was given.", "By the answer, {}"),
    "zh": ("正如标准解答所说，{}", "{}这与给定的答案一致。", "由答案可知，{}"),
}


def misread(problem: Problem, trace: Trace, rng: random.Random) -> Mutant | None:
    """A number that a CORRELATE step reads becomes another, or one view becomes another view."""
    places = []
    for number, step in enumerate(trace.steps, 1):
        if step.op == "CORRELATE":
            said = step.assertion or ""
            for match in _NUMBER.finditer(said):
                places.append((number, match, _another_number(match[0], rng)))
            for view in _VIEWS[trace.lang]:
                others = [other for other in _VIEWS[trace.lang] if other not in said and other != view]
                places += [(number, match, rng.choice(others)) for match in re.finditer(view, said) if others]
    if not places:
        return None
    number, match, new = rng.choice(places)
    said = trace.steps[number - 1].assertion or ""
    return _reworded(trace, number, said[: match.start()] + new + said[match.end() :], f"{match[0]} -> {new}")


def hallucinated_entity(problem: Problem, trace: Trace, rng: random.Random) -> Mutant | None:
    """A point in the name of a segment becomes one that neither the problem nor the trace has."""
    texts = [problem.question, problem.solution or "", problem.diagram_description or "", *problem.choices.values()]
    texts += [step.assertion or "" for step in trace.steps]
    unknown = sorted(set("FGHKQTUWXYZ") - set("".join(texts)))
    places = [(n, m) for n, step in enumerate(trace.steps, 1) for m in _LABELS.finditer(step.assertion or "")]
    if not unknown or not places:
        return None
    number, match = rng.choice(places)
    said = trace.steps[number - 1].assertion or ""
    new = match[0][0] + rng.choice(unknown)
    return _reworded(trace, number, said[: match.start()] + new + said[match.end() :], f"{match[0]} -> {new}")


def step_dropped(problem: Problem, trace: Trace, rng: random.Random) -> Mutant | None:
    """A step goes, with all references to it, without which a later one is not computed any more."""
    changed = []
    for gone in sorted({cited for number in _computed(trace) for cited in _cited(trace.steps[number - 1])}):
        new_number = {k: k - (k > gone) for k in range(1, len(trace.steps) + 1) if k != gone}
        left = tuple(_renumbered(step, new_number) for number, step in enumerate(trace.steps, 1) if number != gone)
        if all(step.args for step in left):
            changed.append((trace.model_copy(update={"steps": left, "checks": None}), gone))
    return _unsupporting(problem, trace, changed, rng, "without step {}")


def premise_replaced(problem: Problem, trace: Trace, rng: random.Random) -> Mutant | None:
    """A step cites another earlier step instead of one that its calculation needs."""
    changed = []
    for number in _computed(trace):
        step = trace.steps[number - 1]
        cited = _cited(step)
        others = [k for k in range(1, number) if k not in cited]
        changed += [(_with_step(trace, number, _replaced(step, old, new)), number) for old in cited for new in others]
    return _unsupporting(problem, trace, changed, rng, "another step cited in step {}")


def premise_left_out(problem: Problem, trace: Trace, rng: random.Random) -> Mutant | None:
    """A step does not cite a premise that its calculation needs."""
    changed = []
    for number in _computed(trace):
        step = trace.steps[number - 1]
        for word in step.args if len(step.args) > 1 else ():
            left = step.model_copy(update={"args": tuple(other for other in step.args if other != word)})
            changed.append((_with_step(trace, number, left), number))
    return _unsupporting(problem, trace, changed, rng, "a premise of step {} is not cited")


def mislabelled(problem: Problem, trace: Trace, rng: random.Random) -> Mutant | None:
    """A step bears another operation: one that reads is called INFER, another one CORRELATE."""
    number = rng.randint(1, len(trace.steps))
    step = trace.steps[number - 1]
    new = _OTHER_OPERATION[step.op]
    mutant = _with_step(trace, number, step.model_copy(update={"op": new}))
    return Mutant(mutant, number, f"{step.op} -> {new}")


def unused_step(problem: Problem, trace: Trace, rng: random.Random) -> Mutant | None:
    """A step is said twice, and nothing cites the second."""
    number = rng.randint(1, len(trace.steps) - 1) if len(trace.steps) > 1 else 0
    if not number:
        return None
    steps = [_renumbered(step, {k: k + (k > number) for k in range(1, len(trace.steps) + 1)}) for step in trace.steps]
    steps.insert(number, trace.steps[number - 1])
    return Mutant(trace.model_copy(update={"steps": tuple(steps), "checks": None}), number + 1, f"step {number} again")


def answer_cited(problem: Problem, trace: Trace, rng: random.Random) -> Mutant | None:
    """A step is said to rest on the answer or the official solution."""
    number = rng.randint(1, len(trace.steps))
    frame = rng.choice(_CITES_ANSWER[trace.lang])
    return _reworded(trace, number, frame.format(trace.steps[number - 1].assertion), frame)


def wrong_answer(problem: Problem, trace: Trace, rng: random.Random) -> Mutant | None:
    """The answer becomes another option, or another number."""
    if others := [letter for letter in problem.choices if letter != trace.answer]:
        new = rng.choice(others)
    elif digits := list(re.finditer(r"\d+", trace.answer)):
        place = rng.choice(digits)
        new = trace.answer[: place.start()] + str(int(place[0]) + rng.randint(1, 3)) + trace.answer[place.end() :]
    else:
        return None
    mutant = trace.model_copy(update={"answer": new, "checks": None})
    return Mutant(mutant, 0, f"{trace.answer} -> {new}")


STEP_FAULTS: Mapping[Fault, Callable[[Problem, Trace, random.Random], Mutant | None]] = {
    Fault.MISREAD: misread,
    Fault.HALLUCINATED_ENTITY: hallucinated_entity,
    Fault.STEP_DROPPED: step_dropped,
    Fault.PREMISE_REPLACED: premise_replaced,
    Fault.PREMISE_LEFT_OUT: premise_left_out,
    Fault.MISLABELLED: mislabelled,
    Fault.UNUSED_STEP: unused_step,
    Fault.ANSWER_CITED: answer_cited,
    Fault.WRONG_ANSWER: wrong_answer,
}


def different_mutants(
    fault: Fault, traces: Sequence[Trace], problems: Mapping[str, Problem], rng: random.Random
) -> Iterator[tuple[Trace, Mutant]]:
    """Different mutants of the free ``traces`` with ``fault``, and what each was made of, going round the traces.

    The traces have their verdicts (``checks``), the mutants have none.
    """
    order = rng.sample(list(traces), len(traces))
    seen: set[tuple[str, tuple[Step, ...], str]] = set()
    failures = 0
    while failures < 2 * len(order):
        trace = order.pop(0)
        order.append(trace)
        mutant = STEP_FAULTS[fault](problems[trace.problem_id], trace, rng)
        if mutant is None or (key := (trace.id, mutant.trace.steps, mutant.trace.answer)) in seen:
            failures += 1
            continue
        seen.add(key)
        failures = 0
        yield trace, mutant


def _computed(trace: Trace) -> list[int]:
    """The numbers of the computed steps; ``trace`` has its verdicts."""
    assert trace.checks is not None
    return [number for number, step in enumerate(trace.checks.steps, 1) if step.support == "computed"]


def _unsupporting(
    problem: Problem, trace: Trace, changed: Sequence[tuple[Trace, int]], rng: random.Random, what: str
) -> Mutant | None:
    """One of the ``changed`` traces in which a step that was computed is not computed any more."""
    computed = {trace.steps[number - 1].assertion for number in _computed(trace)}
    for mutant, number in rng.sample(list(changed), len(changed)):
        verdicts = zip(mutant.steps, check(problem, mutant).steps, strict=True)
        if any(step.assertion in computed and verdict.support != "computed" for step, verdict in verdicts):
            return Mutant(mutant, number, what.format(number))
    return None


def _cited(step: Step) -> list[int]:
    return [premise.number for premise in map(parse_premise, step.args) if premise.kind == "step"]


def _renumbered(step: Step, new_number: Mapping[int, int]) -> Step:
    """``step`` with the steps that it cites renumbered; those without a new number are not cited any more."""
    return step.model_copy(update={"args": renumber_steps(step.args, new_number)})


def _replaced(step: Step, old: int, new: int) -> Step:
    return step.model_copy(update={"args": tuple(f"#{new}" if word == f"#{old}" else word for word in step.args)})


def _with_step(trace: Trace, number: int, step: Step) -> Trace:
    steps = (*trace.steps[: number - 1], step, *trace.steps[number:])
    return trace.model_copy(update={"steps": steps, "checks": None})


def _reworded(trace: Trace, number: int, said: str, change: str) -> Mutant:
    step = trace.steps[number - 1].model_copy(update={"assertion": said, "claim": None})
    return Mutant(_with_step(trace, number, step), number, change)


def _another_number(written: str, rng: random.Random) -> str:
    if written.isdigit():
        return str(int(written) + rng.choice((1, 2, 3)))
    return written[:-1] + rng.choice([digit for digit in "123456789" if digit != written[-1]])
