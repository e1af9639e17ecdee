"""From claims to the one placement that satisfies them, and the options that are right in it.

Every clue is a set of placements (:mod:`.masks`); what satisfies all of them is their intersection. It is one placement
up to the symmetries of the scene, or the problem is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from srt.worlds.seating.derivation.masks import ClaimMasks, masks_of
from srt.worlds.seating.reading.problem_reader import Puzzle
from srt.worlds.world import Refused


@dataclass(frozen=True)
class SolvedPuzzle:
    """A solved puzzle.

    ``placement`` is one of the placements that satisfy the clues (the others are its images under the symmetries of the
    scene); ``filled`` are the names that fill the blank, in the order of the puzzle; ``letters`` the right options.
    """

    placement: dict[str, str]
    filled: tuple[str, ...]
    letters: tuple[str, ...]
    mask: int
    """All placements that satisfy the clues, numbered by :class:`~srt.worlds.seating.derivation.masks.Masks`."""
    clues: tuple[ClaimMasks, ...]
    question: tuple[ClaimMasks, ...]


def solve(puzzle: Puzzle) -> SolvedPuzzle:
    """The solution of ``puzzle``.

    Raises:
        Refused: ``contradictory_clues`` (the detail names the first clue that those before it do not allow, or says
            that no option is right), ``not_unique``, or ``unknown_wording`` for a relation that means nothing in the
            scene.
    """
    masks = masks_of(puzzle.scene)
    index = {name: number for number, name in enumerate(puzzle.names)}
    allowed = masks.everything
    clues = []
    for clue in puzzle.clues:
        try:
            meaning = masks.meaning(clue.claim, index)
        except ValueError as error:
            raise Refused("unknown_wording", f"clue ({clue.number}): {error}: {clue.text!r}") from None
        clues.append(meaning)
        allowed &= meaning.places & meaning.relations
        if not allowed:
            raise Refused("contradictory_clues", f"clue ({clue.number}) contradicts those before it: {clue.text!r}")
    if allowed.bit_count() != len(puzzle.scene.symmetries):
        number = allowed.bit_count() // len(puzzle.scene.symmetries)
        raise Refused("not_unique", f"{number} placements satisfy the clues")
    try:
        question = masks.fillers(puzzle.question, index)
    except ValueError as error:
        raise Refused("unknown_wording", f"question: {error}") from None
    seats = masks.first(allowed)
    filled = tuple(
        name for name, fill in zip(puzzle.names, question, strict=True) if fill.places & fill.relations & allowed
    )
    letters = right_options(puzzle.options, filled)
    if not letters:
        raise Refused(
            "contradictory_clues", f"no option is right: the blank is filled by {', '.join(filled) or 'nobody'}"
        )
    placement = {name: puzzle.scene.seats[seat] for name, seat in zip(puzzle.names, seats, strict=True)}
    return SolvedPuzzle(placement, filled, letters, allowed, tuple(clues), tuple(question))


def right_options(options: dict[str, str | None], filled: Sequence[str]) -> tuple[str, ...]:
    """The letters of the options that fill the blank; "none of the above" where no other does."""
    named = tuple(letter for letter, name in options.items() if name in filled)
    return named or tuple(letter for letter, name in options.items() if name is None)
