"""In which placements claims of the seating world hold, and what follows from them: by writing every placement out.

The naive half of the oracle (:mod:`.oracle` has the rules of traces). Names are the numbers "0", "1", ... of the
entities, so that what is found for one problem serves all of its scene; ground claims and whole steps are remembered.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from srt.worlds.seating.claim_language import (
    BLANK,
    Atom,
    Attribute,
    Claim,
    Nobody,
    Place,
    RightOptions,
    atom_names,
    names_of,
    rename_atom,
    said_of_others,
)
from srt.worlds.seating.relations import holds
from srt.worlds.seating.scenes import Scene

Bools = NDArray[np.bool_]
Letters = tuple[tuple[str, str | None], ...]
"""Options, letter and entity; ``None`` for "none of the above"."""
Right = Mapping[tuple[str, ...], Bools]
"""For sets of letters, where it is the set of right options."""
_NOTHING: Right = {}


def speaks_of_the_blank(claim: Claim) -> bool:
    """Whether ``?`` is in the claim."""
    return BLANK in names_of(claim)


def speaks_of_options(claim: Claim) -> bool:
    """Whether the claim says which options are right."""
    return any(isinstance(atom, RightOptions) for atom in itertools.chain(*claim))


@cache
def placements(scene: Scene) -> tuple[dict[str, str], ...]:
    """Every way to put the entities "0", "1", ... on the seats."""
    count = range(len(scene.seats))
    return tuple({str(n): order[n] for n in count} for order in itertools.permutations(scene.seats))


@cache
def _images(scene: Scene) -> tuple[NDArray[np.intp], ...]:
    """For each symmetry, the number of the placement that each placement becomes."""
    numbers = {tuple(placement.values()): i for i, placement in enumerate(placements(scene))}
    images = []
    for symmetry in scene.symmetries:
        moved = {seat: scene.seats[symmetry[i]] for i, seat in enumerate(scene.seats)}
        images.append(np.array([numbers[tuple(moved[seat] for seat in order)] for order in numbers], dtype=np.intp))
    return tuple(images)


@lru_cache(maxsize=1 << 16)
def ground(scene: Scene, atom: Atom) -> Bools:
    """In which placements an atom without ``?`` holds: that depends on the seats of its own names alone."""
    # Asked once for each seating of its own names, at most 30 for two, and not for each of 720 placements.
    names = tuple(dict.fromkeys(atom_names(atom)))
    seatings = itertools.permutations(scene.seats, len(names))
    seated = {seats: holds(((atom,),), scene, dict(zip(names, seats, strict=True))) for seats in seatings}
    found = [seated[tuple([placement[name] for name in names])] for placement in placements(scene)]
    return np.array(found, dtype=np.bool_)


class _View:
    """Claims as arrays over arrangements.

    With ``tied`` (the step cites ``scene``) there is one arrangement, one axis. Without it there are two: places vary
    along the first axis, relations along the second.
    """

    def __init__(self, scene: Scene, tied: bool) -> None:
        self.scene = scene
        self.tied = tied
        self.entities = tuple(str(n) for n in range(len(scene.seats)))
        self.everywhere: Bools = np.ones((1,) if tied else (1, 1), dtype=np.bool_)

    def where(self, claim: Claim, blank: str | None = None, right: Right = _NOTHING) -> Bools:
        """Where ``claim`` holds when ``?`` is ``blank``; ``right`` says where which letters are the right ones."""
        result = ~self.everywhere
        for atoms in claim:
            alternative = self.everywhere
            for atom in atoms:
                alternative = alternative & self._atom(atom, blank, right)
            result = result | alternative
        return result

    def filled(self, claim: Claim) -> list[Bools]:
        """For each entity, where it fills the blank of ``claim``."""
        return [self.where(claim, entity) for entity in self.entities]

    def right_letters(self, filled: Sequence[Bools], letters: Letters) -> Right:
        """For every set of letters, where it is the set of right options; ``filled`` is where who fills the blank."""
        named = {letter: filled[int(entity)] for letter, entity in letters if entity is not None}
        # "None of the above" is right where none of the named options is, whether or not somebody fills the blank.
        nobody = self.everywhere
        for where in named.values():
            nobody = nobody & ~where
        is_right = {letter: nobody if entity is None else named[letter] for letter, entity in letters}
        result = {}
        for size in range(len(letters) + 1):
            for chosen in itertools.combinations(sorted(is_right), size):
                where = self.everywhere
                for letter, right in is_right.items():
                    where = where & (right if letter in chosen else ~right)
                result[chosen] = where
        return result

    def _atom(self, atom: Atom, blank: str | None, right: Right) -> Bools:
        if isinstance(atom, Nobody):
            return ~self.everywhere
        if isinstance(atom, RightOptions):
            return right.get(atom.letters, ~self.everywhere)
        # Without the plan of the seats, where people sit and how they are related are two independent arrangements.
        column = ground(self.scene, atom if blank is None else rename_atom(atom, {BLANK: blank}))
        if self.tied:
            return column
        return column[:, None] if isinstance(atom, (Place, Attribute)) else column[None, :]


@lru_cache(maxsize=1 << 16)
def models(scene: Scene, claims: tuple[Claim, ...]) -> Bools:
    """The placements in which all of ``claims`` (without ``?``) hold."""
    view = _View(scene, tied=True)
    models = np.ones(len(placements(scene)), dtype=np.bool_)
    for claim in claims:
        models &= view.where(claim)
    return models


@dataclass(frozen=True)
class Known:
    """What is known of where people sit: ``claims`` about named entities, as the step cites them."""

    scene: Scene
    claims: tuple[Claim, ...]

    @classmethod
    def of(cls, scene: Scene, cited: Iterable[Claim]) -> Known:
        """Those of ``cited`` that are about named entities; a blank or options say nothing of who sits where."""
        return cls(scene, tuple(c for c in cited if not speaks_of_the_blank(c) and not speaks_of_options(c)))

    def allow(self, claim: Claim) -> bool:
        """Whether ``claim`` can hold together with what is known, for names of this scene alone."""
        # Who may fill a blank is tried with "0" to "5"; a booth has four people, and "4" can be nothing there.
        count = str(len(self.scene.seats))
        there = tuple(atoms for atoms in claim if all(name < count for name in names_of((atoms,))))
        return bool(models(self.scene, (*self.claims, there)).any())

    def ensure(self, claim: Claim) -> bool:
        """Whether ``claim`` holds wherever all that is known does."""
        return not (models(self.scene, self.claims) & ~models(self.scene, (claim,))).any()


@lru_cache(maxsize=1 << 17)
def truth(scene: Scene, claim: Claim, question: Claim, letters: Letters) -> Bools:
    """The placements in which ``claim`` is true.

    One with ``?`` is where the same entities fill it and the question, and what it says of others holds. The reading of
    the question says what the question does.
    """
    view = _View(scene, tied=True)
    asked = view.filled(question)
    right = view.right_letters(asked, letters) if speaks_of_options(claim) else _NOTHING
    if not speaks_of_the_blank(claim):
        return view.where(claim, None, right)
    same = view.everywhere if claim == question else view.where(said_of_others(claim))
    for filled, wanted in zip(view.filled(claim), asked, strict=True):
        same = same & (filled == wanted)
    return same


@lru_cache(maxsize=1 << 16)
def says_the_same(scene: Scene, one: Claim, other: Claim) -> bool:
    """Whether a reading says what its clue says, no less: the two hold in the same arrangements."""
    if speaks_of_the_blank(one) != speaks_of_the_blank(other):
        return False
    view = _View(scene, tied=False)
    if speaks_of_the_blank(one):
        pairs = [*zip(view.filled(one), view.filled(other), strict=True)]
        pairs.append((view.where(said_of_others(one)), view.where(said_of_others(other))))
        return all(bool((first == second).all()) for first, second in pairs)
    return bool((view.where(one) == view.where(other)).all())


@lru_cache(maxsize=1 << 16)
def names_the_same(scene: Scene, one: Claim, other: Claim) -> bool:
    """Whether two claims about the blank name the same entities in every placement."""
    view = _View(scene, tied=True)
    pairs = zip(view.filled(one), view.filled(other), strict=True)
    return all(bool((first == second).all()) for first, second in pairs)


@lru_cache(maxsize=1 << 16)
def implies(scene: Scene, one: Claim, other: Claim) -> bool:
    """Whether ``other`` holds in every placement in which ``one`` does; both without ``?``."""
    count = str(len(scene.seats))
    if any(name >= count for name in names_of(other)):
        return False
    return not (models(scene, (one,)) & ~models(scene, (other,))).any()


@lru_cache(maxsize=1 << 18)
def follows(scene: Scene, tied: bool, wlog: bool, premises: tuple[Claim, ...], claim: Claim, letters: Letters) -> bool:
    """Whether ``claim`` holds in every arrangement in which ``premises`` do, and there is one such."""
    # The first premise about the blank says who fills it. The others must name the same entities, except where what one
    # of them takes for granted of others is wrong: there it says nothing.
    view = _View(scene, tied)
    about_blank = [(view.filled(p), view.where(said_of_others(p))) for p in premises if speaks_of_the_blank(p)]
    asked, granted = about_blank[0] if about_blank else ([], view.everywhere)
    right = view.right_letters(asked, letters) if asked and letters else _NOTHING
    models = view.everywhere
    for premise in premises:
        if not speaks_of_the_blank(premise) and not speaks_of_options(premise):
            models = models & view.where(premise)
    for filled, also_granted in about_blank[1:]:
        for one, other in zip(asked, filled, strict=True):
            models = models & ((one == other) | ~granted | ~also_granted)
    if not models.any():
        return False  # From a contradiction everything would follow.
    if not asked and (speaks_of_the_blank(claim) or speaks_of_options(claim)):
        return False
    if speaks_of_the_blank(claim):
        meant = list(zip(view.filled(claim), asked, strict=True))
        meant.append((view.where(said_of_others(claim)), view.everywhere))
    else:
        meant = [(view.where(claim, None, right), view.everywhere)]
    if not wlog:
        return all(bool(((told == wanted) | ~models).all()) for told, wanted in meant)
    # A free choice: some symmetry turns each placement that is left into one in which the claim holds.
    count = len(placements(scene))
    reached = np.zeros(count, dtype=np.bool_)
    for image in _images(scene):
        agrees = np.ones(count, dtype=np.bool_)
        for told, wanted in meant:
            agrees &= np.broadcast_to(told, count)[image] == wanted
        reached |= agrees
    return bool((reached | ~models).all())
