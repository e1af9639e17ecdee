"""Traces that reach the right answer without deriving it: guesses, leaps, padding."""

from __future__ import annotations

import random
from collections.abc import Callable

from srt.io.records import Problem
from srt.language.trace import Step, Trace
from srt.worlds.kit.mutated_steps import numbers_of, replace_step, step_skipped

Wrong = Callable[[Problem, Trace, random.Random], list[Step] | None]


def answered_at_once(problem: Problem, trace: Trace, rng: random.Random) -> list[Step] | None:
    """The right conclusion, from the options or the question alone."""
    return [replace_step(trace.steps[-1], args=list(problem.choices) or ["question"])]


def named_from_the_question(problem: Problem, trace: Trace, rng: random.Random) -> list[Step] | None:
    """The right conclusion, from question and options, under any operation."""
    args = rng.choice([["question"], ["question", *problem.choices], ["(1)", *problem.choices], ["scene"]])
    return [replace_step(trace.steps[-1], args=args, op=rng.choice(["CORRELATE", "CONSTRAIN", "INFER"]))]


def read_then_answered(problem: Problem, trace: Trace, rng: random.Random) -> list[Step] | None:
    """All readings, then the conclusion from all of them."""
    readings = [step for step in trace.steps if step.op == "CORRELATE"]
    cited = [f"#{n}" for n in range(1, len(readings) + 1)]
    return [*readings, replace_step(trace.steps[-1], args=[*problem.choices, *cited])]


def skipped(problem: Problem, trace: Trace, rng: random.Random) -> list[Step] | None:
    """A derived step left out; those that cited it cite what it cited."""
    mutant = step_skipped(trace, rng)
    return None if mutant is None else list(mutant.trace.steps)


def read_off_a_sentence(problem: Problem, trace: Trace, rng: random.Random) -> list[Step] | None:
    """What is derived is read off a sentence instead, true as it is."""
    derived = [n for n, step in enumerate(trace.steps[:-1], 1) if step.op != "CORRELATE"]
    if not derived:
        return None
    steps = list(trace.steps)
    n = rng.choice(derived)
    sentence = problem.question.count("\n")
    steps[n - 1] = replace_step(steps[n - 1], op="CORRELATE", args=[f"({rng.randint(1, sentence)})"])
    return steps


def uncited(problem: Problem, trace: Trace, rng: random.Random) -> list[Step] | None:
    """A derived step cites nothing."""
    steps = list(trace.steps)
    n = rng.choice([n for n, step in enumerate(steps, 1) if step.op != "CORRELATE"])
    steps[n - 1] = replace_step(steps[n - 1], args=[])
    return steps


def padded(problem: Problem, trace: Trace, rng: random.Random) -> list[Step] | None:
    """A step is there twice, and each is cited where it can be."""
    steps = list(trace.steps[:-1])
    n = rng.randrange(len(steps))
    steps.append(steps[n])
    last = trace.steps[-1]
    again = [f"#{len(steps)}" if number == n + 1 else f"#{number}" for number in numbers_of(last, "step")]
    extra = rng.choice([[], [f"#{len(steps)}"]])
    letters = [word for word in last.args if not word.startswith("#")]
    return [*steps, replace_step(last, args=list(dict.fromkeys([*letters, *again, *extra])))]


def answered_first(problem: Problem, trace: Trace, rng: random.Random) -> list[Step] | None:
    """The conclusion, then a derivation that is right."""
    moved = [replace_step(step, args=[_later(word) for word in step.args]) for step in trace.steps[:-1]]
    return [replace_step(trace.steps[-1], args=[_later(word) for word in trace.steps[-1].args]), *moved]


def _later(word: str) -> str:
    return f"#{int(word[1:]) + 1}" if word.startswith("#") else word


GUESSES: tuple[Wrong, ...] = (
    answered_at_once,
    named_from_the_question,
    read_then_answered,
    skipped,
    read_off_a_sentence,
    uncited,
    padded,
    answered_first,
)
