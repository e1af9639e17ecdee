"""Readings that nothing cites, and that are no padding: a writer cannot always know before it reads what will help.

They stand in a row right before the reading that the next step cites, and lead up to it in one of two ways:

- they read the same clue, or the question, and each puts it more like a turn that is counted from somebody who is
  seated: ``Una = left(Ned, 5)``, ``Una = cw(Ned, 5)``, ``ccw(Una, 5) = Ned``. That can be done twice at most;
- they read another clue and pass it by: somebody is seated, but nobody of whom it speaks. All of these must be seated
  later, and somebody before the clue is passed by again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from srt.language.trace import Step
from srt.worlds.seating.checker.claim_sets import BLANK, TOKENS, Meaning
from srt.worlds.seating.checker.repetition import Words, simpler


def leading_up(steps: Sequence[Step], claims: Sequence[Meaning | None], readings: Collection[int]) -> Iterator[int]:
    """The numbers of such steps of a trace; ``readings`` are those that read one clue, or the question, faithfully."""
    seating = [claim if step.op == "CONSTRAIN" else None for step, claim in zip(steps, claims, strict=True)]
    everybody = frozenset[str]().union(*(claim.form.seated for claim in seating if claim))
    seated = frozenset[str]()
    passed = dict[tuple[str, ...], int]()
    """How many were seated when a clue was last passed by."""
    row: list[tuple[int, Step, Meaning]] = []
    for number, (step, claim) in enumerate(zip(steps, claims, strict=True), 1):
        if number in readings and claim is not None:
            row.append((number, step, claim))
            continue
        if row and f"#{row[-1][0]}" in step.args:
            same = _of_one_clue(row, seated)
            yield from (read for read, _, _ in row[-same:-1])
            for read, reading, said in row[:-same]:
                names = said.form.tokens
                if reading.args == ("question",) or names & seated or not names <= everybody:
                    continue
                if passed.get(reading.args, 0) < len(seated):
                    yield read
                    passed[reading.args] = len(seated)
        row = []
        if seats := seating[number - 1]:
            seated |= seats.form.seated


def _of_one_clue(row: Sequence[tuple[int, Step, Meaning]], seated: frozenset[str]) -> int:
    """How many readings at the end of ``row`` read one clue, each more like a turn than the one before."""
    count = 1
    for (_, after, said), (_, before, said_before) in pairwise(reversed(row)):
        if after.args != before.args or not simpler(_unlike_a_turn(said, seated), _unlike_a_turn(said_before, seated)):
            break
        count += 1
    return count


def _unlike_a_turn(claim: Meaning, seated: frozenset[str]) -> Words:
    """Whether a reading says left or right, and whether it names first, or counts from, somebody who is not seated.

    ``Una = left(Ned)`` names Una first, and so does ``left(?) = Ned`` count from the blank.
    """
    text = claim.masked
    counted_from = {text[at + 1] for at, sign in enumerate(text) if sign == "(" and text[at + 1] in TOKENS + BLANK}
    named_first = any(atom[0] in TOKENS for alternative in text.split(" | ") for atom in alternative.split(" & "))
    return int("left" in text or "right" in text), int(named_first or not counted_from <= seated)
