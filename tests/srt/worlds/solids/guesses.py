"""Traces that reach the right answer without deriving it: guesses, leaps, idle premises, padding."""

from __future__ import annotations

import random
from collections.abc import Callable

from srt.io.records import Problem
from srt.language.trace import Step, Trace
from srt.worlds.kit.mutated_steps import replace_step, step_skipped

Wrong = Callable[[Problem, Trace, random.Random], list[Step] | None]


def answered_at_once(problem: Problem, trace: Trace, rng: random.Random) -> list[Step] | None:
    """The right conclusion, from the options or the question alone."""
    return [replace_step(trace.steps[-1], args=rng.choice([list(problem.choices), ["question"], ["scene"], []]))]


def value_stated(problem: Problem, trace: Trace, rng: random.Random) -> list[Step] | None:
    """What is asked is stated without its formula, from all readings, and then concluded."""
    readings = [step for step in trace.steps if step.op == "CORRELATE"]
    ask = next(n for n, step in enumerate(readings, 1) if "?" in (step.claim or ""))
    cited = [f"#{n}" for n in range(1, len(readings) + 1) if n != ask]
    name, _, value = (trace.steps[-2].claim or "").partition(" = ")
    stated = replace_step(
        trace.steps[-2],
        args=cited,
        claim=f"{name} = {value.rpartition(' = ')[2]}",
        op=rng.choice(["INFER", "CONSTRAIN"]),
    )
    end = replace_step(trace.steps[-1], args=[*problem.choices, f"#{ask}", f"#{len(readings) + 1}"])
    return [*readings, stated, end]


def read_off(problem: Problem, trace: Trace, rng: random.Random) -> list[Step] | None:
    """What is derived is read off a sentence instead, true as it is."""
    derived = [n for n, step in enumerate(trace.steps[:-1], 1) if step.op != "CORRELATE"]
    steps, n = list(trace.steps), rng.choice(derived)
    name, _, value = (steps[n - 1].claim or "").partition(" = ")
    claim = f"{name} = {value.rpartition(' = ')[2]}"
    steps[n - 1] = replace_step(steps[n - 1], op="CORRELATE", args=[f"({rng.randint(1, 3)})"], claim=claim)
    return steps


def skipped(problem: Problem, trace: Trace, rng: random.Random) -> list[Step] | None:
    """A derived step left out; those that cited it cite what it cited."""
    mutant = step_skipped(trace, rng)
    return None if mutant is None else list(mutant.trace.steps)


def folded(problem: Problem, trace: Trace, rng: random.Random) -> list[Step] | None:
    """Two formulas in one: a measure is replaced by its own formula, and what that cites is cited."""
    places = [
        (n, m)
        for n, step in enumerate(trace.steps, 1)
        for word in step.args
        if word.startswith("#") and (m := int(word[1:])) and step.op == "CONSTRAIN" == trace.steps[m - 1].op
    ]
    if not places:
        return None
    n, m = rng.choice(places)
    steps = list(trace.steps)
    inner_name, inner, _ = (steps[m - 1].claim or "").split(" = ")
    name, formula, value = (steps[n - 1].claim or "").split(" = ")
    if inner == "C/(2*pi)" and {"L", "h"} <= {name[0], *formula}:
        return None  # that is one relation, L = C*h
    if inner == "pi*r^2" and {"V", "h"} <= {name[0], *formula}:
        return None  # that is one relation, V = pi*r^2*h
    letter = inner_name if inner_name in formula else inner_name[0]
    claim = f"{name} = {formula.replace(letter, f'({inner})', 1)} = {value}"
    args = [w for w in steps[n - 1].args if w != f"#{m}"]
    args += [w for w in steps[m - 1].args if w not in args]
    steps[n - 1] = replace_step(steps[n - 1], args=args, claim=claim)
    return steps


def idle(problem: Problem, trace: Trace, rng: random.Random) -> list[Step] | None:
    """A step cites one more than it needs."""
    n = rng.randint(2, len(trace.steps))
    step = trace.steps[n - 1]
    others = [*(f"#{m}" for m in range(1, n) if f"#{m}" not in step.args), "scene", "question", "(1)"]
    return [*trace.steps[: n - 1], replace_step(step, args=[*step.args, rng.choice(others)]), *trace.steps[n:]]


def padded(problem: Problem, trace: Trace, rng: random.Random) -> list[Step] | None:
    """A measure is given in another unit and back, or said twice; later steps cite that."""
    steps = list(trace.steps[:-1])
    n = rng.randrange(1, len(steps))
    steps.append(replace_step(steps[n], args=rng.choice([list(steps[n].args), [f"#{n + 1}"]])))
    last = trace.steps[-1]
    again = [f"#{len(steps)}" if word == f"#{n + 1}" else word for word in last.args]
    return [*steps, replace_step(last, args=again if again != list(last.args) else [*again, f"#{len(steps)}"])]


LEAPS: tuple[Wrong, ...] = (value_stated, skipped, folded, read_off)
GUESSES: tuple[Wrong, ...] = (answered_at_once, *LEAPS, idle, padded)
