"""Faults planted in a trace of the views world: what it says becomes false, or no longer follows."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from srt.language.faults import Fault, FaultClass
from srt.language.trace import Trace
from srt.worlds.kit import mutated_steps
from srt.worlds.kit.mutated_steps import renumbered, replace_step, with_premise, with_step, with_steps
from srt.worlds.kit.mutation import Mutant
from srt.worlds.views.claim_language import ViewClaim, parse_claim
from srt.worlds.views.kernel.nets import EDGES
from srt.worlds.views.kernel.quarter_turns import TURNS
from srt.worlds.views.kernel.stacks import SIDES
from srt.worlds.views.problem_reader import ViewsProblem


@dataclass(frozen=True)
class SoundTrace:
    """A valid trace and its problem."""

    read: ViewsProblem
    trace: Trace

    @cached_property
    def claims(self) -> tuple[ViewClaim, ...]:
        """The claims of the steps."""
        return tuple(parse_claim(step.claim or "") for step in self.trace.steps)

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """All cells that the trace names."""
        return tuple(sorted({cell for claim in self.claims for cell in claim.cells}))


Plant = Callable[[SoundTrace, random.Random], Mutant | None]
_OTHER_WORDS = {
    "least": "most",
    "most": "least",
    "surface": "painted",
    "painted": "surface",
    "count": "ways",
    "box": "count",
    "missing": "count",
}
_OTHER_FORMS = {"line_least": "line_most", "line_most": "line_least", "line_ways": "line_most", "sum": "tallest",
                "seen": "corner", "corner": "seen"}  # fmt: skip


def _changed(
    valid: SoundTrace, rng: random.Random, variants: Callable[[ViewClaim], Iterable[ViewClaim]]
) -> Mutant | None:
    """One claim becomes a variant of it."""
    changed = [(number, new) for number, claim in enumerate(valid.claims, 1) for new in variants(claim) if new != claim]
    if not changed:
        return None
    number, new = rng.choice(changed)
    return with_step(valid.trace, number, replace_step(valid.trace.steps[number - 1], claim=str(new)))


def another_entity(valid: SoundTrace, rng: random.Random) -> Mutant | None:
    """A claim names another cell, or the solid of another option."""

    def variants(claim: ViewClaim) -> Iterator[ViewClaim]:
        for cell in claim.cells:
            for other in valid.cells:
                if other not in claim.cells:
                    cells = tuple(sorted(other if one == cell else one for one in claim.cells))
                    yield replace(claim, cells=cells)
        if claim.option and claim.form != "options":
            yield from (replace(claim, option=letter) for letter in valid.read.options if letter != claim.option)

    return _changed(valid, rng, variants)


def another_relation(valid: SoundTrace, rng: random.Random) -> Mutant | None:
    """A claim names another view or another quantity."""

    def variants(claim: ViewClaim) -> Iterator[ViewClaim]:
        if claim.form in ("beside", "beyond"):
            yield from (replace(claim, word=edge) for edge in EDGES)
        elif claim.word in SIDES and claim.form not in ("fits", "turned"):
            yield from (replace(claim, word=side) for side in SIDES if side != claim.word)
        if claim.form == "turned":
            yield from (replace(claim, word=turn) for turn in TURNS)
        if claim.form in ("quantity", "asked") and claim.word in _OTHER_WORDS:
            yield replace(claim, word=_OTHER_WORDS[claim.word])
        if claim.form in _OTHER_FORMS:
            yield replace(claim, form=_OTHER_FORMS[claim.form])  # type: ignore[arg-type]

    return _changed(valid, rng, variants)


def another_number(valid: SoundTrace, rng: random.Random) -> Mutant | None:
    """A claim has another number, or speaks of another column."""

    def variants(claim: ViewClaim) -> Iterator[ViewClaim]:
        for at, number in enumerate(claim.numbers):
            for other in (number - 1, number + 1, number + 2):
                if other >= 0 and (len(claim.numbers) == 1 or other <= 9):
                    yield replace(claim, numbers=(*claim.numbers[:at], other, *claim.numbers[at + 1 :]))
        if claim.k:
            yield from (replace(claim, k=k) for k in (claim.k - 1, claim.k + 1) if 1 <= k <= 8)

    return _changed(valid, rng, variants)


def contradicted(valid: SoundTrace, rng: random.Random) -> Mutant | None:
    """A stack is higher than its bound, or a wrong option is called right."""

    def variants(claim: ViewClaim) -> Iterator[ViewClaim]:
        if claim.form == "bound":
            yield ViewClaim("stack", cells=claim.cells, numbers=(claim.numbers[0] + 1,))
        elif claim.form == "rejected":
            yield ViewClaim("options", claim.option)

    return _changed(valid, rng, variants)


def entities_swapped(valid: SoundTrace, rng: random.Random) -> Mutant | None:
    """Two cells change places from one step on."""
    if len(valid.cells) < 2:
        return None
    one, other = rng.sample(valid.cells, 2)
    swap = {one: other, other: one}
    start = rng.randint(1, len(valid.claims))
    steps = [
        step
        if number < start
        else replace_step(step, claim=str(replace(claim, cells=tuple(sorted(swap.get(c, c) for c in claim.cells)))))
        for number, (step, claim) in enumerate(zip(valid.trace.steps, valid.claims, strict=True), 1)
    ]
    if steps == list(valid.trace.steps):
        return None
    return with_steps(valid.trace, steps, start, f"{one} and {other} change places")


def _other_answer(valid: SoundTrace, rng: random.Random) -> str:
    letters = [letter for letter in valid.read.options if letter != valid.trace.answer]
    if letters:
        return rng.choice(letters)
    return str(int(valid.trace.answer) + rng.choice((1, 2, 3)))


def _with_final(valid: SoundTrace, answer: str) -> Mutant | None:
    """The last step says ``answer``."""
    claim = ViewClaim("options", answer) if valid.read.options else ViewClaim("found", numbers=(int(answer),))
    last = len(valid.claims)
    return with_step(valid.trace, last, replace_step(valid.trace.steps[-1], claim=str(claim)))


def wrong_options(valid: SoundTrace, rng: random.Random) -> Mutant | None:
    """The last step says another option, or another number."""
    return _with_final(valid, _other_answer(valid, rng))


def wrong_answer(valid: SoundTrace, rng: random.Random) -> Mutant | None:
    """The answer alone is another one."""
    other = _other_answer(valid, rng)
    return Mutant(valid.trace.model_copy(update={"answer": other}), 0, f"{valid.trace.answer} -> {other}")


def wrong_conclusion(valid: SoundTrace, rng: random.Random) -> Mutant | None:
    """The last step and the answer agree, and are wrong."""
    other = _other_answer(valid, rng)
    mutant = _with_final(valid, other)
    return mutant and Mutant(mutant.trace.model_copy(update={"answer": other}), mutant.step, mutant.change)


def dangling_reference(valid: SoundTrace, rng: random.Random) -> Mutant | None:
    """A cited step becomes one that does not exist, or a cited figure one that is not shown."""
    number, word = rng.choice(mutated_steps.citations(valid.trace))
    if word.startswith("#"):
        new = f"#{len(valid.claims) + rng.randint(1, 3)}"
    else:
        missing = [name for name in (*SIDES, "top", "plan", "solid") if name not in valid.read.shown]
        new = rng.choice(missing)
    return with_premise(valid.trace, number, word, new)


def unused_step(valid: SoundTrace, rng: random.Random) -> Mutant | None:
    """A step is said twice, and nothing cites the second."""
    number = rng.randint(1, len(valid.claims) - 1)
    steps = renumbered(valid.trace.steps, {n: n + (n > number) for n in range(1, len(valid.claims) + 1)})
    steps.insert(number, steps[number - 1])
    return with_steps(valid.trace, steps, number + 1, f"{steps[number].claim} again")


def misquoted_clue(valid: SoundTrace, rng: random.Random) -> Mutant | None:
    """A reading cites another figure, another option, or the question."""
    words: tuple[str, ...] = (*valid.read.shown, *valid.read.options, "question")
    places = [(n, word) for n, word in mutated_steps.citations(valid.trace) if not word.startswith("#")]
    number, word = rng.choice([place for place in places if place[0] < len(valid.claims)])
    others = [other for other in words if other not in valid.trace.steps[number - 1].args]
    return with_premise(valid.trace, number, word, rng.choice(others)) if others else None


def leap(valid: SoundTrace, rng: random.Random) -> Mutant | None:
    """What is asked for is stated right after the question."""
    last = valid.trace.steps[-1]
    words = [word for word in last.args if not word.startswith("#")]
    first = valid.trace.steps[0]
    steps = [first, replace_step(last, args=[*words, "#1"])]
    return None if len(valid.claims) < 3 else with_steps(valid.trace, steps, 2, "right after the question")


def guessed(valid: SoundTrace, rng: random.Random) -> Mutant | None:
    """A claim is stated from the figures, without a derivation: a quantity, the blank, or a wrong option."""
    figures = list(valid.read.shown)
    places = [n for n, step in enumerate(valid.trace.steps, 1) if any(word.startswith("#") for word in step.args)]
    number = rng.choice(places)
    step = valid.trace.steps[number - 1]
    shape = rng.choice(("figures", "figures and question", "figures and options"))
    words = [*figures, *(["question"] if shape == "figures and question" else [])]
    words += list(valid.read.options) if shape == "figures and options" else []
    kept = [replace_step(step, args=words)]
    if number < len(valid.claims):
        kept.append(replace_step(valid.trace.steps[-1], args=[*valid.read.options, "#1"]))
    return with_steps(valid.trace, kept, 1, f"{step.claim} from {shape}")


def idle_premise(valid: SoundTrace, rng: random.Random) -> Mutant | None:
    """A step cites an earlier step, a figure, an option or the question besides."""
    words: tuple[str, ...] = (*valid.read.shown, *valid.read.options, "question")
    places = [
        (number, word)
        for number, step in enumerate(valid.trace.steps, 1)
        for word in (*(f"#{n}" for n in range(1, number)), *words)
        if word not in step.args
    ]
    if not places:
        return None
    number, word = rng.choice(places)
    step = valid.trace.steps[number - 1]
    return with_step(valid.trace, number, replace_step(step, args=[*step.args, word]))


def _of_steps(plant: Callable[[Trace, random.Random], Mutant | None]) -> Plant:
    return lambda valid, rng: plant(valid.trace, rng)


PLANTS: Mapping[FaultClass, Plant] = {
    Fault.ANOTHER_ENTITY: another_entity,
    Fault.ANOTHER_RELATION: another_relation,
    Fault.ANOTHER_NUMBER: another_number,
    Fault.CONTRADICTED: contradicted,
    Fault.ENTITIES_SWAPPED: entities_swapped,
    Fault.WRONG_OPTIONS: wrong_options,
    Fault.WRONG_ANSWER: wrong_answer,
    Fault.WRONG_CONCLUSION: wrong_conclusion,
    Fault.STEP_DROPPED: _of_steps(mutated_steps.step_dropped),
    Fault.NUMBERS_KEPT: _of_steps(mutated_steps.numbers_kept),
    Fault.ORDER_BROKEN: _of_steps(mutated_steps.order_broken),
    Fault.PREMISE_REPLACED: _of_steps(mutated_steps.premise_replaced),
    Fault.PREMISE_LEFT_OUT: _of_steps(mutated_steps.premise_left_out),
    Fault.DANGLING_REFERENCE: dangling_reference,
    Fault.MISLABELLED: _of_steps(mutated_steps.mislabelled),
    Fault.UNUSED_STEP: unused_step,
    Fault.MISQUOTED_CLUE: misquoted_clue,
    Fault.LEAP: leap,
    Fault.GUESSED: guessed,
    Fault.STEP_SKIPPED: _of_steps(mutated_steps.step_skipped),
    Fault.IDLE_PREMISE: idle_premise,
}
"""One corruption each, drawn at random; ``None`` where the draw finds no place for it in the trace.

They are in the order of the table of ``srt mutate``.
"""
