"""The cases that premises leave open, and those of them in which a claim holds.

The same arithmetic serves both readings of a step: with the plan of the seats sets are bit masks, without it they are
:class:`~srt.worlds.seating.checker.arrangements.Pairs`. Only ``&``, ``|`` and ``^`` are used, so one text does for
both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

from srt.worlds.seating.checker.arrangements import Pairs
from srt.worlds.seating.checker.claim_sets import Meaning
from srt.worlds.seating.checker.reading.problem_text import NOBODY, SeatingProblem

Cases = TypeVar("Cases", int, Pairs)


def weigh(
    full: Cases,
    parts: Callable[[Meaning], tuple[Cases, ...]],
    premises: Sequence[Meaning],
    claim: Meaning,
    choices: dict[str, int] | None,
) -> tuple[Cases, Cases | None]:
    """The cases that the ``premises`` leave open, and those of them in which ``claim`` holds.

    The second is ``None`` if the claim is about the blank or the options and no premise says who fills the blank. A
    premise about the blank fixes who fills it; two of them leave only the cases in which they agree, or in which what
    one says of others is wrong: that it takes for granted, and it says nothing where it is wrong.
    """
    ground = full
    naming: Meaning | None = None
    options: list[frozenset[str]] = []
    for premise in premises:
        if premise.letters is not None:
            options.append(premise.letters)
        elif not premise.blank:
            ground = parts(premise)[0] if ground is full else ground & parts(premise)[0]
        elif naming is None:
            naming = premise  # The first: by those after it, cases are left out in which they name somebody else.
        else:
            agreed = agreement(full, parts, naming, premise)
            for others in (naming.of_others, premise.of_others):
                if others is not None:
                    agreed = agreed | (full ^ parts(others)[0])
            ground = ground & agreed
    # No premise says who fills the blank: what a cited step says of the options can be repeated, and no more.
    if naming is None:
        if claim.letters is not None and options:
            same = all(letters == claim.letters for letters in options)
            return ground, ground if same else ground ^ ground
        return ground, None if claim.blank else ground & parts(claim)[0]
    if choices is not None:
        for letters in options:
            ground = ground & _right_options(full, parts(naming), letters, choices)
    return ground, ground & holding(full, naming, parts, claim, choices)


def follows(
    premises: Sequence[Meaning], claim: Meaning, problem: SeatingProblem, *, scene: bool, free: bool = False
) -> bool:
    """Whether ``premises`` entail ``claim``, with the plan of the seats or without it.

    ``free``: up to a symmetry of the scene, which is what a choice needs.
    """
    world = problem.language.world
    # The claim holds in a part of the cases: it follows if that part is all of them. No cases at all would entail
    # everything; that the premises can hold together is checked elsewhere (a contradiction is its own reason).
    if not scene:
        cases, loosely = weigh(world.loose_full, loose_parts, premises, claim, problem.choices)
        return loosely is not None and cases == loosely
    tied, holds = weigh(world.full, tied_parts, premises, claim, problem.choices)
    return holds is not None and not tied & ~(world.up_to_symmetry(holds) if free else holds)


def tied_parts(meaning: Meaning) -> tuple[int, ...]:
    """The parts of a claim with the plan of the seats."""
    return meaning.tied


def loose_parts(meaning: Meaning) -> tuple[Pairs, ...]:
    """The parts of a claim without the plan of the seats."""
    return meaning.loose


def holding(
    full: Cases,
    naming: Meaning,
    parts: Callable[[Meaning], tuple[Cases, ...]],
    claim: Meaning,
    choices: dict[str, int] | None,
) -> Cases:
    """The cases in which ``claim`` holds where ``naming`` says, entity by entity, when it fills the blank."""
    if claim.letters is not None:
        return full ^ full if choices is None else _right_options(full, parts(naming), claim.letters, choices)
    if not claim.blank:
        return parts(claim)[0]
    found: Cases = agreement(full, parts, naming, claim)
    return found if claim.of_others is None else found & parts(claim.of_others)[0]


@lru_cache(maxsize=4096)
def agreement(full: Cases, parts: Callable[[Meaning], tuple[Cases, ...]], one: Meaning, other: Meaning) -> Cases:
    """The cases in which two claims about the blank name the same entities."""
    apart = full ^ full  # The empty set, of either kind.
    for a, b in zip(parts(one), parts(other), strict=True):
        if a is not b:  # One claim twice has the same objects: nothing to compute.
            apart = apart | (a ^ b)
    return full ^ apart


def _right_options(full: Cases, naming: Sequence[Cases], letters: frozenset[str], choices: dict[str, int]) -> Cases:
    """The cases in which exactly the options ``letters`` are right."""
    if not letters <= choices.keys():
        return full ^ full
    # "None of the above" is right where no entity among the options fills the blank, be it another one or nobody.
    somebody = full ^ full
    for entity in choices.values():
        if entity != NOBODY:
            somebody = somebody | naming[entity]
    found = full
    for letter, entity in choices.items():
        right = full ^ somebody if entity == NOBODY else naming[entity]
        found = found & (right if letter in letters else full ^ right)
    return found
