"""Clues and questions around a ring, said clockwise and counterclockwise: which way people face is settled first.

To the right of somebody who faces out of the ring is clockwise, of somebody who faces in it is counterclockwise.
Whoever has put a clue into these words needs no more than seats and turns for all that follows.
"""

from __future__ import annotations

from dataclasses import replace

from srt.worlds.seating.claim_language import Apply, Atom, Claim, Equal, Term
from srt.worlds.seating.relations import neighbour
from srt.worlds.seating.scenes import Scene

_OPPOSITE = {"cw": "ccw", "ccw": "cw"}


def circular(claim: Claim, scene: Scene) -> Claim:
    """``claim`` with ``cw`` and ``ccw`` for ``left`` and ``right``, by the way people face; off a ring as it is."""
    if not scene.kind.startswith("hexagon"):
        return claim
    return tuple([tuple([_circular_atom(atom, scene) for atom in atoms]) for atoms in claim])


def counted_from(seated: str, other: str, claim: Claim) -> Claim:
    """``claim``, if it is a turn from one of two people to the other, as the turn from ``seated`` to ``other``."""
    match claim:
        case ((Equal(str() as name, Apply(argument=str() as start) as turn, False),),) | (
            (Equal(Apply(argument=str() as start) as turn, str() as name, False),),
        ) if turn.function in _OPPOSITE and {name, start} == {seated, other}:
            function = turn.function if start == seated else _OPPOSITE[turn.function]
            return ((Equal(Apply(function, seated, turn.k), other),),)
    return claim


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
