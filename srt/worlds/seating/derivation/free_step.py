"""One step of a free derivation (:mod:`.free_derivation`), and what of a trace such a derivation takes over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from srt.worlds.seating.claim_language import BLANK, Atom, Claim, Equal, Nobody, Place, atom_names

Move = Literal[
    "clue", "clues", "question", "recall", "recall question", "choose", "place", "left over", "so far",
    "try", "break", "look", "guess", "unguess", "fill", "answer",
]  # fmt: skip
"""``break`` takes the seat back that ``try`` said right before it, ``unguess`` the name that ``guess`` said."""


@dataclass(frozen=True)
class FreeStep:
    """One step, and one sentence.

    ``words`` are its premises that are no steps, ``cites`` the numbers of steps before it (from 1), ``said`` the seats
    that it says again as its reason, ``clues`` the clues that it uses, by number. ``says_clues``: its sentence repeats
    what these say, and does not only name them. ``names`` are premises after the cited steps: who is among the options.
    """

    move: Move
    claim: Claim
    words: tuple[str, ...] = ()
    cites: tuple[int, ...] = ()
    said: tuple[Place, ...] = ()
    clues: tuple[int, ...] = ()
    says_clues: bool = False
    names: tuple[str, ...] = ()


def is_lookup(claim: Claim) -> bool:
    """Whether ``claim`` is one on the way to who fills the blank: another question, or the seats that are asked for."""
    about = [atom for atoms in claim for atom in atoms if BLANK in atom_names(atom)]
    return bool(about) and not any(_names_the_filler(atom) for atom in about)


def _names_the_filler(atom: Atom) -> bool:
    match atom:
        case Equal(left, right, False):
            return left == BLANK and isinstance(right, str)
        case _:
            return isinstance(atom, Nobody)
