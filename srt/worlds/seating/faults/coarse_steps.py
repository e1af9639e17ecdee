"""Mutations that leave every claim true and entailed, but a step is a guess, a leap, or cites what it does not need."""

from __future__ import annotations

import random

from srt.language.trace import Step
from srt.worlds.kit.mutated_steps import renumbered, replace_step, with_step, with_steps
from srt.worlds.kit.mutation import Mutant
from srt.worlds.seating.claim_language import RightOptions
from srt.worlds.seating.faults.valid_trace import ValidTrace


def guessed(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """The right options without a derivation, in one of three shapes.

    One step from clues, question and scene; one step from their readings; or the readings, who fills the blank, and the
    options.
    """
    last = valid.trace.steps[-1]
    if not isinstance(valid.claims[-1][0][0], RightOptions):
        return None
    letters = list(valid.puzzle.options)
    readings = [step for step in valid.trace.steps if step.op == "CORRELATE"]
    all_readings = [f"#{number}" for number in range(1, len(readings) + 1)]
    plan = rng.choice(("scene", "wlog"))
    shape = rng.choice(("clues", "readings", "named"))
    if shape == "clues":
        clues = [f"({clue.number})" for clue in valid.puzzle.clues]
        steps = [replace_step(last, args=[*clues, "question", plan, *letters])]
    elif shape == "readings":
        steps = [*readings, replace_step(last, args=[plan, *letters, *all_readings])]
    else:
        named = [step for step in valid.trace.steps if step.op == "INFER" and (step.claim or "").startswith("? = ")]
        if not named:
            return None
        filled = replace_step(named[-1], args=[plan, *all_readings])
        steps = [*readings, filled, replace_step(last, args=[*letters, f"#{len(readings) + 1}"])]
    return with_steps(valid.trace, steps, len(steps), f"{last.claim} guessed from {shape}")


def idle_premise(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """A step that is no reading cites an earlier step, the scene or an option besides."""
    places = [
        (number, word)
        for number, step in enumerate(valid.trace.steps, 1)
        if step.op != "CORRELATE"
        for word in (*(f"#{n}" for n in range(1, number)), "scene", *valid.puzzle.options)
        if word not in step.args and not (word == "scene" and "wlog" in step.args)
    ]
    if not places:
        return None
    number, word = rng.choice(places)
    step = valid.trace.steps[number - 1]
    return with_step(valid.trace, number, replace_step(step, args=[*step.args, word]))


def vacuous_step(valid: ValidTrace, rng: random.Random) -> Mutant | None:
    """A step that always holds is inserted before one that is no reading, which cites it too."""
    steps = list(valid.trace.steps)
    places = [number for number, step in enumerate(steps, 1) if step.op != "CORRELATE"]
    if not places:
        return None
    number = rng.choice(places)
    name = rng.choice(valid.puzzle.names)
    anywhere = " | ".join(f"{name}@{seat}" for seat in valid.puzzle.scene.seats)
    vacuous = Step(op="CONSTRAIN", args=("scene",) * rng.randrange(2), claim=rng.choice((f"{name} = {name}", anywhere)))
    longer = renumbered(steps, {n: n + (n >= number) for n in range(1, len(steps) + 1)})
    longer[number - 1] = replace_step(longer[number - 1], args=[*longer[number - 1].args, f"#{number}"])
    longer.insert(number - 1, vacuous)
    return with_steps(valid.trace, longer, number, f"with {vacuous.claim}")
