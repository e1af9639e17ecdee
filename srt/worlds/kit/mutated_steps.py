"""Faults that can be planted in the steps of any world's trace, and helpers that make a mutant with one change."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from srt.language.premises import parse_premise, renumber_steps
from srt.language.trace import OPERATIONS, Step, Trace
from srt.worlds.kit.mutation import Mutant


def step_dropped(trace: Trace, rng: random.Random) -> Mutant | None:
    """A step is left out, references to it too, the rest is renumbered."""
    steps = list(trace.steps)
    gone = rng.randrange(len(steps))
    if len(steps) == 1:
        return None
    new_number = {n: n - (n > gone + 1) for n in range(1, len(steps) + 1) if n != gone + 1}
    left = renumbered(steps[:gone] + steps[gone + 1 :], new_number)
    return with_steps(trace, left, gone + 1, f"without {steps[gone].claim}")


def numbers_kept(trace: Trace, rng: random.Random) -> Mutant | None:
    """A step is left out, and the references of later steps stay as they were: to other steps now."""
    steps = list(trace.steps)
    gone = rng.randrange(len(steps))
    if not any(number > gone for step in steps[gone + 1 :] for number in numbers_of(step, "step")):
        return None
    return with_steps(trace, steps[:gone] + steps[gone + 1 :], gone + 1, f"without {steps[gone].claim}, numbers kept")


def order_broken(trace: Trace, rng: random.Random) -> Mutant | None:
    """A step moves to before one that it cites; references follow the moved steps."""
    steps = trace.steps
    citations = [(n, cited) for n, step in enumerate(steps, 1) for cited in numbers_of(step, "step") if cited < n]
    if not citations:
        return None
    moved, needed = rng.choice(citations)
    order = [n for n in range(1, len(steps) + 1) if n != moved]
    order.insert(order.index(needed), moved)
    new_number = {old: new for new, old in enumerate(order, 1)}
    mixed = renumbered([steps[old - 1] for old in order], new_number)
    return with_steps(trace, mixed, new_number[moved], f"step {moved} moved to before step {needed}, which it cites")


def premise_replaced(trace: Trace, rng: random.Random) -> Mutant | None:
    """A cited step becomes another that stands before and is not cited."""
    places = []
    for number, step in enumerate(trace.steps, 1):
        cited = numbers_of(step, "step")
        others = [n for n in range(1, number) if n not in cited]
        places += [(number, old, new) for old in cited for new in others]
    if not places:
        return None
    number, old, new = rng.choice(places)
    return with_premise(trace, number, f"#{old}", f"#{new}")


def premise_left_out(trace: Trace, rng: random.Random) -> Mutant | None:
    """One premise is not cited."""
    number, word = rng.choice(citations(trace))
    return with_premise(trace, number, word, None)


def mislabelled(trace: Trace, rng: random.Random) -> Mutant | None:
    """A step bears another operation."""
    number = rng.randint(1, len(trace.steps))
    step = trace.steps[number - 1]
    return with_step(trace, number, replace_step(step, op=rng.choice([op for op in OPERATIONS if op != step.op])))


def step_skipped(trace: Trace, rng: random.Random) -> Mutant | None:
    """A step is left out, and the steps that cited it cite its premises instead."""
    steps = list(trace.steps)
    if len(steps) == 1:
        return None
    gone = rng.randrange(1, len(steps))
    skipped = steps[gone - 1]
    kept = []
    for step in steps[: gone - 1] + steps[gone:]:
        if f"#{gone}" in step.args:
            rest = [word for word in step.args if word != f"#{gone}"]
            step = replace_step(step, args=[*rest, *(word for word in skipped.args if word not in rest)])
        kept.append(step)
    new_number = {n: n - (n > gone) for n in range(1, len(steps) + 1)}
    return with_steps(trace, renumbered(kept, new_number), gone, f"past {skipped.claim}")


def with_steps(trace: Trace, steps: Sequence[Step], step: int, change: str) -> Mutant:
    """The mutant with ``steps`` instead of the trace's."""
    return Mutant(trace.model_copy(update={"steps": tuple(steps)}), step, change)


def with_step(trace: Trace, number: int, new: Step) -> Mutant:
    """The mutant whose step ``number`` is ``new``."""
    steps = list(trace.steps)
    old, steps[number - 1] = steps[number - 1], new
    return with_steps(trace, steps, number, f"{_step_text(old)} -> {_step_text(new)}")


def replace_step(step: Step, **parts: object) -> Step:
    """``step`` with some of its parts (``op``, ``args``, ``claim``) replaced."""
    return Step.model_validate({**step.model_dump(), **parts})


def renumbered(steps: Sequence[Step], new_number: Mapping[int, int]) -> list[Step]:
    """``steps`` with references renumbered; a reference to a number that is not there is left out."""
    return [replace_step(step, args=renumber_steps(step.args, new_number)) for step in steps]


def numbers_of(step: Step, kind: str) -> list[int]:
    """The numbers of the premises of a kind (``step`` or ``given``) that ``step`` cites."""
    premises = map(parse_premise, step.args)
    return [premise.number for premise in premises if premise.kind == kind]


def with_premise(trace: Trace, number: int, old: str, new: str | None) -> Mutant:
    """The mutant whose step ``number`` cites ``new`` instead of ``old``; with ``None`` it cites one premise less."""
    step = trace.steps[number - 1]
    args = [new if word == old else word for word in step.args]
    return with_step(trace, number, replace_step(step, args=[word for word in args if word is not None]))


def citations(trace: Trace) -> list[tuple[int, str]]:
    """Every premise of every step, with the number of the step."""
    return [(number, word) for number, step in enumerate(trace.steps, 1) for word in step.args]


def _step_text(step: Step) -> str:
    return f"{' '.join([step.op, *step.args])}: {step.claim}"
