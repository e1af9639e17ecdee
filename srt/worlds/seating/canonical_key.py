"""One key for all problems that are the same but for names, option order, clue order and a turn of the scene.

The key is a hash of the canonical form of (geometry, clue set, question). Names are removed by calling everybody by the
seat that they have in the one placement that solves the problem: a renaming that maps one problem onto another maps
their solutions onto each other, so two problems get the same form exactly when such a renaming exists, and nothing has
to be searched. Symmetries are divided out by taking the least form over the turns that leave the scene as it is.

"Ann is left of Bob" and "Bob is right of Ann" are two clues here, and one meaning. :func:`meaning_key` is the coarser
key: what each clue allows and who fills the blank, whatever relations say it.

A split is a function of a key: problems with the same key are in the same split.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from srt.worlds.seating.claim_language import (
    Apply,
    Atom,
    Claim,
    Equal,
    Meet,
    Member,
    Region,
    Term,
    format_atom,
    rename,
)
from srt.worlds.seating.derivation.masks import masks_of
from srt.worlds.seating.scenes import Scene

_SYMMETRIC_FUNCTIONS = frozenset({"across", "diag"})
_SYMMETRIC_REGIONS = frozenset({"beside", "one_between", "tier_next", "tier_apart", "stacked", "same_side"})


def canonical_key(scene: Scene, clues: Iterable[Claim], question: Claim, placement: Mapping[str, str]) -> str:
    """The key of a problem, 16 hexadecimal digits.

    ``placement`` (name -> seat) is any placement that the clues allow; all of them must be turns of each other. A clue
    may name a seat only where the scene has no symmetry.
    """
    clue_list = list(clues)
    forms: list[list[Any]] = []
    for symmetry in scene.symmetries:
        turned = {name: scene.seats[symmetry[scene.seats.index(seat)]] for name, seat in placement.items()}
        forms.append([sorted({_form(clue, turned) for clue in clue_list}), _form(question, turned)])
    return _hashed(scene, min(forms))


def meaning_key(scene: Scene, clues: Iterable[Claim], question: Claim, placement: Mapping[str, str]) -> str:
    """One key for all problems whose clues allow the same seatings and whose question has the same answers in them.

    Arguments and result are those of :func:`canonical_key`; where that is the same, so is this one.
    """
    masks = masks_of(scene)
    clue_list = list(clues)
    forms: list[list[Any]] = []
    for symmetry in scene.symmetries:
        number = {name: symmetry[scene.seats.index(seat)] for name, seat in placement.items()}
        allowed = {both.places & both.relations for both in (masks.meaning(clue, number) for clue in clue_list)}
        fills = [filler.places & filler.relations for filler in masks.fillers(question, number)]
        forms.append([sorted(allowed), fills])
    return _hashed(scene, min(forms))


def _hashed(scene: Scene, form: list[Any]) -> str:
    text = json.dumps([scene.kind, scene.compass, form], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _form(claim: Claim, seats: Mapping[str, str]) -> str:
    alternatives = (
        " & ".join(sorted(format_atom(_normalised(atom)) for atom in atoms)) for atoms in rename(claim, seats)
    )
    return " | ".join(sorted(alternatives))


def _normalised(atom: Atom) -> Atom:
    """``atom`` with the sides of what is symmetric in order."""
    match atom:
        case Equal(left, right, negated):
            return _equal(left, right, negated)
        case Member(first, Region(name, second, k), negated) if name in _SYMMETRIC_REGIONS and second < first:
            return Member(second, Region(name, first, k), negated)
        case Meet(one, other):
            low, high = sorted((one, other), key=repr)
            return Meet(low, high)
    return atom


def _equal(left: Term, right: Term, negated: bool) -> Equal:
    """One form for what can be said from either side: ``f(a) = b`` and ``f(b) = a``, where ``f`` is its own inverse."""
    left, right = sorted((left, right), key=lambda term: (isinstance(term, Apply), repr(term)))
    if isinstance(left, Apply) and isinstance(right, Apply):
        outer, other = (left, right) if left.function in _SYMMETRIC_FUNCTIONS else (right, left)
        if outer.function in _SYMMETRIC_FUNCTIONS and isinstance(outer.argument, str):
            left, right = outer.argument, Apply(outer.function, other)
        return Equal(left, right, negated)
    match left, right:
        case str(), Apply(function, str() as inner) if function in _SYMMETRIC_FUNCTIONS and inner < left:
            return Equal(inner, Apply(function, left), negated)
    return Equal(left, right, negated)
