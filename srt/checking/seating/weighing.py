"""What premises leave open, and where in it a claim holds.

The same arithmetic serves both readings of a step: with the plan of the seats sets are bit masks, without it they are
:class:`~srt.checking.seating.arrangements.Pairs`. Only ``&``, ``|`` and ``^`` are used, so one text does for both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from srt.checking.seating.arrangements import Pairs
from srt.checking.seating.claims import Meaning
from srt.checking.seating.problems import NOBODY

Cases = TypeVar("Cases", int, Pairs)


def weigh(
    full: Cases,
    parts: Callable[[Meaning], tuple[Cases, ...]],
    premises: Sequence[Meaning],
    claim: Meaning,
    choices: dict[str, int] | None,
) -> tuple[Cases, Cases | None]:
    """The cases that the ``premises`` leave open, and those of them in which ``claim`` holds.

    The second is ``None`` where the claim speaks of the blank or the options and no premise says who fills the blank.
    A premise that speaks of the blank fixes who fills it; two of them leave only the cases in which they agree.
    """
    ground = full
    naming: tuple[Cases, ...] | None = None
    options = [premise.letters for premise in premises if premise.letters is not None]
    for premise in premises:
        if premise.letters is not None:
            continue
        if not premise.blank:
            ground = ground & parts(premise)[0]
        elif naming is None:
            naming = parts(premise)
        else:
            ground = ground & agreement(full, naming, parts(premise))
    if naming is None:
        if claim.letters is not None and options:
            same = all(letters == claim.letters for letters in options)
            return ground, ground if same else ground ^ ground
        return ground, None if claim.blank else ground & parts(claim)[0]
    if choices is not None:
        for letters in options:
            ground = ground & _right_options(full, naming, letters, choices)
    return ground, ground & holding(full, naming, parts, claim, choices)


def holding(
    full: Cases,
    naming: tuple[Cases, ...],
    parts: Callable[[Meaning], tuple[Cases, ...]],
    claim: Meaning,
    choices: dict[str, int] | None,
) -> Cases:
    """The cases in which ``claim`` holds where ``naming`` says, entity by entity, when it fills the blank."""
    if claim.letters is not None:
        return full ^ full if choices is None else _right_options(full, naming, claim.letters, choices)
    return agreement(full, naming, parts(claim)) if claim.blank else parts(claim)[0]


def agreement(full: Cases, one: Sequence[Cases], other: Sequence[Cases]) -> Cases:
    """The cases in which two claims about the blank name the same entities."""
    apart = full ^ full
    for a, b in zip(one, other, strict=True):
        if a is not b:
            apart = apart | (a ^ b)
    return full ^ apart


def _right_options(full: Cases, naming: Sequence[Cases], letters: frozenset[str], choices: dict[str, int]) -> Cases:
    """The cases in which exactly the options ``letters`` are right."""
    if not letters <= choices.keys():
        return full ^ full
    somebody = full ^ full
    for entity in choices.values():
        if entity != NOBODY:
            somebody = somebody | naming[entity]
    found = full
    for letter, entity in choices.items():
        right = full ^ somebody if entity == NOBODY else naming[entity]
        found = found & (right if letter in letters else full ^ right)
    return found
