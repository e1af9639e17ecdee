"""Clues and questions around a ring, said clockwise and counterclockwise: which way people face is settled first.

To the right of somebody who faces out of the ring is clockwise, of somebody who faces in it is counterclockwise.
Once a clue is in these words, everything that follows needs only seats and turns.
"""

from __future__ import annotations

from dataclasses import replace

from srt.worlds.seating.claim_language import BLANK, Apply, Atom, Claim, Equal, Member, Term
from srt.worlds.seating.relations import neighbour
from srt.worlds.seating.scenes import Scene

_OPPOSITE = {"cw": "ccw", "ccw": "cw"}
_SIDES = {"left_side": "left", "right_side": "right"}
_PLACES_OF_A_SIDE = (1, 2)
_CLOCKWISE = {"cw": 1, "ccw": -1, "across": 3}
"""How many places clockwise a turn leads, times its ``k``."""
_SHORTEST = {1: ("cw", 1), 2: ("cw", 2), 3: ("across", 1), 4: ("ccw", 2), 5: ("ccw", 1)}
"""The turn that leads so many places clockwise."""


def circular(claim: Claim, scene: Scene) -> Claim:
    """``claim`` with ``cw`` and ``ccw`` for ``left`` and ``right``, by the way people face; off a ring as it is."""
    if not scene.kind.startswith("hexagon"):
        return claim
    return tuple([tuple([_circular_atom(atom, scene) for atom in atoms]) for atoms in claim])


def place_by_place(claim: Claim) -> Claim:
    """A claim about somebody's left or right side as its two places: ``left(?) = Ann | left(?, 2) = Ann``.

    Other claims stay as they are.
    """
    match claim:
        case ((Member(name, region, False),),) if region.name in _SIDES:
            places = [Apply(_SIDES[region.name], region.of, k) for k in _PLACES_OF_A_SIDE]
            # As elsewhere, a blank inside a function stands on the left.
            return tuple([(Equal(place, name) if region.of == BLANK else Equal(name, place),) for place in places])
    return claim


def counted_from(known: str, other: str, claim: Claim) -> Claim:
    """``claim`` with each alternative that is a turn from one of two people to the other as the turn from ``known``."""
    return tuple([_counted_from(known, other, atoms) for atoms in claim])


def _counted_from(known: str, other: str, atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
    match atoms:
        case (Equal(str() as name, Apply(argument=str() as start) as turn, False),) | (
            Equal(Apply(argument=str() as start) as turn, str() as name, False),
        ) if turn.function in _OPPOSITE and {name, start} == {known, other}:
            function = turn.function if start == known else _OPPOSITE[turn.function]
            counted = Apply(function, known, turn.k)
            return (Equal(other, counted) if other == BLANK else Equal(counted, other),)
    return atoms


def added_up(claim: Claim, scene: Scene) -> Claim:
    """``claim`` with one turn for those inside one another: ``? = cw(Ann, 2)`` for ``? = across(ccw(Ann))``.

    Other claims stay as they are, and so do turns that lead back to where they begin.
    """
    match claim:
        case ((Equal(left, right, False) as atom,),) if scene.kind.startswith("hexagon"):
            return ((replace(atom, left=_one_turn(left), right=_one_turn(right)),),)
    return claim


def _one_turn(term: Term) -> Term:
    if isinstance(term, str) or isinstance(term.argument, str):
        return term
    places = 0
    start: Term = term
    while isinstance(start, Apply):
        if start.function not in _CLOCKWISE:
            return term
        places += _CLOCKWISE[start.function] * start.k
        start = start.argument
    turn = _SHORTEST.get(places % 6)
    return term if turn is None else Apply(turn[0], start, turn[1])


def _circular_atom(atom: Atom, scene: Scene) -> Atom:
    if isinstance(atom, Equal):
        return replace(atom, left=_circular_term(atom.left, scene), right=_circular_term(atom.right, scene))
    return atom


def _circular_term(term: Term, scene: Scene) -> Term:
    if isinstance(term, str):
        return term
    start = scene.seats[0]
    found = neighbour(scene, term.function, start)
    turn = next((turn for turn in _OPPOSITE if neighbour(scene, turn, start) == found), term.function)
    return Apply(turn, _circular_term(term.argument, scene), term.k)
